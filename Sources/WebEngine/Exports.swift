import CMemory
import Graphics
import Threads

// The functions that a page calls. Handles are positive; a negative result is an `EngineError`. A page
// has one thread, and a program that calls them from several must not use a document twice at once.

/// The open documents; a handle is an index and 1.
private let documents = ConditionMutex<[OpenDocument?]>([])

private func document(_ handle: Int32) throws(EngineError) -> OpenDocument {
  let found = documents.withLock { documents -> OpenDocument? in
    documents.indices.contains(Int(handle) - 1) ? documents[Int(handle) - 1] : nil
  }
  guard let found else { throw .unknownHandle }
  return found
}

/// The result of a body, or the number of its error.
private func result(_ body: () throws(EngineError) -> Int32) -> Int32 {
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

/// Opens the bytes of a `.pkd` file, which are copied. Returns a handle.
@_cdecl("documentOpen")
public func documentOpen(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
  result { () throws(EngineError) in
    guard let bytes, count >= 0 else { throw .invalidArgument }
    let opened = try OpenDocument(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    return documents.withLock { documents in
      let index = documents.firstIndex { $0 == nil } ?? documents.count
      if index == documents.count { documents.append(nil) }
      documents[index] = opened
      return Int32(index + 1)
    }
  }
}

/// Closes a document and frees its picture. Returns 0.
@_cdecl("documentClose")
public func documentClose(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    _ = try document(handle)
    documents.withLock { $0[Int(handle) - 1] = nil }
    return 0
  }
}

/// The width of the page in points; 0 if the recording has none, and for an unknown handle.
@_cdecl("documentWidth")
public func documentWidth(_ handle: Int32) -> Double {
  (try? document(handle))?.pageSize.width ?? 0
}

/// The height of the page in points; 0 if the recording has none, and for an unknown handle.
@_cdecl("documentHeight")
public func documentHeight(_ handle: Int32) -> Double {
  (try? document(handle))?.pageSize.height ?? 0
}

/// 1 if a part of the recording is damaged and left out, otherwise 0.
@_cdecl("documentIsDamaged")
public func documentIsDamaged(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in try document(handle).isDamaged ? 1 : 0 }
}

/// Draws the document with so many pixels per point. Returns 0; `pictureWidth`, `pictureHeight` and
/// `picturePixels` describe the picture until the next one is drawn or the document is closed.
@_cdecl("documentRender")
public func documentRender(_ handle: Int32, _ scale: Double) -> Int32 {
  result { () throws(EngineError) in
    _ = try document(handle).render(scale: scale)
    return 0
  }
}

/// The width of the picture in pixels; 0 without one.
@_cdecl("pictureWidth")
public func pictureWidth(_ handle: Int32) -> Int32 {
  Int32((try? document(handle))?.picture?.width ?? 0)
}

/// The height of the picture in pixels; 0 without one.
@_cdecl("pictureHeight")
public func pictureHeight(_ handle: Int32) -> Int32 {
  Int32((try? document(handle))?.picture?.height ?? 0)
}

/// The pixels of the picture, rows without gaps: premultiplied RGBA. Nil without a picture.
@_cdecl("picturePixels")
public func picturePixels(_ handle: Int32) -> UnsafeRawPointer? {
  (try? document(handle))?.picture.map { UnsafeRawPointer($0.start) }
}
