import DrawingServices
import Journal
import Foundation
import Storage
import Sync
import TestSupport
import Testing

/// Sync targets other than one healthy server, and their refusals.
struct SyncPlaceTests {
  private let places: SyncPlaces
  private let a: SyncDevice
  private let b: SyncDevice

  init() throws {
    places = try SyncPlaces()
    (a, b) = (places.device("a"), places.device("b"))
  }

  @Test func `syncing over a shared folder and a server loses nothing`()
    throws
  {
    let shared = SyncDevice(places: places, root: places.folder.file("shared").path)
    // A missing folder may be a stick that is not plugged in, so sync does not create it.
    let refused = try a.run(["sync", "--remote", shared.root])
    #expect(refused.code == 2 && refused.errors.contains("no service"))
    #expect(try Program.run("pkd", ["store", "init", "--root", shared.root]).code == 0)
    for (device, name) in [(a, "a"), (b, "b")] {
      try device.add("entry-\(name)")
      try device.submit("drawing-\(name)")
      try device.synchronize(with: shared.root)
    }
    try a.synchronize(with: shared.root)
    #expect(try a.contents() == b.contents())
    // One of them also has a server; ink and deletions pass through it in both directions.
    let c = places.device("c")
    try b.synchronize()
    try c.synchronize()
    #expect(try c.names() == a.names())
    let drawn = try c.draw(on: "drawing-a", strokes: 2, seed: 5)
      .union(a.draw(on: "drawing-a", strokes: 2, seed: 6))
    try c.store("mood", "delete", "entry-a")
    try a.add("late")
    try c.synchronize()
    try a.synchronize(with: shared.root)
    for _ in 0..<2 {
      try b.synchronize()
      try b.synchronize(with: shared.root)
    }
    try a.synchronize(with: shared.root)
    try c.synchronize()
    let contents = try a.contents()
    #expect(
      try a.names() == [
        "drawings/drawing-a", "drawings/drawing-b", "moodEntries/entry-b", "moodEntries/late",
      ])
    let bytes = try a.recording(of: "drawing-a")
    #expect(Set(try SmallInk.names(bytes)).isSuperset(of: drawn))
    for place in [b, c, shared, places.stored] {
      #expect(try place.contents() == contents)
      #expect(try place.recording(of: "drawing-a") == bytes)
    }
  }

  @Test func `an entry that the server refuses does not delay others`() throws {
    try a.add("before")
    try a.synchronize()
    // Stored by a program without these rules.
    let environment = try a.environment(for: .writing)
    let path = try SyncName(.moodEntries, "bad").path(of: SyncPlaces.uid)
    try environment.documents.change(at: environment.now()) { transaction in
      _ = try transaction.set(
        path,
        [
          "moodType": 5, "timestamp": .moment(environment.now()),
          "createdAt": .moment(environment.now()), "updatedAt": .moment(environment.now()),
        ])
    }
    try a.add("after")
    let result = try a.sync()
    #expect(result.code == 65)
    #expect(result.errors.contains("moodEntries/bad is held"), "\(result.errors)")
    #expect(try places.stored.names() == ["moodEntries/after", "moodEntries/before"])
    #expect(try a.status().contains("nothing waiting, 1 held"))
    #expect(try a.status().contains("moodEntries/bad: "))
    // It stays on the device, the others are sent, and so is a corrected one.
    try a.add("later")
    #expect(try a.sync().code == 65)
    #expect(try places.stored.names().count == 3)
    try a.store("mood", "update", "bad", "--mood", "happy")
    try a.synchronize()
    #expect(try places.stored.names().count == 4)
    #expect(try !a.status().contains("held"))
  }

  @Test func `sync without a valid token sends nothing and says why`() throws {
    try a.add("e1")
    for token in ["wrong", "", places.token + "x"] {
      let result = try Program.run(
        "pkd", ["sync", "--root", a.root, "--uid", SyncPlaces.uid, "--remote", places.url],
        environment: ["PENTIMENTO_TOKEN": token])
      #expect(result.code == 77, "'\(token)'")
      #expect(result.errors.contains("oken"), "'\(token)': \(result.errors)")
    }
    // Nor with the token of another user.
    let other = try Program.run("pkd", ["token", "--uid", "bob", "--root", places.serverRoot])
    let result = try Program.run(
      "pkd", ["sync", "--root", a.root, "--uid", SyncPlaces.uid, "--remote", places.url],
      environment: ["PENTIMENTO_TOKEN": other.text.trimmingCharacters(in: .whitespacesAndNewlines)])
    #expect(result.code == 77)
    #expect(try places.stored.names() == [])
    #expect(try a.status().hasPrefix("1 waiting"))
    try a.synchronize()
    #expect(try places.stored.names() == ["moodEntries/e1"])
  }

  @Test(arguments: [
    "http://ink.example", "http://127.0.0.1.evil.example", "ftp://ink.example",
    "https://ann@ink.example",
  ])
  func `a token is never sent unencrypted to another machine`(_ address: String) throws {
    let result = try a.sync(with: address)
    #expect(result.code == 1)
    #expect(result.errors.contains("https://") || result.errors.contains("user name"))
  }

  @Test func `a restored server gets its lost documents again`() throws {
    try a.add("e1")
    try a.submit("d1")
    for device in [a, b] { try device.synchronize() }
    let archive = places.folder.file("server.tar").path
    try places.stored.store("backup", "-o", archive)
    // After the backup: new entries, a change and a deletion.
    try a.add("e2")
    try a.submit("d2")
    let drawn = try a.draw(on: "d1", strokes: 2, seed: 9)
    let erased = try a.erase(from: "d1")
    try a.store("mood", "delete", "e1")
    try a.synchronize()
    try b.synchronize()
    let expected = try a.contents()

    let restored = SyncDevice(places: places, root: places.folder.file("restored").path)
    let result = try Program.run("pkd", ["store", "restore", archive, "--root", restored.root])
    #expect(result.code == 0, "\(result.errors)")
    try places.startServer(root: restored.root)
    try b.add("e3")
    for device in [b, a, b] { try device.synchronize() }
    #expect(try a.names() == ["drawings/d1", "drawings/d2", "moodEntries/e2", "moodEntries/e3"])
    for (name, fields) in expected { #expect(try a.contents()[name] == fields, "\(name)") }
    for place in [b, restored] {
      #expect(try place.contents() == a.contents())
      let names = try SmallInk.names(place.recording(of: "d1"))
      #expect(drawn.isSubset(of: names) && !names.contains(erased))
      try place.verify()
    }
    for device in [a, b] { #expect(try device.status().hasPrefix("nothing waiting, last success")) }
  }

  @Test func `a restored device gets its lost documents again and sends new ones`() throws {
    try a.add("e1")
    try a.submit("d1")
    for device in [a, b] { try device.synchronize() }
    let archive = places.folder.file("a.tar").path
    try a.store("backup", "-o", archive)
    try a.add("e2")
    try a.store("mood", "update", "e1", "--note", "later")
    let drawn = try a.draw(on: "d1", strokes: 2, seed: 9)
    try a.synchronize()

    let restored = places.device("again")
    let result = try Program.run("pkd", ["store", "restore", archive, "--root", restored.root])
    #expect(result.code == 0, "\(result.errors)")
    try restored.add("e3")
    let new = try restored.draw(on: "d1", strokes: 1, seed: 10)
    // Lost documents are not taken for second versions of the existing ones.
    for device in [restored, b, restored] { try device.synchronize("--conflicts", "keep-both") }
    #expect(
      try restored.names() == [
        "drawings/d1", "moodEntries/e1", "moodEntries/e2", "moodEntries/e3",
      ])
    #expect(try restored.note(of: "e1") == "later")
    for place in [restored, b, places.stored] {
      #expect(try place.contents() == restored.contents())
      let names = try SmallInk.names(place.recording(of: "d1"))
      #expect(Set(names).isSuperset(of: drawn.union(new)))
      #expect(Set(names).count == names.count)
      try place.verify()
    }
  }
}
