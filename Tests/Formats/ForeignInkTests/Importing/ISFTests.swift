import InkFiles
import Foundation
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples

struct ISFTests {
  /// Points (1/72 inch) per hundredth of a millimetre.
  private let unit = 72 / 2540.0

  /// Two strokes with all values that are read.
  private var rich: ISFBytes {
    var ink = ISFBytes()
    ink.add(29, sized: ISFBytes.signed(2000) + ISFBytes.signed(1000))
    ink.add(0, [0, 0] + ISFBytes.signed(3000) + ISFBytes.signed(2000))
    ink.add(1, sized: [UInt8](repeating: 7, count: 16))
    ink.add(2, table: [[68, 0xFF, 0x01, 69, 100, 70, 100], [69, 50, 70, 80, 71, 1, 72, 4]])
    ink.add(4, table: [[], [56, 54, 6, 1, 85]])
    // Metrics without a resolution.
    ink.add(24, table: [[], [56, 4, 0] + ISFBytes.signed(200) + [0]])
    ink.add(15, sized: [17] + ISFBytes.float(2) + [20] + ISFBytes.float(30) + ISFBytes.float(40))
    ink.addStroke(3, [ISFBytes.packed([100, 200, 300]), ISFBytes.packed([50, 60, -70])])
    ink.add(9, [1])
    ink.add(13, [1])
    ink.add(23, [1])
    ink.add(26, [1])
    ink.add(100, [2, 0, 1, 2])
    ink.addStroke(
      2,
      [
        ISFBytes.packed([1, 2]), ISFBytes.packed([3, 4]), ISFBytes.packed([0, 200]),
        ISFBytes.packed([500, 1500]),
      ], rest: [0b1000_0000, 0, 9, 9])
    return ink
  }

