import DrawingServices
import Foundation
import Storage
import Sync
import TestSupport
import Testing

/// The same document changed on two devices.
struct SyncConflictTests {
  private let places: SyncPlaces
  private let a: SyncDevice
  private let b: SyncDevice

  init() throws {
    places = try SyncPlaces()
    (a, b) = (places.device("a"), places.device("b"))
    try a.add("x", "--note", "first")
    try a.synchronize()
    try b.synchronize()
  }

  private func changeOnBoth() throws {
    try a.store("mood", "update", "x", "--note", "of a")
    try b.store("mood", "update", "x", "--note", "of b")
  }

  @Test(arguments: [true, false])
  func `the later change wins on both devices, whoever synchronizes first`(_ isAFirst: Bool) throws
  {
    try changeOnBoth()
    for device in isAFirst ? [a, b, a] : [b, a, b] { try device.synchronize() }
    for place in [a, b, places.stored] {
      #expect(try place.note(of: "x") == "of b")
      #expect(try place.names().count == 1)
    }
  }

  @Test(arguments: [true, false])
  func `a conflict with keep-both gives two entries on both devices`(_ isAFirst: Bool) throws {
    try changeOnBoth()
    for device in isAFirst ? [a, b, a] : [b, a, b] {
      try device.synchronize("--conflicts", "keep-both")
    }
    let contents = try a.contents()
    #expect(Set(contents.values.compactMap { $0["note"]?.textValue }) == ["of a", "of b"])
    #expect(contents.count == 2)
    #expect(try a.note(of: "x") == "of b")
    for place in [b, places.stored] { #expect(try place.contents() == contents) }
  }

  @Test(arguments: ["local", "remote", "both"])
  func `a conflict with ask waits for a decision`(_ choice: String) throws {
    try changeOnBoth()
    try a.synchronize("--conflicts", "ask")
    try b.synchronize("--conflicts", "ask")
    #expect(try b.status().contains("decide with --decide moodEntries/x --keep local|remote|both"))
    #expect(try b.note(of: "x") == "of b")
    #expect(try places.stored.note(of: "x") == "of a")
    // Until then the entry does not change, and others are synchronized.
    try b.add("y")
    try b.synchronize("--conflicts", "ask")
    #expect(try places.stored.names() == ["moodEntries/x", "moodEntries/y"])

    #expect(try b.sync("--decide", "moodEntries/x", "--keep", choice).code == 0)
    #expect(try b.sync("--decide", "moodEntries/x", "--keep", choice).code == 1)
    for device in [b, a] { try device.synchronize("--conflicts", "ask") }
    #expect(try !b.status().contains("held"))
    let contents = try b.contents()
    #expect(contents.count == (choice == "both" ? 3 : 2))
    let notes = Set(contents.values.compactMap { $0["note"]?.textValue })
    #expect(notes == ["local": ["of b"], "remote": ["of a"], "both": ["of a", "of b"]][choice])
    for place in [a, places.stored] { #expect(try place.contents() == contents) }
  }

  @Test func `strokes of two devices on one drawing are merged on both`() throws {
    try a.submit("d", "erased")
    for device in [a, b] { try device.synchronize() }
    let before = Set(try SmallInk.names(a.recording(of: "d")))
    let drawn = try a.draw(on: "d", strokes: 3, seed: 1).union(b.draw(on: "d", strokes: 2, seed: 2))
    #expect(drawn.count == 5)
    for device in [a, b, a] { try device.synchronize() }
    let bytes = try a.recording(of: "d")
    let names = try SmallInk.names(bytes)
    #expect(Set(names) == before.union(drawn))
    #expect(names.count == Set(names).count)
    for place in [a, b, places.stored] {
      #expect(try place.recording(of: "d") == bytes)
      try place.verify()
    }
  }

  @Test func `deleting everywhere deletes only sent documents`() throws {
    try a.submit("d")
    try a.store("checkin", "add", "--id", "c", "--emotion", "joy")
    for device in [a, b] { try device.synchronize() }
    try b.add("unsent")
    let unasked = try a.sync("--delete-everywhere")
    #expect(unasked.code == 2)
    #expect(unasked.errors.contains("--yes"))
    #expect(try a.names().count == 3)
    try a.synchronize("--delete-everywhere", "--yes")
    #expect(try a.names() == [])
    #expect(try places.stored.names() == [])
    for device in [b, a] { try device.synchronize() }
    for place in [a, b, places.stored] {
      #expect(try place.names() == ["moodEntries/unsent"])
      try place.verify()
    }
  }
}
