import DrawingServices
import Graphics
import PKDFormat
import Storage
import Strokes
import TestSupport

/// The faults of a simulated room.
enum RoomFault: String, CaseIterable {
  /// Messages of members, and answers, that are lost, come twice, late or in another order.
  case lostMessage, lostAnswer, doubledMessage, lateMessage
  /// A member's connection is lost for a while, or it begins again in the middle of a stroke.
  case lostConnection, restart
  /// The server's power fails, perhaps in the middle of a write.
  case kill
  /// The recording takes entries in, or is replaced from outside.
  case takeIn, revision
  /// Clocks that are wrong by days.
  case wrongClock
  /// A member who may not draw any more, in the middle of a stroke.
  case removal
  /// A member that uses names of others' strokes, and repeats entries.
  case hostile
}

/// A random history of people who draw on one drawing, each on a page with the real engine, through
/// the real service. At its end everybody must have the same drawing, with all that was acknowledged.
final class RoomHistory {
  static let uid = "ann"
  static let drawing = "d1"

  let world: World
  private let server: Machine
  private(set) var members: [RoomMember] = []
  private(set) var violations: [String] = []
  private(set) var counts: [RoomFault: Int] = [:]
  /// Messages on their way, with the time of their arrival.
  private var messages: [(at: Int64, message: RoomMember.Message, isDoubled: Bool)] = []
  /// The strokes that the service has acknowledged.
  private var acknowledged: Set<Identifier> = []
  private let steps: Int
  private let faultShare: Double

  init(seed: UInt64, members count: Int, steps: Int, faultShare: Double = 0.12) throws {
    world = World(seed: seed)
    server = Machine(world, "server", isDevice: false)
    (self.steps, self.faultShare) = (steps, faultShare)
    var submission = DrawingService.Submission(
      recording: try SimulatedInk.bytes([SimulatedInk.stroke(&world.random, at: world.time)]))
    submission.id = Self.drawing
    submission.rendersImageLater = true
    try DrawingService(server.environment, as: .operator).submit(submission, of: Self.uid)
    for number in 0..<count {
      let member = RoomMember(world, number)
      if chance(faultShare) {
        member.clockLead = Int64(world.random.number(-10...10) * 86_400e6)
        note(.wrongClock)
      }
      members.append(member)
    }
  }

  private func chance(_ share: Double) -> Bool { world.random.number() < share }

  private func note(_ fault: RoomFault) { counts[fault, default: 0] += 1 }

  func run() throws {
    for _ in 0..<steps {
      world.pass(seconds: world.random.number(0.01...0.2))
      if chance(faultShare / 4) { fail() }
      if let member = world.random.pick(members) { try act(member) }
      try deliver()
      if server.power.isOff { restart() }
    }
    try settle()
    try check()
  }

  // MARK: - What happens

  private func act(_ member: RoomMember) throws {
    if member.isRemoved { return }
    guard member.isIn else {
      if chance(0.5) { try enter(member) }
      return
    }
    if chance(faultShare / 20) {
      member.leave()
      return note(.restart)
    }
    if chance(faultShare / 10), member.isConnected {
      member.isConnected = false
      note(.lostConnection)
    }
    if !member.isConnected, chance(0.3) { member.isConnected = true }
    member.draw(&world.random)
    try hear(member)
    if let message = member.message() { post(message) }
  }

  private func post(_ message: RoomMember.Message) {
    let delay = Int64(world.random.number(0.005...0.05) * 1e6)
    if chance(faultShare / 3) { return note(.lostMessage) }
    if chance(faultShare / 3) {
      note(.lateMessage)
      messages.append(
        (world.time + delay + Int64(world.random.number(0.1...3) * 1e6), message, false))
    } else {
      messages.append((world.time + delay, message, false))
    }
    if chance(faultShare / 3) {
      note(.doubledMessage)
      messages.append((world.time + Int64(world.random.number(0...4) * 1e6), message, true))
    }
  }

