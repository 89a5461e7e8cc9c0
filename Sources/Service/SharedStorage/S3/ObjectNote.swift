import Checksums
import Storage

/// This program's note in an object's metadata: `1 SIZE SHA256 CRC32C CREATED UPDATED`, in one
/// header field.
struct ObjectNote: CustomStringConvertible {
  let size: Int
  let digest: SHA256.Digest
  let checksum: UInt32
  let created: Moment
  let updated: Moment

  init(_ info: BlobInfo) {
    (size, digest, checksum) = (info.size, info.digest, info.checksum)
    (created, updated) = (info.created, info.updated)
  }

  /// Parses a note; nil for anything else, including that of a later program.
  init?(_ text: String?) {
    let parts = text?.split(separator: " ").map(String.init) ?? []
    guard parts.count == 6, parts[0] == "1", let size = Int(parts[1]), size >= 0,
      let digest = SHA256.Digest(parts[2]), let checksum = UInt32(parts[3], radix: 16),
      let created = Int64(parts[4]), let updated = Int64(parts[5])
    else { return nil }
    (self.size, self.digest, self.checksum) = (size, digest, checksum)
    self.created = Moment(microseconds: created)
    self.updated = Moment(microseconds: updated)
  }

  func info(at path: BlobPath, _ contentType: String) -> BlobInfo {
    BlobInfo(
      path: path, contentType: contentType, size: size, digest: digest, checksum: checksum,
      created: created, updated: updated)
  }

  var description: String {
    "1 \(size) \(digest) \(String(checksum, radix: 16)) \(created.microseconds) "
      + "\(updated.microseconds)"
  }
}
