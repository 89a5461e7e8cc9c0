import InkFiles
import Graphics
import Strokes

/// Reads Microsoft's Ink Serialized Format, also inside a GIF, and either as base64 text.
enum ISFImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool { ISFEnvelope(start.bytes) != nil }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let envelope = ISFEnvelope(bytes) ?? ISFEnvelope(ink: bytes[...])
    var reader = ISFReader(
      page: PageBuilder(unit: himetric, fileBytes: bytes.count, options))
    do throws(ImportError) {
      try reader.read(envelope.ink)
    } catch {
      throw envelope.located(error)
    }
    reader.page.damage = reader.page.damage.map(envelope.located)
    return ImportedInk([reader.page.page()])
  }

  /// Ink is measured in hundredths of a millimetre.
  static let himetric = 72 / 2540.0
}

/// Follows the tags of a stream of ink. Tables and numbers that choose from them apply to the
/// strokes after them.
struct ISFReader {
  var page: PageBuilder
  private var attributes: [ISFAttributes] = []
  private var layouts: [ISFLayout] = []
  private var metrics: [ISFMetrics] = []
  private var transforms: [AffineTransform] = []
  /// The numbers of the entries that are used.
  private var (attribute, layout, metric, transform) = (0, 0, 0, 0)
  private var packets = ISFPackets()

  init(page: PageBuilder) { self.page = page }

  mutating func read(_ bytes: ArraySlice<UInt8>) throws(ImportError) {
    var file = ByteCursor(bytes)
    guard try file.variableLength() == 0 else {
      throw ImportError(.unsupported("a version of ink that is not 0"), at: bytes.startIndex)
    }
    let size = try file.variableLength()
    // Bytes after the stream are left over from earlier files. A truncated stream is read to its
    // end.
    var stream = try file.part(Int(clamping: min(size, UInt64(file.remaining))))
    while stream.remaining > 0 {
      do throws(ImportError) {
        try readTag(&stream)
      } catch {
        // Without the size of a tag, the next one cannot be found.
        page.add(error)
        return
      }
    }
    if size > UInt64(stream.bytes.count) { page.add(stream.error(.truncated)) }
  }

  private mutating func readTag(_ stream: inout ByteCursor) throws(ImportError) {
    let number = try stream.variableLength()
    switch ISFTag(rawValue: number) {
    case .inkSpace: for _ in 0..<4 { _ = try stream.variableLength() }
    case .attributesIndex: attribute = Int(clamping: try stream.variableLength())
    case .layoutIndex: layout = Int(clamping: try stream.variableLength())
    case .transformIndex: transform = Int(clamping: try stream.variableLength())
    case .metricIndex: metric = Int(clamping: try stream.variableLength())
    case .attributesTable: attributes = try table(&stream, ISFAttributes.init)
    case .attributesBlock: attributes = [entry(of: try Self.block(&stream), ISFAttributes.init)]
    case .layoutTable: layouts = try table(&stream, ISFLayout.init)
    case .layoutBlock: layouts = [entry(of: try Self.block(&stream), ISFLayout.init)]
    case .metricTable: metrics = try table(&stream, ISFMetrics.init)
    case .metricBlock: metrics = [entry(of: try Self.block(&stream), ISFMetrics.init)]
    case .transformTable: transforms = readTransforms(try Self.block(&stream), areDoubles: false)
    case .exactTransformTable:
      // A second table repeats the transforms in full precision.
      let exact = readTransforms(try Self.block(&stream), areDoubles: true)
      if exact.count >= transforms.count { transforms = exact }
    case .transform, .isotropicScale, .anisotropicScale, .rotation, .translation,
      .scaleAndTranslation:
      if let next = try AffineTransform(isf: number, &stream, areDoubles: false) {
        transforms = [next]
      }
    case .stroke: try readStroke(try Self.block(&stream))
    case .compressionHeader:
      _ = try Self.block(&stream)
      page.notes.add("Huffman codes of the file's own cannot be read")
    case .guids, .himetricSize, .persistentFormat, .strokeIdentifiers:
      _ = try Self.block(&stream)
    default:
      guard number < ISFTag.firstProperty else {
        // Programs store custom data in properties. The size does not include the byte that names
        // the compression.
        let size = try stream.count(try stream.variableLength(), of: "bytes of a property")
        try stream.skip(size + 1)
        page.notes.add("properties that programs added are left out")
        return
      }
      _ = try Self.block(&stream)
      page.notes.add("blocks of an unknown kind are left out")
    }
  }

  /// The bytes behind a size.
  private static func block(_ stream: inout ByteCursor) throws(ImportError) -> ByteCursor {
    let size = try stream.variableLength()
    guard size <= UInt64(stream.remaining) else { throw stream.error(.truncated) }
    return try stream.part(Int(size))
  }

