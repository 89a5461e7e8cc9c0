import DrawingServices
import Journal
import Storage
import Strokes
import TestSupport

/// A random write of a user on a device, like an app's.
final class RandomWrite {
  let device: Machine
  let world: World
  let uid: String
  let hasDrawings: Bool
  /// Whether the machine has crashed.
  private(set) var hasCrashed = false

  init(device: Machine, world: World, uid: String, hasDrawings: Bool) {
    (self.device, self.world, self.uid, self.hasDrawings) = (device, world, uid, hasDrawings)
  }

  /// Writes, and records the write. After a crash it is uncertain.
  func run(_ ledger: inout Ledger) throws {
    let stored: [SyncName: SyncChange.Content]
    do {
      stored = try device.contents(of: uid)
    } catch {
      return
    }
    let live = stored.keys.filter { if case .document? = stored[$0] { true } else { false } }
      .sorted { "\($0)" < "\($1)" }
    let existing = world.random.pick(live)
    let choice = world.random.whole(0...9)
    if let existing, choice < 4 {
      try change(existing, &ledger)
    } else if let existing, choice == 4 {
      try delete(existing, &ledger)
    } else {
      try create(&ledger)
    }
  }

  private func create(_ ledger: inout Ledger) throws {
    switch world.random.whole(0...(hasDrawings ? 2 : 1)) {
    case 0:
      let name = SyncName(.moodEntries, world.name("\(device.name)-entry"))
      try enter(name, &ledger) {
        try CollectionService(.moodEntries, in: device.environment, as: .operator).create(
          [
            "moodType": .text(world.name("mood")), "synced": false,
            "timestamp": .moment(device.environment.now()),
          ], of: uid, id: name.id)
      }
    case 1:
      let name = SyncName(.checkIns, world.name("\(device.name)-checkin"))
      try enter(name, &ledger) {
        try CollectionService(.checkIns, in: device.environment, as: .operator).create(
          [
            "emotion": "joy", "colorHex": "", "colorIntensity": 0.5, "topic": "",
            "evaluation": "", "journal": .text(world.name("text")),
          ], of: uid, id: name.id)
      }
    default:
      let name = SyncName(.drawings, world.name("\(device.name)-drawing"))
      let stroke = SimulatedInk.stroke(&world.random, at: world.time)
      ledger.maybeAdded[name.id, default: []].insert(stroke.id)
      let isDone = try enter(name, &ledger) {
        var submission = DrawingService.Submission(recording: try SimulatedInk.bytes([stroke]))
        submission.id = name.id
        submission.rendersImageLater = true
        try DrawingService(device.environment, as: .operator).submit(submission, of: uid)
      }
      if isDone { ledger.added[name.id, default: []].insert(stroke.id) }
    }
  }

  private func change(_ name: SyncName, _ ledger: inout Ledger) throws {
    switch name.kind {
    case .moodEntries:
      try enter(name, &ledger) {
        try CollectionService(.moodEntries, in: device.environment, as: .operator)
          .update(name.id, of: uid, ["note": .text(world.name("note"))])
      }
    case .checkIns:
      try enter(name, &ledger) {
        try CollectionService(.checkIns, in: device.environment, as: .operator)
          .update(name.id, of: uid, ["journal": .text(world.name("text"))])
      }
    default:
      if world.random.isLucky(0.3) {
        try enter(name, &ledger) {
          try DrawingService(device.environment, as: .operator)
            .update(name.id, of: uid, ["promptUsed": .text(world.name("prompt"))])
        }
      } else {
        try draw(name, &ledger)
      }
    }
  }

  /// Adds a stroke, or erases one.
  private func draw(_ name: SyncName, _ ledger: inout Ledger) throws {
    guard let bytes = try device.file(DrawingFiles.recording, ofDrawing: name.id, of: uid) else {
      return
    }
    var strokes = try SimulatedInk.strokes(bytes)
    var (added, erased): (Identifier?, Identifier?)
    if strokes.count > 1, world.random.isLucky(0.35) {
      let stroke = strokes.remove(at: world.random.whole(0...strokes.count - 1))
      erased = stroke.id
    } else {
      let stroke = SimulatedInk.stroke(&world.random, at: world.time)
      added = stroke.id
      strokes.append(stroke)
      ledger.maybeAdded[name.id, default: []].insert(stroke.id)
    }
    let recording = try SimulatedInk.bytes(strokes)
    let isDone = try enter(name, &ledger) {
      _ = try DrawingService(device.environment, as: .operator)
        .revise(recording, ofDrawing: name.id, of: uid, replacing: .any)
    }
    // A revision interrupted by a crash is completed or undone; erased strokes may stay.
    if isDone {
      if let added { ledger.added[name.id, default: []].insert(added) }
      if let erased { ledger.erased[name.id, default: []].insert(erased) }
    } else if let erased {
      // It is uncertain whether the stroke exists.
      ledger.maybeAdded[name.id, default: []].insert(erased)
      ledger.added[name.id]?.remove(erased)
    }
  }

  private func delete(_ name: SyncName, _ ledger: inout Ledger) throws {
    try enter(name, &ledger) {
      try DocumentService(device.environment, as: .operator).delete(name.path(of: uid))
    }
  }

  /// Makes a write, and records the resulting contents. Returns whether it was acknowledged.
  @discardableResult
  private func enter(
    _ name: SyncName, _ ledger: inout Ledger, _ write: () throws -> Void
  ) throws -> Bool {
    var isDone = true
    do {
      try write()
    } catch {
      guard device.power.isOff else { throw error }
      isDone = false
    }
    // The cleanup after a write may also hit a crash; then the write is acknowledged.
    hasCrashed = device.power.isOff
    device.power.restart()
    guard let content = try device.contents(of: uid)[name] else { return isDone }
    let version: Ledger.Version =
      switch content {
      case .document(let fields): .document(fields)
      case .deleted(let moment): .deleted(moment)
      }
    if isDone {
      ledger.written[name, default: []].append(version)
    } else {
      ledger.perhaps[name, default: []].append(version)
    }
    return isDone
  }
}
