import JSON
import Glibc
import Storage

/// The contents of `settings.json`: the identity of the database of the folder, and the settings of
/// the operator. Unknown names are preserved.
struct StoredSettings {
  var settings = ServiceSettings()
  private(set) var identity: Int64?
  /// The opaque name of this device, if it synchronizes with other places.
  var deviceID: String? {
    get { fields[Self.deviceField]?.textValue }
    set { fields[Self.deviceField] = newValue.map { .text($0) } }
  }
  private var fields = Fields()
  /// The settings that are known; the others are preserved.
  private let known: [Setting]

  private static let databaseField = "database"
  private static let deviceField = "device"

  /// Reads the settings of a folder; the defaults if it has none.
  init(_ root: String, of application: Application) throws {
    let bytes = try FileBlobStore.bytes(ofFile: LocalService.settingsName, in: root)
    try self.init(json: bytes ?? Array("{}".utf8), of: application)
  }

  init(json: [UInt8], of application: Application) throws {
    known = application.settings
    do throws(JSONError) {
      fields = try Fields(json: json)
    } catch {
      throw ServiceError.badSettings(
        "\(LocalService.settingsName): \(error). Correct it, or delete it to use the defaults"
      )
    }
    identity = fields[Self.databaseField]?.textValue.flatMap { UInt64($0, radix: 16) }
      .map { Int64(bitPattern: $0) }
    for setting in known {
      guard let value = fields[setting.name], value != .null else { continue }
      do {
        try setting.put(value, into: &settings)
      } catch {
        throw ServiceError.badSettings(
          "\(LocalService.settingsName): \(error). Correct it, or delete it to use the default")
      }
    }
  }

  /// Whether the folder has no settings, but at most the names of its database and device.
  var isEmpty: Bool { fields.all.allSatisfy { Self.ownFields.contains($0.0) } }

  /// The fields that belong to one folder.
  private static let ownFields = [databaseField, deviceField]

  /// Takes the settings of another folder, also those that are not known.
  mutating func take(_ other: StoredSettings) {
    settings = other.settings
    for (name, value) in other.fields.all where !Self.ownFields.contains(name) {
      fields[name] = value
    }
  }

  /// The settings with the identity of another database.
  func with(identity: Int64?) -> StoredSettings {
    var copy = self
    copy.identity = identity
    return copy
  }

  /// The settings as JSON: those that differ from the defaults, and those that were in the file
  /// before.
  var json: [UInt8] {
    var fields = fields
    fields[Self.databaseField] = identity.map {
      .text(String(UInt64(bitPattern: $0), radix: 16))
    }
    let defaults = ServiceSettings()
    for setting in known {
      let value = setting.value(in: settings)
      if fields[setting.name] != nil || value != setting.value(in: defaults) {
        fields[setting.name] = value
      }
    }
    return fields.json + [UInt8(ascii: "\n")]
  }

  /// Writes the settings into a folder, atomically and durably.
  func write(to root: String) throws {
    try FileBlobStore.replaceFile(LocalService.settingsName, in: root, json)
  }
}
