import Graphics
public import Rasterization
public import Strokes
import XML

/// Writes drawings as PDF of outlines, a page for each.
///
/// Inks with texture are images of one colour under a soft mask. The same drawings give the same
/// bytes.
public struct PDFExporter: Sendable {
  /// The shown part of the drawing, and the precision.
  public var options: VectorOptions
  /// Whether strokes are Ink annotations, which other programs can move and delete, in place of
  /// page content.
  public var annotations: Bool {
    get { annotate != nil }
    set {
      annotate = nil
      if newValue { annotate = { writer, mark, page, sheet in writer.add(mark, on: page, sheet) } }
    }
  }
  /// Adds a mark to a page as an annotation; nil draws it as content. Since this is a closure,
  /// programs without annotations are linked without their code.
  private var annotate: PDFWriter.Annotate?

  /// The greatest width and height of a page that all programs accept, in points. Larger pages have
  /// a larger unit.
  static let maximumSide = 14_400.0

  /// An exporter.
  public init(_ options: VectorOptions = VectorOptions(), annotations: Bool = false) {
    self.options = options
    self.annotations = annotations
  }

  /// A drawing that becomes a page.
  public struct Page {
    /// Adds the page to a document. A closure, because Embedded Swift has no existentials for the
    /// type of the strokes' source.
    fileprivate let add: (inout PDFWriter, VectorOptions) throws(RenderError) -> Void

    /// A page of strokes on a canvas.
    public init(_ strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas()) {
      add = { (writer, options) throws(RenderError) in
        try writer.add(try VectorPage(of: strokes, on: canvas, options))
      }
    }
  }

  /// The file of some pages, of which there must be one at least.
  public func pdf(of pages: [Page]) throws(RenderError) -> [UInt8] {
    guard !pages.isEmpty else { throw RenderError(.empty("document")) }
    var writer = PDFWriter(annotate)
    for page in pages { try page.add(&writer, options) }
    return writer.file(options.information)
  }
}

/// Writes the objects of a document.
private struct PDFWriter {
  typealias Annotate = @Sendable (inout PDFWriter, VectorMark, Int, PDFSheet) -> Int

  private let annotate: Annotate?
  private var objects = PDFObjects()
  private let tree: Int
  private var pages: [Int] = []
  private var needsUnits = false

  init(_ annotate: Annotate?) {
    self.annotate = annotate
    tree = objects.reserve()
  }

  mutating func add(_ page: VectorPage<some StrokeSource>) throws(RenderError) {
    let number = objects.reserve()
    pages.append(number)
    let sheet = PDFSheet(page.ground)
    if sheet.unit != 1 { needsUnits = true }
    let ground = page.ground
    var content = PDFContent()
    content.map(sheet.transform)
    if ground.background.alpha > 0 { content.fill(ground.visible, ground.background) }
    for layer in ground.layers { content.add(layer) }
    // Ink that mixes does so with ink first; the result is composited on the paper.
    var ink: PDFContent?
    var list: [String] = []
    do throws(VectorFailure<Never>) {
      if let annotate {
        try page.forEachMark(
          encode: { CodedMark(mark: $0, code: [UInt8]()) }, begin: { _ in },
          { (coded) throws(Never) in
            list.append("\(annotate(&self, coded.mark, number, sheet)) 0 R")
          })
      } else {
        try page.forEachMark(
          encode: { CodedMark(mark: $0.withoutContent, code: PDFContent.painting($0)) },
          begin: { mixes in
            let isForm = mixes && (ground.background.alpha > 0 || !ground.layers.isEmpty)
            ink = isForm ? PDFContent() : nil
          },
          { (coded) throws(Never) in
            let image = image(of: coded.mark)
            if ink != nil {
              ink?.add(coded.mark, by: coded.code, image: image)
            } else {
              content.add(coded.mark, by: coded.code, image: image)
            }
          })
      }
    } catch {
      throw error.drawing
    }
    let entries = list.isEmpty ? "" : "/Annots[\(list.joined(separator: " "))]"
    var form: Int?
    if let ink {
      form = add(
        ink,
        "/Type/XObject/Subtype/Form/BBox\(ground.visible.pdfArray)"
          + "/Group<</S/Transparency/CS/DeviceRGB/I true>>")
      content.add("/Ink Do")
    }
    let box = Rect(origin: .zero, size: sheet.size)
    let stream = objects.addCompressed(content.bytes, "")
    objects.set(
      number,
      "<</Type/Page/Parent \(tree) 0 R/MediaBox\(box.pdfArray)"
        + (sheet.unit == 1 ? "" : "/UserUnit \(DecimalText(decimals: 6).text(sheet.unit))")
        + "/Group<</S/Transparency/CS/DeviceRGB/I true>>"
        + "/Resources\(resources(of: content, form: form))/Contents \(stream) 0 R\(entries)>>")
  }

