import PKDFormat
package import Storage
package import Strokes

/// Rooms, in which several people draw on one drawing.
///
/// A room has a log of entries, each with the events of one gesture. A transaction gives an entry its
/// number, so that all members, and all servers, have the same order. The drawing is its recording
/// and the entries after it. From time to time the recording takes entries in:
///
///     head                           recording
///     mark 0, next 9                 A, which contains no entry
///     mark 0, next 9, taking B at 9  A
///     mark 0, next 9, taking B at 9  B, which contains the entries 0 to 8
///     mark 9, next 9                 B
///
/// Whoever reads finds the mark of the recording that is stored, also after a crash in between.
package struct RoomService: Sendable {
  private let gate: AccessGate
  private var environment: ServiceEnvironment { gate.environment }

  /// Rooms with the access of a caller.
  package init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// An entry of the log.
  package struct Entry: Sendable {
    package let number: Int
    package let person: UInt16
    /// The page that it came from, by its secret name, and the page's number of it.
    package let page: String
    package let pageNumber: Int
    package let moment: Moment
    /// The moment as pages get it, in whole milliseconds.
    package var time: Timestamp {
      Timestamp(secondsSince1970: Double(max(moment.microseconds / 1000, 0)) / 1000)
    }
    /// A `RoomEntry`.
    package let bytes: [UInt8]
  }

  /// A reason why entries are not stored.
  package enum Refusal: Error, Hashable, Sendable {
    /// An entry cannot be read, with the reason.
    case unreadable(String)
    /// Entries before it are missing; the last one that is there.
    case gap(last: Int)
    /// The page's name belongs to another member.
    case foreignPage
    /// The drawing has no space for more ink.
    case full
    /// Too many people have drawn on the drawing.
    case crowded
  }

  /// The entries that the log keeps although the recording contains them, for members whose
  /// connection was lost for a while.
  fileprivate static let keptCount = 1_024
  /// The entries that are read at once.
  fileprivate static let batchCount = 256

  // MARK: - Reading

  /// The recording of a drawing, its hash, that with which the room began, and the number of the
  /// first entry that it does not contain.
  package func recording(
    _ drawing: String, of uid: String
  ) throws -> (bytes: [UInt8], sha256: String, origin: String, next: Int) {
    let paths = try RoomPaths(drawing, of: uid)
    let service = DrawingService(environment, as: gate.caller)
    var attempts = 0
    while true {
      attempts += 1
      let blob = try service.file(DrawingFiles.recording, ofDrawing: drawing, of: uid)
      let found = try environment.documents.read { reader -> (head: RoomHead?, isCurrent: Bool) in
        guard let document = try reader.document(paths.drawing) else { return (nil, true) }
        let head = RoomHead(try reader.document(paths.head), of: document)
        let record = DrawingRecord(document)
        let isStored = (record.recordingSHA256 ?? blob.info.sha256) == blob.info.sha256
        return (head, record.nextRecordingSHA256 == nil && isStored)
      }
      // The recording is being replaced, or was between both reads.
      // A damaged one stays so.
      guard found.isCurrent || attempts > 4 else {
        try DrawingService(environment, as: .operator).finishRevision(ofDrawing: drawing, of: uid)
        continue
      }
      let sha256 = blob.info.sha256
      return (
        blob.bytes, sha256, found.head?.origin(of: sha256) ?? sha256,
        found.head?.mark(of: sha256) ?? 0
      )
    }
  }

  /// The entries from a number on, as many as fit into some bytes; nil if the log no longer has them,
  /// or is another one.
  package static func entries(
    from number: Int, of drawing: String, _ uid: String, byteLimit: Int = 1 << 20,
    in environment: ServiceEnvironment
  ) throws -> [Entry]? {
    let paths = try RoomPaths(drawing, of: uid)
    return try environment.documents.read { reader in
      guard let document = try reader.document(paths.drawing) else { return nil }
      let head = RoomHead(try reader.document(paths.head), of: document)
      guard number >= head?.start ?? 0, number <= head?.next ?? 0 else { return nil }
      guard let head else { return [] }
      return try paths.entries(number..<head.next, byteLimit, in: reader)
    }
  }

  /// The state of a room.
  package struct Facts: Sendable {
    /// The recording with which the room began. Pages that began with another one begin again.
    package let origin: String
    /// The number of the first entry that the recording does not contain, and of the next one.
    package let mark: Int
    package let next: Int
    package let people: [Recording.Person]
  }

  /// The state of a room; nil if there is no such drawing.
  package static func facts(
    of drawing: String, _ uid: String, in environment: ServiceEnvironment
  ) throws -> Facts? {
    let paths = try RoomPaths(drawing, of: uid)
    return try environment.documents.read { reader in
      guard let document = try reader.document(paths.drawing) else { return nil }
      let sha256 = DrawingRecord(document).recordingSHA256 ?? ""
      let head = RoomHead(try reader.document(paths.head), of: document)
      return Facts(
        origin: head?.origin(of: sha256) ?? sha256, mark: head?.mark(of: sha256) ?? 0,
        next: head?.next ?? 0, people: head?.named ?? [])
    }
  }

  // MARK: - Writing

  /// Joins a room to draw. Returns the caller's number, and that of the last entry of the page.
  package func join(
    _ drawing: String, of uid: String, page: String
  ) throws -> (person: UInt16, last: Int) {
    try changeHead(drawing, of: uid) { head, caller, _, _ in
      guard let person = head.number(of: caller) else { throw Refusal.crowded }
      guard let last = head.lastEntry(of: page, caller.uid) else { throw Refusal.foreignPage }
      return (person, last)
    }
  }

  /// Adds entries of a page to the log, numbered from the page's number `first` on. Entries that are
  /// there already are left out. Returns the number of the page's last entry in the log.
  package func append(
    _ files: [[UInt8]], from first: Int, ofPage page: String, to drawing: String, of uid: String
  ) throws -> Int {
    for file in files { try Self.check(file) }
    let paths = try DrawingPaths(drawing, of: uid)
    let stored = try environment.blobs.info(paths.recording)?.size ?? 0
    return try changeHead(drawing, of: uid) { head, caller, room, transaction in
      guard let person = head.number(of: caller) else { throw Refusal.crowded }
      guard let last = head.lastEntry(of: page, caller.uid) else { throw Refusal.foreignPage }
      guard first <= last + 1 else { throw Refusal.gap(last: last) }
      let new = files.dropFirst(last + 1 - first)
      let count = new.reduce(0) { $0 + $1.count }
      // The recording holds the same ink in fewer bytes.
      guard stored + head.waitingBytes + count < DrawingFiles.sizeLimit else { throw Refusal.full }
      for (index, file) in new.enumerated() {
        try transaction.ofService.set(
          room.entry(head.next),
          [
            "person": .integer(Int64(person)), "page": .text(page),
            "pageNumber": .integer(Int64(last + 1 + index)), "file": .bytes(file),
            "at": .moment(transaction.moment),
          ])
        head.next += 1
      }
      head.waitingBytes += count
      if !new.isEmpty { head.note(last + new.count, of: page, caller.uid, at: transaction.moment) }
      return last + new.count
    }
  }

  /// Changes the state of a room, for callers who may change the drawing.
  private func changeHead<Result>(
    _ drawing: String, of uid: String,
    _ body: (inout RoomHead, _ caller: RoomHead.Person, RoomPaths, GatedTransaction) throws ->
      Result
  ) throws -> Result {
    let paths = try RoomPaths(drawing, of: uid)
    // Bytes of all members count for the owner.
    return try gate.of(uid).change { transaction in
      let document = try transaction.stored(paths.drawing)
      try transaction.check(
        .update,
        .document(paths.drawing, now: document?.fields, then: document?.fields ?? Fields()))
      guard let document else { throw StorageError(.notFound, paths.drawing.description) }
      let stored = try transaction.readable(paths.head).document
      var head: RoomHead
      if let found = RoomHead(stored, of: document) {
        head = found
      } else {
        try paths.erase(in: transaction.ofService)
        head = RoomHead(of: document, owner: try person(uid, in: transaction.ofService))
      }
      let caller = try member(of: uid, drawing, in: transaction.ofService)
      let result = try body(&head, caller, paths, transaction)
      if stored?.fields != head.fields { try transaction.ofService.set(paths.head, head.fields) }
      return result
    }
  }

  /// The caller as a person, with the name among the members; an operator draws for the owner.
  private func member(
    of owner: String, _ drawing: String, in reader: any DocumentReader
  ) throws -> RoomHead.Person {
    guard case .user(let uid) = gate.caller, gate.isMember(owner) else {
      return try person(owner, in: reader)
    }
    let path = try DrawingAccess.path(ofMember: uid, owner, drawing)
    guard let name = try reader.readable(path).document?["name"]?.textValue, !name.isEmpty else {
      return try person(uid, in: reader)
    }
    return RoomHead.Person(uid: uid, name: name)
  }

  private func person(_ uid: String, in reader: any DocumentReader) throws -> RoomHead.Person {
    let profile = try reader.readable(UserPaths(uid).profile).document
    return RoomHead.Person(uid: uid, name: profile?["userName"]?.textValue ?? "")
  }

  /// The limits of an entry. A page has a few events in each, of one gesture.
  private static let limits: PKDLimits = {
    var limits = PKDLimits()
    limits.points = 1 << 17
    limits.strokes = 1 << 13
    limits.events = 1 << 10
    return limits
  }()

  private static func check(_ file: [UInt8]) throws {
    guard file.count <= RoomEntry.maximumByteCount else {
      throw Refusal.unreadable("it has more than \(RoomEntry.maximumByteCount) bytes")
    }
    do throws(PKDError) {
      _ = try RoomEntry(file, limits: limits)
    } catch {
      throw Refusal.unreadable("\(error)")
    }
  }

  // MARK: - Taking entries in

  /// Stores a recording that contains all entries so far. Returns whether there were any. Somebody
  /// else may store one at the same time.
  @discardableResult
  package static func takeIn(
    _ drawing: String, of uid: String, in environment: ServiceEnvironment
  ) throws -> Bool {
    let room = try RoomPaths(drawing, of: uid)
    let files = try DrawingPaths(drawing, of: uid)
    let service = DrawingService(environment, as: .operator)
    for _ in 0..<4 {
      try service.finishRevision(ofDrawing: drawing, of: uid)
      guard let blob = try environment.blobs.get(files.recording),
        let state = try environment.documents.read({ reader -> (RoomHead, [Entry])? in
          guard let document = try reader.document(room.drawing),
            let head = RoomHead(try reader.document(room.head), of: document)
          else { return nil }
          let mark = head.mark(of: blob.info.sha256)
          return (head, try room.entries(mark..<head.next, .max, in: reader))
        })
      else { return false }
      let (head, entries) = state
      guard !entries.isEmpty else {
        if head.taking != nil {
          try room.note(
            head.mark(of: blob.info.sha256), by: blob.info.sha256, of: head, in: environment)
        }
        return false
      }
      let bytes = try Self.recording(blob.bytes, with: entries, people: head.named)
      let sha256 = ContentHash.of(bytes)
      let mark = (entries.last?.number ?? 0) + 1
      let isAnnounced = try room.change(in: environment) { stored in
        guard stored.drawingCreated == head.drawingCreated else { return false }
        stored.take(sha256, mark: mark, from: blob.info.sha256)
        return true
      }
      guard isAnnounced else { return false }
      do {
        try service.reviseForRoom(
          bytes, ofDrawing: drawing, of: uid, replacing: .named([blob.info.sha256]))
      } catch ServiceError.changedSince {
        continue
      }
      try room.note(mark, by: sha256, of: head, in: environment)
      return true
    }
    throw ServiceError.changedSince
  }

  private static func recording(
    _ bytes: [UInt8], with entries: [Entry], people: [Recording.Person]
  ) throws -> [UInt8] {
    let file = try PictureMaker.recording(bytes)
    var room = RoomRecording(file, people: people)
    for entry in entries {
      // Entries were checked when they came.
      guard let content = try? RoomEntry(entry.bytes, limits: limits) else { continue }
      room.add(content, by: entry.person, at: entry.time)
    }
    return try PKDWriter.encode(room.recording)
  }

  /// Erases the room of a drawing that is being deleted.
  static func end(
    _ drawing: String, of uid: String, in transaction: any DocumentTransaction
  ) throws {
    try RoomPaths(drawing, of: uid).erase(in: transaction)
  }

  /// The rooms with entries that the recording may not contain: a server ended before it took them
  /// in. Only names, since whoever takes them in looks again.
  package static func unfinished(in environment: ServiceEnvironment) throws -> [(
    uid: String, drawing: String
  )] {
    var found: [(uid: String, drawing: String)] = []
    try UserService.forEachUser(in: environment.documents) { uid in
      guard let paths = try? UserPaths(uid) else { return }
      try environment.documents.read { reader in
        for name in try reader.names(in: paths.rooms, after: nil, limit: .max) {
          let head = try reader.readable(paths.rooms.document(name)).document
          if head?["next"] != head?["mark"] { found.append((uid, name)) }
        }
      }
    }
    return found
  }
}

