import DrawingServices
import Foundation
import PKDFormat
import Strokes
import TestSupport
import Testing
import Threads

/// A server that is killed again and again while several pages draw in one room.
struct RoomKillTests {
  private static let drawing = "/v1/users/dev/drawings/d"

  @Test func `no acknowledged stroke is lost when the server is killed`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("store").path
    #expect(try Program.run("pkd", ["store", "init", "--root", root]).code == 0)
    let acknowledged = ConditionMutex<Set<Identifier>>([])
    var chance = Chance(seed: 54)
    let kills = RunLength.count(6, long: 500)
    for round in 0..<kills {
      let server = try RunningServer(["--dev", "--change-rate", "0"], root: root)
      if round == 0 {
        let reply = try server.send(
          "PUT", Self.drawing + "/recording.pkd", body: Recordings.sample())
        #expect(reply?.status == 201)
      }
      let seeds = (0..<3).map { _ in chance.seed() }
      let pause = UInt32(chance.number(40...400) * 1_000)
      Lanes.run(4) { lane in
        guard lane > 0 else {
          usleep(pause)
          return server.kill()
        }
        var chance = Chance(seed: seeds[lane - 1])
        let page = (0..<32).map { _ in String(chance.whole(0...15), radix: 16) }.joined()
        var number = 1
        while let (id, file) = try? Self.entry(&chance), server.isRunning {
          let body: [UInt8] = [4] + Self.number(number) + Self.number(file.count) + file
          let reply = try? server.send("POST", "\(Self.drawing)/live?page=\(page)", body: body)
          guard let reply, reply.status == 200, reply.json["last"] as? Int == number else { return }
          acknowledged.withLock { _ = $0.insert(id) }
          number += 1
        }
      }
    }
    let server = try RunningServer(["--dev"], root: root)
    #expect(try server.send("POST", Self.drawing + "/live/recording")?.status == 204)
    let reply = try #require(try server.send("GET", Self.drawing + "/recording.pkd"))
    let stored = try PKDReader(reply.body).readDrawing().value
    let lost = acknowledged.withLock { $0.subtracting(stored.strokes.map(\.id)) }
    #expect(lost.isEmpty, "\(lost.count)")
    #expect(acknowledged.withLock { $0.count } > kills)
    let problems = try Program.run("pkd", ["store", "verify", "--root", root])
    #expect(problems.code == 0, "\(problems.text)")
    if RunLength.isLong {
      print("\(kills) kills, \(acknowledged.withLock { $0.count }) acknowledged strokes")
    }
  }

  private static func entry(_ chance: inout Chance) throws -> (Identifier, [UInt8]) {
    let stroke = chance.smallStroke(at: Timestamp(secondsSince1970: 1_790_000_000))
    let time = stroke.path.creationDate
    let recording = Recording(events: [
      .init(time: time, action: .strokeBegun(stroke)),
      .init(time: time, action: .strokeEnded(stroke.id)),
    ])
    return (stroke.id, try PKDWriter.encode(recording))
  }

  private static func number(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value % 128 + 128)] + number(value / 128)
  }
}
