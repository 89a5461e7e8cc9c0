import Graphics
import Strokes

/// The first chunk of a file: the version that it needs, how points are stored, and the page.
struct Header {
  /// A reader of a lower major version cannot read the file; one of a lower minor version skips
  /// unknown parts.
  var version = FormatVersion.latest
  private(set) var minor = Self.latestMinor
  private static let latestMinor: UInt8 = 0
  var profile = PKDProfile.exact
  /// The moment that strokes' dates are relative to.
  var base = Timestamp.referenceDate
  var canvas = Recording.Canvas()

  var payload: [UInt8] {
    var writer = ByteWriter()
    writer.byte(version.rawValue)
    writer.byte(Self.latestMinor)
    writer.byte(profile.rawValue)
    writer.byte(version.statistics)
    let background = canvas.background
    var flags: UInt8 = 0
    if canvas.size != nil { flags |= 1 }
    if let background { flags |= background.space == .displayP3 ? 6 : 2 }
    writer.byte(flags)
    writer.double(base.secondsSinceReferenceDate)
    if let size = canvas.size {
      writer.double(size.width)
      writer.double(size.height)
    }
    if let color = background {
      for number in [color.red, color.green, color.blue, color.alpha] { writer.double(number) }
    }
    writer.count(canvas.texts.count)
    for text in canvas.texts {
      writer.text(text.name)
      writer.text(text.text)
    }
    return writer.bytes
  }

  init(profile: PKDProfile, base: Timestamp, canvas: Recording.Canvas) {
    self.profile = profile
    self.base = base
    self.canvas = canvas
  }

  init(_ bytes: [UInt8], in payload: Range<Int>, limits: PKDLimits) throws(PKDError) {
    var reader = ByteReader(bytes, in: payload)
    let major = try reader.byte()
    guard let version = FormatVersion(rawValue: major) else {
      throw PKDError(.newerVersion(major: Int(major)), at: payload.lowerBound)
    }
    self.version = version
    minor = try reader.byte()
    let profileNumber = try reader.byte()
    guard let profile = PKDProfile(rawValue: profileNumber) else {
      throw PKDError(.unknownValue("profile", UInt64(profileNumber)), at: reader.offset - 1)
    }
    self.profile = profile
    let priors = try reader.byte()
    guard priors == version.statistics else {
      throw PKDError(.unknownValue("set of statistics", UInt64(priors)), at: reader.offset - 1)
    }
    let flags = try reader.byte()
    guard flags < 8, flags & 6 != 4 else {
      throw PKDError(.unknownValue("header flag", UInt64(flags)), at: reader.offset - 1)
    }
    base = Timestamp(secondsSinceReferenceDate: try reader.double())
    if flags & 1 == 1 {
      let start = reader.offset
      let (width, height) = (try reader.double(), try reader.double())
      guard (0...limits.canvasSide).contains(max(width, height)), min(width, height) >= 0 else {
        throw PKDError(
          .tooMany(
            .canvasPoints, declared: UInt64(min(max(width, height, 0), 1e18)),
            limit: Int(limits.canvasSide)), at: start)
      }
      canvas.size = Size(width: width, height: height)
    }
    if flags & 2 == 2 {
      let (red, green, blue) = (try reader.double(), try reader.double(), try reader.double())
      canvas.background = Color(
        red: red, green: green, blue: blue, alpha: try reader.double(),
        space: flags & 4 == 4 ? .displayP3 : .sRGB)
    }
    for _ in 0..<(try reader.count(limit: limits.tableRows, .textBytes)) {
      let start = reader.offset
      let name = try reader.text(limit: limits.textBytes)
      let isOrdered = canvas.texts.last.map {
        $0.name.utf8.lexicographicallyPrecedes(name.utf8)
      }
      guard isOrdered ?? true else { throw PKDError(.notCanonical, at: start) }
      canvas.texts.append(
        Recording.CanvasText(name: name, text: try reader.text(limit: limits.textBytes)))
    }
    // A newer minor version may add fields.
    guard minor > Self.latestMinor || reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
  }
}
