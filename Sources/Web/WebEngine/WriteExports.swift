import Checksums
import Graphics
import Strokes

// New documents, and documents as files. Playback-only engines do not contain these functions.

/// Creates an empty page of a size in points; 0 for one without edges. Returns a handle.
@_cdecl("documentCreate")
public func documentCreate(_ width: Double, _ height: Double) -> Int32 {
  result { () throws(EngineError) in
    let size = try pageSize(width, height)
    return documents.add(try OpenDocument(canvas: Recording.Canvas(size: size)))
  }
}

/// The size of a page; nil for one without edges.
func pageSize(_ width: Double, _ height: Double) throws(EngineError) -> Size? {
  guard 0...1e6 ~= width, 0...1e6 ~= height else { throw .invalidArgument }
  return width > 0 && height > 0 ? Size(width: width, height: height) : nil
}

/// Writes the document, with everything that the pen has finished, as a `.pkd` file. Returns the
/// number of its bytes.
@_cdecl("documentWrite")
public func documentWrite(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    try document.write()
    return Int32(document.bytes.count)
  }
}

/// The bytes of the last `documentWrite`, valid until the next one or until the document is closed.
@_cdecl("documentBytes")
public func documentBytes(_ handle: Int32) -> UnsafePointer<UInt8>? {
  (try? document(handle))?.bytes.start
}

/// Writes the 32 bytes of the SHA-256 of some bytes. Returns 0. Browsers provide hashes only in
/// secure contexts.
@_cdecl("engineHash")
public func engineHash(
  _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ hash: UnsafeMutablePointer<UInt8>?
) -> Int32 {
  result { () throws(EngineError) in
    guard count >= 0, bytes != nil || count == 0, let hash else { throw .invalidArgument }
    var sum = SHA256()
    sum.add(UnsafeBufferPointer(start: bytes, count: count))
    for (index, byte) in sum.digest.bytes.enumerated() { hash[index] = byte }
    return 0
  }
}
