package import Storage

/// What a command or an app wants of sync: one device, one other place.
package struct SyncTask: Hashable, Sendable {
  /// The folder of the service on this device.
  package var root = "./pentimento-data"
  /// The other place: the address of a server, or a folder.
  package var remote = ""
  package var uid = ""
  /// The token with which the device signs in at a server, or the file that has it.
  package var token = ""
  package var tokenFile = ""
  /// A file of the authorities to trust instead of the system's.
  package var certificates = ""
  package var settings = SyncSettings()
  /// Whether to go on and send every change as soon as it is made.
  package var watches = false
  /// Whether results are printed as JSON.
  package var printsJSON = false
  /// Whether a line of JSON is printed for each change.
  package var tellsEvents = false
  /// Whether what was refused is tried again.
  package var retries = false
  package var isQuiet = false
  /// Whether all entries are deleted, here and there.
  package var deletesEverything = false

  package init() {}

  /// Whether the other place is a server.
  package var isServer: Bool { remote.contains("://") }
}

/// The keys of the texts of a task.
private enum TaskFields {
  static let texts: [(String, any WritableKeyPath<SyncTask, String> & Sendable)] = [
    ("root", \.root), ("remote", \.remote), ("uid", \.uid), ("token", \.token),
    ("tokenFile", \.tokenFile), ("certificates", \.certificates),
  ]
  static let switches: [(String, any WritableKeyPath<SyncTask, Bool> & Sendable)] = [
    ("watches", \.watches), ("printsJSON", \.printsJSON), ("tellsEvents", \.tellsEvents),
    ("retries", \.retries),
    ("isQuiet", \.isQuiet), ("deletesEverything", \.deletesEverything),
    ("isMetered", \.settings.isMetered),
  ]
}

extension SyncTask {
  /// The task as fields, to hand it to another program.
  package var fields: Fields {
    var values: [(String, FieldValue)] = TaskFields.texts.map { ($0.0, .text(self[keyPath: $0.1])) }
    values += TaskFields.switches.map { ($0.0, .bool(self[keyPath: $0.1])) }
    values += [
      ("conflicts", .text(settings.conflicts.rawValue)),
      ("pageSize", .integer(Int64(settings.pageSize))), ("interval", .number(settings.interval)),
    ]
    return Fields(values)
  }

  /// A task from its fields.
  package init(_ fields: Fields) {
    for (name, path) in TaskFields.texts { self[keyPath: path] = fields[name]?.textValue ?? "" }
    for (name, path) in TaskFields.switches {
      self[keyPath: path] = fields[name]?.boolValue ?? false
    }
    settings.conflicts =
      fields["conflicts"]?.textValue.flatMap(SyncSettings.ConflictRule.init) ?? .lastWrite
    settings.pageSize = Int(clamping: fields["pageSize"]?.integerValue ?? 50)
    settings.interval = fields["interval"]?.numberValue ?? settings.interval
  }
}
