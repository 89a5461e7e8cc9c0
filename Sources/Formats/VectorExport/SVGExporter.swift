package import Graphics
import JSON
public import Rasterization
public import Strokes
import XML

/// Writes drawings as still SVG: a path for each stroke.
///
/// Programs of many kinds read the result: it has presentation attributes in place of style sheets,
/// and no filters, masks, patterns, scripts or fonts.
public struct SVGExporter: Sendable {
  /// The shown part of the drawing, and the precision.
  public var options: VectorOptions
  /// The number of decimals of coordinates, 0 to 6.
  public var precision: Int

  /// A path with more vertices is split: some programs leave such paths out without a message.
  static let maximumVertices = 30_000

  /// An exporter.
  public init(_ options: VectorOptions = VectorOptions(), precision: Int = 2) {
    self.options = options
    self.precision = precision
  }

  /// The file of a drawing.
  public func svg(
    of strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas()
  ) throws(RenderError) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(VectorFailure<Never>) {
      try write(strokes, on: canvas) { (part) throws(Never) in bytes += part }
    } catch {
      throw error.drawing
    }
    return bytes
  }

  /// Writes the file of a drawing, and calls `sink` with finished bytes as they come. A drawing
  /// whose inks mix is finished before.
  public func write<Source: StrokeSource, Failure: Error>(
    _ strokes: Source, on canvas: Recording.Canvas = Recording.Canvas(),
    to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(VectorFailure<Failure>) {
    let page: VectorPage<Source>
    do throws(RenderError) {
      page = try VectorPage(of: strokes, on: canvas, options)
    } catch {
      throw .drawing(error)
    }
    var writer = SVGWriter(decimals: precision)
    writer.begin(page.ground, options.information)
    writer.addGround(page.ground)
    let coder = writer
    var isGroup = false
    try page.forEachMark(
      encode: { coder.coded($0) },
      begin: { mixes in
        // Ink mixes with ink first; the result is composited on the paper.
        isGroup = mixes
        if isGroup { writer.add("<g style=\"isolation:isolate\">\n") }
      },
      { (mark) throws(Failure) in
        writer.add(mark)
        if writer.bytes.count >= Self.bytesPerPart { try writer.drain(to: sink) }
      })
    writer.endRun()
    if isGroup { writer.add("</g>\n") }
    writer.add("</svg>\n")
    do throws(Failure) { try writer.drain(to: sink) } catch { throw .sink(error) }
  }

  /// The minimum number of bytes that are handed over together.
  private static let bytesPerPart = 1 << 16
}

