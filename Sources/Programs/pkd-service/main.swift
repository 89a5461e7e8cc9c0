import Commands
import ServiceCommands

// The program of the drawing service. `pkd` becomes it for the commands that need a service; it is one of its own because
// its libraries for HTTP, TLS and databases cannot be linked statically.

runCommand(of: .service)
