package import Commands

extension CommandTable {
  /// The commands of the program of the service: those of ink, and its own.
  package static let service: CommandTable = {
    var table = CommandTable.ink.adding(
      [serveCommand, syncCommand, tokenCommand, migrateCommand, importBucketCommand],
      verbs: storeVerbs)
    table.commands = table.commands.map { $0.name == workerCommand.name ? blobWorkerCommand : $0 }
    return table
  }()
}
