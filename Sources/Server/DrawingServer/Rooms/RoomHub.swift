import DrawingServices
import Glibc
import Graphics
import HTTPServing
import JSON
import Storage
import Strokes
import Threads

/// The rooms in which people draw together: their open streams, and what is drawn at the moment.
///
/// One thread sends frames to all pages of a room: new entries of its log, which are stored, and the
/// ink of unfinished strokes and the presence of members, which are not. Other servers of the same
/// store send the entries to their pages when the store tells them of a change.
final class RoomHub: Sendable {
  /// A drawing.
  struct Key: Hashable {
    let uid: String
    let drawing: String
  }

  /// A page that follows a room.
  private struct Viewer {
    let stream: EventStream
    /// A member's page; nil for a spectator.
    let tag: PageTag?
    /// The key of the session that opened the stream; nil for a token or a link.
    let session: String?
    /// Whether the viewer may still see the drawing.
    let isAllowed: @Sendable () -> Bool
    /// The number of the first entry that the page does not have.
    let next: Int
    var isNew = true
    var lastSent: Int
    let end: Int
  }

  /// A page that draws.
  private struct Member {
    let caller: Caller
    let person: UInt16
    var presence: [UInt8]?
    /// The sections of the stroke that it is drawing.
    var ink: [(kind: RoomMessage.Kind, bytes: [UInt8])] = []
    var inkCount = 0
  }

  private struct Room {
    var viewers: [Viewer] = []
    var members: [PageTag: Member] = [:]
    /// Sections that wait for the next frame.
    var frame = RoomFrame()
    var lastFrame = 0
    /// The number of the next entry to send to all viewers; nil before the first.
    var next: Int?
    /// Whether there may be new entries.
    var looks = true
    var checksAccess = false
    /// The recording with which the room began.
    var origin: String?
    /// The time of the last entry, and of the first that the recording may not contain.
    var lastEntry = 0
    var firstWaiting: Int?
    var isTakingIn = false
    var peopleCount = 0
    /// When all viewers get a comment, which shows who is gone; nil for no such time.
    var checkAt: Int?

    /// Crowded rooms get fewer frames: their number times that of the viewers costs.
    var interval: Int { viewers.count > 24 ? 33 : 16 }
  }

  private struct State {
    var rooms: [Key: Room] = [:]
    /// The rooms in which something may be due before the next look at all of them.
    var active: Set<Key> = []
    var lastSweep = 0
    var sequence: Int64 = 0
    var isRunning = false
    var isClosed = false
  }

  private let environment: ServiceEnvironment
  private let state = ConditionMutex(State())
  private let bell = Doorbell()
  /// Notifies about changes of other programs; nil if the store does not support it.
  private let observation: ChangeObservation?
  /// The limits of messages for each page, and of all that one user stores or sends without a stream.
  private let pageRates, userRates: RateLimits

  /// The interval of comments in milliseconds. They detect clients that are gone.
  private static let beat = 15_000
  /// The pause after somebody came until all others are checked: those that are gone show it at the second
  /// thing that is sent.
  private static let checkPause = 100
  /// The pause between two looks at all rooms in milliseconds, and the least time between two steps.
  private static let sweepPause = 250
  private static let stepMicroseconds: UInt32 = 2_000
  private static let viewerLimit = 2_000
  private static let memberLimit = 512
  private static let roomLimit = 20_000
  private static let roomLimitPerUser = 2_000
  /// The maximum number of bytes kept of an unfinished stroke, for later viewers.
  private static let inkLimit = 256 << 10
  /// A viewer who is slower than this ends, and comes again.
  private static let streamLimit = 8 << 20
  /// The pauses in milliseconds after which a recording takes entries in: after a rest, and at most.
  private static let (restPause, longestPause) = (3_000, 30_000)

  init(_ environment: ServiceEnvironment, isLimited: Bool) {
    self.environment = environment
    pageRates = RateLimits(perSecond: isLimited ? 75 : 0, capacity: 375)
    userRates = RateLimits(perSecond: isLimited ? 100 : 0, capacity: 500)
    observation = environment.documents.observeChanges { [bell] _ in bell.ring() }
  }

  var viewerCount: Int { state.withLock { $0.rooms.values.reduce(0) { $0 + $1.viewers.count } } }
  var roomCount: Int { state.withLock { $0.rooms.count } }

