package import Storage

// The messages of sync (docs/sync-protocol.md). One request brings what a device has changed and asks for what has
// changed elsewhere; its answer says what became of each change.

/// What one place says about a document.
package struct SyncChange: Hashable, Sendable {
  package var name: SyncName
  /// The number of the change in the store that says it.
  package var sequence: Int64
  package var content: Content
  /// Of a drawing: the SHA-256 of recordings that its present one has replaced. A device names those since both places had
  /// the same recording: an empty list if it is still that one, nil if that is not known. A server names the last ones.
  package var ancestors: [String]? = []
  /// Of a drawing: files that come along.
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

  /// The SHA-256 of a file of the drawing; nil for none.
  package func sha256(of file: String) -> String? {
    switch file {
    case DrawingFiles.recording: fields?["recordingSHA256"]?.textValue
    case DrawingFiles.image: fields?["imageSHA256"]?.textValue
    default: nil
    }
  }

  /// Whether the files of a drawing are named by hashes.
  package var hasValidHashes: Bool {
    [DrawingFiles.recording, DrawingFiles.image].compactMap { sha256(of: $0) }
      .allSatisfy(Self.isHash)
  }

  /// Whether a text may be a SHA-256: 64 digits.
  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }
}

/// A file, or its end.
package struct SyncFile: Hashable, Sendable {
  /// The name of the file.
  package var name: String
  /// The SHA-256 of the whole file.
  package var sha256: String
  /// What comes before these bytes: nothing, or the first bytes of another file.
  package var base: Base?
  package var bytes: [UInt8]

  package init(_ name: String, sha256: String, base: Base? = nil, _ bytes: [UInt8]) {
    (self.name, self.sha256, self.base, self.bytes) = (name, sha256, base, bytes)
  }

  /// A file that is known to the receiver, which begins another one.
  package struct Base: Hashable, Sendable {
    package var sha256: String
    package var count: Int

    package init(sha256: String, count: Int) { (self.sha256, self.count) = (sha256, count) }
  }

  /// The first bytes of a file, if they are those of a base; then only the rest has to be sent.
  package static func end(of bytes: [UInt8], after base: [UInt8]) -> [UInt8]? {
    guard !base.isEmpty, bytes.count >= base.count, bytes.starts(with: base) else { return nil }
    return Array(bytes[base.count...])
  }
}

/// A file that is asked for.
package struct WantedFile: Hashable, Sendable {
  package var drawing: String
  package var name: String
  package var sha256: String
  /// From which byte on.
  package var offset: Int
  /// What the asker has that may begin the file.
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

/// A piece of a file that was asked for.
package struct FoundFile: Hashable, Sendable {
  /// The index of the wanted file.
  package var index: Int
  /// The size of the whole file.
  package var count: Int
  /// Whether the base that the asker named begins the file: then the bytes are what follows it.
  package var followsBase: Bool
  package var bytes: [UInt8]

  package init(index: Int, count: Int, followsBase: Bool, bytes: [UInt8]) {
    (self.index, self.count) = (index, count)
    (self.followsBase, self.bytes) = (followsBase, bytes)
  }
}

/// What a device asks.
package struct SyncRequest: Hashable, Sendable {
  /// The store that the cursor is of; nil for the first request.
  package var store: String?
  /// The number of the last change of the other store that this device has seen; nil if it wants no changes.
  package var cursor: Int64?
  /// How many changes may come back.
  package var limit = 50
  package var changes: [SyncChange] = []
  /// Whether versions that this device has not seen must not be replaced.
  package var refusesUnseen = false
  package var wanted: [WantedFile] = []
  /// How many bytes of files may come back.
  package var fileBytes = 0

  package init() {}
}

/// What the other place answers.
package struct SyncResponse: Hashable, Sendable {
  /// The identity of the store.
  package var store = ""
  /// The time of its clock.
  package var clock = Moment(microseconds: 0)
  /// Whether the cursor was of another store, or of a later state of this one: the device begins again.
  package var isReset = false
  /// The number of the last change that this answer covers.
  package var cursor: Int64 = 0
  /// Whether there are more changes after these.
  package var hasMore = false
  /// What became of the changes of the request, those that were stored left out.
  package var results: [Int: SyncResult] = [:]
  package var changes: [SyncChange] = []
  package var files: [FoundFile] = []

  package init() {}
}

/// What became of a change.
package enum SyncResult: Hashable, Sendable {
  /// The place has a later version.
  case superseded
  /// The place has a version that the device has not seen.
  case unseen
  /// The files are needed, by their names. `has` is the recording that the place has; nil for none.
  case needs([String], has: String?)
  /// The recording was changed in both places; `has` is that of the other.
  case conflict(has: String)
  /// Its times lie more than a day ahead of the place's clock, so the device has to set them back: to a moment after that
  /// of the version which the place has and the device has seen, or had seen; nil if there is none.
  case ahead(of: Moment?)
  /// It will never be stored as it is.
  case refused(code: String, String)
  /// It cannot be stored now.
  case failed(code: String, String)
}
