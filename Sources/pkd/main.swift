import Glibc
import Measurement

openStandardStreams()
let words = SystemString.commandLine
// `pkd bench` starts commands through a small process to measure their memory, and calls in fresh processes.
if words.first?.description == PeakMemory.word {
  exit(PeakMemory.report(of: words.dropFirst().map(\.bytes)))
}
if words.first?.description == CallProcess.word {
  exit(CallProcess.report(of: Array(words.dropFirst())))
}
exit(ProgramRun(words: words).carryOut().rawValue)
