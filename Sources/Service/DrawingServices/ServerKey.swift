import Glibc
import Storage

extension LocalService {
  static let keyName = "server-key"

  /// Whether the folder has the key of a service, whose documents may be stored elsewhere.
  package static func hasServerKey(_ root: String) -> Bool {
    access("\(root)/\(keyName)", F_OK) == 0
  }

  /// The service's secret in a folder, with which its server signs tokens and links: 32 random
  /// bytes, created on first use. It allows acting as any user.
  package static func serverKey(_ root: String) throws -> [UInt8] {
    // Another program may be creating it at the same time.
    for _ in 0..<1000 {
      if let bytes = try FileBlobStore.bytes(ofFile: keyName, in: root) {
        guard bytes.count >= 32 else {
          throw StorageError(.damaged("it is too short"), "\(root)/\(keyName)")
        }
        return bytes
      }
      guard let lock = try FolderLock(root, "server-key-lock") else {
        usleep(10_000)
        continue
      }
      defer { withExtendedLifetime(lock) {} }
      if try FileBlobStore.bytes(ofFile: keyName, in: root) != nil { continue }
      // The system's generator is suitable for keys.
      var generator = SystemRandomNumberGenerator()
      let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      try FileBlobStore.replaceFile(keyName, in: root, bytes)
      return bytes
    }
    throw StorageError(.locked, "\(root)/\(keyName)")
  }
}
