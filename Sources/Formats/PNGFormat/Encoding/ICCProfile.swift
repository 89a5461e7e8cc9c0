import Graphics

/// ICC profiles, version 4, for programs that do not read `cICP`.
enum ICCProfile {
  /// Display P3: its primaries adapted to D50, and sRGB's transfer function.
  static let displayP3: [UInt8] = {
    // The matrices of the module Graphics, adapted from D65 to D50 by Bradford's method, in
    // 1/65,536.
    let red = xyz(33_759, 15_807, -69)
    let green = xyz(19_135, 45_367, 2_745)
    let blue = xyz(10_296, 4_363, 51_385)
    let adaptation: [Int32] = [
      68_674, 1_502, -3_291, 1_939, 64_912, -1_119, -606, 988, 49_262,
    ]
    // Parametric curve 3: (aX + b)^g from d on, cX below; in the order g, a, b, c, d.
    let curve: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    let curveKind: [UInt8] = [0, 3, 0, 0]
    return profile([
      (["desc"], text("Display P3")), (["cprt"], text("CC0")),
      (["wtpt"], type("XYZ ") + connectionWhite.flatMap(fixed)),
      (["chad"], type("sf32") + adaptation.flatMap(fixed)), (["rXYZ"], red), (["gXYZ"], green),
      (["bXYZ"], blue),
      (
        ["rTRC", "gTRC", "bTRC"],
        type("para") + curveKind + curve.flatMap { fixed(Int32(($0 * 65_536).rounded())) }
      ),
    ])
  }()

  /// D50, the white point of the profile connection space, in 1/65,536.
  private static let connectionWhite: [Int32] = [63_190, 65_536, 54_061]

  /// Assembles a display profile from its tags; several names may share the same bytes.
  private static func profile(_ tags: [(names: [String], bytes: [UInt8])]) -> [UInt8] {
    let count = tags.reduce(0) { $0 + $1.names.count }
    var table = big(UInt32(count))
    var body: [UInt8] = []
    let start = 128 + 4 + 12 * count
    for tag in tags {
      for name in tag.names {
        table += Array(name.utf8) + big(UInt32(start + body.count)) + big(UInt32(tag.bytes.count))
      }
      body += tag.bytes + [UInt8](repeating: 0, count: -tag.bytes.count & 3)
    }
    var header = big(UInt32(start + body.count))
    func add(_ bytes: [UInt8]) { header += bytes }
    add([0, 0, 0, 0])
    add([4, 0x20, 0, 0])
    add(Array("mntrRGB XYZ ".utf8))
    // A date is required. It is constant, so that the bytes never change.
    let date: [UInt16] = [2026, 11, 21, 0, 0, 0]
    for part in date { add([UInt8(part >> 8), UInt8(part & 255)]) }
    add(Array("acsp".utf8))
    add([UInt8](repeating: 0, count: 24))
    // Rendering intent: relative colorimetric. The white point of the connection space follows.
    add([0, 0, 0, 1])
    for part in connectionWhite { add(fixed(part)) }
    add([UInt8](repeating: 0, count: 128 - header.count))
    return header + table + body
  }

  private static func big(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func fixed(_ value: Int32) -> [UInt8] { big(UInt32(bitPattern: value)) }

  private static func type(_ name: String) -> [UInt8] { Array(name.utf8) + [0, 0, 0, 0] }

  private static func xyz(_ x: Int32, _ y: Int32, _ z: Int32) -> [UInt8] {
    type("XYZ ") + fixed(x) + fixed(y) + fixed(z)
  }

  /// A localized text, in English.
  private static func text(_ text: String) -> [UInt8] {
    let letters = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let record = big(1) + big(12) + Array("enUS".utf8)
    return type("mluc") + record + big(UInt32(letters.count)) + big(28) + letters
  }
}
