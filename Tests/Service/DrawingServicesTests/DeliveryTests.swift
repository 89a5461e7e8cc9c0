import Calendar
import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Delivery of events while clocks are changed and rows are damaged.
struct DeliveryTests {
  private let fixture = ServiceFixture()
  private let start = ServiceFixture.start
  private var outbox: Outbox { Outbox(fixture.environment) }

  private func add(_ count: Int, to environment: ServiceEnvironment? = nil) throws {
    for index in 0..<count {
      try (environment ?? fixture.environment).documents.change(at: fixture.clock.now) {
        try Outbox.add("e\(padded(index, 3))", kind: "test", uid: "ann", payload: [:], in: $0)
      }
    }
  }

  @Test(arguments: [-86_400, -3600, -1, 0, 3600, 30 * 86_400])
  func `each event is delivered once in a run, whatever the clock does`(_ step: Int64) throws {
    try add(150)
    var delivered: [String: Int] = [:]
    let result = try outbox.deliver { event in
      delivered[event.id, default: 0] += 1
      // The clock is changed once, or before every call.
      if step < -1 ? delivered.count == 1 : true { fixture.clock.now = fixture.clock.now + step }
      return event.id.hasSuffix("0")
    } isStopped: {
      delivered.values.reduce(0, +) > 1000
    }
    #expect(delivered.count == 150 && delivered.values.allSatisfy { $0 == 1 })
    #expect(result == (15, 135))
  }

  @Test func `an event stored by a clock that was ahead is delivered when the clock is correct`()
    throws
  {
    fixture.clock.now = start + 400 * 86_400
    try add(1)
    fixture.clock.now = start
    #expect(try outbox.due().map(\.id) == ["e000"])
    #expect(try outbox.deliver { _ in false } == (0, 1))
    // From here on the event waits like others.
    #expect(try outbox.due().isEmpty && outbox.deliver { _ in true } == (0, 0))
    fixture.clock.now = start + 60
    #expect(try outbox.deliver { _ in true } == (1, 0))
  }

  @Test func `no clock makes an event wait longer than six hours`() throws {
    try add(1)
    for _ in 0..<12 {
      #expect(try outbox.deliver { _ in false } == (0, 1))
      fixture.clock.now = fixture.clock.now + 21_600
    }
    for step in [-86_400, -21_601, 86_400, 400 * 86_400] as [Int64] {
      fixture.clock.now = fixture.clock.now + step
      let set = fixture.clock.now
      #expect(try outbox.due().count == 1, "\(step)")
      #expect(try outbox.deliver { _ in false } == (0, 1))
      fixture.clock.now = set + 21_600
    }
    // If the clock is set back a little, a new event waits longer by that time.
    try add(2)
    #expect(try outbox.deliver { _ in false } == (0, 2))
    fixture.clock.now = fixture.clock.now + -3600
    #expect(try outbox.due().map(\.id) == ["e000"])
    fixture.clock.now = fixture.clock.now + 3660
    #expect(try outbox.due().map(\.id) == ["e001"])
  }

  @Test func `a damaged event is reported, and the others are delivered`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("service").path
    try add(3, to: try LocalService.open(.journal, root))
    do {
      let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
      try connection.run("UPDATE documents SET created = created + 1 WHERE id = 'e001'")
    }
    let service = try LocalService.open(.journal, root)
    var (delivered, unreadable): ([String], [String]) = ([], [])
    for isDelivered in [false, true] {
      let clock = start + (isDelivered ? 60 : 0)
      let environment = ServiceEnvironment(
        .journal, documents: service.documents, blobs: service.blobs, now: { clock },
        newID: { LocalService.randomName() })
      let result = try Outbox(environment).deliver { event in
        delivered.append(event.id)
        return isDelivered
      } unreadable: { path, _ in
        unreadable.append(path)
      }
      #expect(result == (isDelivered ? (2, 0) : (0, 2)))
    }
    #expect(delivered == ["e000", "e002", "e000", "e002"])
    #expect(unreadable == ["outbox/e001", "outbox/e001"])
  }

  @Test func `an event that is damaged during a delivery is reported`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("service").path
    let service = try LocalService.open(.journal, root)
    try add(3, to: service)
    var (delivered, unreadable): ([String], [String]) = ([], [])
    let result = try Outbox(service).deliver { event in
      delivered.append(event.id)
      if delivered.count == 1 {
        let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
        try connection.run("UPDATE documents SET created = created + 1 WHERE id = 'e001'")
      }
      return true
    } unreadable: { path, _ in
      unreadable.append(path)
    }
    #expect(result == (2, 0))
    #expect(delivered == ["e000", "e002"])
    #expect(unreadable == ["outbox/e001"])
  }

  @Test func `several programs divide the events, and each is delivered once`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("root").path
    try add(200, to: try LocalService.open(.journal, root))
    let delivered = ConditionMutex<[String: Int]>([:])
    let sums = ConditionMutex((delivered: 0, lanes: 0))
    // Each with its own store, like separate programs.
    let services = try (0..<4).map { _ in try LocalService.open(.journal, root, for: .writing) }
    Lanes.run(4) { lane in
      do {
        let result = try Outbox(services[lane]).deliver { event in
          delivered.withLock { $0[event.id, default: 0] += 1 }
          usleep(500)
          return true
        }
        sums.withLock {
          $0 = ($0.delivered + result.delivered, $0.lanes + (result.delivered > 0 ? 1 : 0))
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    delivered.withLock { #expect($0.count == 200 && $0.values.allSatisfy { $0 == 1 }) }
    sums.withLock { #expect($0.delivered == 200 && $0.lanes > 1) }
    #expect(try Outbox(services[0]).count() == 0)
  }

  @Test func `an event that another program is delivering is left to it`() throws {
    try add(3)
    let claimed = try fixture.environment.claims.withLock("outbox/e001") {
      try outbox.deliver { _ in true }
    }
    #expect(claimed == (2, 0))
    #expect(try outbox.count() == 1)
    #expect(try outbox.deliver { _ in true } == (1, 0))
  }

  @Test func `a stopped run delivers no more events`() throws {
    try add(5)
    var delivered = 0
    let result = try outbox.deliver { _ in
      delivered += 1
      return true
    } isStopped: {
      delivered == 2
    }
    #expect(result == (2, 0))
    #expect(try outbox.count() == 3)
  }
}
