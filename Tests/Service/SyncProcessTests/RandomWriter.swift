import DrawingServices
import Journal
import Storage
import Strokes
import Sync
import TestSupport

/// A user who writes random data on a device, like an app.
struct RandomWriter {
  let uid: String
  let device: String
  var chance: Chance
  private var count = 0

  init(uid: String, device: String, seed: UInt64) {
    (self.uid, self.device) = (uid, device)
    chance = Chance(seed: seed)
  }

  private mutating func name(_ kind: String) -> String {
    count += 1
    return "\(device)-\(kind)-\(count)"
  }

  /// Makes one write and records it. Sync may run at the same time.
  mutating func write(to environment: ServiceEnvironment, _ ledger: inout Ledger) throws {
    let stored = try environment.contents(of: uid)
    let live = stored.keys.filter { if case .document? = stored[$0] { true } else { false } }
      .sorted { "\($0)" < "\($1)" }
    let choice = chance.whole(0...9)
    // Most writes change documents that other devices change too, mostly drawings.
    let drawings = live.filter { $0.kind == .drawings }
    let names = drawings.isEmpty || chance.isLucky(0.5) ? live : drawings
    guard let existing = chance.pick(names), choice < 8 else {
      return try create(in: environment, &ledger)
    }
    do {
      if choice == 0 {
        try delete(existing, in: environment, &ledger)
      } else {
        try change(existing, in: environment, &ledger)
      }
    } catch {
      // It was deleted or drawn on by another device a moment ago.
      if try environment.contents(of: uid)[existing] == stored[existing] { throw error }
    }
  }

  private mutating func create(
    in environment: ServiceEnvironment, _ ledger: inout Ledger
  ) throws {
    switch chance.whole(0...2) {
    case 0:
      let name = SyncName(.moodEntries, name("entry"))
      let entry = try CollectionService(.moodEntries, in: environment, as: .operator).create(
        [
          "moodType": .text("mood \(count)"), "synced": false,
          "timestamp": .moment(environment.now()),
        ], of: uid, id: name.id)
      ledger.note(name, entry.fields)
    case 1:
      let name = SyncName(.checkIns, name("checkin"))
      let checkIn = try CollectionService(.checkIns, in: environment, as: .operator).create(
        [
          "emotion": "joy", "colorHex": "", "colorIntensity": 0.5, "topic": "", "evaluation": "",
        ], of: uid, id: name.id)
      ledger.note(name, checkIn.fields)
    default:
      let name = SyncName(.drawings, name("drawing"))
      let stroke = SmallInk.stroke(&chance, at: environment.now())
      var submission = DrawingService.Submission(recording: try SmallInk.bytes([stroke]))
      submission.id = name.id
      submission.rendersImageLater = true
      let record = try DrawingService(environment, as: .operator).submit(submission, of: uid)
      ledger.note(name, record.document.fields)
      ledger.note(name, drawn: stroke.id)
    }
  }

  private mutating func change(
    _ name: SyncName, in environment: ServiceEnvironment, _ ledger: inout Ledger
  ) throws {
    let text = FieldValue.text(self.name("text"))
    switch name.kind {
    case .moodEntries:
      let updated = try CollectionService(.moodEntries, in: environment, as: .operator)
        .update(name.id, of: uid, ["note": text])
      if updated.isApplied { ledger.note(name, updated.value.fields) }
    case .checkIns:
      let updated = try CollectionService(.checkIns, in: environment, as: .operator)
        .update(name.id, of: uid, ["journal": text])
      if updated.isApplied { ledger.note(name, updated.value.fields) }
    default:
      if chance.isLucky(0.3) {
        let updated = try DrawingService(environment, as: .operator)
          .update(name.id, of: uid, ["promptUsed": text])
        if updated.isApplied { ledger.note(name, updated.value.document.fields) }
      } else {
        try draw(on: name, in: environment, &ledger)
      }
    }
  }

  /// Adds a stroke, or erases one.
  private mutating func draw(
    on name: SyncName, in environment: ServiceEnvironment, _ ledger: inout Ledger
  ) throws {
    guard let bytes = try environment.recording(of: name.id, uid) else { return }
    var strokes = try SmallInk.strokes(bytes)
    let isErasing = strokes.count > 1 && chance.isLucky(0.35)
    let stroke =
      isErasing
      ? strokes.remove(at: chance.whole(0...strokes.count - 1))
      : SmallInk.stroke(&chance, at: environment.now())
    if !isErasing { strokes.append(stroke) }
    let record = try DrawingService(environment, as: .operator).revise(
      SmallInk.bytes(strokes), ofDrawing: name.id, of: uid,
      replacing: .named([SyncService.hash(of: bytes)]))
    ledger.note(name, record.document.fields)
    if isErasing {
      ledger.note(name, erased: stroke.id)
    } else {
      ledger.note(name, drawn: stroke.id)
    }
  }

  private func delete(
    _ name: SyncName, in environment: ServiceEnvironment, _ ledger: inout Ledger
  ) throws {
    let path = try name.path(of: uid)
    guard try DocumentService(environment, as: .operator).delete(path) else { return }
    let deletion = try environment.documents.read { try $0.deletion(of: path) }
    // A later version may have come in the meantime.
    ledger.noteDeletion(name, at: deletion?.moment ?? Moment.supported.lowerBound)
  }
}
