import Glibc

exit(ProgramRun(words: Array(CommandLine.arguments.dropFirst())).carryOut().rawValue)
