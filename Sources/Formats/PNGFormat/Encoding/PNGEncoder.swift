import CPNGKernels
public import Graphics

/// Encodes pictures as PNG in time that is proportional to the ink: undrawn pixels are not read,
/// and a run of one colour is one token.
///
/// A picture's bytes do not depend on the processor, the number of threads, or on whether the
/// source knows which pixels were drawn.
public struct PNGEncoder: Sendable {
  /// The time that is spent on smaller files.
  public enum Effort: String, Hashable, Sendable, CaseIterable {
    /// One pass over the pixels, no search.
    case fast
    /// One search for matches; takes about ten times as long as `fast`, and never more bytes.
    case small
    /// Repeated searches at every byte, until the file stops shrinking; takes up to a hundred times
    /// as long as `fast`, about a second for the ink of a large page.
    case best
  }

  /// The time that is spent on smaller files.
  public var effort: Effort
  /// The maximum number of threads.
  public var threads: Int
  /// The highest kernel level that may be used; tests lower it.
  package var level: Int32 = .max

  /// An encoder; by default the fastest, on one thread.
  public init(effort: Effort = .fast, threads: Int = 1) {
    self.effort = effort
    self.threads = threads
  }

  /// The pixel form and the size of an encoded picture.
  public struct Summary: Hashable, Sendable {
    /// The pixel form in words, for example "8-bit palette".
    public let form: String
    /// The size of the file in bytes.
    public let byteCount: Int
  }

  /// Encodes a picture, and calls `sink` with finished bytes as they come.
  @discardableResult
  public func encode<Failure: Error>(
    _ source: some BandSource, _ properties: PNGProperties,
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(PNGEncodingError<Failure>) -> Summary {
    do throws(PNGError) { try properties.check() } catch { throw .picture(error) }
    precondition(
      source.width == properties.width && source.height == properties.height
        && source.depth == properties.depth, "the picture must match the properties")
    do throws(Failure) {
      return try PictureWriter.withWriter(level) { writer throws(Failure) in
        try writer.write(source, properties, effort, threads: threads, to: sink)
      }
    } catch {
      throw .sink(error)
    }
  }

  /// Encodes a whole picture into memory.
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
  /// The picture cannot be written as PNG.
  case picture(PNGError)
  /// The caller's `sink` threw an error.
  case sink(SinkFailure)
}

extension PNGProperties {
  /// Throws if no PNG can have these properties.
  public func check() throws(PNGError) {
    let sides = 1...Int(Int32.max)
    guard sides ~= width, sides ~= height, width <= Int(Int32.max) / depth.bytesPerPixel else {
      throw PNGError(.impossibleExtent(width: width, height: height))
    }
    for text in texts { try text.check() }
  }
}
