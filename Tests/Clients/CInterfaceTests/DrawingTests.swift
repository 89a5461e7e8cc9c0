import InkFiles
import CPentimento
import Graphics
import ForeignInk
import PencilKitArchive
import Rasterization
import Strokes
import TestSupport
import Testing

struct DrawingTests {
  private static func drawing(seed: UInt64) -> PKDrawing {
    var random = RandomInk(seed: seed)
    return PKDrawing(
      strokes: (0..<12).map { _ in
        PKStroke(ink: random.ink(), path: random.path(), transform: random.transform())
      })
  }

  @Test func `columns and strokes have the values of the drawing`() throws {
    let drawing = Self.drawing(seed: 1)
    let handle = try Calls.open(drawing.dataRepresentation())
    defer { pentimento_close(handle) }
    var info = pentimento_info()
    info.size = UInt32(MemoryLayout<pentimento_info>.size)
    try #require(pentimento_get_info(handle, &info, nil) == 0)
    #expect(info.stroke_count == 12 && info.page_count == 1 && info.damage_count == 0)
    let points = drawing.strokes.flatMap { Array($0.path) }
    #expect(info.point_count == points.count && info.duration > 0)
    let format = try #require(pentimento_format(handle, nil))
    #expect(String(cString: format) == "pencilkit")
    let expected: [(Int, (PKStrokePoint) -> Double)] = [
      (PENTIMENTO_X, { $0.location.x }), (PENTIMENTO_Y, { $0.location.y }),
      (PENTIMENTO_TIME, { $0.timeOffset }), (PENTIMENTO_WIDTH, { $0.size.width }),
      (PENTIMENTO_HEIGHT, { $0.size.height }), (PENTIMENTO_FORCE, { $0.force }),
      (PENTIMENTO_AZIMUTH, { $0.azimuth }), (PENTIMENTO_ALTITUDE, { $0.altitude }),
      (PENTIMENTO_OPACITY, { $0.opacity }),
    ]
    for (column, value) in expected {
      var count: Int64 = 0
      let start = try Calls.get { pentimento_column(handle, Int32(column), &count, $0) }
      let values = Array(UnsafeBufferPointer(start: start, count: Int(count)))
      #expect(values == points.map { Float(value($0)) }, "column \(column)")
      // The same memory each time.
      #expect(pentimento_column(handle, Int32(column), nil, nil) == start)
    }
    var first: Int64 = 0
    for (number, stroke) in drawing.strokes.enumerated() {
      var found = pentimento_stroke()
      found.size = UInt32(MemoryLayout<pentimento_stroke>.size)
      try #require(pentimento_get_stroke(handle, Int64(number), &found, nil) == 0)
      #expect(found.first_point == first && found.end_point == first + Int64(stroke.path.count))
      #expect(found.color.0 == stroke.ink.color.red && found.color.3 == stroke.ink.color.alpha)
      #expect(found.transform.0 == stroke.transform.a && found.transform.5 == stroke.transform.ty)
      let ink = try #require(found.ink)
      #expect(String(cString: ink) == stroke.ink.inkType.name)
      #expect(found.start == stroke.path.creationDate.secondsSince1970)
      #expect(withUnsafeBytes(of: found.id) { Array($0) } == stroke.id.bytes)
      first = found.end_point
    }
  }

  @Test func `a picture has the pixels of the renderer`() throws {
    let drawing = Self.drawing(seed: 2)
    let handle = try Calls.open(drawing.dataRepresentation())
    defer { pentimento_close(handle) }
    var options = pentimento_picture_options()
    pentimento_picture_defaults(&options)
    options.width = 300
    options.style = Int32(PENTIMENTO_STYLE_DARK)
    options.paper = Int32(PENTIMENTO_PAPER_GRID)
    let picture = try Calls.get { pentimento_render(handle, &options, $0) }
    var (width, height, pitch): (Int32, Int32, Int64) = (0, 0, 0)
    let pixels = try Calls.get { pentimento_picture_data(picture, &width, &height, &pitch, $0) }
    let expected = try Renderer(
      RenderOptions(extent: .longerSide(300), paper: .grid, style: .dark)
    ).picture(of: drawing)
    try #require(Int(width) == expected.width && Int(height) == expected.height)
    for y in 0..<expected.height {
      let isSame = expected.withRow(y) {
        $0.elementsEqual(UnsafeBufferPointer(start: pixels + y * Int(pitch), count: 4 * Int(width)))
      }
      #expect(isSame, "row \(y)")
    }
    pentimento_picture_close(picture)
    #expect(Calls.failure { pentimento_picture_data(picture, nil, nil, nil, $0) }.code == 2)
  }

