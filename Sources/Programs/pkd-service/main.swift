import Commands
import ServiceCommands

// The program of the drawing service. `pkd` replaces itself with it for the commands that need a
// service. It is a separate program because its libraries for HTTP, TLS and databases cannot be
// linked statically.

runCommand(of: .service)
