import Glibc
import Graphics
import PNGFormat
import Rasterization
import Strokes
import Testing

@testable import VectorExport

/// Compares other programs' rendering of our files with our own pictures, at two pixels per point.
@Suite(.enabled(if: Viewer.areAllInstalled, "\(Viewer.absence)"))
struct AgreementTests {
  private static let scale = 2

  private func difference(
    _ viewer: Viewer, _ drawing: PKDrawing, _ picture: RenderOptions = RenderOptions(),
    canvas: Recording.Canvas = Samples.canvas, isFlat: Bool = false, annotations: Bool = false,
    blur: Bool = false, withAlpha: Bool = false
  ) throws -> PictureDifference {
    var options = picture
    options.extent = .scale(Double(Self.scale))
    let ours = try Renderer(options).picture(of: drawing, on: canvas)
    let vectors = VectorOptions(picture: picture, isFlat: isFlat)
    let theirs = try viewer.picture(
      svg: { try SVGExporter(vectors).svg(of: drawing, on: canvas) },
      pdf: {
        try PDFExporter(vectors, annotations: annotations).pdf(of: [.init(drawing, on: canvas)])
      },
      scale: Self.scale, size: (ours.width, ours.height))
    #expect(abs(ours.width - theirs.width) <= 1 && abs(ours.height - theirs.height) <= 1)
    return PictureDifference(ours, theirs, blur: blur, withAlpha: withAlpha)
  }

  /// The errors that docs/formats states. Poppler draws edges with fewer samples than the others.
  private func limits(_ viewer: Viewer, _ type: PKInk.InkType) -> (mean: Double, large: Int) {
    switch type {
    case .pen, .monoline, .fountainPen: viewer == .poppler ? (1.5, 90) : (0.6, 40)
    // Our marker has a soft edge and streaks, but is flat in exported files.
    case .marker: (8, 95)
    default: viewer == .poppler ? (4, 85) : (2, 35)
    }
  }

