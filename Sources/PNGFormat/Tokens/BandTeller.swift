import CPNGKernels
import Graphics

/// Tells bands in a form, row by row.
final class BandTeller {
  /// What all bands of a picture have in common.
  struct Picture {
    var form: PixelForm
    let width: Int
    /// What undrawn pixels show, as it lies in memory; of deep pictures nothing.
    let background: UInt32
    /// The one ink's colour, straight.
    var ink: UInt32 = 0
    /// What stands in the file for each place of the palette, where there are few.
    var valueOfPlace: [UInt8] = []
  }

  private let kernels: UnsafePointer<PNGKernels>
  private let met: UnsafeMutablePointer<PNGMet>
  /// A row with its margins, straight pixels, and flags that were found.
  private let row = ByteRoom()
  private let straight = ByteRoom()
  private let found = ByteRoom()
  private let packer: RowPacker

  init(_ kernels: UnsafePointer<PNGKernels>) {
    self.kernels = kernels
    met = .allocate(capacity: 1)
    met.initialize(to: PNGMet())
    packer = RowPacker(kernels)
  }

  deinit { met.deallocate() }

  /// Tells a band, and says whether all its pixels have the form.
  func tell(
    _ band: Band, of picture: Picture, _ palette: UnsafeMutablePointer<PNGPalette>,
    into part: PartTokens
  ) -> Bool {
    let (form, width, margin) = (picture.form, picture.width, Int(PNGRowMargin))
    let stride = form.bytesPerRow(width: width)
    let row = row.end(with: stride + 2 * margin) + margin
    (row - margin).update(repeating: 0, count: margin + 1)
    if form == .solids || form == .pixels { UnsafeMutableRawPointer(met).forget(PNGMet.self) }
    part.begin()
    part.state.pitch = band.bytesPerRow
    let isZero = form.isZero(picture.background)
    let tiles = (width + PixelMemory.tileSide - 1) / PixelMemory.tileSide
    let found = found.end(with: tiles)
    let nothingDrawn = isZero && band.isBlank
    for y in 0..<band.rowCount {
      if nothingDrawn, part.addZeros(stride * (band.rowCount - y), after: row) { break }
      let source = band.start(ofRow: y)
      part.reserve(stride)
      guard band.depth == .eight else {
        guard packer.packDeep(source, width, form, row + 1) else { return false }
        kernels.pointee.tellBytes(&part.state, row, stride, form.bytesPerPixel)
        continue
      }
      let pixels = source.assumingMemoryBound(to: UInt8.self)
      var flags = UnsafePointer(found)
      if let known = band.flags(ofRow: y) {
        flags = known
      } else {
        kernels.pointee.findDrawn(pixels, width, picture.background, found)
      }
      switch form {
      case .solids:
        guard
          kernels.pointee.tellSolids(&part.state, met, pixels, flags, width, picture.background)
            != 0
        else { return false }
      case .pixels: tellPixels(pixels, flags, band, picture, into: part)
      default:
        if isZero, isBlank(flags, tiles) {
          if part.addZeros(stride, after: row) { continue }
          (row + 1).update(repeating: 0, count: stride - 1)
        } else {
          guard packer.pack(pixels, flags, isStraight: band.isStraight, picture, palette, row + 1)
          else { return false }
        }
        kernels.pointee.tellBytes(&part.state, row, stride, form.bytesPerPixel)
      }
    }
    part.end(row, kernels)
    return true
  }

  @inline(__always)
  private func isBlank(_ flags: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for tile in 0..<count where flags[tile] != 0 { return false }
    return true
  }

  private func tellPixels(
    _ pixels: UnsafePointer<UInt8>, _ flags: UnsafePointer<UInt8>, _ band: Band, _ picture: Picture,
    into part: PartTokens
  ) {
    let (width, background) = (picture.width, picture.background)
    if band.isStraight {
      _ = kernels.pointee.tellPixels(&part.state, met, pixels, flags, width, background)
    } else {
      let straight = straight.end(with: 4 * width + Int(PNGRowMargin))
      part.state.pitch = 0
      kernels.pointee.straighten(pixels, flags, width, straight)
      _ = kernels.pointee.tellPixels(
        &part.state, met, straight, flags, width, background.straight(false))
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Sets all bytes of a value in C to zero.
  fileprivate func forget<Value>(_: Value.Type) {
    initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
  }
}
