import DrawingServices
import Journal
import Foundation
import Storage
import Sync
import TestSupport
import Testing
import WebClient

/// Typical use of several devices and a server. Each step is a separate process.
struct SyncProcedureTests {
  private let places: SyncPlaces
  private let a: SyncDevice
  private let b: SyncDevice

  init() throws {
    places = try SyncPlaces()
    (a, b) = (places.device("a"), places.device("b"))
  }

  /// Waits until a condition is true, or until a time limit.
  private func wait(_ isSo: () throws -> Bool) throws -> Bool {
    let end = Date().addingTimeInterval(30)
    while Date() < end {
      if try isSo() { return true }
      Thread.sleep(forTimeInterval: 0.02)
    }
    return false
  }

  @Test func `an entry of a device reaches the server, and the status shows it`() throws {
    try a.add("e1", "--note", "a walk")
    #expect(try a.status().hasPrefix("1 waiting, never synchronized"))
    #expect(try places.stored.names() == [])
    #expect(try a.sync().text == "sent 1\n")
    #expect(try a.status().hasPrefix("nothing waiting, last success 2"))
    #expect(try places.stored.note(of: "e1") == "a walk")
    #expect(try a.contents()[SyncName(.moodEntries, "e1")]?["moodType"] == "happy")
    // Only this device has a field that says that it was sent.
    #expect(try places.stored.contents() == a.contents())
  }

  @Test func `entries written while the server is away are sent when it is back`() throws {
    try a.synchronize()
    places.stopServer()
    for id in ["e1", "e2", "e3"] { try a.add(id) }
    let failed = try a.sync()
    #expect(failed.code == 1)
    #expect(failed.errors.contains("offline"), "\(failed.errors)")
    #expect(try a.status().hasPrefix("3 waiting, last success"))
    #expect(try a.status().contains("offline"))
    #expect(try a.object("--status")["problem"] as? String == "offline")
    try places.startServer()
    try a.synchronize()
    #expect(try places.stored.names() == ["e1", "e2", "e3"].map { "moodEntries/\($0)" })
    #expect(try a.status().hasPrefix("nothing waiting"))
  }

  @Test func `a device that watches sends and takes changes, also after the server was away`()
    throws
  {
    let watch = try RunningCommand(
      ["sync", "--root", b.root, "--uid", SyncPlaces.uid, "--remote", places.url, "--watch"],
      environment: ["PENTIMENTO_TOKEN": places.token])
    defer { watch.end() }
    try a.add("e1")
    try a.synchronize()
    #expect(try wait { try LocalService.exists(b.root) && b.names() == ["moodEntries/e1"] })
    places.stopServer()
    for id in ["e2", "e3", "e4"] { try b.add(id) }
    try places.startServer()
    #expect(try wait { try places.stored.names().count == 4 })
    try b.add("e5")
    #expect(try wait { try places.stored.names().count == 5 })
    #expect(watch.isRunning)
    // No other process may synchronize the same device with the same target at the same time.
    let second = try b.sync()
    #expect(second.code == 1)
    #expect(second.errors.contains("already being synchronized"), "\(second.errors)")
  }

  @Test func `entries of two devices arrive on both`() throws {
    let moment = ["--date", "2026-11-20T08:00:00Z"]
    for (device, name) in [(a, "a"), (b, "b")] {
      try device.add("entry-\(name)", moment[0], moment[1], "--updated", moment[1])
      try device.store("checkin", "add", "--id", "checkin-\(name)", "--emotion", "joy")
      try device.submit("drawing-\(name)", name == "a" ? "mood" : "erased")
    }
    for device in [a, b, a] { try device.synchronize() }
    let contents = try a.contents()
    #expect(contents.count == 6)
    for place in [b, places.stored] {
      #expect(try place.contents() == contents)
      for drawing in ["drawing-a", "drawing-b"] {
        #expect(try place.recording(of: drawing) == a.recording(of: drawing))
      }
    }
    for place in [a, b, places.stored] { try place.verify() }
    // Entries of the same moment are two entries.
    #expect(try b.store("mood", "list").text.split(separator: "\n").count == 2)
    #expect(try b.store("get", "drawing-a", "--file", "image").output.count > 100)
  }