  /// Lets the server take the messages that have arrived.
  private func deliver(all: Bool = false) throws {
    let due = messages.filter { all || $0.at <= world.time }.sorted { $0.at < $1.at }
    messages.removeAll { all || $0.at <= world.time }
    for (_, message, isDoubled) in due {
      let member = members[message.member]
      // The service refuses somebody who may not draw.
      if member.isRemoved { continue }
      do {
        let last = try RoomService(server.environment, as: .operator).append(
          message.files, from: message.first, ofPage: message.page, to: Self.drawing, of: Self.uid)
        for file in message.files.prefix(max(last - message.first + 1, 0)) {
          acknowledged.formUnion(Self.strokes(of: file))
        }
        if isDoubled { continue }
        if chance(faultShare / 4) {
          note(.lostAnswer)
        } else if member.page == message.page {
          member.stored = max(member.stored, last)
        }
      } catch is RoomService.Refusal {
        // A message that overtook another one; the member sends it again.
      } catch {
        // The power has failed, or fails from now on.
      }
    }
  }

  private static func strokes(of file: [UInt8]) -> [Identifier] {
    guard let entry = try? RoomEntry(file, limits: PKDLimits()) else { return [] }
    return entry.events.compactMap {
      if case .strokeBegun(let stroke) = $0.action { stroke.id } else { nil }
    }
  }

  private func enter(_ member: RoomMember) throws {
    guard !server.power.isOff else { return }
    do {
      let service = RoomService(server.environment, as: .operator)
      let found = try service.recording(Self.drawing, of: Self.uid)
      let joined = try service.join(Self.drawing, of: Self.uid, page: member.newPage())
      try member.enter(found.bytes, next: found.next, origin: found.origin, last: joined.last)
    } catch  where server.power.isOff {}
  }

  /// Lets a member hear of the entries that it does not have.
  private func hear(_ member: RoomMember) throws {
    guard member.isConnected, member.isIn, !server.power.isOff else { return }
    guard let facts = try RoomService.facts(of: Self.drawing, Self.uid, in: server.environment)
    else { return }
    if facts.origin != member.origin { return member.leave() }
    let limit = chance(0.3) ? 1 : 1 << 20
    let entries = try RoomService.entries(
      from: member.next, of: Self.drawing, Self.uid, byteLimit: limit, in: server.environment)
    guard let entries else { return member.leave() }
    for entry in entries { try member.take(entry) }
  }

  private func fail() {
    switch world.random.whole(0...4) {
    case 0, 1:
      note(.kill)
      server.power.writesLeft = world.random.whole(0...5)
      server.power.makesLast = chance(0.5)
    case 2:
      note(.takeIn)
      _ = try? RoomService.takeIn(Self.drawing, of: Self.uid, in: server.environment)
    case 3:
      guard chance(0.4) else { return }
      note(.revision)
      revise()
    default:
      guard let member = world.random.pick(members) else { return }
      if chance(0.4), members.count(where: { !$0.isRemoved }) > 2 {
        note(.removal)
        member.isRemoved = true
        member.leave()
      } else {
        note(.hostile)
        attack(as: member)
      }
    }
  }

  /// Replaces the recording from outside, as a device does: it has merged the stored one.
  private func revise() {
    do {
      _ = try RoomService.takeIn(Self.drawing, of: Self.uid, in: server.environment)
      let service = DrawingService(server.environment, as: .operator)
      let stored = try service.file(DrawingFiles.recording, ofDrawing: Self.drawing, of: Self.uid)
      var recording = try PKDReader(stored.bytes).readRecording().value
      let stroke = SimulatedInk.stroke(&world.random, at: world.time)
      let time = max(recording.events.last?.time ?? .referenceDate, stroke.path.creationDate)
      recording.events.append(Recording.Event(time: time, action: .strokeBegun(stroke)))
      recording.events.append(Recording.Event(time: time, action: .strokeEnded(stroke.id)))
      try service.revise(
        try PKDWriter.encode(recording), ofDrawing: Self.drawing, of: Self.uid,
        replacing: .named([stored.info.sha256]))
    } catch {}
  }