  @Test func `pictures on a transparent background have straight alpha`() throws {
    let path = PKStrokePath(
      controlPoints: [Point(x: 0, y: 0), Point(x: 60, y: 0)].map {
        PKStrokePoint(
          location: $0, timeOffset: 0, size: Size(width: 20, height: 20), opacity: 1, force: 1,
          azimuth: 0, altitude: .pi / 2)
      }, creationDate: .referenceDate)
    let red = Color(red: 1, green: 0, blue: 0, alpha: 0.5)
    let drawing = PKDrawing(strokes: [PKStroke(ink: PKInk(.monoline, color: red), path: path)])
    let handle = try Calls.open(drawing.dataRepresentation())
    defer { pentimento_close(handle) }
    var options = pentimento_picture_options()
    pentimento_picture_defaults(&options)
    options.background = Int32(PENTIMENTO_BACKGROUND_TRANSPARENT)
    let picture = try Calls.get { pentimento_render(handle, &options, $0) }
    defer { pentimento_picture_close(picture) }
    var (width, height, pitch): (Int32, Int32, Int64) = (0, 0, 0)
    let pixels = try Calls.get { pentimento_picture_data(picture, &width, &height, &pitch, $0) }
    var seen = 0
    for y in 0..<Int(height) {
      for x in 0..<Int(width) {
        let pixel = pixels + y * Int(pitch) + 4 * x
        guard pixel[3] > 8 else { continue }
        #expect(pixel[0] >= 250 && pixel[1] == 0 && pixel[3] <= 128)
        seen += 1
      }
    }
    #expect(seen > 100)
  }

  @Test func `the last frame equals the still picture, in any order of drawing`() throws {
    let drawing = Self.drawing(seed: 3)
    let handle = try Calls.open(drawing.dataRepresentation())
    defer { pentimento_close(handle) }
    var options = pentimento_picture_options()
    pentimento_picture_defaults(&options)
    options.width = 64
    let frames = try Calls.get {
      pentimento_frames_open(handle, &options, 5, 1, 0.1, $0)
    }
    defer { pentimento_frames_close(frames) }
    var (width, height, count): (Int32, Int32, Int64) = (0, 0, 0)
    try #require(pentimento_frames_size(frames, &width, &height, &count, nil) == 0)
    let size = Int(width * height * 4)
    func frame(_ number: Int64) -> [UInt8] {
      var pixels = [UInt8](repeating: 0, count: size)
      #expect(pentimento_frames_draw(frames, number, &pixels, Int64(size), nil) == 0)
      return pixels
    }
    let forwards = (0..<count).map(frame)
    let backwards = (0..<count).reversed().map(frame)
    #expect(forwards == backwards.reversed())
    let picture = try Calls.get { pentimento_render(handle, &options, $0) }
    defer { pentimento_picture_close(picture) }
    var pitch: Int64 = 0
    let pixels = try Calls.get { pentimento_picture_data(picture, nil, nil, &pitch, $0) }
    let still = (0..<Int(height)).flatMap { y in
      Array(UnsafeBufferPointer(start: pixels + y * Int(pitch), count: 4 * Int(width)))
    }
    #expect(forwards.last == still)
    var few = [UInt8](repeating: 0, count: size - 1)
    #expect(pentimento_frames_draw(frames, 0, &few, Int64(few.count), nil) == 1)
    #expect(pentimento_frames_draw(frames, count, &few, Int64(size), nil) == 1)
    #expect(pentimento_frames_draw(frames, -1, &few, Int64(size), nil) == 1)
  }

