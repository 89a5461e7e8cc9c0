import Glibc
import Graphics
import JSON
import Measurement
import PKDFormat
import Strokes
import System
import Threads

/// A room in which many people draw at once, and many rooms in which nobody does, on loopback.
enum RoomBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let isFull = effort.samples > 3
    return ServerBenchmarks.withServer { server, path in
      try crowd(server, path, people: isFull ? 100 : 5, seconds: isFull ? 10 : 1)
        + idle(server, count: isFull ? 1_000 : 20)
    }
  }

  /// The messages of each person in a second, and the strokes.
  private static let (rate, strokes) = (25, 2)

  /// People who draw without a pause: 120 samples a second in 25 messages, two strokes a second.
  private static func crowd(
    _ server: ServerProcess, _ path: String, people: Int, seconds: Int
  ) throws -> [Figure] {
    let members = try (0..<people).map { try RoomPerson($0, server.port, path) }
    for member in members { try member.awaitStart() }
    let before = server.processorSeconds
    let begin = MonotonicTime.now
    let ticks = rate * seconds
    var late: [Double] = []
    for tick in 0..<ticks {
      for (number, member) in members.enumerated() {
        // Spread over the time between two messages.
        let due = begin + (Double(tick) + Double(number) / Double(people)) / Double(rate)
        while MonotonicTime.now < due { usleep(200) }
        try member.send(tick, isStored: tick % (rate / strokes) == rate / strokes - 1)
        members[(number + people / 2) % people].listen()
      }
    }
    for _ in 0..<20 {
      for member in members { member.listen() }
      usleep(20_000)
    }
    let taken = MonotonicTime.now - begin
    let share = (server.processorSeconds - before) / taken * 100
    for member in members { late += member.delays }
    let entries = ticks / (rate / strokes) * people
    let missing = members.filter(\.isObserver).reduce(0) { $0 + entries - $1.entryCount }
    guard missing == 0, taken < Double(seconds) * 1.3 + 1 else {
      throw ServerBenchmarks.Problem(what: "\(missing) entries missing after \(taken) s")
    }
    late.sort()
    return [
      Figure(
        "room, processor of the server for \(people) people at \(rate) messages a second", "%",
        [share], goal: .atMost(50)),
      Figure(
        "room, from a message to another member, of hundred one takes longer", "ms",
        [(late.dropLast(late.count / 100).last ?? 0) * 1e3]),
      Figure(
        "room, from a message to another member", "ms",
        [(late.dropLast(late.count / 2).last ?? 0) * 1e3]),
    ]
  }

  private static func idle(_ server: ServerProcess, count: Int) throws -> [Figure] {
    var clients: [HTTPClient] = []
    let before = server.residentBytes
    for number in 0..<count {
      let path = "/v1/users/dev/drawings/room-\(number)"
      let client = try HTTPClient(port: server.port)
      try client.send("PUT", "\(path)/recording.pkd?image=later", RoomPerson.entry(UInt64(number)))
      try client.begin("GET", "\(path)/live?page=\(RoomPerson.page(number))")
      _ = try client.readSome()
      clients.append(client)
    }
    defer { withExtendedLifetime(clients) {} }
    return [
      Figure(
        "room, memory of \(count) idle rooms", "MB",
        [Double(server.residentBytes - before) / 1e6], goal: .atMost(100))
    ]
  }
}

/// A member of a room: a connection for messages, and a stream.
private final class RoomPerson {
  private let messages, stream: HTTPClient
  private let path, page: String
  private let number: Int
  /// Whether it reads what has come.
  var isObserver: Bool { number % 50 == 0 }
  private var waits = false
  private var raw: [UInt8] = []
  private var text: [UInt8] = []
  private(set) var entryCount = 0
  private var stored = 0
  /// The delays of others' messages.
  private(set) var delays: [Double] = []

  init(_ number: Int, _ port: UInt16, _ path: String) throws {
    (self.number, self.path) = (number, path)
    page = Self.page(number)
    (messages, stream) = (try HTTPClient(port: port), try HTTPClient(port: port))
    try stream.begin("GET", "\(path)/live?page=\(page)")
  }

  static func page(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
      + String(repeating: "a", count: 16)
  }