  private func expectAgreement(
    _ difference: PictureDifference, _ limits: (mean: Double, large: Int), _ comment: String,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      difference.mean <= limits.mean && difference.large <= limits.large,
      "\(comment): \(difference)",
      sourceLocation: location)
  }

  @Test(arguments: Viewer.allCases, Samples.inks)
  func `each exported ink looks as in our picture`(viewer: Viewer, type: PKInk.InkType) throws {
    let isFlat = [.pen, .monoline, .fountainPen].contains(type)
    let found = try difference(viewer, Samples.drawing(of: type), blur: !isFlat)
    expectAgreement(found, limits(viewer, type), "\(viewer), \(type.rawValue)")
  }

  @Test(arguments: Viewer.allCases, [PKInk.InkType.pen, .pencil, .marker])
  func `exported inks look the same in the dark style`(viewer: Viewer, type: PKInk.InkType) throws {
    let options = RenderOptions(background: .color(.black), style: .dark)
    let found = try difference(viewer, Samples.drawing(of: type), options, blur: type != .pen)
    expectAgreement(found, limits(viewer, type), "\(viewer), \(type.rawValue)")
  }

  @Test(arguments: Viewer.allCases)
  func `a transparent background of an export stays transparent`(viewer: Viewer) throws {
    let found = try difference(
      viewer, Samples.drawing(of: .pen), RenderOptions(background: .transparent),
      withAlpha: viewer == .rsvg)
    expectAgreement(found, limits(viewer, .pen), "\(viewer)")
  }

  @Test(arguments: Viewer.allCases, [PKInk.InkType.pen, .crayon])
  func `erased parts are missing in an export`(viewer: Viewer, type: PKInk.InkType) throws {
    var drawing = Samples.drawing(of: type)
    drawing.erase(
      along: Samples.path([(100, 0, 1), (120, 80, 1), (100, 160, 1)]),
      with: PKEraserTool(.fixedWidthBitmap, width: 14))
    #expect(drawing.strokes.contains { $0.mask != nil || $0.isPartial })
    let found = try difference(viewer, drawing, blur: type != .pen)
    expectAgreement(found, limits(viewer, type), "\(viewer), \(type.rawValue)")
  }

  @Test(arguments: Viewer.allCases)
  func `transformed strokes are exported at their location`(viewer: Viewer) throws {
    let path = Samples.wave(y: 0, width: 4)
    let transforms = [
      AffineTransform(a: 0.7, b: 0.2, c: -0.2, d: 0.7, tx: 20, ty: 30),
      AffineTransform(a: -0.8, b: 0, c: 0, d: 0.8, tx: 210, ty: 70),
      AffineTransform(a: 0.8, b: 0.1, c: 0.6, d: 0.5, tx: 10, ty: 110),
    ]
    let drawing = PKDrawing(
      strokes: transforms.map { Samples.stroke(.pen, path, transform: $0) })
    expectAgreement(try difference(viewer, drawing), limits(viewer, .pen), "\(viewer)")
  }

  @Test(arguments: Viewer.allCases)
  func `a dot, an empty drawing and lined paper are exported`(viewer: Viewer) throws {
    let dot = PKDrawing(strokes: [Samples.stroke(.pen, Samples.path([(100, 80, 12)]))])
    expectAgreement(try difference(viewer, dot), limits(viewer, .pen), "\(viewer), dot")
    let nothing = try difference(viewer, PKDrawing())
    #expect(nothing.mean == 0)
    for paper in [RenderOptions.Paper.dotted, .lined, .graph] {
      let found = try difference(viewer, PKDrawing(), RenderOptions(paper: paper))
      expectAgreement(
        found, viewer == .poppler ? (6, 110) : (2.5, 60), "\(viewer), \(paper.rawValue)")
    }
  }

  @Test(arguments: Viewer.allCases)
  func `an exported highlighter lets the pen below it show`(viewer: Viewer) throws {
    let yellow = Color(red: 1, green: 0.9, blue: 0.2, alpha: 0.9)
    let drawing = PKDrawing(strokes: [
      Samples.stroke(.pen, Samples.wave(y: 80, width: 4)),
      Samples.stroke(.marker, Samples.path([(20, 80, 30), (200, 80, 30)]), color: yellow),
    ])
    for background in [RenderOptions.Background.page, .color(Color(white: 0.2))] {
      let found = try difference(
        viewer, drawing, RenderOptions(background: background), blur: true)
      expectAgreement(found, limits(viewer, .marker), "\(viewer)")
    }
  }

  @Test(arguments: [Viewer.poppler, .mupdf], [PKInk.InkType.pen, .pencil])
  func `PDF annotations look like page content`(viewer: Viewer, type: PKInk.InkType) throws {
    let found = try difference(
      viewer, Samples.drawing(of: type), annotations: true, blur: type != .pen)
    expectAgreement(found, limits(viewer, type), "\(viewer), \(type.rawValue)")
  }

  @Test(arguments: Viewer.allCases)
  func `a stroke of 100,000 points is exported whole`(viewer: Viewer) throws {
    let points = (0..<100_000).map { index in
      let t = Double(index) / 100_000
      return (
        x: 110 + 90 * t * cos(700 * t), y: 80 + 70 * t * sin(700 * t),
        width: 1 + 0.5 * sin(3000 * t)
      )
    }
    let drawing = PKDrawing(strokes: [Samples.stroke(.pen, Samples.path(points))])
    let found = try difference(viewer, drawing)
    expectAgreement(found, viewer == .poppler ? (12, 130) : (6, 60), "\(viewer)")
  }

  @Test(arguments: Viewer.allCases)
  func `pages of any size are exported`(viewer: Viewer) throws {
    let large = Recording.Canvas(size: Size(width: 40_000, height: 20_000), background: .white)
    let drawing = PKDrawing(strokes: [
      Samples.stroke(
        .pen, Samples.wave(y: 80, width: 8), transform: AffineTransform(scaleX: 150, y: 150))
    ])
    let options = RenderOptions(extent: .scale(0.02))
    let ours = try Renderer(options).picture(of: drawing, on: large)
    let small = VectorOptions(picture: RenderOptions(extent: .scale(0.02)))
    let theirs = try viewer.picture(
      svg: { try SVGExporter(small).svg(of: drawing, on: large) },
      pdf: { try PDFExporter(small).pdf(of: [.init(drawing, on: large)]) }, scale: 1,
      size: (ours.width, ours.height))
    expectAgreement(PictureDifference(ours, theirs), limits(viewer, .pen), "\(viewer), large")
    let tiny = Recording.Canvas(size: Size(width: 4, height: 3), background: .white)
    let dot = PKDrawing(strokes: [Samples.stroke(.pen, Samples.path([(2, 1.5, 1)]))])
    expectAgreement(
      try difference(viewer, dot, canvas: tiny), viewer == .poppler ? (10, 130) : (4, 60),
      "\(viewer), tiny")
  }
}
