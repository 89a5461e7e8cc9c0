import Checksums

/// The metadata of the blobs in a folder: a text file beside them, with a line for each.
///
/// A line is name, content type, size, SHA-256, CRC-32C, and the microseconds of creation and
/// change; then the CRC-32C of the folder's path and the preceding part of the line, so that
/// neither a changed line nor one from another folder is accepted. Reading verifies bytes by their
/// CRC-32C; the SHA-256 identifies them, and takes fifty times as long. While a blob is being
/// replaced it has two lines, one for the old bytes and one for the new: the bytes in the file
/// always match one of them.
struct BlobLedger {
  static let name = ".blobs"

  private let folder: BlobFolder
  private(set) var infos: [BlobInfo] = []

  init(_ folder: BlobFolder) { self.folder = folder }

  /// Reads a ledger, or only the lines of one blob. Ignores damaged lines.
  init(_ folder: BlobFolder, bytes: [UInt8], only name: String? = nil) {
    self.folder = folder
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let name, !line.starts(with: name.utf8) { continue }
      if let info = info(of: line), name == nil || info.path.name == name { infos.append(info) }
    }
  }

  private func info(of line: ArraySlice<UInt8>) -> BlobInfo? {
    guard let space = line.lastIndex(of: UInt8(ascii: " ")),
      line[(space + 1)...].elementsEqual(check(line[..<space]).utf8)
    else { return nil }
    let parts = line[..<space].split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard parts.count == 7, let size = Int(parts[2]), let digest = SHA256.Digest(parts[3]),
      let checksum = UInt32(parts[4], radix: 16), let created = Int64(parts[5]),
      let updated = Int64(parts[6])
    else { return nil }
    return BlobInfo(
      path: BlobPath(folder: folder, name: parts[0]), contentType: parts[1], size: size,
      digest: digest, checksum: checksum, created: Moment(microseconds: created),
      updated: Moment(microseconds: updated))
  }

  private func check(_ line: ArraySlice<UInt8>) -> String {
    Checksum.of(line, after: Checksum.of(folder.description.utf8)).hexadecimal
  }

  var bytes: [UInt8] {
    infos.flatMap { info in
      let line =
        "\(info.path.name) \(info.contentType) \(info.size) \(info.digest) "
        + "\(info.checksum.hexadecimal) \(info.created.microseconds) \(info.updated.microseconds)"
      return Array("\(line) \(check(Array(line.utf8)[...]))\n".utf8)
    }
  }

  /// The lines of a blob, the newest last.
  func infos(of name: String) -> [BlobInfo] { infos.filter { $0.path.name == name } }

  /// The line of a blob that matches these bytes.
  func info(of name: String, bytes: [UInt8]) -> BlobInfo? {
    let same = infos(of: name).filter { $0.size == bytes.count }
    guard !same.isEmpty else { return nil }
    let checksum = Checksum.of(bytes)
    let candidates = same.filter { $0.checksum == checksum }
    // If old and new bytes have the same checksum, only the hash can distinguish them.
    guard candidates.count > 1 else { return candidates.first }
    let digest = SHA256.of(bytes)
    return candidates.last { $0.digest == digest }
  }

  /// Removes the lines of blobs that are not in a set of names.
  mutating func keep(_ names: Set<String>) { infos.removeAll { !names.contains($0.path.name) } }

  mutating func add(_ info: BlobInfo) { infos.append(info) }

  /// Removes the lines of a blob, except one.
  mutating func remove(_ name: String, except kept: BlobInfo? = nil) {
    infos.removeAll { $0.path.name == name && $0 != kept }
  }
}
