import InkFiles
import Graphics
import PencilKitArchive
import Strokes
import System

/// A brush of Wacom's Universal Ink Model: a shape, or a picture of a particle.
struct UniversalInkBrush {
  /// The address by which strokes refer to the brush.
  private(set) var name: ArraySlice<UInt8> = []
  /// The extent of the shape at a size of 1.
  private(set) var extent = Size(width: 1, height: 1)
  private(set) var brush = ForeignBrush.pen

  /// A round pen.
  init() {}

  /// The brush of strokes that refer to none in the file.
  init(named name: ArraySlice<UInt8>) {
    self.name = name
    brush = Self.brush(String(decoding: name, as: UTF8.self)) ?? .pen
  }

  init(
    _ message: ProtobufReader, isRaster: Bool, _ notes: inout ImportNotes
  ) throws(ImportError) {
    var message = message
    while let field = try message.next() {
      switch field.number {
      case 1: name = try message.data(field)
      case 2 where !isRaster:
        // The prototypes are one shape with increasing numbers of corners; the last is the finest.
        if let extent = Self.extent(of: try message.message(field)) { self.extent = extent }
      default: break
      }
    }
    let named = Self.brush(String(decoding: name, as: UTF8.self))
    if isRaster {
      notes.add("brushes of particles are drawn by the ink that is most like their name")
    }
    brush = named ?? .pen
  }

  /// The words in names, and the brushes that they mean.
  private static let words: [(String, ForeignBrush)] = [
    ("pencil", .pencil), ("graphite", .pencil), ("crayon", .crayon), ("chalk", .crayon),
    ("pastel", .crayon), ("water", .watercolor), ("highlight", .highlighter),
    ("fountain", .fountainPen), ("calligraph", .fountainPen), ("marker", .marker),
    ("felt", .marker), ("paint", .paintbrush),
  ]

  /// The brush for the last part of an address; nil if no word matches.
  private static func brush(_ address: String) -> ForeignBrush? {
    let last = address.split(separator: "/").last?.lowercased() ?? ""
    return words.first { last.includes($0.0) }?.1
  }

  /// The extent of a prototype, which consists of its corners or the address of a shape.
  private static func extent(of message: ProtobufReader) -> Size? {
    var message = message
    var (x, y): ([Double], [Double]) = ([], [])
    var address = ""
    while let field = try? message.next() {
      switch field.number {
      case 1: try? message.append(numbersOf: field, to: &x)
      case 2: try? message.append(numbersOf: field, to: &y)
      case 5: address = (try? message.text(field)) ?? ""
      default: break
      }
    }
    if let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() {
      return checked(right - left, bottom - top)
    }
    // A circle without a radius has a diameter of 1, as Wacom's own do.
    let radius = parameter("radius", of: address) ?? 0.5
    return checked(
      2 * (parameter("radiusX", of: address) ?? radius),
      2 * (parameter("radiusY", of: address) ?? radius))
  }

  private static func checked(_ width: Double, _ height: Double) -> Size? {
    guard (1e-6...1e6).contains(width), (1e-6...1e6).contains(height) else { return nil }
    return Size(width: width, height: height)
  }

  /// The number behind a name in the query of an address.
  private static func parameter(_ name: String, of address: String) -> Double? {
    for part in address.split(separator: "?").last?.split(separator: "&") ?? [] {
      let sides = part.split(separator: "=", maxSplits: 1)
      if sides.count == 2, sides[0] == name { return Double(String(sides[1])) }
    }
    return nil
  }
}

/// The values that all points of a stroke share.
struct UniversalInkStyle {
  var color = Color.black
  var size: Double?
  var rotation = 0.0
  var (scaleX, scaleY) = (1.0, 1.0)
  var (offsetX, offsetY) = (0.0, 0.0)

  init() {}

  /// The style in a message of version 3.1.
  init(_ message: ProtobufReader) throws(ImportError) {
    var message = message
    while let field = try message.next() {
      switch field.number {
      case 1: color = Color(rgba: try message.signed(field))
      case 2: size = try message.number(field)
      case 3: rotation = try message.number(field)
      case 4: setScale(&scaleX, try message.number(field))
      case 5: setScale(&scaleY, try message.number(field))
      case 7: offsetX = try message.number(field)
      case 8: offsetY = try message.number(field)
      default: break
      }
    }
    if size == 0 { size = nil }
  }

  /// The style in a message of version 3.0, where each value is a message.
  init(version30 message: ProtobufReader) throws(ImportError) {
    var message = message
    while let field = try message.next() {
      let value = try message.message(field).wrappedNumber()
      switch field.number {
      case 1: size = value
      case 2: color.red = min(max(value, 0), 1)
      case 3: color.green = min(max(value, 0), 1)
      case 4: color.blue = min(max(value, 0), 1)
      case 5: color.alpha = min(max(value, 0), 1)
      case 6: rotation = value
      case 7: setScale(&scaleX, value)
      case 8: setScale(&scaleY, value)
      case 11: offsetX = value
      case 12: offsetY = value
      default: break
      }
    }
    if size == 0 { size = nil }
  }

  /// A scale of zero means that none is set.
  private func setScale(_ scale: inout Double, _ value: Double) {
    if value != 0 { scale = value }
  }
}

extension ProtobufReader {
  /// The number in field 1 of a message; 0 if the field is missing.
  fileprivate func wrappedNumber() throws(ImportError) -> Double {
    var message = self
    while let field = try message.next() {
      if field.number == 1 { return try message.number(field) }
    }
    return 0
  }
}

/// The objects that strokes of version 3.1 refer to by numbers from 1.
struct UniversalInkTables {
  var brushNames: [ArraySlice<UInt8>] = []
  var renderModes: [String] = []
  var styles: [UniversalInkStyle] = []
}
