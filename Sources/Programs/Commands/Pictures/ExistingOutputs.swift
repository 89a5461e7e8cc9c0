/// The handling of outputs whose files already exist.
enum ExistingOutputs {
  case refused, replaced, kept

  init(_ arguments: Arguments, of command: String) throws(UsageError) {
    let (force, skip) = (arguments.has("force"), arguments.has(Option.skipExisting.name))
    guard !force || !skip else {
      throw UsageError(message: "--force and --skip-existing exclude each other", command: command)
    }
    self = force ? .replaced : skip ? .kept : .refused
  }

  /// The handling of a name that the user gave: it is replaced without `--force`.
  var ofGivenName: Self { self == .refused ? .replaced : self }

  /// Whether a file exists and is kept.
  func keeps(_ output: SystemString, _ console: Console) -> Bool {
    guard self == .kept, output != .standardStream, exists(output) else { return false }
    if console.isVerbose { console.note("\(output) exists already") }
    return true
  }
}

extension Console {
  /// Whether a file may be written. Reports one that exists and may not be replaced.
  mutating func mayWrite(_ output: SystemString, mayReplace: Bool) -> Bool {
    if mayReplace || !exists(output) { return true }
    fail("\(SystemError(alreadyExists: output))", .failed)
    return false
  }
}

extension Option {
  static let skipExisting = Option(
    "skip-existing", help: "Leave out inputs whose outputs exist already.")
}
