public import CPentimento

/// The open byte lists of callers.
private let allBytes = Handles<Block<UInt8>>(kind: 1, "list of bytes")

/// Lends bytes to a caller, who must close them.
func lend(_ bytes: [UInt8]) throws(InterfaceError) -> OpaquePointer {
  try allBytes.add(try Block(bytes))
}

/// Returns the address of bytes.
@_cdecl("pentimento_bytes_data")
public func bytesData(
  _ bytes: OpaquePointer?, _ count: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<UInt8>? {
  attempt(error) { () throws(InterfaceError) in
    let block = try allBytes.find(bytes)
    count?.pointee = Int64(block.count)
    return UnsafePointer(block.base)
  }
}

/// Frees bytes.
@_cdecl("pentimento_bytes_close")
public func bytesClose(_ bytes: OpaquePointer?) { allBytes.remove(bytes) }
