import CPNGKernels
public import Graphics

/// Writes pictures as PNG at a cost that follows the ink: what was not drawn in is not read, and runs
/// of a colour are one token each.
///
/// The same picture gives the same bytes on every processor, with any number of threads, and whether or
/// not it is known where it was drawn in.
public struct PNGEncoder: Sendable {
  /// How much time is spent to find smaller files.
  public enum Effort: String, Hashable, Sendable, CaseIterable {
    /// One look at each pixel.
    case fast
    /// One search for what is repeated; takes some ten times as long, and never more bytes.
    case small
    /// The same again and again, byte by byte, until nothing smaller is found; takes up to some hundred
    /// times as long, about a second for the ink of a large page.
    case best
  }

  /// How much time is spent.
  public var effort: Effort
  /// How many threads may work.
  public var threads: Int
  /// The best kernels that may be used, for tests.
  package var level: Int32 = .max

  /// An encoder.
  public init(effort: Effort = .fast, threads: Int = 1) {
    self.effort = effort
    self.threads = threads
  }

  /// What became of a picture.
  public struct Summary: Hashable, Sendable {
    /// The form of its pixels, in words.
    public let form: String
    /// How many bytes the file has.
    public let byteCount: Int
  }

  /// Writes a picture, giving away finished bytes as they come.
  @discardableResult
  public func encode<Failure: Error>(
    _ source: some BandSource, _ properties: PNGProperties,
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(PNGEncodingError<Failure>) -> Summary {
    do throws(PNGError) { try properties.check() } catch { throw .picture(error) }
    precondition(
      source.width == properties.width && source.height == properties.height
        && source.depth == properties.depth, "properties of this picture")
    do throws(Failure) {
      return try PictureWriter.lent(level) { writer throws(Failure) in
        try writer.write(source, properties, effort, threads: threads, to: sink)
      }
    } catch {
      throw .sink(error)
    }
  }

  /// A whole picture as PNG.
  public func encode(
    _ source: some BandSource, isOpaque: Bool = false, scale: Double? = nil, texts: [PNGText] = []
  ) throws(PNGError) -> [UInt8] {
    var bytes: [UInt8] = []
    let properties = PNGProperties(
      width: source.width, height: source.height, depth: source.depth,
      colorSpace: source.colorSpace, isOpaque: isOpaque, scale: scale, texts: texts)
    do throws(PNGEncodingError<Never>) {
      try encode(source, properties) { bytes += $0 }
    } catch {
      switch error {
      case .picture(let error): throw error
      }
    }
    return bytes
  }
}

/// Why a picture was not written.
public enum PNGEncodingError<SinkFailure: Error>: Error {
  /// It cannot be written as PNG.
  case picture(PNGError)
  /// Nobody took the bytes.
  case sink(SinkFailure)
}

extension PNGProperties {
  /// Throws where no PNG can be like this.
  public func check() throws(PNGError) {
    let sides = 1...Int(Int32.max)
    guard sides ~= width, sides ~= height, width <= Int(Int32.max) / depth.bytesPerPixel else {
      throw PNGError(.impossibleExtent(width: width, height: height))
    }
    for text in texts { try text.check() }
  }
}