  /// Adds commands as an object of their own.
  private mutating func add(_ content: PDFContent, _ entries: String) -> Int {
    objects.addCompressed(content.bytes, entries + "/Resources\(resources(of: content))")
  }

  private func resources(of content: PDFContent, form: Int? = nil) -> String {
    let states = content.states.map { "/\($0.name)\($0.dictionary)" }.joined()
    let images =
      content.images.map { "/I\($0) \($0) 0 R" }.joined() + (form.map { "/Ink \($0) 0 R" } ?? "")
    return "<<" + (states.isEmpty ? "" : "/ExtGState<<\(states)>>")
      + (images.isEmpty ? "" : "/XObject<<\(images)>>") + ">>"
  }

  /// Adds the image of a mark: one pixel of its colour below its opacities.
  private mutating func image(of mark: VectorMark) -> Int? {
    guard case .picture(let picture) = mark.shape else { return nil }
    let (alpha, color) = picture.opacities
    let mask = objects.addCompressed(
      alpha,
      "/Type/XObject/Subtype/Image/Width \(picture.pixels.width)/Height \(picture.pixels.height)"
        + "/ColorSpace/DeviceGray/BitsPerComponent 8")
    let pixel = [color.red, color.green, color.blue].map {
      UInt8(clamping: Int(clamping: ($0 * 255).rounded()))
    }
    return objects.add(
      pixel,
      "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceRGB/BitsPerComponent 8"
        + "/SMask \(mask) 0 R")
  }

  /// Adds a mark as an annotation with an appearance.
  fileprivate mutating func add(_ mark: VectorMark, on page: Int, _ sheet: PDFSheet) -> Int {
    var content = PDFContent()
    content.map(sheet.transform)
    content.add(mark, by: PDFContent.painting(mark), image: image(of: mark))
    let lines = mark.strokes.flatMap { $0.centerLines(within: sheet) }
    let box = lines.reduce(mark.extent.applying(sheet.transform)) { $0.union(Rect(around: $1)) }
      .grown(by: 1)
    let appearance = add(
      content, "/Type/XObject/Subtype/Form/BBox\(box.pdfArray)")
    let numbers = DecimalText(decimals: 2)
    let ink = lines.map { line in
      "[" + line.map { "\(numbers.text($0.x)) \(numbers.text($0.y))" }.joined(separator: " ") + "]"
    }
    let width = (mark.strokes.first?.meanWidth ?? 1) * sheet.scale
    var text =
      "<</Type/Annot/Subtype/Ink/P \(page) 0 R/Rect\(box.pdfArray)/InkList[\(ink.joined())]"
      + "/C[\(mark.color.components)]/CA \(DecimalText(decimals: 3).text(mark.opacity))"
      + "/BS<</W \(numbers.text(width))>>/F 4/AP<</N \(appearance) 0 R>>"
    if let stroke = mark.strokes.first {
      text += "/NM(\(stroke.id))"
      if stroke.path.isDated, let date = stroke.path.creationDate.iso8601Second {
        text += "/M\(PDFText.date(date))"
      }
    }
    return objects.add(text + ">>")
  }

