public import Foundation
import PencilKitArchive
import Strokes

extension PKDrawing {
  /// Reads a drawing from what `dataRepresentation()` gave, here or on one of Apple's systems since 2018.
  ///
  /// The error for anything else is a `CocoaError` of the code `coderReadCorrupt`, whose description says what is wrong
  /// and at which byte.
  public init(data: Data) throws {
    let reader: PencilKitReader
    do {
      reader = try PencilKitReader(data, identifyingPaths: true)
    } catch {
      throw CocoaError(
        .coderReadCorrupt,
        userInfo: [
          NSLocalizedDescriptionKey: "The drawing cannot be read: \(error).",
          NSUnderlyingErrorKey: error,
        ])
    }
    self.init(strokes: reader.drawing.strokes.map { PKStroke($0.inCurrentScale) })
    // What archives of 2018 say beyond the strokes has no place in those of today.
    residue =
      reader.summary.form == .notes2018
      ? nil : reader.drawing.keepingBytes(of: Array(data)).residue
  }

  /// The drawing as an archive. One that was read and not changed gives the bytes that it was read from, except for the
  /// byte that databases put before it and for archives of 2018, which become those of today.
  public func dataRepresentation() -> Data { Data(model.dataRepresentation()) }
}

extension PKDrawing: Codable {
  /// Reads the data of an archive from a single value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    let data = try value.decode(Data.self)
    do {
      try self.init(data: data)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: value.codingPath, debugDescription: error.localizedDescription,
          underlyingError: error))
    }
  }

  /// Writes the data of an archive as a single value.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(dataRepresentation())
  }
}

extension Strokes.PKStroke {
  /// The stroke with points in the steps of today's archives.
  fileprivate var inCurrentScale: Strokes.PKStroke {
    guard path.columns.scale != .current else { return self }
    var copy = self
    copy.path = Strokes.PKStrokePath(
      columns: path.columns.converted(to: .current), creationDate: path.creationDate,
      identifier: path.identifier)
    return copy
  }
}