  /// The maximum number of entries of a table. Documents have far fewer pens.
  private static let tableLimit = 1 << 14

  /// Reads blocks that follow each other in a table of known size. Damage inside therefore ends
  /// only the table.
  private mutating func table<Entry>(
    _ stream: inout ByteCursor, _ read: (ByteCursor, (ImportError) -> Void) -> Entry
  ) throws(ImportError) -> [Entry] {
    var blocks = try Self.block(&stream)
    var entries: [Entry] = []
    do throws(ImportError) {
      while blocks.remaining > 0 {
        guard entries.count < Self.tableLimit else {
          throw blocks.error(.tooMany("entries of a table", limit: Self.tableLimit))
        }
        entries.append(entry(of: try Self.block(&blocks), read))
      }
    } catch {
      page.add(error)
    }
    return entries
  }

  /// The entry in a block of a table, read as far as possible.
  private mutating func entry<Entry>(
    of block: ByteCursor, _ read: (ByteCursor, (ImportError) -> Void) -> Entry
  ) -> Entry {
    var found: [ImportError] = []
    let entry = read(block) { found.append($0) }
    for error in found { page.add(error) }
    return entry
  }

  /// The transforms of a table up to the first damaged one. Its length is unknown, so none after it
  /// can be found.
  private mutating func readTransforms(
    _ block: ByteCursor, areDoubles: Bool
  ) -> [AffineTransform] {
    var block = block
    var transforms: [AffineTransform] = []
    do throws(ImportError) {
      while block.remaining > 0 {
        guard transforms.count < Self.tableLimit else {
          throw block.error(.tooMany("entries of a table", limit: Self.tableLimit))
        }
        let start = block.offset
        let kind = try block.variableLength()
        guard let next = try AffineTransform(isf: kind, &block, areDoubles: areDoubles) else {
          throw ImportError(.expected("a kind of transform"), at: start)
        }
        transforms.append(next)
      }
    } catch {
      page.add(error)
    }
    return transforms
  }

  // MARK: - Strokes

  /// Adds a stroke. Its size is known, so damage affects no other stroke.
  private mutating func readStroke(_ block: ByteCursor) throws(ImportError) {
    let layout = entry(of: layouts, layout) ?? ISFLayout()
    do throws(ImportError) {
      if let damage = try packets.read(block, layout) { page.add(damage) }
    } catch {
      page.add(error)
      return
    }
    let attributes = entry(of: attributes, attribute) ?? ISFAttributes()
    attributes.addNotes(to: &page.notes)
    let metrics = entry(of: metrics, metric) ?? ISFMetrics()
    var stroke = ForeignStroke(
      points: packets.points(attributes, metrics), ink: attributes.ink,
      hasTimes: packets.has(.timerTick))
    stroke.transform = entry(of: transforms, transform) ?? .identity
    try page.add(stroke)
  }

  /// The entry of a number; nil if there are none.
  private mutating func entry<Entry>(of table: [Entry], _ index: Int) -> Entry? {
    if !table.indices.contains(index), !(table.isEmpty && index == 0) {
      page.notes.add("strokes refer to missing entries of tables")
    }
    return table.indices.contains(index) ? table[index] : table.first
  }
}

/// The tags of the format. Those of properties follow.
enum ISFTag: UInt64 {
  case inkSpace = 0
  case guids, attributesTable, attributesBlock, layoutTable, layoutBlock
  /// Inside the layout of a stroke.
  case buttons, noX, noY
  case attributesIndex, stroke
  /// Inside the layout of a stroke.
  case strokeProperties, pointProperty
  case layoutIndex, compressionHeader
  case transformTable, transform, isotropicScale, anisotropicScale, rotation, translation
  case scaleAndTranslation, transformQuad, transformIndex
  case metricTable, metricBlock, metricIndex, mantissa
  case persistentFormat, himetricSize, strokeIdentifiers, exactTransformTable

  /// Tags from here on are properties: first those that the format defines, and from 100 on those
  /// of the file's table.
  static let firstProperty: UInt64 = 50
  static let firstOwnProperty: UInt64 = 100
}

/// Properties that the format defines, for packets and drawing attributes.
enum ISFProperty: UInt64 {
  case x = 50
  case y, z, packetStatus, timerTick, serialNumber, normalPressure, tangentPressure
  case buttonPressure, tiltX, tiltY, azimuth, altitude, twist, pitch, roll, yaw
  case penStyle, color, penWidth, penHeight, penTip, drawingFlags
  case transparency = 80
  case curveFittingError = 81
  case rasterOperation = 87
}