  /// Whether a page of a user may send another message now.
  func allows(_ page: String, of caller: Caller, storing isStored: Bool, in key: Key) -> Bool {
    let tag = PageTag(page)
    let isOpen = state.withLock { $0.rooms[key]?.members[tag]?.caller == caller }
    guard isOpen, pageRates.take(page) else { return !isOpen && userRates.take("\(caller)") }
    return !isStored || userRates.take("\(caller)")
  }

  // MARK: - Pages

  /// Opens a stream of a room from an entry on; nil if there are too many. `hello` is sent first.
  func watch(
    _ key: Key, from number: Int, origin: String, caller: Caller,
    as member: (page: String, person: UInt16)?,
    hello: [UInt8], lifetime: Int, session: String?, isAllowed: @escaping @Sendable () -> Bool
  ) -> EventStream? {
    let stream = EventStream(limit: Self.streamLimit)
    stream.send(hello)
    let tag = member.map { PageTag($0.page) }
    let isTaken = state.withLock { state in
      guard !state.isClosed, Self.hasRoom(state, key) else { return false }
      var room = state.rooms[key] ?? Room()
      guard room.viewers.count < Self.viewerLimit else { return false }
      state.rooms[key] = nil  // so that changes do not copy it
      if let tag, let member {
        if room.members[tag] == nil, room.members.count >= Self.memberLimit {
          state.rooms[key] = room
          return false
        }
        // The page comes again, for example after its connection was lost.
        for viewer in room.viewers where viewer.tag == tag { viewer.stream.close() }
        room.viewers.removeAll { $0.tag == tag }
        if room.members[tag] == nil {
          room.frame.add(came: tag, member.person)
          room.checkAt = Self.milliseconds() + Self.checkPause
        }
        room.members[tag] = Member(caller: caller, person: member.person)
      }
      room.origin = room.origin ?? origin
      room.viewers.append(
        Viewer(
          stream: stream, tag: tag, session: session, isAllowed: isAllowed, next: number,
          lastSent: Self.milliseconds(), end: Self.milliseconds() + lifetime))
      state.rooms[key] = room
      state.active.insert(key)
      start(&state)
      return true
    }
    bell.ring()
    return isTaken ? stream : nil
  }

  /// Passes on what a member is drawing, and where it is. Returns false if the page has no open stream
  /// of this caller; the access of those is checked.
  @discardableResult
  func pass(_ message: RoomMessage, of page: String, by caller: Caller, in key: Key) -> Bool {
    let tag = PageTag(page)
    let isNew = state.withLock { state in
      guard var room = state.rooms[key], var member = room.members[tag], member.caller == caller
      else { return false }
      state.rooms[key] = nil
      if let presence = message.presence {
        member.presence = presence
        room.frame.add(.presence, of: tag, presence)
      }
      for (kind, bytes) in message.ink {
        if kind == .begin { (member.ink, member.inkCount) = ([], 0) }
        member.inkCount += bytes.count
        if kind == .drop || member.inkCount > Self.inkLimit {
          (member.ink, member.inkCount) = ([], 0)
        } else {
          member.ink.append((kind, bytes))
        }
        room.frame.add(kind, of: tag, bytes)
      }
      if !message.entries.files.isEmpty { (member.ink, member.inkCount) = ([], 0) }
      room.members[tag] = member
      state.rooms[key] = room
      state.active.insert(key)
      return true
    }
    if isNew { bell.ring() }
    return isNew
  }

  /// Looks for new entries of a room's log.
  func look(_ key: Key) {
    state.withLock { state in
      // A room without viewers on this server still has to be taken in.
      guard state.rooms[key] != nil || Self.hasRoom(state, key) else { return }
      state.rooms[key, default: Room()].looks = true
      state.active.insert(key)
      start(&state)
    }
    bell.ring()
  }

  /// Takes in what a server that ended has left.
  func takeInRest() {
    Lanes.begin { [self] in
      for room in (try? RoomService.unfinished(in: environment)) ?? [] {
        look(Key(uid: room.uid, drawing: room.drawing))
      }
    }
  }

