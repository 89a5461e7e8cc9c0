import CMovingPictures
import Graphics
import PNGFormat

/// Writes frames as a lossless animated WebP through libwebp. The
/// library keeps the whole file in memory until it ends.
public struct WebPVideo<Output: Error>: FrameSink {
  /// An error of libwebp, or of the output.
  public typealias Failure = VideoFailure<Output>

  private let width: Int
  private let maker: Maker
  private let write: ([UInt8]) throws(Output) -> Void
  /// The frame as RGBA with straight alpha.
  private var bytes: [UInt8]
  /// The start of the next frame, in seconds.
  private var time = 0.0
  /// The start of the last frame that was encoded.
  private var shown = 0.0

  /// Begins a WebP that plays `loopCount` times, or forever for 0.
  public init(
    width: Int, height: Int, loopCount: Int = 0,
    write: @escaping ([UInt8]) throws(Output) -> Void
  ) throws(Failure) {
    (self.width, self.write) = (width, write)
    do throws(AnimationError) {
      maker = try Maker(width: width, height: height, loopCount: loopCount)
    } catch {
      throw .video(error)
    }
    bytes = [UInt8](repeating: 0, count: 4 * width * height)
  }

  /// Encodes a frame. A frame without changes only prolongs the last one.
  public mutating func add(_ frame: Frame) throws(Failure) {
    guard frame.picture.depth == .eight else { throw .video(.tooDeep) }
    let (start, isEncoded) = (milliseconds, frame.number == 0 || !frame.changed.isEmpty)
    if isEncoded { shown = time }
    // The file has 24 bits for the milliseconds that a frame is shown.
    time = min(time + frame.duration.seconds, shown + 16_777)
    guard isEncoded else { return }
    for rect in frame.changed { frame.picture.copyStraight(rect, to: &bytes) }
    guard maker.add(bytes, bytesPerRow: 4 * width, at: start) else { throw .video(maker.failure) }
  }

  /// Encodes the end of the file and writes the file.
  public mutating func finish() throws(Failure) {
    guard let file = maker.finish(at: milliseconds) else { throw .video(maker.failure) }
    do throws(Output) { try write(file) } catch { throw .output(error) }
  }

  /// The start of the next frame as the library counts it, in 31 bits.
  private var milliseconds: Int32 { Int32(clamping: min((time * 1000).rounded(), 2e9)) }
}

/// An open file of libwebp.
private final class Maker {
  private let maker: OpaquePointer

  init(width: Int, height: Int, loopCount: Int) throws(AnimationError) {
    var problem = MovingPictureReady
    let made = webpMakerCreate(
      Int32(clamping: width), Int32(clamping: height), Int32(clamping: loopCount), &problem)
    guard let made else {
      throw AnimationError(
        problem, form: "WebP",
        limits: "a WebP has at most 16383 pixels on a side and plays at most 65535 times")
    }
    maker = made
  }

  deinit { webpMakerFree(maker) }

  func add(_ pixels: [UInt8], bytesPerRow: Int, at milliseconds: Int32) -> Bool {
    webpMakerAdd(maker, pixels, bytesPerRow, milliseconds) != 0
  }

  func finish(at milliseconds: Int32) -> [UInt8]? {
    guard webpMakerEnd(maker, milliseconds) != 0 else { return nil }
    var count = 0
    let bytes = webpMakerBytes(maker, &count)
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  var failure: AnimationError {
    .failed(webpMakerReason(maker).map { "libwebp: \(String(cString: $0))" } ?? "libwebp failed")
  }
}
