import InkFiles
import Compression
import Graphics
import PencilKitArchive
import Strokes
import System

/// Reads the ink of Wacom's WILL 2: curves with widths and colours, without times.
enum WILLImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    // A document is an archive with pages, not the ink alone.
    let names = start.archive?.entries.map(\.name) ?? []
    return RIFFChunks.recognizes(start, form: "WILL")
      || names.contains { $0.hasSuffix(".protobuf") && $0.includes("strokes") }
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    if ZipArchive.recognizes(bytes) {
      throw ImportError(.unsupported("a WILL document, an archive of pages,"), at: 0)
    }
    let file = try RIFFChunks(bytes, form: "WILL")
    guard let ink = file.range(of: "INK ") else {
      throw file.cut ?? ImportError(.missing("the chunk of ink"), at: bytes.count)
    }
    var page = PageBuilder(unit: 72.0 / 96, fileBytes: bytes.count, options)
    page.damage = file.cut.map { [$0] } ?? []
    var cursor = ByteCursor(bytes[ink])
    while cursor.remaining > 0 {
      let path: ByteCursor
      do throws(ImportError) {
        let size = try cursor.variableLength()
        path = try cursor.part(Int(clamping: size))
      } catch {
        // Without a length, the next path cannot be found.
        if file.cut == nil { page.damage.append(error) }
        break
      }
      do throws(ImportError) {
        let reader = ProtobufReader(bytes, in: path.bytes.indices)
        try page.add(try WILLPath(reader).stroke(&page.notes))
      } catch {
        if case .tooMany = error.reason { throw error }
        page.damage.append(error)
      }
    }
    return ImportedInk([page.page()], version: version(of: bytes, file))
  }

  /// The version in the chunk of the head: 100 for 1.0.0.
  private static func version(of bytes: [UInt8], _ file: RIFFChunks) -> Int {
    guard let head = file.range(of: "HEAD"), head.count >= 3 else { return 0 }
    return bytes[head].prefix(3).reduce(0) { $0 * 10 + Int(min($1, 9)) }
  }
}

/// A path of WILL 2.
private struct WILLPath {
  /// The parameters at the start of the first span and at the end of the last one.
  private var (start, end) = (0.0, 1.0)
  /// The differences of coordinates, x and y alternating.
  private var differences: [Int] = []
  private var widths: [Double] = []
  private var colors: [Int] = []
  /// The divisor of numbers.
  private var divisor = 100.0
  private let offset: Int

  init(_ message: ProtobufReader) throws(ImportError) {
    var message = message
    offset = message.offset
    var widthFields: [WireField] = []
    while let field = try message.next() {
      switch field.number {
      case 1: start = try message.number(field)
      case 2: end = try message.number(field)
      case 3: divisor = Double.powerOfTen(try message.integer(field))
      case 4: try message.append(signedOf: field, to: &differences)
      case 5: widthFields.append(field)
      case 6: try message.append(signedOf: field, to: &colors)
      default: break
      }
    }
    // The divisor may come after the numbers that it applies to.
    for field in widthFields { try message.append(sumsOf: field, over: divisor, to: &widths) }
  }

  func stroke(_ notes: inout ImportNotes) throws(ImportError) -> ForeignStroke {
    guard differences.count >= 2 else {
      throw ImportError(.missing("the path's points"), at: offset)
    }
    if differences.count % 2 == 1 { notes.add("coordinates without a partner are left out") }
    let color = Color(rgba: colors.first ?? 0xFF)
    var stroke = ForeignStroke(ink: ForeignBrush.pen.ink(color))
    stroke.shape = .catmullRom(from: start, to: end)
    stroke.points.reserveCapacity(differences.count / 2)
    var (x, y) = (0, 0)
    for index in 0..<differences.count / 2 {
      x &+= differences[2 * index]
      y &+= differences[2 * index + 1]
      let width = index < widths.count ? widths[index] : widths.last ?? 1
      stroke.points.append(
        PKStrokePoint(x: Double(x) / divisor, y: Double(y) / divisor, width: max(width, 0)))
    }
    return stroke
  }
}

extension Color {
  /// A colour from a number of 32 bits: red, green, blue and alpha, red in the highest ones.
  init(rgba number: Int) {
    func component(_ shift: Int) -> Double { Double(number >> shift & 0xFF) / 255 }
    self.init(red: component(24), green: component(16), blue: component(8), alpha: component(0))
  }
}