  @Test func `one command fetches all later entries, one request finds none`()
    throws
  {
    try a.add("e1")
    try a.synchronize()
    try b.synchronize()
    try a.add("e2")
    try a.synchronize()
    let told = try b.object()
    #expect(told["event"] as? String == "multi_device_sync")
    #expect(told["entries_downloaded"] as? Int == 1)
    #expect(try b.names() == ["moodEntries/e1", "moodEntries/e2"])

    let before = try requestCount()
    let idle = try b.object()
    #expect(try requestCount() == before + 1)
    #expect(idle["entries_downloaded"] as? Int == 0)
    #expect(idle["bytes_sent"] as? Int ?? .max < 1000)
    #expect(idle["bytes_received"] as? Int ?? .max < 1000)
  }

  /// The number of sync requests that the server has answered.
  private func requestCount() throws -> Int {
    let answer = try WebConnection(places.url).request(.get, "/metrics", limit: 1 << 20)
    let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
    return lines.filter {
      $0.hasPrefix("pentimento_requests_total{") && $0.contains("/v1/users/{uid}/sync\"")
    }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
  }

  @Test(arguments: [1, 3])
  func `a large file of which a piece arrived wrong is sent again`(_ count: Int) throws {
    var chance = Chance(seed: 8)
    let large = try SmallInk.bytes([chance.noise(points: 110_000, within: 100)])
    let file = places.folder.file("large.pkd")
    try Data(large).write(to: file)
    try a.store("submit", file.path, "--id", "large")
    // All bytes have arrived, or one piece, but one byte is wrong.
    var wrong = large
    wrong[wrong.count / 2] ^= 1
    let environment = try places.stored.environment(for: .writing)
    let staged = StagedFiles(environment, of: SyncPlaces.uid)
    let size = (large.count + count - 1) / count
    for start in stride(from: 0, to: large.count, by: size) {
      let piece = Array(wrong[start..<min(start + size, large.count)])
      try staged.add(piece, to: ContentHash.of(large), at: start)
    }
    #expect(try staged.count(ContentHash.of(large)) == large.count)
    #expect(try a.object()["entries_uploaded"] as? Int == 1)
    #expect(try places.stored.recording(of: "large") == large)
    #expect(try staged.count(ContentHash.of(large)) == 0)
  }

  @Test func `many entries and large drawings arrive complete, and nothing twice`() throws {
    try a.store("init")
    let environment = try a.environment(for: .writing)
    let service = CollectionService(.moodEntries, in: environment, as: .operator)
    for number in 0..<300 {
      try service.create(
        [
          "moodType": "calm", "note": .text("number \(number)"),
          "timestamp": .moment(environment.now()),
        ], of: SyncPlaces.uid, id: "e\(number)")
    }
    var chance = Chance(seed: 7)
    let large = try SmallInk.bytes([chance.noise(points: 110_000, within: 100)])
    #expect(large.count > 2 << 20 && large.count < 9 << 20)
    let file = places.folder.file("large.pkd")
    try Data(large).write(to: file)
    try a.store("submit", file.path, "--id", "large")
    for number in 0..<5 { try a.submit("d\(number)") }

    let sent = try a.object()
    #expect(sent["entries_uploaded"] as? Int == 306)
    #expect(sent["bytes_sent"] as? Int ?? 0 > large.count)
    #expect(sent["bytes_sent"] as? Int ?? .max < large.count + 400_000)
    #expect(try b.object()["entries_downloaded"] as? Int == 306)
    for place in [b, places.stored] {
      #expect(try place.contents() == a.contents())
      #expect(try place.recording(of: "large") == large)
      #expect(try place.store("list").text == a.store("list").text)
    }
    for place in [a, b, places.stored] { try place.verify() }
    for device in [a, b] {
      let again = try device.object()
      #expect(again["event"] as? String == "finished")
      #expect(again["entries_uploaded"] as? Int == 0)
    }
  }
}
