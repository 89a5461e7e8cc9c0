import InkFiles
import DrawingServices
import Journal
import Foundation
import Glibc
import ForeignInk
import Storage
import Sync
import TestSupport
import Threads
import WebClient

/// A random history of devices that write and synchronize with a real server through a proxy under
/// all faults, and the check that nothing was lost or doubled.
///
/// All choices follow from the seed, but the timing of threads and processes does not.
final class ProcessHistory {
  static let uid = "ann"

  /// A device with its folder. A restarted one opens it again.
  private final class Device {
    let name: String
    let root: String
    var writer: RandomWriter
    var environment: ServiceEnvironment?
    var client: SyncClient?

    init(_ name: String, root: String, seed: UInt64) {
      (self.name, self.root) = (name, root)
      writer = RandomWriter(uid: ProcessHistory.uid, device: name, seed: seed)
    }
  }

  private let folder: TemporaryFolder
  private let serverRoot: String
  private var server: RunningServer
  private let proxy: FaultyProxy
  private let token: String
  private let devices: [Device]
  private var chance: Chance
  private var ledger = Ledger()
  private(set) var violations: [String] = []
  /// The numbers of times the server was killed, of failed runs, and of all runs.
  private(set) var counts: (kills: Int, failures: Int, runs: Int) = (0, 0, 0)

  /// The number of faults of each kind that have occurred.
  var faults: [FaultyProxy.Fault.Kind: Int] { proxy.happened }

  init(seed: UInt64) throws {
    chance = Chance(seed: seed)
    folder = try TemporaryFolder(inMemory: true)
    serverRoot = folder.file("server").path
    _ = try Program.run("pkd", ["store", "init", "--root", serverRoot])
    // Pages of a single change would soon exceed the rate.
    server = try RunningServer(["--change-rate", "0"], root: serverRoot)
    proxy = try FaultyProxy(target: server.port)
    token = try Program.run("pkd", ["token", "--uid", Self.uid, "--root", serverRoot]).text
      .trimmingCharacters(in: .whitespacesAndNewlines)
    var devices: [Device] = []
    for index in 0..<chance.whole(2...3) {
      let name = "device\(index)"
      devices.append(Device(name, root: folder.file(name).path, seed: chance.seed()))
    }
    self.devices = devices
    connect()
  }

  private func connect() {
    let process = server.identifier
    proxy.connect(to: server.port) { kill(process, SIGKILL) }
  }

  private func restartServer() throws {
    counts.kills += 1
    server.kill()
    server = try RunningServer(["--change-rate", "0"], root: serverRoot)
    connect()
  }

  // MARK: - Devices

  private func environment(_ device: Device) throws -> ServiceEnvironment {
    if let environment = device.environment { return environment }
    if !LocalService.exists(device.root) {
      _ = try LocalService.open(.journal, device.root, for: .creating)
    }
    try LocalService.becomeDevice(device.root)
    let environment = try LocalService.open(.journal, device.root, for: .writing)
    device.environment = environment
    return environment
  }

  private func client(_ device: Device) throws -> SyncClient {
    if let client = device.client { return client }
    let token = token
    let peer = try ServerPeer(
      .journal, "http://127.0.0.1:\(proxy.port)", of: Self.uid,
      WebConnection.Options(silenceSeconds: 20)
    ) { token }
    var settings = SyncSettings()
    settings.pageSize = chance.pick([1, 3, 50]) ?? 50
    settings.threads = 2
    let client = try SyncClient(
      environment(device), of: Self.uid, with: peer, at: "server", settings
    ) { try DrawingFile.merging(base: $0, ours: $1, theirs: $2) }
    device.client = client
    return client
  }

  // MARK: - Running

  /// Runs the random steps, then ends all faults, synchronizes all devices, and checks the
  /// contents.
  func run(steps: Int) throws {
    for _ in 0..<steps { try step() }
    proxy.plan([])
    proxy.mode = .passing
    try restartServer()
    try settle()
    try check()
  }

  private func step() throws {
    guard let device = chance.pick(devices) else { return }
    switch chance.whole(0...19) {
    case 0...9: try device.writer.write(to: environment(device), &ledger)
    case 10...13: try synchronize([device], writes: 0)
    case 14: try synchronize([device], writes: chance.whole(1...3))
    case 15, 16: try synchronize(devices, writes: 0)
    case 17: (device.environment, device.client) = (nil, nil)
    case 18: try restartServer()
    default: proxy.mode = chance.isLucky(0.3) ? .refusing : .passing
    }
  }

