import DrawingServices
import Storage
import Strokes
import TestSupport

@testable import Sync

/// The writes of a simulated history, for comparison with the contents at its end.
struct Ledger {
  enum Version: Hashable {
    case document(Fields)
    case deleted(Moment)
  }

  /// The versions written of each document, including those that a crash leaves uncertain.
  var written: [SyncName: [Version]] = [:]
  var perhaps: [SyncName: [Version]] = [:]
  var added: [String: Set<Identifier>] = [:]
  var erased: [String: Set<Identifier>] = [:]
  var maybeAdded: [String: Set<Identifier>] = [:]
}

/// A random history of devices that write and synchronize under all faults, and the check that
/// nothing was lost or doubled.
final class History {
  static let uid = "ann"

  struct Plan {
    var steps = 40
    var devices = 3
    var faultShare = 0.25
    var hasDrawings = true
    /// The maximum error of clocks in hours.
    var clockHours = 20
    var conflicts = SyncSettings.ConflictRule.lastWrite
    /// A fault planted into the protocol.
    var plant: (inout SyncRequest) -> Void = { _ in }
    var plantAnswer: (SyncRequest, inout SyncResponse) -> Void = { _, _ in }
    var merge: ([UInt8]?, [UInt8], [UInt8]) throws -> [UInt8] = SimulatedInk.merge
    /// Changes a device's sync state after a run.
    var plantState: (ServiceEnvironment, inout Chance) throws -> Void = { _, _ in }
  }

  let world: World
  let plan: Plan
  let server: Machine
  let devices: [Machine]
  let peers: [FaultyPeer]
  var clients: [SyncClient?]
  var ledger = Ledger()
  var counts: [Fault: Int] = [:]
  private(set) var violations: [String] = []

  init(seed: UInt64, _ plan: Plan = Plan()) {
    world = World(seed: seed)
    self.plan = plan
    let world = world
    let server = Machine(world, "server", isDevice: false)
    self.server = server
    devices = (0..<plan.devices).map { Machine(world, "device\($0)", isDevice: true) }
    peers = devices.map { _ in FaultyPeer(world, server, Self.uid) }
    clients = devices.map { _ in nil }
    for device in devices where world.random.isLucky(0.4) {
      device.clockLead =
        Int64(world.random.whole(-plan.clockHours...plan.clockHours)) * 3_600_000_000
      if device.clockLead != 0 { counts[.wrongClock, default: 0] += 1 }
    }
    for peer in peers {
      peer.alterRequest = plan.plant
      peer.alterResponse = plan.plantAnswer
    }
  }

  private func client(_ index: Int) throws -> SyncClient {
    if let client = clients[index] { return client }
    var settings = SyncSettings()
    settings.conflicts = plan.conflicts
    settings.threads = 1
    settings.pageSize = world.random.pick([1, 3, 50]) ?? 50
    let client = try SyncClient(
      devices[index].environment, of: Self.uid, with: peers[index], at: "server", settings,
      mergingInk: plan.merge)
    let world = world
    client.random = { world.random.number() }
    clients[index] = client
    return client
  }

  /// Runs the random steps, then ends all faults, synchronizes all devices, and checks the
  /// contents.
  func run() throws {
    for _ in 0..<plan.steps { try step() }
    for peer in peers {
      peer.isCut = false
      peer.faultShare = 0
    }
    for device in devices { device.power.restart() }
    for _ in 0..<8 {
      for index in devices.indices { try settle(index) }
      world.pass(seconds: 7 * 3600)
    }
    for peer in peers { counts.merge(peer.counts, uniquingKeysWith: +) }
    try check()
  }

  private func settle(_ index: Int) throws {
    do {
      _ = try client(index).run()
      try plan.plantState(devices[index].environment, &world.random)
    } catch let problem as SyncProblem {
      // A delayed request may arrive now; nothing else can fail any more.
      violations.append("\(devices[index].name) cannot synchronize: \(problem)")
    }
  }

  // MARK: - Steps

  private func step() throws {
    world.pass(seconds: world.random.pick([0, 0.000_001, 0.5, 60, 4000]) ?? 0)
    let index = world.random.whole(0...devices.count - 1)
    let (device, peer) = (devices[index], peers[index])
    switch world.random.whole(0...9) {
    case 0...5: try write(device)
    case 6...8:
      peer.faultShare = plan.faultShare
      if world.random.isLucky(0.1 * plan.faultShare * 4) {
        device.power.writesLeft = world.random.whole(0...12)
        device.power.makesLast = world.random.isLucky(0.5)
      }
      if let client = try? client(index) {
        _ = try? client.run()
        if !device.power.isOff { try plan.plantState(device.environment, &world.random) }
      }
      restart(index)
    default:
      if plan.faultShare > 0 { peer.isCut.toggle() }
    }
  }

  private func restart(_ index: Int) {
    let device = devices[index]
    if device.power.isOff { counts[.deviceCrash, default: 0] += 1 }
    device.power.restart()
    clients[index] = nil
  }

  /// Makes one write on a device, which may crash.
  private func write(_ device: Machine) throws {
    if plan.faultShare > 0, world.random.isLucky(0.05) {
      device.power.writesLeft = world.random.whole(0...4)
      device.power.makesLast = world.random.isLucky(0.5)
    }
    let writer = RandomWrite(
      device: device, world: world, uid: Self.uid, hasDrawings: plan.hasDrawings)
    try writer.run(&ledger)
    if writer.hasCrashed {
      counts[.deviceCrash, default: 0] += 1
      for index in devices.indices where devices[index] === device { clients[index] = nil }
    }
    device.power.restart()
  }

