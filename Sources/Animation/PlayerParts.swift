import Compression
import JSON

/// The parts of players, which `Player/pack` has put into this module.
enum PlayerParts {
  /// The scripts as gzip.
  static let packedScripts = bytes(PlayerData.packed)
  /// The engine as gzip.
  static let packedEngine = bytes(PlayerEngine.packed)

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
