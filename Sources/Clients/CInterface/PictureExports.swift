import InkFiles
public import CPentimento
import Graphics
import ForeignInk
import Rasterization
import Threads

/// The pictures that callers have open.
private let pictures = Handles<OpenPicture>(kind: 3, "picture")

/// A rendered picture with straight opacity.
private final class OpenPicture {
  let pixmap: Pixmap
  init(_ pixmap: Pixmap) { self.pixmap = pixmap }
}

/// Sets the usual options of pictures.
@_cdecl("pentimento_picture_defaults")
public func pictureDefaults(_ options: UnsafeMutablePointer<pentimento_picture_options>?) {
  options?.pointee = .usual
}

/// Draws a drawing.
@_cdecl("pentimento_render")
public func renderPicture(
  _ drawing: OpaquePointer?, _ options: UnsafePointer<pentimento_picture_options>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> OpaquePointer? {
  attempt(error) { () throws(InterfaceError) in
    let drawing = try drawings.find(drawing)
    let options = try RenderOptions(options)
    let rendering: Rendering
    do throws(RenderError) {
      rendering = try Renderer(options).rendering(
        of: drawing.strokes, on: drawing.file.canvas)
    } catch {
      throw InterfaceError(error)
    }
    try checkMemory(width: rendering.width, height: rendering.height)
    let picture = rendering.pixmap
    if rendering.background.alpha < 1 { picture.divideByOpacity() }
    return try pictures.add(OpenPicture(picture))
  }
}

/// Throws an error if the system has no memory for a picture.
func checkMemory(width: Int, height: Int) throws(InterfaceError) {
  try checkMemory(
    (width + PixelMemory.tileSide) * (height + PixelMemory.tileSide) * 4,
    for: "a picture of \(width)×\(height) pixels")
}

/// Returns the address of a picture's pixels.
@_cdecl("pentimento_picture_data")
public func pictureData(
  _ picture: OpaquePointer?, _ width: UnsafeMutablePointer<Int32>?,
  _ height: UnsafeMutablePointer<Int32>?, _ bytesPerRow: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<UInt8>? {
  attempt(error) { () throws(InterfaceError) in
    let pixmap = try pictures.find(picture).pixmap
    width?.pointee = Int32(clamping: pixmap.width)
    height?.pointee = Int32(clamping: pixmap.height)
    bytesPerRow?.pointee = Int64(pixmap.memory.bytesPerRow)
    return UnsafePointer(pixmap.memory.base.assumingMemoryBound(to: UInt8.self))
  }
}

/// Frees a picture.
@_cdecl("pentimento_picture_close")
public func closePicture(_ picture: OpaquePointer?) { pictures.remove(picture) }

extension pentimento_picture_options {
  static var usual: Self {
    Self(
      size: UInt32(MemoryLayout<Self>.size), width: 0, height: 0, style: 0, background: 0,
      paper: -1, background_color: 0xFFFF_FFFF, threads: 0, scale: 1, region: (0, 0, 0, 0),
      margin: 0, maximum_pixels: 100_000_000)
  }
}

extension RenderOptions {
  /// The options that a caller passes; null stands for the usual options.
  init(_ pointer: UnsafePointer<pentimento_picture_options>?) throws(InterfaceError) {
    let given =
      pointer == nil ? .usual : try value(pointer, size: pointer?.pointee.size, "options")
    guard given.width >= 0, given.height >= 0 else {
      throw InterfaceError(.invalid, "width and height must not be negative")
    }
    try require(given.scale, .leastNormalMagnitude...1e6, "scale")
    try require(given.margin, 0...1e6, "margin")
    guard 1...400_000_000 ~= given.maximum_pixels else {
      throw InterfaceError(
        .invalid, "maximum_pixels is \(given.maximum_pixels); it must be from 1 to 400000000")
    }
    // A painter needs 4 MB for a tile's samples and fields.
    let lanes = laneCount(try laneCount(given.threads), bytesEach: 1 << 22)
    self.init(
      extent: .scale(given.scale), margin: .points(given.margin),
      maximumPixels: Int(given.maximum_pixels), threads: lanes)
    if given.width > 0, given.height > 0 {
      extent = .pixels(width: Int(given.width), height: Int(given.height))
    } else if given.width > 0 || given.height > 0 {
      extent = .longerSide(Int(max(given.width, given.height)))
    }
    let (x, y, width, height) = given.region
    guard !(width < 0), !(height < 0) else {
      throw InterfaceError(.invalid, "region has a width or a height below 0")
    }
    if width != 0 || height != 0 { region = Rect(x: x, y: y, width: width, height: height) }
    style = try choice(given.style, "style")
    paper = given.paper == -1 ? nil : try choice(given.paper, "paper")
    switch given.background {
    case 0: background = .page
    case 1: background = .transparent
    case 2: background = .color(Color(rgba: given.background_color))
    case 3: background = .automatic
    default: throw InterfaceError(.invalid, "there is no background \(given.background)")
    }
  }
}

/// The case of a list with a number.
private func choice<Value: CaseIterable>(
  _ number: Int32, _ name: String
) throws(InterfaceError) -> Value where Value.AllCases: RandomAccessCollection {
  guard 0..<Value.allCases.count ~= Int(number) else {
    throw InterfaceError(.invalid, "there is no \(name) \(number)")
  }
  return Value.allCases[Value.allCases.index(Value.allCases.startIndex, offsetBy: Int(number))]
}

/// The number of threads that a caller wants; 0 stands for the number of processors, which is also
/// the maximum, because more threads are not faster.
func laneCount(_ threads: Int32) throws(InterfaceError) -> Int {
  guard 0...256 ~= threads else {
    throw InterfaceError(.invalid, "threads must be from 0 to 256, not \(threads)")
  }
  return threads == 0 ? Lanes.available : min(Int(threads), Lanes.available)
}

extension Pixmap {
  /// Converts premultiplied colours to straight ones, in place.
  func divideByOpacity() {
    for y in 0..<height {
      straighten((memory.base + y * memory.bytesPerRow).assumingMemoryBound(to: UInt8.self), width)
    }
  }
}

/// Converts the premultiplied colours of a row to straight ones.
func straighten(_ row: UnsafeMutablePointer<UInt8>, _ count: Int) {
  for x in 0..<count {
    let alpha = UInt32(row[4 * x + 3])
    guard alpha != 255, alpha != 0 else { continue }
    for channel in 4 * x..<4 * x + 3 {
      row[channel] = UInt8(min((UInt32(row[channel]) * 255 + alpha / 2) / alpha, 255))
    }
  }
}
