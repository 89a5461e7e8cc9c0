import InkFiles
public import CPentimento
import Graphics
import ForeignInk
import PKDFormat
import Rasterization
import Strokes
import VectorExport

/// The drawings that callers have open.
let drawings = Handles<OpenDrawing>(kind: 2, "drawing")

/// Opens a drawing from the bytes of a file.
@_cdecl("pentimento_open")
public func openDrawing(
  _ bytes: UnsafeRawPointer?, _ count: Int64, _ format: UnsafePointer<CChar>?, _ page: Int32,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> OpaquePointer? {
  attempt(error) { () throws(InterfaceError) in
    guard count >= 0, bytes != nil || count == 0, page >= 0 else {
      throw InterfaceError(.invalid, "bytes, their count or the page's number are invalid")
    }
    guard count <= OpenDrawing.maximumByteCount else {
      throw InterfaceError(.tooLarge, "a file of \(count) bytes; 1 GiB is the limit")
    }
    var known: DrawingFile.Format?
    if let name = text(format) {
      known = DrawingFile.Format(rawValue: name)
      if known == nil { throw InterfaceError(.invalid, "no format has the name '\(name)'") }
    }
    try checkMemory(2 * Int(count), for: "a file of \(count) bytes")
    let content = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    return try drawings.add(try OpenDrawing(content, as: known, page: Int(page)))
  }
}

/// Closes a drawing.
@_cdecl("pentimento_close")
public func closeDrawing(_ drawing: OpaquePointer?) { drawings.remove(drawing) }

/// Returns facts about a drawing.
@_cdecl("pentimento_get_info")
public func drawingInfo(
  _ drawing: OpaquePointer?, _ info: UnsafeMutablePointer<pentimento_info>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> Int32 {
  status(error) { () throws(InterfaceError) in
    let drawing = try drawings.find(drawing)
    var facts = try value(UnsafePointer(info), size: info?.pointee.size, "info")
    let canvas = drawing.file.canvas
    facts.page_count = Int32(clamping: drawing.file.pageCount)
    facts.page = Int32(clamping: drawing.file.pageIndex)
    facts.damage_count = Int32(clamping: drawing.damage.count)
    facts.stroke_count = Int64(drawing.strokes.strokeCount)
    facts.point_count = Int64(drawing.pointCount)
    (facts.width, facts.height) = (canvas.size?.width ?? 0, canvas.size?.height ?? 0)
    let box = (0..<drawing.strokes.strokeCount).reduce(Rect.null) {
      $0.union(drawing.strokes.bounds(ofStroke: $1))
    }
    facts.bounds = box.isNull ? (0, 0, 0, 0) : (box.minX, box.minY, box.width, box.height)
    facts.duration = drawing.duration
    facts.has_background = canvas.background == nil ? 0 : 1
    facts.background = (canvas.background ?? .white).rgba
    info?.pointee = facts
  }
}

/// Returns the name of the format of a drawing's file.
@_cdecl("pentimento_format")
public func drawingFormat(
  _ drawing: OpaquePointer?, _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<CChar>? {
  attempt(error) { () throws(InterfaceError) in
    UnsafePointer(try drawings.find(drawing).format.base)
  }
}

/// Returns a text about a page.
@_cdecl("pentimento_text")
public func drawingText(
  _ drawing: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<CChar>? {
  attempt(error) { () throws(InterfaceError) in
    let drawing = try drawings.find(drawing)
    guard let name = text(name) else { throw InterfaceError(.invalid, "the name is null") }
    return try drawing.text(named: name).map { UnsafePointer($0.base) }
  } ?? nil
}

/// Returns a description of one damaged place of a file.
@_cdecl("pentimento_damage")
public func drawingDamage(
  _ drawing: OpaquePointer?, _ number: Int32, _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<CChar>? {
  attempt(error) { () throws(InterfaceError) in
    let damage = try drawings.find(drawing).damage
    guard damage.indices.contains(Int(number)) else {
      throw InterfaceError(.invalid, "there is no damage \(number) of \(damage.count)")
    }
    return UnsafePointer(damage[Int(number)].base)
  }
}

/// Returns the values of one kind of all points.
@_cdecl("pentimento_column")
public func drawingColumn(
  _ drawing: OpaquePointer?, _ column: Int32, _ count: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<Float>? {
  attempt(error) { () throws(InterfaceError) in
    guard let column = try drawings.find(drawing).column(column) else {
      throw InterfaceError(.invalid, "there is no column \(column)")
    }
    count?.pointee = Int64(column.count)
    return UnsafePointer(column.base)
  }
}

/// Returns facts about a stroke.
@_cdecl("pentimento_get_stroke")
public func drawingStroke(
  _ drawing: OpaquePointer?, _ number: Int64, _ stroke: UnsafeMutablePointer<pentimento_stroke>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> Int32 {
  status(error) { () throws(InterfaceError) in
    let drawing = try drawings.find(drawing)
    var facts = try value(UnsafePointer(stroke), size: stroke?.pointee.size, "stroke")
    guard 0..<Int64(drawing.strokes.strokeCount) ~= number else {
      throw InterfaceError(
        .invalid, "there is no stroke \(number) of \(drawing.strokes.strokeCount)")
    }
    let index = Int(number)
    let found = drawing.strokes.strokes[index]
    facts.is_masked = found.mask != nil || found.isPartial ? 1 : 0
    (facts.first_point, facts.end_point) = (
      Int64(drawing.starts[index]), Int64(drawing.starts[index + 1])
    )
    facts.start = found.path.creationDate.secondsSince1970
    let color = found.ink.color.converted(to: .sRGB)
    facts.color = (color.red, color.green, color.blue, color.alpha)
    let matrix = found.transform
    facts.transform = (matrix.a, matrix.b, matrix.c, matrix.d, matrix.tx, matrix.ty)
    facts.ink = UnsafePointer(try drawing.lasting(found.ink.inkType.name).base)
    facts.seed = found.randomSeed
    withUnsafeMutableBytes(of: &facts.id) { $0.copyBytes(from: found.id.bytes) }
    stroke?.pointee = facts
  }
}

/// Writes a drawing in another format.
@_cdecl("pentimento_encode")
public func encodeDrawing(
  _ drawing: OpaquePointer?, _ format: UnsafePointer<CChar>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> OpaquePointer? {
  attempt(error) { () throws(InterfaceError) in
    let drawing = try drawings.find(drawing)
    guard let name = text(format) else { throw InterfaceError(.invalid, "the format is null") }
    if name == "svg" || name == "pdf" { return try lend(drawing.vectors(isPDF: name == "pdf")) }
    guard let format = DrawingFile.Format(rawValue: name), format.isWritten else {
      throw InterfaceError(.invalid, "no format that can be written has the name '\(name)'")
    }
    return try lend(drawing.encoded(as: format))
  }
}

extension OpenDrawing {
  /// The drawing as a file of ink.
  fileprivate func encoded(as format: DrawingFile.Format) throws(InterfaceError) -> [UInt8] {
    do throws(PKDContentError) {
      return try DrawingFile.encode(
        [file.contents()], as: format, paints: InkPaint.measured(of:)
      ).bytes
    } catch {
      throw InterfaceError(.unwritable, "\(error)")
    }
  }

  /// The drawing as a file of outlines.
  fileprivate func vectors(isPDF: Bool) throws(InterfaceError) -> [UInt8] {
    let canvas = file.canvas
    let options = VectorOptions(
      information: DocumentInformation(
        title: canvas.text(named: "title"), author: canvas.text(named: "author"),
        subject: canvas.text(named: "description")))
    do throws(RenderError) {
      return isPDF
        ? try PDFExporter(options).pdf(of: [.init(strokes.drawing, on: canvas)])
        : try SVGExporter(options).svg(of: strokes.drawing, on: canvas)
    } catch {
      throw InterfaceError(error)
    }
  }
}

extension Color {
  /// The colour as 0xRRGGBBAA.
  var rgba: UInt32 {
    let color = converted(to: .sRGB).clamped
    return [color.red, color.green, color.blue, color.alpha].reduce(0) { bits, part in
      let byte = UInt8(clamping: (part * 255).rounded())
      return bits << 8 | UInt32(byte)
    }
  }

  /// A colour from 0xRRGGBBAA.
  init(rgba: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(rgba >> shift & 255) / 255 }
    self.init(red: part(24), green: part(16), blue: part(8), alpha: part(0))
  }
}
