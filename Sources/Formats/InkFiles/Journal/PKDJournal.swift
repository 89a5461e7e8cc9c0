import Glibc
public import PKDFormat
public import Strokes
public import System

/// Writes a `.pkd` recording while the pen moves.
///
/// Flushed content survives: after a crash or a power cut, `PKDReader` reads every stroke that has
/// ended and the points of the one being drawn. `append`, `endStroke` and `record` flush when
/// content has waited for `flushInterval`; a caller that waits for the pen calls `flush` after
/// `secondsUntilFlush`.
///
/// A call that throws `PKDFileError` has still taken effect: content that could not be written is
/// kept, and the next flush writes it again. But after a failed synchronization the content of the
/// disk is unknown, and every further call throws the same error. A call with content that readers
/// would refuse throws `PKDContentError` and has no effect.
public final class PKDJournal {
  /// The maximum time in seconds that content waits until it is written and synchronized.
  public var flushInterval = 0.1
  /// The path of the file.
  public var path: String { file.path }
  /// The identifier of the stroke being drawn; nil while there is none.
  public var liveStrokeID: Identifier? { content.liveStrokeID }
  /// The number of strokes, including the one being drawn and those that were erased.
  public var strokeCount: Int { content.strokeCount }
  /// The number of bytes of a damaged end that were cut off when the file was opened.
  public let cutByteCount: Int

  /// Whether flushing synchronizes the file with the disk; benchmarks turn it off to measure the
  /// rest.
  package var isSynchronizing = true
  /// A monotonic clock in seconds.
  var clock: () -> Double = PKDJournal.monotonicSeconds

  private let file: DurableFile
  private var content: JournalContent
  /// The time since which the oldest unsynchronized content has waited.
  private var waitingSince: Double?
  /// The error of a failed synchronization.
  private var failure: PKDFileError?

  private enum State {
    /// The file is finished, and nothing was added since it was opened.
    case unchanged
    case open
    /// The index and the tail are in the content.
    case sealed
    case finished
  }
  private var state = State.open

  /// Begins a recording in a new file; an existing file is left as it is, with an error. Dates of
  /// strokes are stored relative to `moment`, so it should be near the first; by default it is now.
  public convenience init(
    creating path: String, canvas: Recording.Canvas = Recording.Canvas(),
    profile: PKDProfile = .exact, startingAt moment: Timestamp? = nil
  ) throws {
    let content = try JournalContent(
      canvas: canvas, profile: profile, startingAt: moment ?? .now)
    try self.init(creating: path, content: content, in: MachineFiles())
  }

  init(
    creating path: String, content: JournalContent, in system: any FileSystem
  ) throws(PKDFileError) {
    file = try DurableFile(path, for: .creating, in: system)
    self.content = content
    cutByteCount = 0
    do throws(PKDFileError) {
      try file.write(self.content.pendingBytes(), at: 0)
      try file.synchronize()
      try DurableFile.synchronizeFolder(of: path, in: system)
    } catch {
      DurableFile.remove(path, in: system)
      throw error
    }
    self.content.removePending()
  }

  /// Continues a recording, finished or not. Complete chunks stay as they are; an incomplete end,
  /// as crashes leave one, is cut off, and an unfinished stroke is ended. A recording of an earlier
  /// version of the format is replaced by the same one in the latest version first.
  ///
  /// Throws `PKDError` if the file is not a recording, or has a complete chunk that cannot be read:
  /// it may come from a newer program and must not be cut off.
  public convenience init(appendingTo path: String, limits: PKDLimits = PKDLimits()) throws {
    try self.init(appendingTo: Self.resolved(path), limits: limits, in: MachineFiles())
  }

  init(appendingTo path: String, limits: PKDLimits, in system: any FileSystem) throws {
    var file = try DurableFile(path, for: .changing, in: system)
    var bytes = try file.bytes()
    var reader = try PKDReader(bytes, limits: limits)
    if let damage = reader.seriousDamage { throw damage }
    cutByteCount = bytes.count - reader.completeEnd
    if !reader.isLatestVersion {
      bytes = try reader.rewritable(endingStroke: true).encoded()
      try file.replace(with: bytes)
      file = try DurableFile(path, for: .changing, in: system)
      reader = try PKDReader(bytes, limits: limits)
    }
    self.file = file
    content = try JournalContent(continuing: reader)
    if bytes.count > content.length {
      try file.truncate(to: content.length)
      // Without this, a power cut could leave new chunks in front of the rest of the old end.
      try file.synchronize(dataOnly: false)
    }
    if reader.isFinished { state = .unchanged }
    try flush()
  }
}

