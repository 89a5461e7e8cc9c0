import CNetwork
package import Glibc

/// A response.
package struct Response: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)]
  package var content: Content

  package init(
    _ status: Int, _ fields: [(name: String, value: String)] = [], _ content: Content = .bytes([])
  ) {
    (self.status, self.fields, self.content) = (status, fields, content)
  }

  /// The body of a response.
  package enum Content: Sendable {
    case bytes([UInt8])
    /// A part of an open file, which the response closes.
    case file(OpenedFile, Range<Int>)
    /// A response that is made once and sent often, with its own fields and body. The fields of the
    /// `Response` are ignored.
    case prepared(PreparedResponse)
    /// A stream of events.
    case events(EventStream)

    package var byteCount: Int? {
      switch self {
      case .bytes(let bytes): bytes.count
      case .prepared(let response): response.byteCount
      case .file(_, let range): range.count
      case .events: nil
      }
    }

    var isStream: Bool { if case .events = self { true } else { false } }
  }

  /// Queues the response at the library.
  func queue(on link: OpaquePointer) -> MHD_Result {
    switch content {
    case .prepared(let prepared): return prepared.queue(status, on: link)
    case .bytes(let bytes):
      guard let prepared = PreparedResponse(fields, bytes) else { return .NO }
      return prepared.queue(status, on: link)
    case .file(let file, let range):
      guard let handle = file.take() else { return .NO }
      guard
        let response = MHD_create_response_from_fd_at_offset64(
          UInt64(range.count), handle, UInt64(range.lowerBound))
      else {
        close(handle)
        return .NO
      }
      defer { MHD_destroy_response(response) }
      guard PreparedResponse.add(fields, to: response) else { return .NO }
      return MHD_queue_response(link, UInt32(status), response)
    case .events(let stream):
      guard let response = stream.response(on: link) else { return .NO }
      defer { MHD_destroy_response(response) }
      guard PreparedResponse.add(fields, to: response) else { return .NO }
      return MHD_queue_response(link, UInt32(status), response)
    }
  }
}

/// A response whose fields and body the library keeps, for any number of concurrent requests.
package final class PreparedResponse: @unchecked Sendable {
  // The library counts the references to a response, and never changes it.
  private let response: OpaquePointer
  package let byteCount: Int

  /// Nil if a field has characters that are not valid in a header.
  package init?(_ fields: [(name: String, value: String)], _ bytes: [UInt8]) {
    let made = bytes.withUnsafeBytes {
      // The library copies the bytes and does not change them.
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return nil }
    (response, byteCount) = (made, bytes.count)
    guard Self.add(fields, to: made) else { return nil }
  }

  deinit { MHD_destroy_response(response) }

  static func add(_ fields: [(name: String, value: String)], to response: OpaquePointer) -> Bool {
    fields.allSatisfy { MHD_add_response_header(response, $0.name, $0.value) == .YES }
  }

  func queue(_ status: Int, on link: OpaquePointer) -> MHD_Result {
    MHD_queue_response(link, UInt32(status), response)
  }
}

/// An open file that is read only, and closed by its last user.
package final class OpenedFile: @unchecked Sendable {
  // Only one response owns the file at a time.
  private var handle: Int32

  /// Opens a file; nil if it cannot be opened, or is not a regular file.
  package init?(_ path: String) {
    handle = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard handle >= 0 else { return nil }
  }

  deinit { if handle >= 0 { close(handle) } }

  /// The status of the file.
  package var status: stat? {
    var status = stat()
    return fstat(handle, &status) == 0 ? status : nil
  }

  /// Transfers the ownership of the descriptor.
  func take() -> Int32? {
    defer { handle = -1 }
    return handle >= 0 ? handle : nil
  }
}