extension RoomHead {
  /// The people as a recording names them; none if only the owner has drawn.
  fileprivate var named: [Recording.Person] {
    guard people.count > 1 else { return [] }
    return people.enumerated().map { Recording.Person(UInt16(clamping: $0), $1.name) }
  }
}

/// The documents of a room.
private struct RoomPaths {
  let drawing: DocumentPath
  let head: DocumentPath
  private let entries: CollectionPath
  private let prefix: String

  init(_ drawing: String, of uid: String) throws(StorageError) {
    let paths = try UserPaths(uid)
    self.drawing = try paths.drawings.document(drawing)
    head = try paths.rooms.document(drawing)
    entries = paths.roomEntries
    // Names of drawings may be as long as names can be.
    prefix = ContentHash.of(Array(drawing.utf8)).prefix(40) + "-"
  }

  func entry(_ number: Int) throws(StorageError) -> DocumentPath {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(15 - digits.utf8.count, 0))
    return try entries.document(prefix + zeros + digits)
  }

  /// Entries with numbers in a range, as many as fit into some bytes. Damaged ones are left out.
  func entries(
    _ numbers: Range<Int>, _ byteLimit: Int, in reader: any DocumentReader
  ) throws -> [RoomService.Entry] {
    var found: [RoomService.Entry] = []
    var count = 0
    for number in numbers {
      guard count < byteLimit else { break }
      let document = try reader.readable(entry(number)).document
      guard let document, case .bytes(let bytes)? = document["file"] else { continue }
      count += bytes.count
      found.append(
        RoomService.Entry(
          number: number, person: UInt16(clamping: document["person"]?.integerValue ?? 0),
          page: document["page"]?.textValue ?? "",
          pageNumber: Int(clamping: document["pageNumber"]?.integerValue ?? 0),
          moment: document["at"]?.momentValue ?? document.created, bytes: bytes))
    }
    return found
  }

  /// Changes the state of the room, if it has one.
  func change(
    in environment: ServiceEnvironment, _ body: (inout RoomHead) throws -> Bool
  ) throws -> Bool {
    try environment.documents.change(at: environment.now()) { transaction in
      guard let document = try transaction.document(drawing),
        var state = RoomHead(try transaction.readable(head).document, of: document),
        try body(&state)
      else { return false }
      try transaction.set(head, state.fields)
      return true
    }
  }

  /// Notes that the recording contains all entries before a number, and erases those that are not
  /// kept.
  func note(
    _ mark: Int, by sha256: String, of former: RoomHead, in environment: ServiceEnvironment
  ) throws {
    _ = try environment.documents.change(at: environment.now()) { transaction in
      guard let document = try transaction.document(drawing),
        var state = RoomHead(try transaction.readable(head).document, of: document),
        state.drawingCreated == former.drawingCreated, state.mark <= mark
      else { return }
      state.setMark(mark, of: sha256)
      state.waitingBytes = try entries(mark..<state.next, .max, in: transaction)
        .reduce(0) { $0 + $1.bytes.count }
      let start = max(mark - RoomService.keptCount, state.start)
      for number in state.start..<start { try transaction.erase(entry(number)) }
      state.start = start
      try transaction.set(head, state.fields)
    }
  }

  /// Erases all documents of the room.
  func erase(in transaction: any DocumentTransaction) throws {
    try transaction.erase(head)
    var last = prefix
    while true {
      let names = try transaction.names(in: entries, after: last, limit: RoomService.batchCount)
        .prefix { $0.hasPrefix(prefix) }
      for name in names { try transaction.erase(entries.document(name)) }
      guard let end = names.last, names.count == RoomService.batchCount else { return }
      last = end
    }
  }
}
