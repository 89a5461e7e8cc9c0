import Glibc
import Graphics
import PNGFormat

/// A form of still pictures.
enum PictureForm: String, CaseIterable {
  case png
  /// Four components for each pixel without a header: red, green, blue and straight opacity.
  case rgba
  /// Netpbm's colours and greys, which have no opacity.
  case ppm, pgm

  static let option = Option(
    "to", choices: allCases.map(\.rawValue),
    help: "The form of the picture; chosen by the output's ending unless given, and else PNG. "
      + "The last three are plain pixels, of 16 bits from the high byte on.")

  /// The form for the extension of a name; nil for other extensions, or none.
  init?(fileName: SystemString) {
    guard let ending = fileName.nameEnding else { return nil }
    self.init(rawValue: ending.lowercased())
  }

  var hasOpacity: Bool { self == .png || self == .rgba }

  /// The form that arguments select; `output` is the name of the only picture, nil for several.
  init(
    _ arguments: Arguments, output: SystemString?, of command: String
  ) throws(UsageError) {
    if let asked = arguments.options[Self.option.name].flatMap(Self.init(rawValue:)) {
      self = asked
    } else if let output, output.nameEnding != nil {
      guard let form = Self(fileName: output) else {
        // Another extension would mislead other programs.
        let other =
          ConversionTarget(fileName: output.description) == nil
          ? "" : "; 'pkd convert IN \(output)' writes such files"
        throw UsageError(
          message: "cannot write '\(output)'; pictures are PNG or plain pixels, end the name with "
            + Self.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ") + other,
          command: command)
      }
      self = form
    } else {
      self = .png
    }
    guard self != .png else { return }
    for option in ["effort", "metadata"] where arguments.has(option) {
      throw UsageError(message: "--\(option) is for PNG, not for .\(rawValue)", command: command)
    }
  }

  /// The header before the pixels.
  func header(width: Int, height: Int, depth: Pixmap.Depth) -> [UInt8] {
    guard !hasOpacity else { return [] }
    let maximum = depth == .eight ? 255 : 65_535
    return Array("\(self == .ppm ? "P6" : "P5")\n\(width) \(height)\n\(maximum)\n".utf8)
  }

  /// Writes a picture as plain pixels.
  func write(_ picture: some BandSource, to file: OutputFile) throws(SystemError) {
    let (depth, parts) = (picture.depth, hasOpacity ? 4 : 3)
    let size = depth == .eight ? 1 : 2
    try file.write(header(width: picture.width, height: picture.height, depth: depth))
    var row = [UInt8](repeating: 0, count: picture.width * parts * size)
    var lines: [UInt8] = []
    try picture.forEachBands { bands throws(SystemError) in
      for band in bands {
        lines.removeAll(keepingCapacity: true)
        for number in 0..<band.rowCount {
          band.withRow(number) { pixels in
            row.withUnsafeMutableBytes {
              Unpremultiplying.row(pixels, depth: depth, isOpaque: !hasOpacity, into: $0)
            }
          }
          lines += self == .pgm ? Self.greys(row, bytesPerComponent: size) : row
        }
        try file.write(lines)
      }
    }
  }

  /// The luma of colours by the weights of sRGB's primaries.
  private static func greys(_ row: [UInt8], bytesPerComponent size: Int) -> [UInt8] {
    var greys: [UInt8] = []
    greys.reserveCapacity(row.count / 3)
    for start in stride(from: 0, to: row.count, by: 3 * size) {
      func component(_ part: Int) -> Int {
        let place = start + part * size
        return size == 1 ? Int(row[place]) : Int(row[place]) << 8 | Int(row[place + 1])
      }
      let grey = (2126 * component(0) + 7152 * component(1) + 722 * component(2) + 5000) / 10_000
      if size == 2 { greys.append(UInt8(grey >> 8)) }
      greys.append(UInt8(truncatingIfNeeded: grey))
    }
    return greys
  }
}