  private func open(_ bytes: [UInt8], fit: CurveFit? = nil) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = fit
    let file = try DrawingFile(bytes, options: options)
    #expect(file.format == .isf)
    return file
  }

  /// The only stroke of a file.
  private func stroke(_ ink: ISFBytes) throws -> PKStroke {
    let file = try open(ink.stream())
    #expect(file.damage.isEmpty)
    let strokes = file.strokes().strokes
    #expect(strokes.count == 1)
    return try #require(strokes.first)
  }

  /// Ink of one stroke with drawing attributes.
  private func ink(
    _ attributes: [UInt8], layout: [UInt8] = [], _ more: [[UInt8]] = []
  ) -> ISFBytes {
    var ink = ISFBytes()
    ink.add(3, sized: attributes)
    ink.add(5, sized: layout)
    ink.addStroke(2, [ISFBytes.packed([0, 254]), ISFBytes.packed([0, 0])] + more)
    return ink
  }

  private func notes(_ file: DrawingFile) -> [String] {
    file.page?.notes.counts.map(\.text) ?? []
  }

  // MARK: - Points

  @Test func `an ISF page has strokes with transforms, looks, pressure and times`() throws {
    let file = try open(rich.stream())
    let page = try #require(file.page)
    #expect(file.damage.isEmpty)
    #expect(file.pageCount == 1)
    #expect(page.source.strokes == 2)
    #expect(page.source.points == 5)
    let bounds = try #require(page.source.bounds)
    #expect([bounds.minX, bounds.minY, bounds.maxX, bounds.maxY] == [1, -70, 300, 60])
    let strokes = file.strokes().strokes
    try #require(strokes.count == 2)
    let (first, second) = (strokes[0], strokes[1])
    #expect(first.ink.inkType == .pen)
    #expect(first.ink.widthLaw == .plain)
    #expect(first.ink.color == Color(red: 1, green: 0, blue: 0))
    for (point, place) in zip(first.path, [(200.0, 100.0), (400, 120), (600, -140)]) {
      #expect(point.location.x.isNear(place.0 * unit))
      #expect(point.location.y.isNear(place.1 * unit))
      #expect(point.size.width.isNear(100 * unit))
    }
    // The second look ignores pressure, but the pen's force is kept.
    #expect(second.ink.color == .black)
    try #require(second.path.count == 2)
    #expect(second.path[0].location.x.isNear(31 * unit))
    #expect(second.path[1].location.y.isNear(44 * unit))
    #expect(second.path.allSatisfy { $0.size.width.isNear(50 * unit) })
    #expect(second.path.allSatisfy { $0.size.height.isNear(80 * unit) })
    #expect(second.path.map { ($0.force * 100).rounded() } == [0, 200])
    #expect(second.path[0].timeOffset == 0)
    #expect(second.path[1].timeOffset.isNear(1))
    #expect(notes(file).contains("rectangular tips are drawn as ellipses"))
    #expect(notes(file).contains("properties that programs added are left out"))
  }

  @Test(arguments: [1, 5, 13, 16, 31, 32], [false, true])
  func `packed ISF values of any bit width are unpacked`(width: Int, asDifferences: Bool) throws {
    // Values up to this bound have second differences that fit as well.
    let most = width < 3 ? 0 : (1 << (width - 3)) - 1
    let values = [-most, most, 0, -most].map { $0 / 2 }
    var ink = ISFBytes()
    ink.add(17, ISFBytes.float(1 / Float(max(most, 1))))
    let column = ISFBytes.packed(values, width: width, asDifferences: asDifferences)
    ink.addStroke(4, [column, ISFBytes.packed([0, 1, 2, 3])])
    let page = try #require(try open(ink.stream()).page)
    #expect(page.damage.isEmpty)
    #expect(page.source.bounds?.minX == Double(values[0]))
    #expect(page.source.bounds?.maxX == Double(values[1]))
    #expect(page.source.bounds?.maxY == 3)
  }

  static let codes = [
    [0, 1, 2, 4, 6, 8, 12, 16, 24, 32], [0, 1, 1, 2, 4, 8, 12, 16, 24, 32],
    [0, 1, 1, 1, 2, 4, 8, 14, 22, 32], [0, 2, 2, 3, 5, 8, 12, 16, 24, 32],
    [0, 3, 4, 5, 8, 12, 16, 24, 32], [0, 4, 6, 8, 12, 16, 24, 32],
    [0, 6, 8, 12, 16, 24, 32], [0, 7, 8, 12, 16, 24, 32],
  ]

  @Test(arguments: codes.indices)
  func `all compression codes of ISF are unpacked`(code: Int) throws {
    // Numbers of all sizes and both signs; each is the second difference of later values.
    var values = [0, 1, -1]
    for bit in 1..<22 { values += [values.last ?? 0, (1 << bit) + bit, -(1 << bit)] }
    let column = ISFBytes.huffman(values, code: code, widths: Self.codes[code])
    var ink = ISFBytes()
    ink.add(18, ISFBytes.float(0.001) + ISFBytes.float(1))
    ink.addStroke(
      values.count, [column, ISFBytes.packed(Array(values.indices))], rest: [1, 2, 3])
    let file = try open(ink.stream())
    #expect(file.damage.isEmpty)
    let path = try #require(file.strokes().strokes.first).path
    try #require(path.count == values.count)
    for (index, point) in path.enumerated() {
      #expect(abs(point.location.x - Double(values[index]) * 0.001 * unit) < 1e-4, "\(index)")
      #expect(point.location.y.isNear(Double(index) * unit))
    }
  }

  @Test func `an ISF stroke may lack x or y`() throws {
    for (tag, x, y) in [(UInt8(7), 0.0, 90.0), (8, 90, 0)] {
      var ink = ISFBytes()
      ink.add(5, sized: [tag])
      ink.addStroke(2, [ISFBytes.packed([0, 90])])
      let stroke = try stroke(ink)
      try #require(stroke.path.count == 2)
      #expect(stroke.path[1].location.x.isNear(x * unit))
      #expect(stroke.path[1].location.y.isNear(y * unit))
    }
  }

  @Test func `half of the pressure draws the tip's width in ISF`() throws {
    let columns = [[1, 0], ISFBytes.packed([0, 1023])]
    let pressed = try stroke(ink([69, 100], layout: [53, 56], columns))
    #expect(pressed.path[0].size.width.isNear(50 * unit))
    #expect(pressed.path[1].size.width.isNear(150 * unit))
    #expect(pressed.path[1].force.isNear(2))
    // Pressure outside of its range is clamped.
    let strange = try stroke(ink([69, 100], layout: [56], [ISFBytes.packed([-9, 9999])]))
    #expect(strange.path[0].size.width.isNear(50 * unit))
    #expect(strange.path[1].size.width.isNear(150 * unit))
  }

  @Test func `ISF tilts and directions become azimuth and altitude`() throws {
    let upright = ISFBytes.packed([0, 0])
    let tilted = try stroke(ink([], layout: [59, 60], [ISFBytes.packed([0, 300]), upright]))
    #expect(tilted.path[0].altitude.isNear(.pi / 2))
    #expect(tilted.path[1].altitude.isNear(.pi / 3))
    #expect(tilted.path[1].azimuth.isNear(0))
    let turned = try stroke(
      ink([], layout: [61, 62], [ISFBytes.packed([1800, 900]), ISFBytes.packed([450, -450])]))
    #expect(turned.path[0].azimuth.isNear(.pi / 2))
    #expect(turned.path[1].azimuth.isNear(0))
    #expect(turned.path.allSatisfy { $0.altitude.isNear(.pi / 4) })
  }

  @Test func `ISF metrics give the units of pressure and angles`() throws {
    var ink = ISFBytes()
    ink.add(5, sized: [54, 62])
    let ticks: [UInt8] = [54, 7, 0, 0, 5] + ISFBytes.float(100)
    let degrees: [UInt8] = [62, 7, 0, 0, 3] + ISFBytes.float(1)
    ink.add(25, sized: ticks + degrees)
    ink.addStroke(
      2,
      [
        ISFBytes.packed([0, 9]), ISFBytes.packed([0, 9]), ISFBytes.packed([100, 150]),
        ISFBytes.packed([90, 30]),
      ])
    let stroke = try stroke(ink)
    #expect(stroke.path[1].timeOffset.isNear(0.5))
    #expect(stroke.path[0].altitude.isNear(.pi / 2))
    #expect(stroke.path[1].altitude.isNear(.pi / 6))
  }

  @Test func `ISF transforms of every kind are applied`() throws {
    let (f, d) = (ISFBytes.float, ISFBytes.double)
    let cases: [(tag: Int, bytes: [UInt8], x: Double, y: Double)] = [
      (16, f(1) + f(2) + f(3) + f(4) + f(5) + f(6), 1 * 10 + 3 * 20 + 5, 2 * 10 + 4 * 20 + 6),
      (17, f(3), 30, 60), (18, f(3) + f(0.5), 30, 10), (19, ISFBytes.number(9000), -20, 10),
      (20, f(7) + f(-7), 17, 13), (21, f(2) + f(3) + f(4) + f(5), 24, 65),
    ]
    for (tag, bytes, x, y) in cases {
      var ink = ISFBytes()
      ink.add(tag, bytes)
      ink.addStroke(1, [ISFBytes.packed([10]), ISFBytes.packed([20])])
      let place = try #require(try stroke(ink).path.first).location
      #expect(place.x.isNear(x * unit) && place.y.isNear(y * unit), "\(tag)")
    }
    // Fractions with all digits have priority.
    var ink = ISFBytes()
    ink.add(17, f(3))
    ink.add(31, sized: [17] + d(3.5))
    ink.addStroke(1, [ISFBytes.packed([10]), ISFBytes.packed([20])])
    #expect(try #require(try stroke(ink).path.first).location.x.isNear(35 * unit))
  }

  // MARK: - Looks

  @Test func `ISF colours, transparency and fractional widths are kept`() throws {
    let green: [UInt8] = [68, 0x80, 0xFE, 0x03, 80, 0x80, 0x01]
    let stroke = try stroke(ink(green + [69, 26, 27, 2, 0, 0xCA, 1, 81, 5, 67, 3]))
    #expect(stroke.ink.color == Color(red: 0, green: 1, blue: 0, alpha: 127.0 / 255))
    #expect(stroke.path[0].size.width.isNear(26.458 * unit))
    #expect(stroke.path[0].size.height.isNear(26.458 * unit))
  }

  @Test func `fractional ISF widths may be packed into fewer bits`() throws {
    func width(_ fraction: [UInt8]) throws -> Double {
      try stroke(ink([69, 26, 27] + fraction + [67, 3])).path[0].size.width / unit
    }
    // One byte, with 8 signed bits.
    #expect(abs(try width([1, 0x38, 0x81]) - 25.873) < 1e-3)
    #expect(abs(try width([1, 0x20, 0x7F]) - 26.127) < 1e-3)
    // Five bits, and nine in two bytes.
    #expect(abs(try width([1, 0x32, 0b10000_000]) - 25.984) < 1e-3)
    #expect(abs(try width([2, 0x39, 0b1000_0000, 0b1000_0000]) - 25.745) < 1e-3)
  }

  @Test func `a damaged ISF attribute loses neither other attributes nor strokes`() throws {
    let damaged: [[UInt8]] = [
      // Invalid packings of fractions, and one that is cut.
      [69, 26, 27, 2, 0x80, 1, 2], [69, 26, 27, 1, 0, 5], [69, 26, 27, 2, 0x45, 1, 2],
      // A number that is too large, and a tag that no attribute has.
      [69, 26, 40, 1, 2], [69, 26, 81] + [UInt8](repeating: 0xFF, count: 11),
    ]
    for attribute in damaged {
      var ink = ISFBytes()
      ink.add(2, table: [[68, 0xFF, 0x01] + attribute, [68, 0x80, 0xFE, 0x03, 69, 50]])
      ink.addStroke(2, [ISFBytes.packed([0, 254]), ISFBytes.packed([0, 0])])
      ink.add(9, [1])
      ink.addStroke(2, [ISFBytes.packed([0, 254]), ISFBytes.packed([9, 9])])
      let file = try open(ink.stream())
      #expect(file.damage.count == 1, "\(attribute)")
      let strokes = file.strokes().strokes
      try #require(strokes.count == 2)
      #expect(strokes[0].ink.color == Color(red: 1, green: 0, blue: 0))
      #expect(strokes[0].path[0].size.width.isNear(26 * unit))
      #expect(strokes[1].ink.color == Color(red: 0, green: 1, blue: 0))
      #expect(strokes[1].path[0].size.width.isNear(50 * unit))
    }
  }

  @Test func `damaged ISF tables keep the entries before the damage, and all strokes`() throws {
    let tables: [(Int, [UInt8])] = [
      (2, [3, 69, 26, 99]), (3, [80]), (4, [2, 56, 0x80]), (24, [1, 56]), (25, [56, 9, 1]),
      (15, [17, 0, 0]), (31, [99]),
    ]
    for (tag, block) in tables {
      var ink = ISFBytes()
      ink.add(tag, sized: block)
      ink.addStroke(2, [ISFBytes.packed([0, 254]), ISFBytes.packed([0, 0])])
      let file = try open(ink.stream())
      #expect(file.damage.count >= 1, "\(tag)")
      #expect(file.strokes().strokes.count == 1, "\(tag)")
    }
  }

  @Test func `an ISF pen that mixes with the page is a highlighter`() throws {
    let file = try open(ink([69, 100, 70, 50, 71, 1, 87, 9, 0, 0, 0]).stream())
    let stroke = try #require(file.strokes().strokes.first)
    #expect(stroke.ink.inkType == .marker)
    #expect(stroke.path[0].size.width.isNear(100 * unit))
    #expect(stroke.path[0].size.height.isNear(50 * unit))
    #expect(!notes(file).contains("round highlighters are drawn with rectangular tips"))
    #expect(try self.stroke(ink([87, 13, 0, 0, 0])).ink.inkType == .pen)
  }

  @Test func `an ISF pen without a width has the default one`() throws {
    var plain = ISFBytes()
    plain.addStroke(1, [[1, 0], [1, 0]])
    #expect(try stroke(plain).path[0].size.width.isNear(53 * unit))
    #expect(try stroke(ink([72, 1])).path[0].size.height.isNear(25 * unit))
  }

  @Test func `fitted ISF curves pass the points`() throws {
    var ink = ISFBytes()
    let angles = (0..<80).map { Double($0) / 20 }
    ink.addStroke(
      80,
      [
        ISFBytes.packed(angles.map { Int(5000 * cos($0)) }),
        ISFBytes.packed(angles.map { Int(5000 * sin($0)) }),
      ])
    let file = try open(ink.stream(), fit: CurveFit())
    let path = try #require(file.strokes().strokes.first).path
    #expect(path.count < 80)
    for step in 0...100 {
      let place = path.interpolatedLocation(at: path.parameterRange.upperBound * Double(step) / 100)
      #expect(abs(place.distance(to: .zero) - 5000 * unit) < 0.3)
    }
    #expect(
      notes(file).contains("strokes that are drawn as straight lines between points get curves"))
  }

  @Test func `an ISF transform may make strokes too small to be drawn`() throws {
    for scale in [1e-200, .leastNonzeroMagnitude, 1e-40] {
      var ink = ISFBytes()
      ink.add(31, sized: [17] + ISFBytes.double(scale))
      ink.addStroke(
        6, [ISFBytes.packed([0, 10, 20, 30, 40, 50]), ISFBytes.packed([0, 7, 9, 8, 2, 1])])
      let file = try open(ink.stream(), fit: CurveFit())
      #expect(file.damage.isEmpty)
      #expect(file.strokes().strokes.count == 1)
    }
  }

  // MARK: - Envelopes

  @Test func `ISF is found in a GIF and in base64`() throws {
    let stream = rich.stream()
    let strokes = try open(stream).strokes().strokes
    let gif = ISFBytes.gif(stream)
    let texts = [stream, gif].flatMap { bytes in
      let text = Data(bytes).base64EncodedString()
      return [
        Array(text.utf8), Array("base64:\(text)\0".utf8),
        Array(Data(bytes).base64EncodedString(options: [.lineLength64Characters]).utf8),
      ]
    }
    for bytes in [gif, ISFBytes.gif(stream, label: 0xFF)] + texts {
      #expect(DrawingFile.Format(recognizing: bytes) == .isf)
      #expect(try open(bytes).strokes().strokes == strokes)
    }
  }

  @Test func `a GIF without ISF is a picture`() {
    let picture = ISFBytes.gif(Array("made by hand".utf8))
    #expect(throws: DrawingFileError.picture(.gif)) { try DrawingFile(picture) }
    #expect(throws: DrawingFileError.picture(.gif)) { try DrawingFile(picture, as: .isf) }
    let others: [[UInt8]] = [
      [], [0], [0, 0], [0, 1], [0, 1, 10], [1, 3, 9, 0, 9], Array(repeating: 0, count: 99),
      Array(repeating: 0xFF, count: 99), [0, 1, 0, 0, 0, 12, 0, 128], [0, 0, 1, 0, 1, 0, 16, 16],
      Array("AAAA".utf8), Array("A text of words".utf8), Array("R0lGODlh".utf8),
      "<?xml version=\"1.0\"?>".utf8.flatMap { [0, $0] }, [0, 4, 100, 1, 0, 0],
    ]
    for bytes in others { #expect(DrawingFile.Format(recognizing: bytes) == nil, "\(bytes)") }
  }

  @Test func `damage of ISF in a GIF has an offset within the ink`() throws {
    var ink = ISFBytes()
    ink.addStroke(2, [[0x45, 0, 0]])
    let file = try DrawingFile(ISFBytes.gif(ink.stream()))
    guard case .imported(.isf, let error) = try #require(file.damage.first) else {
      Issue.record("no damage of the format")
      return
    }
    #expect(error.place == .part("the ink in the GIF", byte: 5))
  }

  // MARK: - Damage

  @Test func `a damaged ISF stroke loses no other strokes`() throws {
    let bad: [[UInt8]] = [
      [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0], [2, 0x45, 0, 0], [2, 0x88, 0, 0], [9, 16, 0, 0],
      [2, 0x80, 0xFF, 0xFF, 0xFF, 0xFF], [], [3, 0xC0, 1],
    ]
    for block in bad {
      var ink = ISFBytes()
      ink.add(10, sized: block)
      ink.addStroke(1, [ISFBytes.packed([10]), ISFBytes.packed([20])])
      let file = try open(ink.stream())
      #expect(file.damage.count == 1, "\(block)")
      #expect(file.strokes().strokes.count == 1, "\(block)")
    }
  }

  @Test func `a cut ISF stream keeps its complete strokes`() throws {
    var ink = rich
    let whole = try open(ink.stream()).strokes().strokes
    let before = ink.stream().count - ISFBytes.number(0).count
    ink.addStroke(1, [ISFBytes.packed([10]), ISFBytes.packed([20])])
    let size = rich.stream().count - 3
    let stale = try open(ink.stream(size: size))
    #expect(stale.damage.isEmpty)
    #expect(stale.strokes().strokes == whole)
    let cut = try open(Array(ink.stream()[..<before]))
    #expect(cut.damage.count >= 1)
    #expect(cut.strokes().strokes.count >= 1)
  }

  @Test func `ISF tables are limited, and indices beyond them are noted`() throws {
    var ink = ISFBytes()
    ink.add(9, [5])
    ink.addStroke(1, [[1, 0], [1, 0]])
    let file = try open(ink.stream())
    #expect(notes(file).contains("strokes refer to missing entries of tables"))
    #expect(file.strokes().strokes.count == 1)
    var many = ISFBytes()
    many.addStroke(1, [[1, 0], [1, 0]])
    many.add(2, sized: [UInt8](repeating: 0, count: 1 << 20))
    let limited = try DrawingFile(many.stream(), as: .isf)
    #expect(limited.damage.count == 1)
    #expect(limited.strokes().strokes.count == 1)
  }

  @Test func `ISF of another version is refused`() {
    #expect(throws: DrawingFileError.self) { try DrawingFile([1, 2, 9, 0], as: .isf) }
    #expect(throws: DrawingFileError.self) { try DrawingFile([] as [UInt8], as: .isf) }
  }

  @Test func `damaged ISF is refused or read in part`() {
    Damage.expectSurvival(of: rich.stream(), as: .isf)
    Damage.expectSurvival(of: ISFBytes.gif(rich.stream()), as: .isf)
    var ink = ISFBytes()
    let values = (0..<30).map { $0 * $0 * 7 }
    ink.addStroke(
      30, (0..<2).map { ISFBytes.huffman(values, code: $0, widths: Self.codes[$0]) })
    Damage.expectSurvival(of: ink.stream(), as: .isf)
  }
}

extension Double {
  /// Whether this equals a value to the digits that points store.
  fileprivate func isNear(_ value: Double) -> Bool {
    abs(self - value) <= 2e-4 * max(abs(value), 1)
  }
}
