import JSON
import Glibc
import Storage

/// What a service's folder says of itself, in `settings.json`: which database belongs to it, and what its
/// operator has chosen. Names that are not known here are kept.
struct StoredSettings {
  var settings = ServiceSettings()
  private(set) var identity: Int64?
  private var fields = Fields()

  private static let databaseField = "database"

  /// Reads the settings of a folder; those that are right for most where it has none.
  init(_ root: String) throws {
    let bytes = try FileBlobStore.bytes(ofFile: LocalHouse.settingsName, in: root)
    try self.init(json: bytes ?? Array("{}".utf8))
  }

  init(json: [UInt8]) throws {
    do throws(JSONError) {
      fields = try Fields(json: json)
    } catch {
      throw ServiceError.badSettings(
        "\(LocalHouse.settingsName): \(error). Put it right, or delete it to go by the usual settings"
      )
    }
    identity = fields[Self.databaseField]?.textValue.flatMap { UInt64($0, radix: 16) }
      .map { Int64(bitPattern: $0) }
    for setting in Setting.all {
      guard let value = fields[setting.name], value != .null else { continue }
      do {
        try setting.put(value, into: &settings)
      } catch {
        throw ServiceError.badSettings("\(LocalHouse.settingsName): \(error)")
      }
    }
  }

  /// The same for another database.
  func with(identity: Int64?) -> StoredSettings {
    var copy = self
    copy.identity = identity
    return copy
  }

  /// The settings as they are kept: those that differ from what is right for most, and those that were
  /// named before.
  var json: [UInt8] {
    var fields = fields
    fields[Self.databaseField] = identity.map {
      .text(String(UInt64(bitPattern: $0), radix: 16))
    }
    let usual = ServiceSettings()
    for setting in Setting.all {
      let value = setting.value(in: settings)
      if fields[setting.name] != nil || value != setting.value(in: usual) {
        fields[setting.name] = value
      }
    }
    return fields.json + [UInt8(ascii: "\n")]
  }

  /// Puts the settings into a folder, as a whole, and waits until they are safe.
  func write(to root: String) throws {
    try FileBlobStore.replaceFile(LocalHouse.settingsName, in: root, json)
  }
}
