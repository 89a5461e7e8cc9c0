public import Foundation
import PencilKitArchive
import Strokes

extension PKDrawing {
  /// Reads a drawing from the output of `dataRepresentation()`, made here or on one of Apple's
  /// systems since 2018.
  ///
  /// The error for anything else is a `CocoaError` of the code `coderReadCorrupt`, whose
  /// description contains the problem and the byte offset.
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
    // Today's archives have no fields for the additional content of archives of 2018.
    residue =
      reader.summary.form == .notes2018
      ? nil : reader.drawing.keepingBytes(of: Array(data)).residue
  }

  /// The drawing as an archive. An unchanged drawing returns the bytes that it was read from, with
  /// two exceptions: the byte that databases put before an archive is removed, and archives of 2018
  /// become today's.
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