  /// The whole file.
  mutating func file(_ information: DocumentInformation) -> [UInt8] {
    let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
    objects.set(tree, "<</Type/Pages/Count \(pages.count)/Kids[\(kids)]>>")
    let metadata = objects.add(
      Array(information.xmp.utf8), "/Type/Metadata/Subtype/XML")
    let facts = [
      ("Title", information.title.map(PDFText.string)),
      ("Author", information.author.map(PDFText.string)),
      ("Subject", information.subject.map(PDFText.string)),
      ("Keywords", information.keywords.map(PDFText.string)),
      ("CreationDate", information.creationDate?.iso8601Second.map(PDFText.date)),
      ("Producer", PDFText.string(DocumentInformation.producer)),
    ]
    let entries = facts.compactMap { name, value in value.map { "/\(name)\($0)" } }.joined()
    let dictionary = objects.add("<<\(entries)>>")
    let root = objects.add(
      "<</Type/Catalog/Pages \(tree) 0 R/Metadata \(metadata) 0 R"
        + (information.title == nil ? "" : "/ViewerPreferences<</DisplayDocTitle true>>") + ">>")
    return objects.file(version: needsUnits ? "1.6" : "1.5", root: root, information: dictionary)
  }
}

/// A page's size, and the transform to it from the canvas.
private struct PDFSheet {
  /// In units of the page.
  let size: Size
  /// The length of a unit, in points.
  let unit: Double
  /// Units per point of the canvas.
  let scale: Double
  let transform: AffineTransform

  init(_ ground: PictureGround) {
    let longest = max(ground.size.width, ground.size.height)
    unit = max(1, longest / PDFExporter.maximumSide)
    let size = ground.size * (1 / unit)
    scale = size.width / ground.visible.width
    transform = AffineTransform(
      a: scale, b: 0, c: 0, d: -scale, tx: -ground.visible.minX * scale,
      ty: size.height + ground.visible.minY * scale)
    self.size = size
  }
}

extension VectorMark {
  /// A box around everything that is drawn, on the canvas.
  fileprivate var extent: Rect {
    switch shape {
    case .area(let path): path.controlBounds
    case .line(let path, let width): path.controlBounds.grown(by: width / 2)
    case .picture(let picture): picture.box
    }
  }
}

extension PKStroke {
  /// The lines of the pen in units of a page.
  fileprivate func centerLines(within sheet: PDFSheet) -> [[Point]] {
    let place = transform.concatenating(sheet.transform)
    let scale = max(place.maximumScale, 1e-9)
    return maskedPathRanges.flatMap { nibChains(in: $0, tolerance: 0.1 / scale) }.map { chain in
      chain.map { $0.nib.center.applying(place) }.filter { $0.isFinite }
    }.filter { !$0.isEmpty }
  }

  /// The mean width of the line on the canvas.
  fileprivate var meanWidth: Double {
    let nibs = nibChains().joined().map { $0.nib.halfExtent.width + $0.nib.halfExtent.height }
    return nibs.isEmpty ? 1 : nibs.reduce(0, +) / Double(nibs.count) * transform.meanScale
  }
}

extension Rect {
  /// The rectangle as PDF writes it.
  fileprivate var pdfArray: String {
    let numbers = DecimalText(decimals: 4)
    return "[" + [minX, minY, maxX, maxY].map(numbers.text).joined(separator: " ") + "]"
  }
}

extension DocumentInformation {
  /// The program that wrote the file.
  static let producer = "Pentimento"

  /// The information as XMP.
  fileprivate var xmp: String {
    func alternatives(_ name: String, _ text: String) -> String {
      "<\(name)><rdf:Alt><rdf:li xml:lang=\"x-default\">\(text.xmlEscaped)</rdf:li></rdf:Alt></\(name)>"
    }
    let facts = [
      title.map { alternatives("dc:title", $0) },
      author.map {
        "<dc:creator><rdf:Seq><rdf:li>\($0.xmlEscaped)</rdf:li></rdf:Seq></dc:creator>"
      },
      subject.map { alternatives("dc:description", $0) },
      keywords.map { "<pdf:Keywords>\($0.xmlEscaped)</pdf:Keywords>" },
      // The other dictionary has whole seconds.
      creationDate?.iso8601Second.map { "<xmp:CreateDate>\($0)</xmp:CreateDate>" },
      "<pdf:Producer>\(Self.producer)</pdf:Producer>",
    ].compactMap { $0 }
    return "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
      + "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
      + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
      + "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
      + "xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">"
      + "<dc:format>application/pdf</dc:format>" + facts.joined()
      + "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n"
  }
}
