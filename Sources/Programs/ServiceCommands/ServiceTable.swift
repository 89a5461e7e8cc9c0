package import Commands

extension CommandTable {
  /// The commands of the service's program: those for ink, and its own.
  package static let service = CommandTable(
    commands: ink.commands.map { $0.name == workerCommand.name ? blobWorkerCommand : $0 } + [
      serveCommand, syncCommand, tokenCommand, userCommand, migrateCommand, importBucketCommand,
    ], verbs: storeVerbs, storeHelp: storeOverview)
}
