package import Storage

// The messages of sync (docs/sync-protocol.md). A request contains a device's changes and asks for
// changes from elsewhere; the response has a result for each change.

/// One place's version of a document.
package struct SyncChange: Hashable, Sendable {
  package var name: SyncName
  /// The sequence number of the change in the store that sends it.
  package var sequence: Int64
  package var content: Content
  /// Of a drawing: the SHA-256 of recordings that its present one has replaced. A device lists
  /// those since the last common recording: empty if that is still the present one, nil if unknown.
  /// A server lists the last ones.
  package var ancestors: [String]? = []
  /// Of a drawing: the files in the message.
  package var files: [SyncFile] = []

  package enum Content: Hashable, Sendable {
    case document(Fields)
    case deleted(Moment)
  }

  package init(_ name: SyncName, _ content: Content, sequence: Int64 = 0) {
    (self.name, self.content, self.sequence) = (name, content, sequence)
  }

  /// The fields; nil for a deletion.
  package var fields: Fields? {
    if case .document(let fields) = content { fields } else { nil }
  }

  /// The SHA-256 of a file of the drawing; nil if it has none.
  package func sha256(of file: String) -> String? {
    switch file {
    case DrawingFiles.recording: fields?["recordingSHA256"]?.textValue
    case DrawingFiles.image: fields?["imageSHA256"]?.textValue
    default: nil
    }
  }

  /// Whether the drawing's file hashes are well-formed.
  package var hasValidHashes: Bool {
    [DrawingFiles.recording, DrawingFiles.image].compactMap { sha256(of: $0) }
      .allSatisfy(Self.isHash)
  }

  /// Whether a text has the form of a SHA-256: 64 digits.
  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }
}

/// A file, or its end after the beginning of a base.
package struct SyncFile: Hashable, Sendable {
  /// The name of the file.
  package var name: String
  /// The SHA-256 of the whole file.
  package var sha256: String
  /// The file whose beginning precedes these bytes; nil if they are the whole file.
  package var base: Base?
  package var bytes: [UInt8]

  package init(_ name: String, sha256: String, base: Base? = nil, _ bytes: [UInt8]) {
    (self.name, self.sha256, self.base, self.bytes) = (name, sha256, base, bytes)
  }

  /// A file that the receiver has, and the number of its first bytes that another one shares.
  package struct Base: Hashable, Sendable {
    package var sha256: String
    package var count: Int

    package init(sha256: String, count: Int) { (self.sha256, self.count) = (sha256, count) }
  }

  /// Shared beginnings of fewer bytes are not worth a base.
  private static let usefulBaseByteCount = 128

  /// Leaves out the bytes that a file of the receiver begins with, too.
  package mutating func shorten(after other: [UInt8], sha256: String) {
    let count = bytes.indices.first { $0 >= other.count || bytes[$0] != other[$0] } ?? bytes.count
    guard base == nil, count >= Self.usefulBaseByteCount else { return }
    base = Base(sha256: sha256, count: count)
    bytes.removeFirst(count)
  }
}

/// A requested file.
package struct WantedFile: Hashable, Sendable {
  package var drawing: String
  package var name: String
  package var sha256: String
  /// The first requested byte.
  package var offset: Int
  /// The requester's file that may be a prefix of this one.
  package var base: SyncFile.Base?

  package init(
    drawing: String, name: String, sha256: String, offset: Int = 0, base: SyncFile.Base? = nil
  ) {
    self.drawing = drawing
    self.name = name
    self.sha256 = sha256
    self.offset = offset
    self.base = base
  }
}

/// A piece of a requested file.
package struct FoundFile: Hashable, Sendable {
  /// The index of the wanted file.
  package var index: Int
  /// The size of the whole file.
  package var count: Int
  /// Whether the requester's base is a prefix of the file: then the bytes are the rest after it.
  package var followsBase: Bool
  package var bytes: [UInt8]

  package init(index: Int, count: Int, followsBase: Bool, bytes: [UInt8]) {
    (self.index, self.count) = (index, count)
    (self.followsBase, self.bytes) = (followsBase, bytes)
  }
}

/// A device's request.
package struct SyncRequest: Hashable, Sendable {
  /// The identity of the store that the cursor belongs to; nil for the first request.
  package var store: String?
  /// The sequence number of the other store's last change that this device has received; nil to get
  /// no changes.
  package var cursor: Int64?
  /// The maximum number of changes in the response.
  package var limit = 50
  package var changes: [SyncChange] = []
  /// Whether to keep versions that this device has not received.
  package var refusesUnseen = false
  package var wanted: [WantedFile] = []
  /// The maximum number of bytes of files in the response.
  package var fileBytes = 0

  package init() {}
}

/// The other place's response.
package struct SyncResponse: Hashable, Sendable {
  /// The identity of the store.
  package var store = ""
  /// The time of its clock.
  package var clock = Moment(microseconds: 0)
  /// Whether the cursor belongs to another store, or to a later state of this one: the device
  /// starts from the beginning.
  package var isReset = false
  /// The sequence number of the last change that this response covers.
  package var cursor: Int64 = 0
  /// Whether there are more changes after these.
  package var hasMore = false
  /// The results of the request's changes, by index. No result means "stored".
  package var results: [Int: SyncResult] = [:]
  package var changes: [SyncChange] = []
  package var files: [FoundFile] = []

  package init() {}
}

/// The result of a change.
package enum SyncResult: Hashable, Sendable {
  /// The place has a later version.
  case superseded
  /// The place has a version that the device has not received.
  case unseen
  /// The named files are needed. `has` is the recording that the place has; nil for none.
  case needs([String], has: String?)
  /// The recording was changed in both places; `has` is the other place's recording.
  case conflict(has: String)
  /// Its times are more than a day ahead of the place's clock, so the device has to set them back:
  /// to a moment after that of the place's version that the device has received; nil if there is
  /// none.
  case ahead(of: Moment?)
  /// It can never be stored in this form.
  case refused(code: String, String)
  /// It cannot be stored now.
  case failed(code: String, String)
}
