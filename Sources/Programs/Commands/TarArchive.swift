/// Writes archives in the POSIX format `ustar`. They store no time and no owner, so that the same
/// files make the same archive.
enum TarArchive {
  private static let blockSize = 512

  /// The end of an archive, after the last file.
  static let end = [UInt8](repeating: 0, count: 2 * blockSize)

  /// The header of a file, without its name, size and checksum.
  private static let head: [UInt8] = {
    var head = [UInt8](repeating: 0, count: blockSize)
    func set(_ text: String, at offset: Int) {
      head.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    set("0000644", at: 100)
    // Owner, group and time are 0.
    set("0000000", at: 108)
    set("0000000", at: 116)
    set("00000000000", at: 136)
    // The checksum is computed with blanks in its own field.
    set("        ", at: 148)
    set("0", at: 156)
    set("ustar\u{0}00", at: 257)
    return head
  }()

  private static let headSum = head.reduce(0) { $0 + Int($1) }

  /// The maximum length of the name of a file's folder, in bytes.
  static let folderLimit = 155

  /// Appends a file in a folder; an empty folder name stands for none. The file's name must have at
  /// most 100 bytes.
  static func append(
    _ contents: UnsafeRawBufferPointer, named name: String, in folder: SystemString,
    to archive: inout [UInt8]
  ) {
    precondition(
      name.utf8.count <= 100 && folder.bytes.count <= folderLimit, "a longer name does not fit")
    let start = archive.count
    archive += head
    var sum = headSum
    func set(_ byte: UInt8, at offset: Int) {
      archive[start + offset] = byte
      sum += Int(byte)
    }
    for (index, byte) in name.utf8.enumerated() { set(byte, at: index) }
    for (index, byte) in folder.bytes.enumerated() { set(byte, at: 345 + index) }
    for index in 0..<11 {
      set(UInt8(ascii: "0") + UInt8(contents.count >> (3 * (10 - index)) & 7), at: 124 + index)
    }
    write(sum: sum, ofHeadAt: start, in: &archive)
    archive += contents
    let beyond = contents.count % blockSize
    if beyond > 0 { archive.append(contentsOf: repeatElement(0, count: blockSize - beyond)) }
  }

  /// Renames the file whose header begins at an offset. The folder stays the same, and the name
  /// must have at most 100 bytes.
  static func rename(at start: Int, to name: String, in archive: inout [UInt8]) {
    precondition(name.utf8.count <= 100, "a longer name does not fit")
    for index in 0..<100 { archive[start + index] = 0 }
    for (index, byte) in name.utf8.enumerated() { archive[start + index] = byte }
    // The checksum is computed with blanks in its own field.
    for index in 148..<156 { archive[start + index] = UInt8(ascii: " ") }
    let sum = archive[start..<start + blockSize].reduce(0) { $0 + Int($1) }
    write(sum: sum, ofHeadAt: start, in: &archive)
  }

  /// Writes the checksum of a header: six digits and a zero byte; a blank follows.
  private static func write(sum: Int, ofHeadAt start: Int, in archive: inout [UInt8]) {
    for index in 0..<6 {
      archive[start + 148 + index] = UInt8(ascii: "0") + UInt8(sum >> (3 * (5 - index)) & 7)
    }
    archive[start + 154] = 0
  }
}
