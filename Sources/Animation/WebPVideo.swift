import CMovingPictures
import Graphics
import PNGFormat

/// Frames as an animated WebP that loses nothing, through libwebp, which is looked for while the
/// program runs. The library keeps the whole file until it ends.
public struct WebPVideo<Output: Error>: FrameSink {
  /// Why it cannot be made.
  public typealias Failure = VideoFailure<Output>

  private let width: Int
  private let maker: Maker
  private let write: ([UInt8]) throws(Output) -> Void
  /// The frame as four bytes a pixel, not multiplied by opacity.
  private var bytes: [UInt8]
  /// When the next frame begins, in seconds.
  private var time = 0.0

  /// Begins a moving picture that is shown `loopCount` times, or without end for 0.
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

  /// Takes a frame. What does not change costs nothing.
  public mutating func add(_ frame: Frame) throws(Failure) {
    guard frame.picture.depth == .eight else { throw .video(.tooDeep) }
    let start = milliseconds
    time += frame.duration.seconds
    guard frame.number == 0 || !frame.changed.isEmpty else { return }
    for place in frame.changed { frame.picture.copyStraight(place, to: &bytes) }
    guard maker.add(bytes, bytesPerRow: 4 * width, at: start) else { throw .video(maker.failure) }
  }

  /// Writes all of it.
  public mutating func finish() throws(Failure) {
    guard let file = maker.finish(at: milliseconds) else { throw .video(maker.failure) }
    do throws(Output) { try write(file) } catch { throw .output(error) }
  }

  /// The library counts in 31 bits.
  private var milliseconds: Int32 { Int32(clamping: min((time * 1000).rounded(), 2e9)) }
}

/// The library at work.
private final class Maker {
  private let maker: OpaquePointer

  init(width: Int, height: Int, loopCount: Int) throws(AnimationError) {
    var problem = MovingPictureReady
    let made = webpMakerCreate(
      Int32(clamping: width), Int32(clamping: height), Int32(clamping: loopCount), &problem)
    guard let made else {
      throw AnimationError(
        problem, form: "WebP", packages: "libwebp7 libwebpmux3",
        unfit: "a WebP has at most 16383 pixels on a side and is shown at most 65535 times")
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
