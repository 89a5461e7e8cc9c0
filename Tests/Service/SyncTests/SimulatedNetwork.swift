import DrawingServices
import Journal
import Storage
import TestSupport

@testable import Sync

/// The faults of a simulation; their occurrences are counted.
enum Fault: String, CaseIterable {
  case lostRequest, lostAnswer, doubledRequest, lateRequest, cutAnswer, partition
  case answer413, answer429, answer500, answer401
  case serverCrash, deviceCrash, wrongClock
}

/// A connection between a device and the server on which all faults can occur.
final class FaultyPeer: SyncPeer {
  private let world: World
  private let server: Machine
  private let uid: String
  /// The probability of a fault of each request.
  var faultShare = 0.0
  var isCut = false
  /// Delayed requests.
  private var late: [SyncRequest] = []
  var counts: [Fault: Int] = [:]
  /// The largest request that the server accepts; larger ones get 413.
  var largestRequest = Int.max
  /// Changes messages: a planted fault.
  var alterRequest: (inout SyncRequest) -> Void = { _ in }
  var alterResponse: (SyncRequest, inout SyncResponse) -> Void = { _, _ in }

  init(_ world: World, _ server: Machine, _ uid: String) {
    (self.world, self.server, self.uid) = (world, server, uid)
  }

  private func note(_ fault: Fault) { counts[fault, default: 0] += 1 }

  func exchange(_ given: SyncRequest) throws(SyncProblem) -> SyncResponse {
    if isCut {
      note(.partition)
      throw SyncProblem(.offline, "the network is cut")
    }
    var request = given
    alterRequest(&request)
    let fault = world.random.isLucky(faultShare) ? world.random.whole(0...10) : 99
    // A delayed request arrives now.
    if !late.isEmpty, world.random.isLucky(0.5) {
      let old = late.removeFirst()
      _ = try? answer(old)
    }
    switch fault {
    case 0:
      note(.lostRequest)
      throw SyncProblem(.offline, "the request was lost")
    case 1:
      note(.lateRequest)
      late.append(request)
      throw SyncProblem(.offline, "the request is late")
    case 2:
      note(.doubledRequest)
      _ = try answer(request)
    case 3:
      note(.answer429)
      throw SyncProblem(.busy, "429", waitSeconds: 1)
    case 4:
      note(.answer500)
      throw SyncProblem(.busy, "500")
    case 5:
      note(.answer401)
      throw SyncProblem(.signIn, "401")
    case 6:
      note(.serverCrash)
      server.power.writesLeft = world.random.whole(0...6)
      server.power.makesLast = world.random.isLucky(0.5)
      defer { server.power.restart() }
      let response = try answer(request)
      return response
    default: break
    }
    if request.changes.count > 1, fault == 7 || request.changes.count > largestRequest {
      note(.answer413)
      throw SyncProblem(.tooLarge, "413")
    }
    var response = try answer(request)
    alterResponse(request, &response)
    if fault == 8 {
      note(.lostAnswer)
      throw SyncProblem(.offline, "the answer was lost")
    }
    if fault == 9 {
      note(.cutAnswer)
      throw SyncProblem(.offline, "the connection was lost in the answer")
    }
    return response
  }

  func upload(
    _ bytes: [UInt8], of sha256: String, at offset: Int
  ) throws(SyncProblem) -> Int {
    if isCut { throw SyncProblem(.offline, "the network is cut") }
    if world.random.isLucky(faultShare) {
      note(.lostRequest)
      throw SyncProblem(.offline, "a piece was lost")
    }
    return try FolderPeer(server.environment, as: .user(uid), of: uid)
      .upload(bytes, of: sha256, at: offset)
  }

  /// The server's answer. Messages are encoded to bytes and decoded.
  private func answer(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse {
    do {
      let received = try SyncRequest(Fields(bytes: request.fields().bytes), in: .journal)
      let response = try FolderPeer(server.environment, as: .user(uid), of: uid).exchange(received)
      return try SyncResponse(Fields(bytes: response.fields().bytes), in: .journal)
    } catch let error as SyncProblem {
      throw error
    } catch {
      throw SyncProblem(.unexpected, "\(error)")
    }
  }
}
