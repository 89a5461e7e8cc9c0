import Compression
import PencilKitArchive

/// The text of a note: a compressed message of protobuf, of which only the attachments count here.
enum NoteText {
  /// An upper bound of the size of a text with its formatting.
  private static let sizeLimit = 1 << 26

  /// The identifiers of a note's attachments in the order of its text; none if the text cannot be
  /// read.
  static func attachments(in compressed: [UInt8]) -> [String] {
    guard let bytes = try? Inflate.inflate(compressed, limit: sizeLimit) else { return [] }
    var identifiers: [String] = []
    do throws(PencilKitError) {
      // Document, note, and its runs of equal formatting.
      for document in try fields(2, in: 0..<bytes.count, bytes) {
        for note in try fields(3, in: document, bytes) {
          for run in try fields(5, in: note, bytes) {
            for attachment in try fields(12, in: run, bytes) {
              for identifier in try fields(1, in: attachment, bytes) {
                identifiers.append(String(decoding: bytes[identifier], as: UTF8.self))
              }
            }
          }
        }
      }
    } catch {
      return []
    }
    return identifiers
  }

  /// The contents of the fields of a number.
  private static func fields(
    _ number: Int, in range: Range<Int>, _ bytes: [UInt8]
  ) throws(PencilKitError) -> [Range<Int>] {
    var reader = WireReader(bytes, in: range)
    var found: [Range<Int>] = []
    while let field = try reader.nextField() {
      if field.number == number, field.kind == .bytes { found.append(field.payload) }
    }
    return found
  }
}
