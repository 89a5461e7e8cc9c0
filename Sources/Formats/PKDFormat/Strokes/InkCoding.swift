import Graphics
import Strokes

/// How the parts of a colour are stored.
private enum ColorForm: UInt8 {
  case doubles, floats
  /// A byte for each part, which is its 255th, as a double or rounded to a float.
  case bytes, floatBytes

  /// A form that stores numbers exactly.
  init(_ numbers: [Double]) {
    func all(_ isExact: (Double) -> Bool) -> Bool { numbers.allSatisfy(isExact) }
    self =
      all { Self.bytes.byte(of: $0) != nil }
      ? .bytes
      : all { Self.floatBytes.byte(of: $0) != nil }
        ? .floatBytes
        : all { Double(Float($0)).bitPattern == $0.bitPattern } ? .floats : .doubles
  }

  /// The number that a byte stands for.
  func number(_ byte: UInt8) -> Double {
    let number = Double(byte) / 255
    return self == .bytes ? number : Double(Float(number))
  }

  /// The byte that stands for a number; nil without one.
  func byte(of number: Double) -> UInt8? {
    let byte = UInt8(clamping: (number * 255).rounded())
    return self.number(byte).bitPattern == number.bitPattern ? byte : nil
  }
}

extension PKInk.InkType {
  /// The kinds that are stored as a number, which is 1 for the first.
  fileprivate static let numbered: [PKInk.InkType] = [
    .pen, .pencil, .marker, .monoline, .fountainPen, .watercolor, .crayon, .reed,
  ]
}

extension ByteWriter {
  /// Writes an ink in the form of the latest version.
  mutating func ink(_ ink: PKInk) {
    let c = ink.color
    let numbers = [c.red, c.green, c.blue, c.alpha]
    let form = ColorForm(numbers)
    let kind = PKInk.InkType.numbered.firstIndex(of: ink.inkType).map { UInt8($0 + 1) } ?? 0
    byte(
      form.rawValue | (c.space == .displayP3 ? 4 : 0) | (ink.widthLaw == .plain ? 8 : 0)
        | kind << 4)
    if kind == 0 { text(ink.inkType.rawValue) }
    for number in numbers {
      switch form {
      case .doubles: double(number)
      case .floats: littleEndian(UInt64(Float(number).bitPattern), count: 4)
      case .bytes, .floatBytes: byte(form.byte(of: number) ?? 0)
      }
    }
  }
}

extension ByteReader {
  mutating func ink(_ version: FormatVersion, limits: PKDLimits) throws(PKDError) -> PKInk {
    let start = offset
    var flags = try byte()
    if version == .first {
      guard flags < 8 else { throw PKDError(.unknownValue("ink flag", UInt64(flags)), at: start) }
      // A bit for the form of the colour, where later versions have two.
      flags = flags & 1 | (flags >> 1) << 2
    }
    let form = ColorForm(rawValue: flags & 3) ?? .doubles
    let kinds = PKInk.InkType.numbered
    let kind = Int(flags >> 4)
    guard kind <= kinds.count else {
      throw PKDError(.unknownValue("ink flag", UInt64(flags)), at: start)
    }
    let type =
      kind > 0 ? kinds[kind - 1] : PKInk.InkType(rawValue: try text(limit: limits.textBytes))
    var numbers: [Double] = []
    for _ in 0..<4 { numbers.append(try number(form)) }
    let color = Color(
      red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3],
      space: flags & 4 == 4 ? .displayP3 : .sRGB)
    return PKInk(type, color: color, widthLaw: flags & 8 == 8 ? .plain : .pencilKit)
  }

  private mutating func number(_ form: ColorForm) throws(PKDError) -> Double {
    let start = offset
    let number =
      switch form {
      case .doubles: try double()
      case .floats: Double(Float(bitPattern: UInt32(try littleEndian(4))))
      case .bytes, .floatBytes: form.number(try byte())
      }
    guard number.isFinite else { throw PKDError(.notFinite, at: start) }
    return number
  }
}
