import CSystem
import Graphics
import Strokes

// The functions that a page calls. Handles are positive; a negative result is an `EngineError`. A
// page has one thread; a program that calls them from several threads must not use one document in
// two of them at the same time.

/// The open documents.
let documents = Handles<OpenDocument>()

/// The document with a handle.
func document(_ handle: Int32) throws(EngineError) -> OpenDocument { try documents.find(handle) }

/// The result of a body, or the number of its error.
func result(_ body: () throws(EngineError) -> Int32) -> Int32 {
  do throws(EngineError) { return try body() } catch { return error.rawValue }
}

// MARK: - Memory

/// Allocates bytes for the page to write to; nil if there is no memory.
@_cdecl("engineAllocate")
public func engineAllocate(_ count: Int) -> UnsafeMutableRawPointer? {
  count > 0 ? lazyMemoryCreate(count) : nil
}

/// Frees bytes of `engineAllocate`; the count must be the same.
@_cdecl("engineFree")
public func engineFree(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
  if let bytes { lazyMemoryFree(bytes, count) }
}

// MARK: - Documents

/// Opens the bytes of a `.pkd` file or a PencilKit archive, which are copied. Returns a handle.
@_cdecl("documentOpen")
public func documentOpen(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
  result { () throws(EngineError) in
    guard let bytes, count >= 0 else { throw .invalidArgument }
    guard count <= OpenDocument.maximumByteCount else { throw .tooLarge }
    return documents.add(
      try OpenDocument(Array(UnsafeRawBufferPointer(start: bytes, count: count))))
  }
}

/// Closes a document. Its views keep their data. Returns 0.
@_cdecl("documentClose")
public func documentClose(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    try documents.remove(handle)
    return 0
  }
}

/// The width of the page in points; 0 if it has no edges, and for an unknown handle.
@_cdecl("documentWidth")
public func documentWidth(_ handle: Int32) -> Double {
  (try? document(handle))?.page.size?.width ?? 0
}

/// The height of the page in points; 0 if it has no edges, and for an unknown handle.
@_cdecl("documentHeight")
public func documentHeight(_ handle: Int32) -> Double {
  (try? document(handle))?.page.size?.height ?? 0
}

/// 1 if the recording has a background of its own that is not white, otherwise 0.
@_cdecl("documentHasBackground")
public func documentHasBackground(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    (try document(handle).canvas.background ?? .white) == .white ? 0 : 1
  }
}

/// 1 if a part of the file is damaged and left out, otherwise 0.
@_cdecl("documentIsDamaged")
public func documentIsDamaged(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in try document(handle).isDamaged ? 1 : 0 }
}

/// The number of steps of the replay: drawn strokes, and changes.
@_cdecl("documentStepCount")
public func documentStepCount(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try document(handle).steps.count / 3) }
}

/// Three numbers for each step: its start and its length in seconds, and 0 for a drawing or 1 for a
/// change. They are valid until the document is closed.
@_cdecl("documentSteps")
public func documentSteps(_ handle: Int32) -> UnsafePointer<Double>? {
  (try? document(handle))?.steps.start
}

/// The number of strokes that are visible at the end, without an unfinished one.
@_cdecl("documentStrokeCount")
public func documentStrokeCount(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try document(handle).finalStrokeCount) }
}

/// The inks of these strokes: one bit each, at its index in `InkType.known`. Unknown inks have no
/// bit.
@_cdecl("documentInks")
public func documentInks(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    let known = PKInkingTool.InkType.known
    return try document(handle).finalInks.reduce(0) { bits, ink in
      known.firstIndex(of: ink.inkType).map { bits | 1 << Int32($0) } ?? bits
    }
  }
}