  /// Sends entries with names of known strokes, and others again, from a page of its own.
  private func attack(as member: RoomMember) {
    let names = members.flatMap { $0.pen?.shown.map(\.stroke) ?? [] }
    guard let known = world.random.pick(names), !server.power.isOff else { return }
    var stroke = SimulatedInk.stroke(&world.random, at: world.time)
    stroke = PKStroke(
      ink: stroke.ink, path: stroke.path, randomSeed: stroke.randomSeed, id: known.id)
    let time = Timestamp(secondsSince1970: Double(world.time) / 1e6)
    let actions: [Recording.Action] = [
      .strokeBegun(stroke), .strokeEnded(stroke.id), .undone, .redone,
      .edited(
        [StrokeChange(strokeID: known.id, replacements: [stroke, stroke])], above: [], below: []),
      .moved([known.id, known.id], by: AffineTransform(translationX: 3, y: 4)),
    ]
    let events = actions.map { Recording.Event(time: time, action: $0) }
    guard let file = try? RoomEntry(events, on: Recording.Canvas()).encoded() else { return }
    _ = try? RoomService(server.environment, as: .operator).append(
      [file], from: 1, ofPage: world.name("hostile"), to: Self.drawing, of: Self.uid)
  }

  private func restart() {
    server.power.restart()
    // All streams end, and come again.
    for member in members { member.isConnected = true }
  }

  // MARK: - The end

  private func settle() throws {
    restart()
    try deliver(all: true)
    for round in 0..<40 {
      for member in members where !member.isRemoved {
        member.isConnected = true
        if !member.isIn { try enter(member) }
        member.finish()
        try hear(member)
        if let message = member.message() {
          let last = try RoomService(server.environment, as: .operator).append(
            message.files, from: message.first, ofPage: message.page, to: Self.drawing, of: Self.uid
          )
          member.stored = max(member.stored, last)
          for file in message.files { acknowledged.formUnion(Self.strokes(of: file)) }
        }
        try hear(member)
      }
      if round > 2, members.allSatisfy({ $0.isRemoved || $0.isIn && $0.waiting.isEmpty }) { break }
    }
    for member in members where !member.isRemoved { try hear(member) }
  }

  private func check() throws {
    try RoomService.takeIn(Self.drawing, of: Self.uid, in: server.environment)
    let found = try RoomService(server.environment, as: .operator)
      .recording(Self.drawing, of: Self.uid)
    let stored = try PKDReader(found.bytes).readRecording().value
    let known = KnownStrokes(of: stored)
    for id in acknowledged where !known.contains(id) { violations.append("\(id) is lost") }
    let drawing = stored.drawing
    for member in members where !member.isRemoved {
      guard let pen = member.pen, member.waiting.isEmpty else {
        violations.append("member \(member.number) does not settle")
        continue
      }
      if PKDrawing(strokes: pen.shown.map(\.stroke)) != drawing {
        violations.append("member \(member.number) has another drawing")
      }
      if pen.recording.events != stored.events {
        violations.append("member \(member.number) has another history")
      }
    }
  }
}

/// A person with a page of the real engine.
final class RoomMember {
  let number: Int
  private let world: World
  private(set) var pen: PenPage?
  private(set) var page = ""
  var next = 0
  private(set) var origin = ""
  /// Own entries without a place in the order.
  private(set) var waiting: [(number: Int, count: Int, file: [UInt8])] = []
  private var last = 0
  /// The number of the last entry that the server has acknowledged.
  var stored = 0
  var isConnected = true
  var isRemoved = false
  var clockLead: Int64 = 0
  private var held: [RoomService.Entry] = []

  init(_ world: World, _ number: Int) { (self.world, self.number) = (world, number) }

  /// What a page sends.
  struct Message {
    let member: Int
    let page: String
    let first: Int
    let files: [[UInt8]]
  }

  var isIn: Bool { pen != nil }

  private var now: Timestamp {
    Timestamp(secondsSince1970: Double(world.time + clockLead) / 1e6)
  }

  func newPage() -> String {
    page = world.name("page")
    return page
  }

