import ForeignInk
import Foundation
import Graphics
import InkFiles
import PKDFormat
import PNGFormat
import Rasterization
import Strokes
import TestSupport
import Testing

/// Files with ink that we drew in other programs, and those programs' own pictures of it.
///
/// The expected numbers were counted in the files by Python, not by our readers; see
/// `Tests/Support/Ink`.
struct InkOfOthersTests {
  @Test(arguments: PageOfOthers.all)
  func `a foreign page has the strokes and points that its program wrote`(page: PageOfOthers)
    throws
  {
    let file = try page.open()
    #expect(file.format == page.format)
    #expect(file.pageCount == page.pages)
    #expect(file.damage.isEmpty)
    let source = try #require(file.page?.source)
    #expect(source.strokes == page.strokes)
    #expect(source.points == page.points)
    let box = try #require(source.bounds)
    for (value, expected) in zip([box.minX, box.minY, box.maxX, box.maxY], page.bounds) {
      #expect(abs(value - expected) < 1e-3, "\(box)")
    }
    let notes = file.page?.notes.counts.map(\.text) ?? []
    for note in page.notes { #expect(notes.contains(note), "\(notes)") }
  }

  @Test(arguments: PageOfOthers.all)
  func `foreign strokes have the colours and widths of their program`(page: PageOfOthers) throws {
    let strokes = try page.open().strokes().strokes
    // Each program has its own opacity for highlighters; the pictures test it.
    #expect(strokes.map { String($0.ink.color.hex.prefix(7)) } == page.looks.map(\.color))
    for (stroke, look) in zip(strokes, page.looks) {
      guard let width = look.width else { continue }
      let widest = stroke.path.map { stroke.ink.drawnSize(of: $0.size).width }.max() ?? 0
      // A point has the mean width of the two segments beside it, and the curves are fitted.
      #expect(abs(widest - width) < 0.05 * width + 0.02, "\(widest), not \(width)")
    }
  }

  @Test(arguments: PageOfOthers.pictured)
  func `our picture of foreign ink looks like its program's picture`(page: PageOfOthers) throws {
    let expected = try page.picture()
    let found = try InkPicture(
      Renderer(
        RenderOptions(
          extent: .pixels(width: expected.width, height: expected.height), region: page.region,
          frame: .page, background: .color(.white))
      ).picture(of: page.open().strokes().drawing, on: page.open().canvas))
    try #require(found.width == expected.width && found.height == expected.height)
    let difference = zip(found.ink, expected.ink).reduce(0) { $0 + abs($1.0 - $1.1) }
    let text =
      "ink \(found.amount / expected.amount), difference \(difference / expected.amount), "
      + "boxes \(found.box) and \(expected.box), "
      + "stray \(found.stray(from: expected)) and \(expected.stray(from: found))"
    #expect(abs(found.amount / expected.amount - 1) < page.inkError, "\(text)")
    #expect(difference / expected.amount < page.difference, "\(text)")
    for (a, b) in zip(found.box, expected.box) { #expect(abs(a - b) <= page.reach, "\(text)") }
    // The fraction of one picture's ink without ink of the other within a pixel.
    #expect(found.stray(from: expected) < page.stray, "\(text)")
    #expect(expected.stray(from: found) < page.stray, "\(text)")
  }

  @Test(arguments: PageOfOthers.first)
  func `imported ink round-trips through a recording`(page: PageOfOthers) throws {
    let file = try page.open()
    let again = try DrawingFile(file.contents().encodeRecording())
    #expect(again.strokes().strokes.count == file.strokes().strokes.count)
  }

  @Test(arguments: PageOfOthers.first)
  func `a file of another program that is cut anywhere is refused or read in part`(
    page: PageOfOthers
  ) throws {
    let bytes = try page.bytes()
    let step = max(bytes.count / RunLength.count(50, long: 400), 1)
    for end in stride(from: 0, to: bytes.count, by: step) {
      do throws(DrawingFileError) {
        let file = try DrawingFile(bytes[..<end], as: page.format)
        for number in 0..<min(file.pageCount, 4) { _ = try file.page(number).strokes() }
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
  }
}

/// A page of a file in `Tests/Support/Ink`, and the counted numbers.
struct PageOfOthers: CustomTestStringConvertible {
  /// A stroke's colour, and its largest width in points if the file has one.
  typealias Look = (color: String, width: Double?)

  let name: String
  let format: DrawingFile.Format
  var number = 0
  var pages = 1
  let strokes, points: Int
  /// The box of all points in the file's units.
  let bounds: [Double]
  /// The drawn strokes from back to front.
  let looks: [Look]
  var notes: [String] = []
  /// The program's own picture, and the part of the page in it, in points.
  var pictureName: String?
  var region: Rect?
  /// The allowed differences of pictures: in the amount of ink; in the sum of all differences as a
  /// fraction of the ink; at the sides of the ink's box, in pixels; and in the fraction of stray
  /// ink.
  var inkError = 0.03
  var difference = 0.06
  var reach = 1
  var stray = 0.001

  var testDescription: String { "\(name), page \(number + 1)" }

  func bytes() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Corpus.ink.appendingPathComponent(name)))
  }

  func open() throws -> DrawingFile { try DrawingFile(try bytes(), page: number) }

  func picture() throws -> InkPicture {
    let name = try #require(pictureName)
    let bytes = [UInt8](try Data(contentsOf: Corpus.ink.appendingPathComponent(name)))
    return InkPicture(try PNGDecoder().decode(bytes))
  }

  static let pictured = all.filter { $0.pictureName != nil }
  /// One page of each file.
  static let first = all.filter { $0.number == 0 }

  private static let pixel = 72.0 / 96

  static let all = [
    PageOfOthers(
      name: "boat.xopp", format: .xournal, pages: 2, strokes: 10, points: 440,
      bounds: [19.8119, 12.5392, 280.627, 170.0313],
      looks: [
        ("#3333CC", 2.194), ("#3333CC", 1.953), ("#000000", 1.132), ("#008000", 0.8),
        ("#808080", 1.71), ("#00C0FF", 1.185), ("#FFFF00", 8.5), ("#000000", 1.221),
        ("#000000", 0.652), ("#008000", 2.851),
      ],
      notes: ["typed text is left out"], pictureName: "boat-1.png"),
    PageOfOthers(
      name: "boat.xopp", format: .xournal, number: 1, pages: 2, strokes: 3, points: 177,
      bounds: [44.1379, 22.069, 250.5329, 102.3197],
      looks: [("#3333CC", 1.41), ("#3333CC", 1.41), ("#FFFFFF", 8.5)],
      notes: ["the strokes of the white eraser are drawn, as on paper"],
      pictureName: "boat-2.png"),
    // Xournal's highlighter covers by 50 %, that of Xournal++ by 47 %; both are read alike.
    PageOfOthers(
      name: "cup.xoj", format: .xournal, strokes: 7, points: 304,
      bounds: [29.06, 15.83, 279.21, 146.69],
      looks: [
        ("#FF8000", 1.41), ("#000000", 0.85), ("#3333CC", 2.26), ("#FF0000", 1.41),
        ("#008000", 2.26), ("#008000", 2.26), ("#FFFF00", 8.5),
      ],
      notes: ["typed text is left out"], pictureName: "cup.png", inkError: 0.06,
      difference: 0.08),
    // The program's pen lags: corners are cut, and the last turn of the grass ends earlier.
    PageOfOthers(
      name: "house.excalidraw", format: .excalidraw, strokes: 7, points: 316,
      bounds: [250, 115.0035, 650, 352.9984],
      looks: [
        ("#C92A2A", nil), ("#1864AB", nil), ("#2B8A3E", nil), ("#E67700", nil), ("#000000", nil),
        ("#000000", nil), ("#000000", nil),
      ],
      notes: ["elements that are no ink are left out: rectangles"], pictureName: "house.png",
      region: Rect(x: 230 * pixel, y: 90 * pixel, width: 450 * pixel, height: 300 * pixel),
      inkError: 0.05, difference: 0.1, reach: 9, stray: 0.02),
    PageOfOthers(
      name: "fish.tldr", format: .tldraw, pages: 2, strokes: 8, points: 315,
      bounds: [231.1874, 132.7251, 607.52, 378],
      looks: [
        ("#FDDD00", 26.88 * pixel), ("#4465E9", nil), ("#4465E9", nil), ("#AE3EC9", nil),
        ("#1D1D1D", nil), ("#4CB05E", 11 * pixel), ("#9FA8B2", nil), ("#9FA8B2", nil),
      ],
      notes: ["shapes that are no ink are left out: figures"], pictureName: "fish.png",
      region: Rect(x: 200 * pixel, y: 120 * pixel, width: 500 * pixel, height: 320 * pixel),
      inkError: 0.04, difference: 0.12, stray: 0.01),
    PageOfOthers(
      name: "fish.tldr", format: .tldraw, number: 1, pages: 2, strokes: 1, points: 30,
      bounds: [298, 198, 498, 298], looks: [("#E16919", nil)]),
    // Widths are quarters of the tablet's pixels, 226 an inch; colours are our numbers for them.
    // The hidden stroke is counted, the erased one is not.
    PageOfOthers(
      name: "star.rm", format: .remarkable, strokes: 5, points: 275,
      bounds: [-450, 270.0089, 450, 1400],
      looks: [
        ("#000000", 23.0 / 4 * 72 / 226), ("#4E69C9", 12.0 / 4 * 72 / 226),
        ("#B33E39", 35.0 / 4 * 72 / 226), ("#A9FA5C", 20.0 / 4 * 72 / 226),
      ],
      notes: ["hidden layers are left out"]),
    PageOfOthers(
      name: "flower.uim", format: .universalInk, strokes: 3, points: 128,
      bounds: [60, 23.5925, 260, 300],
      looks: [("#FFCC00", 20 * pixel), ("#CC1919", 4.9996 * pixel), ("#007F33", 6 * pixel)]),
  ]
}

/// The amount of ink of each pixel: the darkness of its three colours on white, 0 to 3.
struct InkPicture {
  let width, height: Int
  let ink: [Double]

