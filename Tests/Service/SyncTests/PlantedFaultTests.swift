import DrawingServices
import Journal
import Storage
import Testing

@testable import Sync

/// Faults in the protocol that the simulation must find, to prove that it can. Each is planted into
/// messages, into a device's sync state, or into the merging of ink.
enum PlantedFault: String, CaseIterable, CustomTestStringConvertible {
  case serverForgetsAChange, serverAnswersAreLost, cursorRunsAhead, deletionsAreNotTold
  case refusalsAreTakenForSuccess, earlierWritesWin, oldInkReplacesNew, inkIsNotSent
  case theirInkIsDropped, erasedInkComesBack, strokesAreDoubled, entriesAreDoubled
  case deviceForgetsWhatWaits, deviceForgetsWhatIsKnown

  var testDescription: String { rawValue }

  var plan: History.Plan {
    var plan = History.Plan()
    switch self {
    case .serverForgetsAChange:
      plan.plant = { request in if request.changes.count > 1 { request.changes.removeLast() } }
    case .serverAnswersAreLost:
      plan.plantAnswer = { _, response in
        if response.changes.count > 1 { response.changes.removeFirst() }
      }
    case .cursorRunsAhead: plan.plantAnswer = { _, response in response.cursor += 1 }
    case .deletionsAreNotTold:
      plan.plantAnswer = { _, response in response.changes.removeAll { $0.fields == nil } }
    case .refusalsAreTakenForSuccess:
      plan.plantAnswer = { _, response in response.results = [:] }
    case .earlierWritesWin:
      plan.plant = { request in
        for index in request.changes.indices {
          guard var fields = request.changes[index].fields,
            request.changes[index].name.kind == .moodEntries
          else { continue }
          fields["updatedAt"] = .moment(Moment(microseconds: 5))
          request.changes[index].content = .document(fields)
        }
      }
    case .oldInkReplacesNew:
      // The server is told that its recording is always an ancestor.
      plan.plantAnswer = { request, response in
        for (index, result) in response.results {
          if case .conflict(let has) = result {
            response.results[index] = .needs([DrawingFiles.recording], has: has)
          }
        }
      }
      plan.merge = { _, ours, _ in ours }
    case .inkIsNotSent:
      plan.plant = { request in
        for index in request.changes.indices { request.changes[index].ancestors = [] }
      }
    case .theirInkIsDropped: plan.merge = { _, ours, _ in ours }
    case .erasedInkComesBack:
      plan.merge = { _, ours, theirs in try SimulatedInk.merge(nil, ours, theirs) }
    case .strokesAreDoubled:
      plan.merge = { base, ours, theirs in
        let strokes = try SimulatedInk.strokes(SimulatedInk.merge(base, ours, theirs))
        return try SimulatedInk.bytes(strokes + strokes.prefix(1))
      }
    case .entriesAreDoubled:
      plan.plant = { request in
        let copies = request.changes.filter { $0.name.kind == .moodEntries }.prefix(1)
        request.changes += copies.map { change in
          SyncChange(
            SyncName(change.name.kind, change.name.id + "-again"), change.content,
            sequence: change.sequence)
        }
      }
    case .deviceForgetsWhatWaits:
      plan.plantState = { environment, _ in
        try Self.alterState(environment) { state, last in state.noteSent(upTo: last + 2) }
      }
    case .deviceForgetsWhatIsKnown:
      plan.plantState = { environment, _ in
        try Self.alterState(environment) { state, _ in state.cursor += 1 }
      }
    }
    return plan
  }

  private static func alterState(
    _ environment: ServiceEnvironment, _ body: (inout PlaceState, Int64) -> Void
  ) throws {
    let replica = try Replica(environment, as: .operator, of: History.uid)
    try replica.change { transaction in
      for document in try transaction.documents.documents(Query(replica.places)) {
        var state = PlaceState(document.fields)
        body(&state, try transaction.documents.lastSequence())
        try transaction.documents.set(document.path, state.fields)
      }
    }
  }
}

struct PlantedFaultTests {
  @Test(arguments: PlantedFault.allCases)
  func `the sync simulation finds a planted fault in the protocol`(_ fault: PlantedFault) throws {
    var isFound = false
    for seed in 0..<UInt64(400) where !isFound {
      let history = History(seed: seed, fault.plan)
      do {
        try history.run()
        isFound = !history.violations.isEmpty
      } catch {
        // It did not even terminate.
        isFound = true
      }
    }
    #expect(isFound)
  }
}