  /// Synchronizes devices at the same time, while the first one is written to.
  private func synchronize(_ devices: [Device], writes: Int) throws {
    proxy.plan((0..<chance.whole(0...3)).map { _ in fault() })
    let clients = try devices.map { try client($0) }
    let first = devices[0]
    let environment = try environment(first)
    let outcome = ConditionMutex<(failures: Int, error: (any Error)?)>((0, nil))
    Lanes.run(clients.count + (writes > 0 ? 1 : 0)) { lane in
      do {
        if lane < clients.count {
          _ = try clients[lane].run()
        } else {
          for _ in 0..<writes { try first.writer.write(to: environment, &ledger) }
        }
      } catch {
        outcome.withLock { outcome in
          outcome.failures += 1
          let kind = (error as? SyncProblem)?.kind
          if kind != .offline, kind != .busy { outcome.error = error }
        }
      }
    }
    let (failures, error) = outcome.withLock { $0 }
    counts.failures += failures
    counts.runs += clients.count
    if let error { throw error }
    if !server.isRunning || chance.isLucky(0.05) { try restartServer() }
  }

  private func fault() -> FaultyProxy.Fault {
    let kind = chance.pick(FaultyProxy.Fault.Kind.allCases) ?? .refusal
    // Requests and answers are short or long, so that faults hit all lengths.
    let longest = chance.pick([100, 1000, 10_000]) ?? 1000
    return FaultyProxy.Fault(
      kind: kind, byte: chance.whole(0...longest), isReset: chance.isLucky(0.5))
  }

  // MARK: - The end

  /// Synchronizes all devices until nothing is left to send.
  private func settle() throws {
    var idleRounds = 0
    var last: [String] = []
    for _ in 0..<40 where idleRounds < 2 {
      var isIdle = true
      last = []
      for device in devices {
        let client = try client(device)
        try client.retryHeld()
        do {
          let count = try client.run()
          isIdle = isIdle && count == SyncCount()
          let held = try client.status().held.map { "\($0.name) \($0.code)" }
          last.append("\(device.name) \(count), held: \(held)")
        } catch {
          violations.append("\(device.name) cannot synchronize: \(error)")
        }
        isIdle = try isIdle && client.status().held.isEmpty
      }
      idleRounds = isIdle ? idleRounds + 1 : 0
    }
    if idleRounds < 2 { violations.append("the devices come to no end: \(last)") }
  }

  private func check() throws {
    server.kill()
    let there = try LocalService.open(.journal, serverRoot, for: .reading)
    let live = try documents(there)
    for device in devices {
      (device.client, device.environment) = (nil, nil)
      let environment = try LocalService.open(.journal, device.root, for: .reading)
      let here = try documents(environment)
      for name in Set(here.keys).union(live.keys) where !isSame(here[name], live[name], name) {
        violations.append("\(device.name) and the server disagree about \(name)")
      }
      for name in here.keys where name.kind == .drawings {
        let bytes = try environment.recording(of: name.id, Self.uid)
        if try bytes != there.recording(of: name.id, Self.uid) {
          violations.append("\(device.name) has another recording of \(name)")
        }
        if here[name]?["recordingSHA256"]?.textValue != bytes.map({ SyncService.hash(of: $0) }) {
          violations.append("\(name) has another recording than its document says")
        }
      }
    }
    violations += try ledger.violations(in: live) { try there.recording(of: $0, Self.uid) }
    for root in devices.map(\.root) + [serverRoot] { try verify(root) }
  }

  private func documents(_ environment: ServiceEnvironment) throws -> [SyncName: Fields] {
    try environment.contents(of: Self.uid).compactMapValues { content in
      if case .document(let fields) = content { fields } else { nil }
    }
  }

  private func isSame(_ a: Fields?, _ b: Fields?, _ name: SyncName) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return SyncOrder(of: a, in: name.kind) == SyncOrder(of: b, in: name.kind)
      && a["recordingSHA256"] == b["recordingSHA256"] && a["updatedAt"] == b["updatedAt"]
  }

  /// Verifies every byte. A killed server may leave files without a document, which a sweep deletes
  /// later.
  private func verify(_ root: String) throws {
    let result = try Program.run("pkd", ["store", "verify", "--root", root])
    let findings = result.text.split(separator: "\n").filter { $0.hasPrefix("users/") }
    for finding in findings where !finding.hasSuffix("its document is missing") {
      violations.append("\(root): \(finding)")
    }
    if result.code != 0, findings.isEmpty { violations.append("\(root): \(result.errors)") }
  }
}
