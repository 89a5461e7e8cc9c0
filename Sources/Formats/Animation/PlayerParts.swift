import Compression
import JSON

/// The parts of players, which `Player/pack` has put into this module.
enum PlayerParts {
  /// The scripts as gzip.
  static let packedScripts = bytes(PlayerData.packed)
  /// The engine as gzip.
  static let packedEngine = bytes(PlayerEngine.packed)

  /// The scripts: `element` begins the script of a page, which `page` or `served` ends.
  static var scripts: (element: [UInt8], page: [UInt8], served: [UInt8], worker: [UInt8]) {
    let parts = unpacked(packedScripts).split(separator: 0).map { Array($0) }
    precondition(parts.count == 4, "the packed scripts are not complete")
    return (parts[0], parts[1], parts[2], parts[3])
  }

  private static func bytes(_ text: StaticString) -> [UInt8] {
    guard let bytes = Base64.decode(text.description) else {
      preconditionFailure("a packed part is no Base64")
    }
    return bytes
  }

  /// The bytes of a part.
  static func unpacked(_ part: [UInt8]) -> [UInt8] {
    do throws(InflateError) {
      return try Inflate.inflate(part, limit: 1 << 26)
    } catch {
      preconditionFailure("a packed part is damaged")
    }
  }
}