// MARK: - Recording

extension PKDJournal {
  /// Begins a stroke when the pen touches the page. The stroke has all fields; points follow. No
  /// other stroke may be open.
  public func begin(stroke: PKStroke, at time: Timestamp) throws {
    try prepare()
    try content.begin(stroke, at: time)
    try flushIfDue()
  }

  /// Appends control points to the open stroke. Their times are relative to the stroke's start.
  public func append(points: some Collection<PKStrokePoint>) throws {
    try prepare()
    try content.append(points: points)
    try flushIfDue()
  }

  /// Ends the open stroke when the pen leaves the page.
  public func endStroke(at time: Timestamp) throws {
    try prepare()
    try content.endStroke(at: time)
    try flushIfDue()
  }

  /// Records any other event. While a stroke is open, the event is held back until its end.
  public func record(_ action: Recording.Action, at time: Timestamp) throws {
    try prepare()
    try content.record(action, at: time)
    try flushIfDue()
  }

  private func prepare() throws(PKDFileError) {
    precondition(state == .open || state == .unchanged, "nothing can be recorded after finish()")
    if let failure { throw failure }
    state = .open
  }
}

// MARK: - The file

extension PKDJournal {
  /// The seconds until content has to be flushed; nil while nothing waits.
  public var secondsUntilFlush: Double? {
    waitingSince.map { max(0, $0 + flushInterval - clock()) }
  }

  /// Writes all waiting content, and returns when crashes and power cuts cannot lose it.
  public func flush() throws(PKDFileError) {
    if let failure { throw failure }
    let bytes = content.pendingBytes()
    if !bytes.isEmpty {
      try file.write(bytes, at: content.length)
      content.removePending()
      if isSynchronizing {
        do throws(PKDFileError) {
          try file.synchronize()
        } catch {
          failure = error
          throw error
        }
      }
    }
    waitingSince = nil
  }

  /// Ends the recording with an index and a tail, which show readers that nothing is missing. An
  /// open stroke ends with its last point.
  public func finish() throws(PKDFileError) {
    if let failure { throw failure }
    if state == .open {
      content.seal()
      state = .sealed
    }
    try flush()
    state = .finished
  }

  /// Ends the recording and replaces the file by other bytes. After a crash at any moment, the file
  /// has either content. The lock is held throughout.
  package func finish(as bytes: [UInt8]) throws(PKDFileError) {
    try finish()
    try file.replace(with: bytes)
  }

  /// Flushes if content has waited for `flushInterval`.
  private func flushIfDue() throws(PKDFileError) {
    let now = clock()
    if waitingSince == nil { waitingSince = now }
    if let waitingSince, now - waitingSince >= flushInterval { try flush() }
  }

  private static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

// MARK: - Compacting

extension PKDJournal {
  /// Replaces a file by the same recording as `PKDWriter` writes it, which is smaller. After a
  /// power cut at any moment there is the old file or the new one. Names, the residue of an archive
  /// and unknown chunks are kept.
  ///
  /// Throws `PKDError` if the file is not a recording or has a complete chunk that cannot be read,
  /// and `PKDFileError` if it cannot be read or written, or is being recorded to.
  public static func compact(_ path: String, limits: PKDLimits = PKDLimits()) throws {
    try compact(resolved(path), limits: limits, in: MachineFiles())
  }

  /// The path of a file without links, since the target of a link is replaced and not the link.
  private static func resolved(_ path: String) -> String {
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    return resolved.map { String(cString: $0) } ?? path
  }

  static func compact(_ path: String, limits: PKDLimits, in system: any FileSystem) throws {
    let file = try DurableFile(path, for: .changing, in: system)
    try withExtendedLifetime(file) {  // which keeps its lock
      let reader = try PKDReader(try file.bytes(), limits: limits)
      if let damage = reader.seriousDamage { throw damage }
      try file.replace(with: try reader.rewritable().encoded())
    }
  }
}

extension Timestamp {
  /// The time of the machine's clock.
  fileprivate static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(secondsSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
  }
}