  func awaitStart() throws {
    while raw.firstRange(of: Array("event: room".utf8)) == nil { raw += try stream.readSome() }
    // The header.
    if let range = raw.firstRange(of: [13, 10, 13, 10]) { raw.removeFirst(range.upperBound) }
  }

  /// A recording of one short stroke.
  static func entry(_ seed: UInt64) throws -> [UInt8] {
    var random = SplitMix(seed)
    let x = Double(random.next() % 800)
    let y = Double(random.next() % 800)
    let points = (0..<40).map { index -> PKStrokePoint in
      let t = Double(index)
      return PKStrokePoint(
        location: Point(x: x + 3 * t, y: y + 20 * sin(t / 5)), timeOffset: t / 120,
        size: Size(width: 3, height: 3), opacity: 1, force: 1, azimuth: 0, altitude: 1.5)
    }
    let id = Identifier.zero.derived("stroke", Int(truncatingIfNeeded: seed))
    let stroke = PKStroke(
      ink: PKInk(.pen, color: .black), path: PKStrokePath(controlPoints: points), id: id)
    return try PKDWriter.encode(
      Recording(events: [
        .init(time: .referenceDate, action: .strokeBegun(stroke)),
        .init(time: .referenceDate, action: .strokeEnded(id)),
      ]))
  }

  private static let mark: [UInt8] = Array("moment: ".utf8)

  /// Sends a message of five samples, and reads the answer of the last one.
  func send(_ tick: Int, isStored: Bool) throws {
    if waits { try messages.finish() }
    // As long as the samples of a message are, with the moment for the measurement.
    let moment = UInt64(MonotonicTime.now * 1e6)
    var block = Self.mark + (0..<8).map { UInt8(truncatingIfNeeded: moment >> (8 * $0)) }
    block += [UInt8](repeating: UInt8(tick & 127), count: 50)
    var body: [UInt8] = [0, 21] + [UInt8](repeating: 1, count: 21)
    body += [tick % 12 == 0 ? 1 : 2, UInt8(block.count)] + block
    if isStored {
      stored += 1
      let file = try Self.entry(UInt64(number) << 32 | UInt64(stored))
      body += [4, UInt8(stored), UInt8(file.count & 127 | 128), UInt8(file.count >> 7)] + file
    }
    try messages.begin("POST", "\(path)/live?page=\(page)", body)
    waits = true
  }

  /// Takes what has come, and notes how late it is.
  func listen() {
    while let piece = stream.readNow() {
      // Reading the frames of all members would take most of the processors.
      if isObserver { raw += piece }
    }
    let now = MonotonicTime.now
    joinChunks()
    var start = 0
    while let end = text[start...].firstIndex(of: 10) {
      let line = text[start..<end]
      start = end + 1
      guard line.starts(with: Array("data: ".utf8)) else { continue }
      if let frame = Base64.decode(String(decoding: line.dropFirst(6), as: UTF8.self)) {
        take(frame, now)
      }
    }
    text.removeFirst(start)
  }

  /// Takes the content of the chunks that are complete.
  private func joinChunks() {
    var start = 0
    while let end = raw[start...].firstIndex(of: 10),
      let count = Int(String(decoding: raw[start..<end].dropLast(), as: UTF8.self), radix: 16),
      end + 1 + count + 2 <= raw.count
    {
      text += raw[end + 1..<end + 1 + count]
      start = end + 1 + count + 2
    }
    raw.removeFirst(start)
  }

  private func take(_ frame: [UInt8], _ now: Double) {
    var offset = 0
    func number() -> Int {
      var (value, shift) = (0, 0)
      while offset < frame.count {
        value |= Int(frame[offset] & 127) << shift
        offset += 1
        shift += 7
        if frame[offset - 1] < 128 { break }
      }
      return value
    }
    while offset < frame.count {
      let kind = frame[offset]
      offset += 9
      switch kind {
      case 4:
        entryCount += 1
        for _ in 0..<4 { _ = number() }
        offset += number()
      case 5: _ = number()
      case 6: break
      default:
        let count = number()
        if kind == 1 || kind == 2, count > 16 {
          let moment = (0..<8).reduce(0) { $0 | UInt64(frame[offset + 8 + $1]) << (8 * $1) }
          delays.append(now - Double(moment) / 1e6)
        }
        offset += count
      }
    }
  }
}

private struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
