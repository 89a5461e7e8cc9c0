import PKDFormat
import PencilKitArchive
import Strokes

// Functions for drawings that are also edited elsewhere. Playback-only engines do not contain them.

/// Files that were created and are not freed yet.
private let files = Handles<Block<UInt8>>()

/// Merges two versions of a file, `.pkd` files or one archive, that were continued separately. The
/// base is their common start; no bytes if it is unknown. Returns a handle of the merged file.
@_cdecl("fileMerge")
public func fileMerge(
  _ base: UnsafePointer<UInt8>?, _ baseCount: Int, _ ours: UnsafePointer<UInt8>?,
  _ oursCount: Int, _ theirs: UnsafePointer<UInt8>?, _ theirsCount: Int
) -> Int32 {
  result { () throws(EngineError) in
    guard 0...OpenDocument.maximumByteCount ~= baseCount,
      0...OpenDocument.maximumByteCount ~= oursCount,
      0...OpenDocument.maximumByteCount ~= theirsCount
    else { throw .tooLarge }
    func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
      Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }
    let base = bytes(base, baseCount)
    return files.add(
      Block(
        try merged(
          base: base.isEmpty ? nil : base, ours: bytes(ours, oursCount),
          theirs: bytes(theirs, theirsCount))))
  }
}

/// The number of bytes of a file.
@_cdecl("fileCount")
public func fileCount(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try files.find(handle).count) }
}

/// The bytes of a file, valid until it is freed.
@_cdecl("fileBytes")
public func fileBytes(_ handle: Int32) -> UnsafePointer<UInt8>? {
  (try? files.find(handle))?.start
}

/// Frees a file. Returns 0.
@_cdecl("fileFree")
public func fileFree(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    try files.remove(handle)
    return 0
  }
}

/// Like `DrawingFile.merging`, but without an archive's residue in a file: the pen leaves it out,
/// too.
private func merged(
  base: [UInt8]?, ours: [UInt8], theirs: [UInt8]
) throws(EngineError) -> [UInt8] {
  if ours == theirs || theirs == base { return ours }
  if ours == base { return theirs }
  let (ours, theirs) = (try MergedSide(ours), try MergedSide(theirs))
  guard !ours.isArchive || !theirs.isArchive else { throw .notWritable }
  do throws(PKDContentError) {
    return try MergedSide.merging(
      base: base.flatMap { try? MergedSide($0) }, ours: ours, theirs: theirs,
      keepingResidueIf: { _ in false })
  } catch {
    throw .notWritable
  }
}

extension MergedSide {
  /// Reads a whole file. A damaged file is refused: merging it would erase its lost strokes
  /// everywhere.
  fileprivate init(_ bytes: [UInt8]) throws(EngineError) {
    if PencilKitReader.recognizes(bytes) {
      do throws(PencilKitError) {
        let drawing = try PKDrawing(data: bytes)
        self.init(bytes, isArchive: true, drawing: drawing, recording: Recording(drawing))
      } catch {
        throw .notARecording
      }
      return
    }
    let reader: PKDReader
    let recording: Recording
    do throws(PKDError) {
      reader = try PKDReader(bytes, limits: OpenDocument.limits)
      let (value, damage) = reader.readRecording()
      if let damage { throw damage }
      recording = value
    } catch {
      throw .notARecording
    }
    guard reader.damage == nil, !reader.lacksEvents else {
      throw .unreadable
    }
    self.init(bytes, isArchive: false, drawing: recording.drawing, recording: recording)
  }
}
