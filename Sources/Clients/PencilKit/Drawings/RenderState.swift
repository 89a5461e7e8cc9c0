public import Foundation
import PencilKitArchive
import Strokes

extension PKStroke {
  /// The state, besides a stroke's path, that its look depends on. It is copied when a stroke is
  /// made again from its values, and saved in drawings or by `Codable`.
  public struct RenderState: Equatable, Sendable {
    /// The origin of the ink's grain, before the transform. It is kept for other systems; this
    /// renderer does not need it, because it fixes grain to the page or to the stroke's
    /// coordinates, so that grain continues from stroke to stroke.
    public var grainOffset: CGPoint?
    /// The path that the stroke's path is a part of. It applies only to a stroke with exactly that
    /// part.
    let part: PathPart?

    /// A state for a stroke with a whole path.
    public init(grainOffset: CGPoint? = nil) { self.init(grainOffset: grainOffset, part: nil) }

    init(grainOffset: CGPoint?, part: PathPart?) {
      self.grainOffset = grainOffset
      self.part = part
    }

    /// Whether both produce the same look.
    public static func == (a: RenderState, b: RenderState) -> Bool {
      a.grainOffset == b.grainOffset && a.part?.whole == b.part?.whole
        && a.part?.range == b.part?.range
    }
  }
}

extension PKStroke.RenderState: Codable {
  private enum Key: String, CodingKey {
    case grainOffset, path, start, end
  }

  /// Reads a state; the path is a separate archive.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let offset = try fields.decodeIfPresent(CGPoint.self, forKey: .grainOffset)
    guard let archive = try fields.decodeIfPresent(Data.self, forKey: .path) else {
      self.init(grainOffset: offset, part: nil)
      return
    }
    let start = try fields.decode(Double.self, forKey: .start)
    let end = try fields.decode(Double.self, forKey: .end)
    let reader = try? PencilKitReader(archive, identifyingPaths: true)
    guard let path = reader?.drawing.strokes.first?.path, start <= end else {
      throw DecodingError.dataCorruptedError(
        forKey: .path, in: fields, debugDescription: "The path of the whole stroke is damaged.")
    }
    self.init(grainOffset: offset, part: PathPart(path, start...end))
  }

  /// Writes the state.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encodeIfPresent(grainOffset, forKey: .grainOffset)
    guard let part else { return }
    let carrier = Strokes.PKStroke(ink: Strokes.PKInk(.pen), path: part.whole, id: .zero)
    let archive = Strokes.PKDrawing(strokes: [carrier]).dataRepresentation()
    try fields.encode(Data(archive), forKey: .path)
    try fields.encode(part.range.lowerBound, forKey: .start)
    try fields.encode(part.range.upperBound, forKey: .end)
  }
}