  private static func hasRoom(_ state: State, _ key: Key) -> Bool {
    state.rooms[key] != nil
      || state.rooms.count < roomLimit
        && (state.rooms.count < roomLimitPerUser
          || state.rooms.keys.count { $0.uid == key.uid } < roomLimitPerUser)
  }

  /// Ends the streams of ended sessions.
  func end(sessions keys: Set<String>) {
    let streams = state.withLock { state in
      state.rooms.values.flatMap { room in
        room.viewers.filter { $0.session.map(keys.contains) ?? false }.map(\.stream)
      }
    }
    for stream in streams { stream.close() }
  }

  /// Ends all streams. What was drawn is in the log.
  func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      return state.rooms.values.flatMap { $0.viewers.map(\.stream) }
    }
    for stream in streams { stream.close() }
    bell.ring()
  }

  // MARK: - Frames

  private func start(_ state: inout State) {
    guard !state.isRunning, !state.isClosed else { return }
    state.isRunning = Lanes.begin { [self] in
      while let pause = step() {
        bell.wait(milliseconds: pause)
        // Many messages come together: one step serves all of them.
        usleep(Self.stepMicroseconds)
      }
    }
  }

  /// Sends what is due. Returns the pause until the next step; nil if there are no rooms.
  private func step() -> Int32? {
    noteChanges()
    let now = Self.milliseconds()
    let due = state.withLock { state -> [Key]? in
      if now - state.lastSweep >= Self.sweepPause {
        state.lastSweep = now
        for key in state.rooms.keys { Self.removeEnded(&state.rooms[key], now) }
        for (key, room) in state.rooms
        where room.viewers.isEmpty && !room.looks && room.firstWaiting == nil {
          state.rooms[key] = nil
        }
        state.active = Set(state.rooms.keys)
      }
      guard !state.isClosed, !state.rooms.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.active.filter { key in
        state.rooms[key].map { Self.isDue($0, now) } ?? false
      }
    }
    guard let due else { return nil }
    for key in due { send(key, now) }
    return state.withLock { state in
      // The first frame after a rest is sent at once, the next ones an interval later.
      var pause = observation == nil ? 50 : Self.sweepPause
      for key in state.active {
        guard let room = state.rooms[key],
          room.looks || room.checkAt != nil || room.checksAccess
            || !room.frame.bytes.isEmpty || room.viewers.contains(where: \.isNew)
        else {
          state.active.remove(key)
          continue
        }
        if let check = room.checkAt { pause = min(pause, max(check - Self.milliseconds(), 1)) }
        guard room.looks || !room.frame.bytes.isEmpty else { continue }
        pause = min(pause, max(room.lastFrame + room.interval - Self.milliseconds(), 1))
      }
      return Int32(pause)
    }
  }

  private static func removeEnded(_ room: inout Room?, _ now: Int) {
    guard let viewers = room?.viewers else { return }
    for viewer in viewers where viewer.end < now { viewer.stream.close() }
    for viewer in viewers where viewer.stream.isClosed {
      if let tag = viewer.tag, room?.members.removeValue(forKey: tag) != nil {
        room?.frame.add(gone: tag)
      }
    }
    room?.viewers.removeAll { $0.stream.isClosed }
  }

  private static func isDue(_ room: Room, _ now: Int) -> Bool {
    let waits =
      room.looks || !room.frame.bytes.isEmpty || room.viewers.contains { $0.isNew }
      || room.checksAccess
    let isResting = room.firstWaiting.map { first in
      !room.isTakingIn
        && (now - room.lastEntry > restPause || now - first > longestPause || room.viewers.isEmpty)
    }
    return waits && now - room.lastFrame >= room.interval || isResting ?? false
      || room.viewers.contains { now - $0.lastSent > beat }
      || room.checkAt.map { $0 <= now } ?? false
  }

  /// Notes which rooms the store's changes may concern.
  private func noteChanges() {
    let before = state.withLock { $0.sequence }
    // A busy database is queried again at the next step.
    guard let last = try? ChangeService.lastSequence(in: environment), last != before else {
      return
    }
    let changed = try? ChangeService.changedPlaces(after: before, in: environment)
    state.withLock { state in
      state.sequence = last
      for key in state.rooms.keys {
        let place = "\(key.uid)/\(key.drawing)"
        let isRevised = changed.map { $0.drawings.contains(place) } ?? true
        let hasEntries = isRevised || changed?.rooms.contains(place) != false
        let isChecked = isRevised || changed?.hasOthers != false
        if hasEntries { state.rooms[key]?.looks = true }
        if isChecked { state.rooms[key]?.checksAccess = true }
        if hasEntries || isChecked { state.active.insert(key) }
      }
    }
  }

  /// Sends a room's frame.
  private func send(_ key: Key, _ now: Int) {
    guard let before = state.withLock({ $0.rooms[key] }) else { return }
    if before.checksAccess { checkAccess(key, before) }
    let log = before.looks || before.next == nil ? news(of: key, after: before) : nil
    typealias Due = (newcomers: [Newcomer], work: (@Sendable () -> Void)?)
    let due = state.withLock { state -> Due in
      guard var room = state.rooms[key] else { return ([], nil) }
      state.rooms[key] = nil
      defer { state.rooms[key] = room }
      room.lastFrame = now
      if let log {
        room.looks = false
        apply(log, to: &room, now)
      }
      let newcomers = welcome(&room, now)
      sendFrame(&room, now)
      return (newcomers, takeInIfDue(key, &room, now))
    }
    // Before the next frame, which only this thread sends.
    for newcomer in due.newcomers { send(newcomer, key) }
    if let work = due.work { Lanes.begin(work) }
  }

  /// A viewer who needs the entries from a number on, and the state of the members after it.
  private struct Newcomer {
    let stream: EventStream
    let missing: Range<Int>
    let state: [UInt8]
  }

  /// The viewers who get their first frame.
  private func welcome(_ room: inout Room, _ now: Int) -> [Newcomer] {
    guard let next = room.next, room.viewers.contains(where: \.isNew) else { return [] }
    var frame = RoomFrame()
    for (tag, member) in room.members {
      frame.add(came: tag, member.person)
      if let presence = member.presence { frame.add(.presence, of: tag, presence) }
      for (kind, bytes) in member.ink { frame.add(kind, of: tag, bytes) }
    }
    var newcomers: [Newcomer] = []
    for index in room.viewers.indices where room.viewers[index].isNew {
      let viewer = room.viewers[index]
      newcomers.append(
        Newcomer(
          stream: viewer.stream, missing: min(viewer.next, next)..<next, state: frame.bytes))
      room.viewers[index].lastSent = now
    }
    return newcomers
  }

  private func send(_ newcomer: Newcomer, _ key: Key) {
    var number = newcomer.missing.lowerBound
    while number < newcomer.missing.upperBound {
      let entries = try? RoomService.entries(
        from: number, of: key.drawing, key.uid, in: environment)
      guard let entries, let last = entries.last else {
        newcomer.stream.send(Self.event("reset") { $0.object { _ in } })
        return newcomer.stream.close()
      }
      var frame = RoomFrame()
      for entry in entries where entry.number < newcomer.missing.upperBound { frame.add(entry) }
      number = min(last.number + 1, newcomer.missing.upperBound)
      newcomer.stream.send(Self.text(frame.bytes, next: number))
    }
    newcomer.stream.send(Self.text(newcomer.state, next: newcomer.missing.upperBound))
  }

  /// What a room's log has to say.
  private struct News {
    /// New entries for all viewers; nil if the viewers must begin again.
    var entries: [RoomService.Entry]? = []
    /// The first entry that the recording does not contain.
    var mark = 0
    var next = 0
    var origin = ""
    var isGone = false
    var people: [Recording.Person] = []
  }

  private func news(of key: Key, after room: Room) -> News? {
    do {
      guard
        let facts = try RoomService.facts(of: key.drawing, key.uid, in: environment)
      else {
        return News(isGone: true)
      }
      var news = News(mark: facts.mark, next: facts.next, origin: facts.origin)
      news.people = facts.people
      // Other programs have replaced the recording: pages do not know what they have made of it.
      if let known = room.origin, known != facts.origin {
        news.entries = nil
        return news
      }
      let next = room.next ?? facts.next
      guard next < facts.next else { return news }
      news.entries = try RoomService.entries(
        from: next, of: key.drawing, key.uid, byteLimit: .max, in: environment)
      return news
    } catch {
      return nil
    }
  }

  private func apply(_ news: News, to room: inout Room, _ now: Int) {
    if news.isGone {
      endAll(&room, with: "gone")
      (room.firstWaiting, room.next) = (nil, nil)
      return
    }
    room.origin = news.origin
    guard let entries = news.entries else {
      endAll(&room, with: "reset")
      room.next = news.next
      return
    }
    for entry in entries { room.frame.add(entry) }
    // Entries may have come since the state was read.
    room.next = max(room.next ?? news.next, (entries.last?.number ?? -1) + 1)
    if !entries.isEmpty {
      room.lastEntry = now
      for entry in entries { room.members[PageTag(entry.page)]?.ink = [] }
    }
    room.firstWaiting = news.mark < room.next ?? 0 ? room.firstWaiting ?? now : nil
    if room.lastEntry == 0 { room.lastEntry = now }
    if news.people.count != room.peopleCount {
      room.peopleCount = news.people.count
      let text = Self.event("people") { json in json.people(news.people) }
      for viewer in room.viewers { viewer.stream.send(text) }
    }
  }

  /// Tells all viewers to begin again, or that the drawing is gone.
  private func endAll(_ room: inout Room, with event: String) {
    let text = Self.event(event) { $0.object { _ in } }
    for viewer in room.viewers {
      viewer.stream.send(text)
      viewer.stream.close()
    }
    room.viewers = []
    room.members = [:]
    room.frame = RoomFrame()
  }

  private func sendFrame(_ room: inout Room, _ now: Int) {
    let next = room.next ?? 0
    let frame = room.frame.bytes
    let text = frame.isEmpty ? [] : Self.text(frame, next: next)
    room.frame = RoomFrame()
    let isCheck = room.checkAt.map { $0 <= now } ?? false
    if isCheck { room.checkAt = nil }
    for index in room.viewers.indices {
      guard !room.viewers[index].isNew else {
        room.viewers[index].isNew = room.next == nil
        continue
      }
      if !text.isEmpty {
        room.viewers[index].stream.send(text)
        room.viewers[index].lastSent = now
      } else if isCheck || now - room.viewers[index].lastSent > Self.beat {
        room.viewers[index].stream.send(Array(":\n\n".utf8))
        room.viewers[index].lastSent = now
      }
    }
  }

  /// Ends the streams of viewers who may not see the drawing any more.
  private func checkAccess(_ key: Key, _ room: Room) {
    let refused = room.viewers.filter { !$0.isAllowed() }.map(\.stream)
    let text = Self.event("gone") { $0.object { _ in } }
    for stream in refused {
      stream.send(text)
      stream.close()
    }
    state.withLock { $0.rooms[key]?.checksAccess = false }
  }

  private func takeInIfDue(_ key: Key, _ room: inout Room, _ now: Int) -> (@Sendable () -> Void)? {
    guard let first = room.firstWaiting, !room.isTakingIn,
      now - room.lastEntry > Self.restPause || now - first > Self.longestPause
        || room.viewers.isEmpty
    else { return nil }
    room.isTakingIn = true
    return { [self] in
      let result = Result { try RoomService.takeIn(key.drawing, of: key.uid, in: environment) }
      state.withLock { state in
        guard state.rooms[key] != nil else { return }
        state.rooms[key]?.isTakingIn = false
        switch result {
        case .success: state.rooms[key]?.firstWaiting = nil
        // Tried again later.
        case .failure: state.rooms[key]?.firstWaiting = Self.milliseconds()
        }
        state.rooms[key]?.looks = true
        state.active.insert(key)
      }
      bell.ring()
    }
  }

  // MARK: - Texts

  /// The text of a frame, whose number is that of the next entry.
  static func text(_ frame: [UInt8], next: Int) -> [UInt8] {
    Array("id: \(next)\nevent: frame\ndata: \(Base64.encode(frame))\n\n".utf8)
  }

  static func event(_ name: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    body(&json)
    return Array("event: \(name)\ndata: ".utf8) + json.bytes + [10, 10]
  }

  private static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}

extension JSONWriter {
  mutating func people(_ people: [Recording.Person]) {
    object { json in
      json.list("people", people) { json, person in
        json.object { json in
          json.field("number", Int(person.number))
          json.field("name", person.name)
          json.field("color", person.color.hex)
        }
      }
    }
  }
}