  @Test func `a drawing is written in every format that can be written, and read again`() throws {
    let drawing = Self.drawing(seed: 4)
    let handle = try Calls.open(drawing.dataRepresentation())
    defer { pentimento_close(handle) }
    let formats = DrawingFile.Format.allCases.filter(\.isWritten).map(\.rawValue) + ["svg", "pdf"]
    for format in formats {
      let bytes = try Calls.get { pentimento_encode(handle, format, $0) }
      defer { pentimento_bytes_close(bytes) }
      var count: Int64 = 0
      let start = try Calls.get { pentimento_bytes_data(bytes, &count, $0) }
      let file = Array(UnsafeBufferPointer(start: start, count: Int(count)))
      if format == "svg" {
        #expect(String(decoding: file.prefix(4), as: UTF8.self) == "<svg")
      } else if format == "pdf" {
        #expect(String(decoding: file.prefix(5), as: UTF8.self) == "%PDF-")
      } else {
        pentimento_close(try Calls.open(file, format: format))
      }
      guard format == "pkd" else { continue }
      let written = try DrawingFile(file).strokes().drawing
      #expect(written == drawing)
    }
    #expect(Calls.failure { pentimento_encode(handle, "isf", $0) }.code == 1)
    #expect(Calls.failure { pentimento_encode(handle, "\u{1}é", $0) }.code == 1)
    #expect(Calls.failure { pentimento_encode(handle, nil, $0) }.code == 1)
  }

  @Test func `closed, unknown and mistyped handles are refused`() throws {
    let handle = try Calls.open(Self.drawing(seed: 5).dataRepresentation())
    #expect(Calls.failure { pentimento_picture_data(handle, nil, nil, nil, $0) }.code == 2)
    #expect(Calls.failure { pentimento_bytes_data(handle, nil, $0) }.code == 2)
    pentimento_picture_close(handle)
    #expect(pentimento_format(handle, nil) != nil)
    pentimento_close(handle)
    pentimento_close(handle)
    #expect(Calls.failure { pentimento_format(handle, $0) }.code == 2)
    // Another drawing reuses the slot of the closed one, but not its number.
    let other = try Calls.open(Self.drawing(seed: 6).dataRepresentation())
    defer { pentimento_close(other) }
    #expect(other != handle)
    #expect(Calls.failure { pentimento_format(handle, $0) }.code == 2)
    #expect(Calls.failure { pentimento_format(nil, $0) }.code == 1)
    var random = RandomInk(seed: 7)
    for _ in 0..<1000 {
      let garbage = OpaquePointer(bitPattern: UInt(truncatingIfNeeded: random.generator.next()))
      #expect(garbage == other || Calls.failure { pentimento_format(garbage, $0) }.code != 0)
      pentimento_close(garbage)
    }
    #expect(pentimento_format(other, nil) != nil)
  }

  @Test func `bytes without ink and null arguments are refused`() throws {
    for bytes in [[], [1, 2, 3], Array("{}".utf8), [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]]
      as [[UInt8]]
    {
      let failure = Calls.failure { pentimento_open(bytes, Int64(bytes.count), nil, 0, $0) }
      #expect(failure.code == PENTIMENTO_UNREADABLE && !failure.message.isEmpty)
    }
    #expect(Calls.failure { pentimento_open(nil, 5, nil, 0, $0) }.code == PENTIMENTO_INVALID)
    #expect(Calls.failure { pentimento_open([1], -1, nil, 0, $0) }.code == PENTIMENTO_INVALID)
    #expect(Calls.failure { pentimento_open([1], 1, "tiff", 0, $0) }.code == PENTIMENTO_INVALID)
    #expect(
      Calls.failure { pentimento_open([1], .max, nil, 0, $0) }.code == PENTIMENTO_TOO_LARGE)
    let handle = try Calls.open(Self.drawing(seed: 8).dataRepresentation())
    defer { pentimento_close(handle) }
    #expect(Calls.failure { pentimento_get_info(handle, nil, $0) }.code == 1)
    var info = pentimento_info()
    #expect(Calls.failure { pentimento_get_info(handle, &info, $0) }.message.contains("sizeof"))
    #expect(Calls.failure { pentimento_column(handle, 99, nil, $0) }.code == 1)
    #expect(Calls.failure { pentimento_get_stroke(handle, 12, nil, $0) }.code == 1)
    #expect(Calls.failure { pentimento_damage(handle, 0, $0) }.code == 1)
    #expect(Calls.failure { pentimento_text(handle, nil, $0) }.code == 1)
    // A missing text is no error.
    #expect(Calls.failure { pentimento_text(handle, "title", $0) }.code == 0)
    #expect(pentimento_open(nil, 5, nil, 0, nil) == nil)
  }

  @Test func `a message that is too long is cut between characters`() {
    let name = String(repeating: "字", count: 200)
    let message = Calls.failure { pentimento_open([1], 1, name, 0, $0) }.message
    #expect(message.utf8.count <= 255 && message.utf8.count > 250)
    #expect(!message.contains("\u{FFFD}") && message.hasSuffix("字"))
  }
}