  func enter(_ recording: [UInt8], next: Int, origin: String, last: Int) throws {
    let stored = try PKDReader(recording).readRecording().value
    var pen = PenPage(continuing: stored, session: world.random.identifier())
    // All act for the operator here, who draws for the owner; undo is by person elsewhere.
    pen.join(as: 0)
    (self.pen, self.next, self.origin) = (pen, next, origin)
    (self.last, self.stored, waiting, held) = (last, last, [], [])
  }

  /// Leaves the room, with entries that the server may not have.
  func leave() {
    pen = nil
    waiting = []
  }

  /// Does something with the pen.
  func draw(_ chance: inout Chance) {
    guard var pen else { return }
    self.pen = nil
    let time = now
    if pen.isBusy {
      if chance.number() < 0.5 {
        pen.end(at: time)
      } else if chance.number() < 0.1 {
        pen.cancel()
      } else {
        let samples = Self.samples(&chance)
        pen.draw(samples)
        pen.erase(samples)
      }
    } else {
      switch chance.whole(0...11) {
      case 0: pen.undo(at: time)
      case 1: pen.redo(at: time)
      case 2, 3:
        pen.beginErasing(
          with: PKEraserTool(chance.number() < 0.4 ? .vector : .bitmap, width: 12), at: time)
        pen.erase(Self.samples(&chance))
      case 4 where chance.number() < 0.2: pen.clear(at: time)
      case 5:
        pen.selectAll()
        pen.transformSelection(by: AffineTransform(translationX: 2, y: -1), at: time)
      case 6:
        let at = chance.number(0...100)
        pen.select(at: Point(x: at, y: at), within: 20)
        pen.deleteSelection(at: time)
      default:
        pen.beginStroke(with: PKInkingTool(.pen, color: .black, width: 3), at: time)
        pen.draw(Self.samples(&chance))
      }
    }
    self.pen = pen
    wrap()
  }

  private static func samples(_ chance: inout Chance) -> [PenSample] {
    let (x, y) = (chance.number(0...100), chance.number(0...100))
    return (0..<chance.whole(1...5)).map { index in
      let step = Double(index)
      return PenSample(
        location: Point(x: x + 9 * step, y: y + 5 * step * chance.number()), time: step / 100,
        force: 1, azimuth: 0, altitude: 1.5)
    }
  }

  func finish() {
    pen?.end(at: now)
    wrap()
  }

  /// Makes an entry of new events, and takes what came during the gesture.
  private func wrap() {
    guard let pen else { return }
    let counted = waiting.reduce(0) { $0 + $1.count }
    let events = Array(pen.waitingEvents.dropFirst(counted))
    if !events.isEmpty, let file = try? RoomEntry(events, on: pen.recording.canvas).encoded() {
      last += 1
      waiting.append((last, events.count, file))
    }
    let held = held
    self.held = []
    for entry in held { try? take(entry) }
  }

  /// The entries that the server may not have.
  func message() -> Message? {
    let unsent = waiting.filter { $0.number > stored }.prefix(8)
    guard let first = unsent.first, isConnected else { return nil }
    return Message(member: number, page: page, first: first.number, files: unsent.map(\.file))
  }

  /// Takes an entry of the room's order.
  func take(_ entry: RoomService.Entry) throws {
    guard held.isEmpty, pen?.canReceive == true else {
      held.append(entry)
      next = max(next, entry.number + 1)
      return
    }
    if entry.page == page, let first = waiting.first, first.number == entry.pageNumber {
      pen?.confirm(first.count, at: entry.time)
      waiting.removeFirst()
    } else {
      pen?.receive(
        try RoomEntry(entry.bytes, limits: PKDLimits()), by: entry.person, at: entry.time)
    }
    next = max(next, entry.number + 1)
    wrapRepairs()
  }

  /// Confirming may add an event: an erasure that came too late.
  private func wrapRepairs() {
    guard let pen else { return }
    let counted = waiting.reduce(0) { $0 + $1.count }
    if pen.waitingEvents.count > counted { wrap() }
  }
}