  // MARK: - The end

  private func check() throws {
    let there = try server.contents(of: Self.uid)
    let live = there.filter { if case .document = $0.value { true } else { false } }
    for device in devices {
      let here = try device.contents(of: Self.uid).filter {
        if case .document = $0.value { true } else { false }
      }
      for name in Set(here.keys).union(live.keys) where !isSame(here[name], live[name], name) {
        violations.append(
          "\(device.name) and the server disagree about \(name): \(text(here[name])), \(text(live[name]))"
        )
      }
    }
    for (name, versions) in ledger.written { check(name, versions, live[name]) }
    for name in live.keys where ledger.written[name] == nil && ledger.perhaps[name] == nil {
      guard plan.conflicts != .keepBoth else { continue }
      violations.append("\(name) was never written")
    }
    for (name, content) in live where name.kind == .drawings {
      try checkInk(name, content)
    }
  }

  private func isSame(
    _ a: SyncChange.Content?, _ b: SyncChange.Content?, _ name: SyncName
  ) -> Bool {
    guard case .document(let x)? = a, case .document(let y)? = b else {
      return a == nil && b == nil
    }
    return SyncOrder(of: x, in: name.kind) == SyncOrder(of: y, in: name.kind)
      && x["recordingSHA256"] == y["recordingSHA256"] && x["updatedAt"] == y["updatedAt"]
  }

  private func text(_ content: SyncChange.Content?) -> String {
    switch content {
    case .document(let fields): text(fields)
    case .deleted(let moment): "deleted at \(moment.microseconds)"
    case nil: "nothing"
    }
  }

  private func text(_ fields: Fields) -> String {
    fields.all.map { name, value in
      if case .moment(let moment) = value {
        return "\(name) \(moment.microseconds % 1_000_000_000_000)"
      }
      return "\(name) \(value.textValue.map { String($0.prefix(12)) } ?? "\(value)")"
    }.joined(separator: ", ")
  }

  private func order(_ version: Ledger.Version, _ name: SyncName) -> SyncOrder {
    switch version {
    case .document(let fields): SyncOrder(of: fields, in: name.kind)
    case .deleted(let moment): SyncOrder(ofDeletionAt: moment)
    }
  }

  private func check(
    _ name: SyncName, _ versions: [Ledger.Version], _ final: SyncChange.Content?
  ) {
    let perhaps = ledger.perhaps[name] ?? []
    let deletions = (versions + perhaps).filter { if case .deleted = $0 { true } else { false } }
    guard case .document(let fields)? = final else {
      if deletions.isEmpty { violations.append("\(name) is lost") }
      return
    }
    // Corrected times and copies are different versions from the written ones.
    guard plan.clockHours < 24, plan.conflicts == .lastWrite else { return }
    let found = SyncOrder(of: fields, in: name.kind)
    let documents = (versions + perhaps).filter { if case .document = $0 { true } else { false } }
    if !documents.contains(where: { order($0, name) == found }) {
      let known = documents.map { version -> String in
        if case .document(let fields) = version { text(fields) } else { "" }
      }
      violations.append(
        "\(name) has a version that was never written: \(text(fields)), not of \(known)")
    }
    // Ink later than a deletion keeps a drawing.
    guard name.kind != .drawings else {
      let latest = versions.filter { if case .document = $0 { true } else { false } }
        .map { order($0, name) }.max()
      if deletions.isEmpty, let latest, found < latest {
        violations.append("what was said last about \(name) is lost")
      }
      return
    }
    if let latest = versions.map({ order($0, name) }).max(), found < latest {
      let all = versions.map { version -> String in
        switch version {
        case .document(let fields): text(fields)
        case .deleted(let moment): "deleted at \(moment.microseconds % 1_000_000_000_000)"
        }
      }
      violations.append("the last write of \(name) is lost: \(text(fields)) of \(all)")
    }
  }

  private func checkInk(_ name: SyncName, _ content: SyncChange.Content) throws {
    guard case .document(let fields) = content,
      let bytes = try server.file(DrawingFiles.recording, ofDrawing: name.id, of: Self.uid)
    else { return violations.append("\(name) has no recording") }
    for device in devices {
      let own = try device.file(DrawingFiles.recording, ofDrawing: name.id, of: Self.uid)
      if own != bytes { violations.append("\(device.name) has another recording of \(name)") }
    }
    if fields["recordingSHA256"]?.textValue != SyncService.hash(of: bytes) {
      violations.append("\(name) has another recording than its document says")
    }
    let ids = try SimulatedInk.strokes(bytes).map(\.id)
    if Set(ids).count != ids.count { violations.append("\(name) has a stroke twice") }
    let versions = (ledger.written[name] ?? []) + (ledger.perhaps[name] ?? [])
    let wasDeleted = versions.contains { if case .deleted = $0 { true } else { false } }
    guard !wasDeleted else { return }
    let erased = ledger.erased[name.id] ?? []
    let missing = (ledger.added[name.id] ?? []).subtracting(erased).subtracting(ids)
    if !missing.isEmpty { violations.append("\(name) has lost \(missing.count) strokes") }
    let extra = Set(ids).subtracting(ledger.added[name.id] ?? [])
      .subtracting(ledger.maybeAdded[name.id] ?? [])
    if !extra.isEmpty { violations.append("\(name) has strokes that nobody drew") }
    if !erased.isDisjoint(with: ids) { violations.append("\(name) has erased strokes again") }
  }
}