  init(_ picture: Pixmap) {
    (width, height) = (picture.width, picture.height)
    var ink: [Double] = []
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        let pixel = picture[x, y]
        let light = Double(pixel.red) + Double(pixel.green) + Double(pixel.blue)
        ink.append((3 * Double(pixel.alpha) - light) / 65_535)
      }
    }
    self.ink = ink
  }

  init(_ picture: PNGImage) {
    (width, height) = (picture.width, picture.height)
    var ink: [Double] = []
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        let pixel = picture[x, y]
        let light = Double(pixel.x) + Double(pixel.y) + Double(pixel.z)
        ink.append((3 - light / 65_535) * Double(pixel.w) / 65_535)
      }
    }
    self.ink = ink
  }

  var amount: Double { ink.reduce(0, +) }

  /// Smaller values are edges of pixels that the ink barely touches.
  private static let least = 0.25

  /// The first and last column and row with ink.
  var box: [Int] {
    var box = [width, height, -1, -1]
    for y in 0..<height {
      for x in 0..<width where ink[y * width + x] > Self.least {
        box = [min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)]
      }
    }
    return box
  }

  /// The fraction of the ink that is more than a pixel away from the ink of another picture of the
  /// same size.
  func stray(from other: InkPicture) -> Double {
    var (all, stray) = (0, 0)
    for y in 0..<height {
      for x in 0..<width where ink[y * width + x] > Self.least {
        all += 1
        let near = (max(y - 1, 0)...min(y + 1, height - 1)).contains { row in
          (max(x - 1, 0)...min(x + 1, width - 1)).contains {
            other.ink[row * width + $0] > Self.least
          }
        }
        if !near { stray += 1 }
      }
    }
    return Double(stray) / Double(max(all, 1))
  }
}