/// Writes the elements of a page.
package struct SVGWriter {
  package private(set) var bytes: [UInt8] = []
  package let numbers: DecimalText
  /// The newest mark, whose element depends on the next one, and whether it is in a group with the
  /// one before.
  private var newest: CodedMark<SVGCode>?
  private var isInGroup = false

  package init(decimals: Int) { numbers = DecimalText(decimals: decimals) }

  /// Hands over the bytes so far.
  fileprivate mutating func drain<Failure: Error>(
    to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func add(_ text: String) { bytes += text.utf8 }

  /// Writes the root element's start, with the file's metadata.
  fileprivate mutating func begin(_ ground: PictureGround, _ information: DocumentInformation) {
    let (box, fine) = (ground.visible, DecimalText(decimals: max(numbers.decimals, 3)))
    let area = [box.minX, box.minY, box.width, box.height].map(fine.text).joined(separator: " ")
    add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        + "version=\"1.1\" width=\"\(fine.text(ground.size.width))pt\" "
        + "height=\"\(fine.text(ground.size.height))pt\" viewBox=\"\(area)\">\n")
    if let title = information.title { add("<title>\(title.xmlEscaped)</title>\n") }
    if let subject = information.subject { add("<desc>\(subject.xmlEscaped)</desc>\n") }
    let facts = [
      information.title.map { "<dc:title>\($0.xmlEscaped)</dc:title>" },
      information.author.map {
        "<dc:creator><cc:Agent><dc:title>\($0.xmlEscaped)</dc:title></cc:Agent></dc:creator>"
      },
      information.creationDate?.iso8601Second.map { "<dc:date>\($0)</dc:date>" },
      information.keywords.map {
        "<dc:subject><rdf:Bag><rdf:li>\($0.xmlEscaped)</rdf:li></rdf:Bag></dc:subject>"
      },
    ].compactMap { $0 }
    guard information.author != nil || facts.count > 1 else { return }
    add(
      "<metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
        + "xmlns:cc=\"http://creativecommons.org/ns#\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
        + "<cc:Work rdf:about=\"\"><dc:format>image/svg+xml</dc:format>" + facts.joined()
        + "</cc:Work></rdf:RDF></metadata>\n")
  }

  /// Writes the background and the lines of the paper.
  package mutating func addGround(_ ground: PictureGround) {
    let (box, fine) = (ground.visible, DecimalText(decimals: max(numbers.decimals, 3)))
    if ground.background.alpha > 0 {
      add(
        "<rect x=\"\(fine.text(box.minX))\" y=\"\(fine.text(box.minY))\" "
          + "width=\"\(fine.text(box.width))\" height=\"\(fine.text(box.height))\" "
          + "\(paint("fill", ground.background, ground.background.alpha))/>\n")
    }
    for layer in ground.layers where !layer.lines.isEmpty {
      var data = SVGPathData(numbers)
      for line in layer.lines {
        guard let first = line.first else { continue }
        data.append([.move(to: first)])
        // Programs differ in how they draw a line without length, so a dot has a little of it.
        let rest = line.count > 1 ? Array(line.dropFirst()) : [first + Point(x: 0.01, y: 0)]
        data.append(rest.map { Path.Element.line(to: $0) })
      }
      add(
        "<path fill=\"none\" \(paint("stroke", layer.color, layer.color.alpha)) "
          + "stroke-width=\"\(numbers.text(layer.width))\" stroke-linecap=\"round\" d=\"")
      bytes += data.bytes
      add("\"/>\n")
    }
  }

  /// Writes a mark above those so far. Consecutive marks with the same attributes become a group.
  fileprivate mutating func add(_ mark: CodedMark<SVGCode>) {
    if let newest {
      let isSame = newest.mark.hasAttributes(of: mark.mark)
      if isSame, !isInGroup { add("<g \(attributes(of: newest.mark))>\n") }
      isInGroup = isInGroup || isSame
      write(newest)
      if !isSame { endGroup() }
    }
    newest = mark
  }

  /// Writes the last mark.
  fileprivate mutating func endRun() {
    if let newest { write(newest) }
    newest = nil
    endGroup()
  }

  private mutating func endGroup() {
    if isInGroup { add("</g>\n") }
    isInGroup = false
  }

  private mutating func write(_ coded: CodedMark<SVGCode>) {
    let (mark, code) = (coded.mark, coded.code)
    if case .picture = mark.shape {
      bytes += code.text
      return
    }
    let style = mark.mix.style
    // The parts of a translucent stroke overlap, and are translucent together.
    let isGroup = code.ends.count > 1
    if isGroup {
      var solid = mark
      solid.opacity = 1
      let opacity =
        mark.opacity < 1
        ? "opacity=\"\(DecimalText(decimals: 3).text(mark.opacity))\" fill-opacity=\"1\" "
          + "stroke-opacity=\"1\" " : ""
      add("<g \(self.attributes(of: solid)) \(opacity)\(style)>\n")
    }
    let attributes = isGroup || isInGroup ? "" : self.attributes(of: mark) + " "
    var start = 0
    for end in code.ends {
      add(isGroup ? "<path d=\"" : "<path \(attributes)\(style)d=\"")
      bytes += code.text[start..<end]
      add("\"/>\n")
      start = end
    }
    if isGroup { add("</g>\n") }
  }

  /// A mark with the texts of its element that do not depend on its neighbours.
  fileprivate func coded(_ mark: VectorMark) -> CodedMark<SVGCode> {
    var code = SVGCode()
    switch mark.shape {
    case .picture(let picture): code.text = element(of: picture, mix: mark.mix)
    case .area(let path), .line(let path, _):
      for part in path.parts(vertices: SVGExporter.maximumVertices) {
        var data = SVGPathData(numbers)
        data.append(part)
        code.text += data.bytes
        code.ends.append(code.text.count)
      }
    }
    return CodedMark(mark: mark.withoutContent, code: code)
  }

  private func element(of picture: TexturePicture, mix: InkPaint.Mix) -> [UInt8] {
    let (alpha, color) = picture.opacities
    let png = OpacityPNG.encode(
      alpha, color, width: picture.pixels.width, height: picture.pixels.height)
    let (box, fine) = (picture.box, DecimalText(decimals: max(numbers.decimals, 3)))
    let data = "data:image/png;base64,\(Base64.encode(png))"
    // Old programs know `xlink:href` only. Adding `href` would store the data twice.
    let element =
      "<image x=\"\(fine.text(box.minX))\" y=\"\(fine.text(box.minY))\" "
      + "width=\"\(fine.text(box.width))\" height=\"\(fine.text(box.height))\" "
      + "preserveAspectRatio=\"none\" \(mix.style)xlink:href=\"\(data)\"/>\n"
    return Array(element.utf8)
  }

  /// The data of a path.
  package func data(of path: Path) -> String {
    var data = SVGPathData(numbers)
    data.append(path.elements)
    return String(decoding: data.bytes, as: UTF8.self)
  }

  /// The attributes of a mark, without its blend mode, which elements do not inherit.
  package func attributes(of mark: VectorMark) -> String {
    switch mark.shape {
    case .line(_, let width):
      "fill=\"none\" \(paint("stroke", mark.color, mark.opacity)) "
        + "stroke-width=\"\(numbers.text(width))\" stroke-linecap=\"round\" stroke-linejoin=\"round\""
    case .area, .picture: paint("fill", mark.color, mark.opacity)
    }
  }

  private func paint(_ name: String, _ color: Color, _ opacity: Double) -> String {
    let text = "\(name)=\"\(color.withAlpha(1).shortHex)\""
    guard opacity < 1 else { return text }
    return text + " \(name)-opacity=\"\(DecimalText(decimals: 3).text(opacity))\""
  }
}

