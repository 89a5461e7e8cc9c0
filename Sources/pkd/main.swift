import Glibc

exit(ProgramRun(words: SystemString.commandLine).carryOut().rawValue)
