import Glibc
import Measurement

let words = SystemString.commandLine
if words.first?.description == PeakMemory.word {
  // `pkd bench` starts commands through a small process to measure their memory.
  exit(PeakMemory.report(of: words.dropFirst().map(\.bytes)))
}
if words.first?.description == CallProcess.word {
  exit(CallProcess.report(of: Array(words.dropFirst())))
}
exit(ProgramRun(words: words).carryOut().rawValue)