/// The texts of a mark: the data of its paths, one behind the other, with their ends; or the whole
/// element of a picture.
private struct SVGCode {
  var text: [UInt8] = []
  var ends: [Int] = []
}

extension VectorMark {
  fileprivate func hasAttributes(of other: VectorMark) -> Bool {
    guard color == other.color, opacity == other.opacity, mix == other.mix else { return false }
    switch (shape, other.shape) {
    case (.area, .area): return true
    case (.line(_, let width), .line(_, let otherWidth)): return abs(width - otherWidth) < 0.005
    default: return false
    }
  }
}

extension InkPaint.Mix {
  /// The attribute with the blend mode and a blank behind it; empty for ink that covers.
  package var style: String { self == .over ? "" : "style=\"mix-blend-mode:\(name)\" " }

  /// The name in style sheets.
  private var name: String {
    switch self {
    case .over: "normal"
    case .darken: "darken"
    case .lighten: "lighten"
    case .multiply: "multiply"
    case .screen: "screen"
    }
  }
}

extension Color {
  /// `#rrggbb`, or `#rgb` where that is the same.
  fileprivate var shortHex: String {
    let digits = hex.utf8.prefix(7).map { 65...70 ~= $0 ? $0 + 32 : $0 }
    guard digits.count == 7, digits[1] == digits[2], digits[3] == digits[4], digits[5] == digits[6]
    else { return String(decoding: digits, as: UTF8.self) }
    return String(decoding: [digits[0], digits[1], digits[3], digits[5]], as: UTF8.self)
  }
}
