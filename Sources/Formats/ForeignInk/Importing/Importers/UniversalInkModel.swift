import InkFiles
import Graphics
import PencilKitArchive
import Strokes

/// The parts of a file of ink.
struct UniversalInkModel {
  /// The chunks of version 3.1 that are read, in this order.
  static let chunks = ["INPT", "BRSH", "INKD", "INKS"]

  /// Whether the messages are those of version 3.0, which differ.
  let isVersion30: Bool
  var damage: [ImportError] = []
  private var sensors = UniversalInkSensors()
  private var brushes: [ArraySlice<UInt8>: UniversalInkBrush] = [:]
  /// The messages of the strokes.
  private var strokes: [ProtobufReader] = []
  private var tables = UniversalInkTables()
  /// The indices of the strokes in the order in which they are drawn; nil if the file has none.
  private var order: [Int]?
  /// The units of the page in one unit of the curves.
  private var unitScale = 1.0
  private var (inkTransform, modelTransform) = (AffineTransform.identity, AffineTransform.identity)
  private var notes = ImportNotes()

  init(isVersion30: Bool) { self.isVersion30 = isVersion30 }

  // MARK: - Reading

  /// Reads the one message of a file of version 3.0.
  mutating func readObject(_ message: ProtobufReader) {
    var found: [ImportError] = []
    message.forEach(&found) { (field, reader) throws(ImportError) in
      switch field.number {
      case 1: read(try reader.message(field), of: "INPT")
      case 2: read(try reader.message(field), of: "INKD")
      case 3: read(try reader.message(field), of: "BRSH")
      case 4: try readNode30(try reader.message(field))
      case 7: modelTransform = try reader.message(field).transform()
      default: break
      }
    }
    damage += found
  }

  /// Reads a part of the file, which has the name of a chunk of version 3.1.
  mutating func read(_ message: ProtobufReader, of name: String) {
    var found: [ImportError] = []
    message.forEach(&found) { (field, reader) throws(ImportError) in
      switch name {
      case "INPT": try sensors.read(field, of: reader)
      case "BRSH":
        let brush = try UniversalInkBrush(
          try reader.message(field), isRaster: field.number == 2, &notes)
        if field.number <= 2 { brushes[brush.name] = brush }
      case "INKD": try readInk(field, of: reader)
      case "INKS": try readStructure(field, of: reader)
      default: break
      }
    }
    damage += found
  }

  private mutating func readInk(
    _ field: WireField, of reader: ProtobufReader
  ) throws(ImportError) {
    switch field.number {
    case 1: strokes.append(try reader.message(field))
    case 2: unitScale = try reader.number(field)
    case 3: inkTransform = try reader.message(field).transform()
    case 4: tables.brushNames.append(try reader.data(field))
    case 5: tables.renderModes.append(try reader.text(field))
    case 6: tables.styles.append(try UniversalInkStyle(try reader.message(field)))
    default: break
    }
  }

  /// A node of the tree in version 3.0: groups, and strokes with their index.
  private mutating func readNode30(_ message: ProtobufReader) throws(ImportError) {
    var message = message
    var (index, type) = (0, 0)
    while let field = try message.next() {
      switch field.number {
      case 3: index = try message.integer(field)
      case 4: type = try message.integer(field)
      default: break
      }
    }
    if order == nil { order = [] }
    if type == 2 { order?.append(index) }
  }

  /// The tree of version 3.1. Other trees beside it are views, for example of recognized words.
  private mutating func readStructure(
    _ field: WireField, of reader: ProtobufReader
  ) throws(ImportError) {
    guard field.number == 2 else { return }
    var tree = try reader.message(field)
    var indices: [Int] = []
    while let field = try tree.next() {
      guard field.number == 2 else { continue }
      var node = try tree.message(field)
      while let field = try node.next() {
        if field.number == 3 { indices.append(try node.integer(field)) }
      }
    }
    order = (order ?? []) + indices
  }

  // MARK: - Drawing

  /// Adds all strokes to a page.
  mutating func draw(on page: inout PageBuilder) throws(ImportError) {
    if unitScale <= 0 { unitScale = 1 }
    let placement = AffineTransform(scale: unitScale).concatenating(inkTransform)
      .concatenating(modelTransform)
    for index in drawingOrder() {
      do throws(ImportError) {
        var stroke = try UniversalInkStroke(
          strokes[index], isVersion30: isVersion30, tables, brushes: brushes)
        if !placement.isIdentity { stroke.placement = placement }
        try page.add(try stroke.foreignStroke(&sensors, &notes))
      } catch {
        if case .tooMany = error.reason { throw error }
        damage.append(error)
      }
    }
    page.damage += damage + sensors.damage
    page.notes.add(notes)
  }

  /// The order of the tree, then the strokes that are not in it.
  private mutating func drawingOrder() -> [Int] {
    guard let order else { return Array(strokes.indices) }
    var isDrawn = [Bool](repeating: false, count: strokes.count)
    var result: [Int] = []
    for index in order where strokes.indices.contains(index) && !isDrawn[index] {
      isDrawn[index] = true
      result.append(index)
    }
    let others = strokes.indices.filter { !isDrawn[$0] }
    if !others.isEmpty {
      notes.add("strokes outside of the file's tree are drawn last", count: others.count)
    }
    return result + others
  }
}

extension ProtobufReader {
  /// Calls the body with each field. An error in one does not prevent reading the others.
  fileprivate func forEach(
    _ damage: inout [ImportError],
    _ body: (WireField, ProtobufReader) throws(ImportError) -> Void
  ) {
    var message = self
    while true {
      let field: WireField
      do throws(ImportError) {
        guard let next = try message.next() else { return }
        field = next
      } catch {
        // The start of the next field is unknown.
        damage.append(error)
        return
      }
      do throws(ImportError) { try body(field, message) } catch { damage.append(error) }
    }
  }

  /// The part of a matrix of 4 by 4 numbers, row by row, that moves points of the page.
  fileprivate func transform() throws(ImportError) -> AffineTransform {
    var matrix = [Double](repeating: 0, count: 17)
    var message = self
    while let field = try message.next() {
      if (1...16).contains(field.number) { matrix[field.number] = try message.number(field) }
    }
    let result = AffineTransform(
      a: matrix[1], b: matrix[5], c: matrix[2], d: matrix[6], tx: matrix[4], ty: matrix[8])
    // A missing matrix consists of zeros.
    return result.determinant == 0 ? .identity : result
  }
}
