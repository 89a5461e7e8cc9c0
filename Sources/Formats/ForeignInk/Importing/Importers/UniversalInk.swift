import InkFiles
import Compression
import Strokes

/// Reads Wacom's Universal Ink Model: strokes as curves, with the sensor data of the pen.
enum UniversalInkImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    RIFFChunks.recognizes(start, form: "UINK")
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let file = try RIFFChunks(bytes, form: "UINK")
    guard let head = file.range(of: "HEAD"), head.count >= 3 else {
      throw ImportError(.missing("the head of the file"), at: 12)
    }
    let version = Array(bytes[head].prefix(3))
    guard version[0] == 3 else {
      throw ImportError(.unsupported("version \(version[0]) of the model"), at: head.lowerBound)
    }
    var model = UniversalInkModel(isVersion30: version[1] == 0)
    if model.isVersion30 {
      guard let data = file.range(of: "DATA") else {
        throw file.cut ?? ImportError(.missing("the chunk of data"), at: bytes.count)
      }
      model.readObject(ProtobufReader(bytes, in: data, isCut: file.cut != nil))
    } else {
      try read(file, bytes, head, options, into: &model)
    }
    var page = PageBuilder(unit: 72.0 / 96, fileBytes: bytes.count, options)
    page.damage = file.cut.map { [$0] } ?? []
    try model.draw(on: &page)
    return ImportedInk([page.page()], version: version.reduce(0) { $0 * 10 + Int(min($1, 9)) })
  }

  /// Reads the chunks of version 3.1. The head describes them in their order.
  private static func read(
    _ file: RIFFChunks, _ bytes: [UInt8], _ head: Range<Int>, _ options: ImportOptions,
    into model: inout UniversalInkModel
  ) throws(ImportError) {
    guard file.chunks.contains(where: { $0.name == "INKD" }) else {
      throw file.cut ?? ImportError(.missing("the chunk of ink"), at: bytes.count)
    }
    var messages: [String: ProtobufReader] = [:]
    var left = options.decompressedLimit(of: bytes.count)
    for (index, chunk) in file.chunks.filter({ $0.name != "HEAD" }).enumerated() {
      guard UniversalInkModel.chunks.contains(chunk.name) else { continue }
      let description = head.lowerBound + 4 + 8 * index
      let compression = description + 5 <= head.upperBound ? bytes[description + 4] : 0
      do throws(ImportError) {
        messages[chunk.name] = try message(bytes, chunk, compression, limit: &left)
      } catch {
        guard chunk.name != "INKD" else { throw error }
        model.damage.append(error)
      }
    }
    for name in UniversalInkModel.chunks {
      if let message = messages[name] { model.read(message, of: name) }
    }
  }

  /// The message in a chunk, decompressed.
  private static func message(
    _ bytes: [UInt8], _ chunk: RIFFChunks.Chunk, _ compression: UInt8, limit: inout Int
  ) throws(ImportError) -> ProtobufReader {
    let content = Array(bytes[chunk.range])
    let unpacked: [UInt8]
    switch compression {
    case 0: return ProtobufReader(bytes, in: chunk.range)
    case 1:
      do throws(ZipError) {
        let archive = try ZipArchive(content)
        unpacked =
          try archive.entries.first.map { (entry) throws(ZipError) in
            try archive.contents(of: entry, limit: limit)
          } ?? []
      } catch {
        throw ImportError(
          .compression(error.reason), at: .part(chunk.name, byte: error.offset))
      }
    default:
      throw ImportError(
        .unsupported("the compression \(compression) of \(chunk.name)"), at: chunk.range.lowerBound)
    }
    limit -= unpacked.count
    return ProtobufReader(unpacked, in: 0..<unpacked.count)
  }
}
