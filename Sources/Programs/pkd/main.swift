import Commands

runCommand()
