import Glibc
import System

@testable import PKDFormat

/// Files in memory that can refuse any operation, and list the states that a power cut at any
/// moment could leave.
final class CrashingFiles: FileSystem {
  /// A change of the disk, or a promise of the program.
  enum Change {
    case create(name: String, node: Int)
    case write(node: Int, offset: Int, bytes: [UInt8])
    case truncate(node: Int, length: Int)
    case rename(from: String, to: String, node: Int)
    case remove(name: String)
    case synchronize(node: Int)
    case synchronizeFolder
    case promise(Int)

    var isOfFolder: Bool {
      switch self {
      case .create, .rename, .remove: true
      default: false
      }
    }
  }

  /// How an operation fails.
  enum Fault: Hashable {
    case refuse(Int32)
    /// A write writes and reports half of the bytes; other operations are interrupted by a signal.
    case short
    /// A write writes half of the bytes and fails, since the disk is full; other operations fail.
    case half
    /// The program is killed: this operation and all later ones have no effect.
    case stop
  }

  struct Disk: Hashable {
    var nodes: [Int: [UInt8]] = [:]
    var names: [String: Int] = [:]

    /// The files by their names.
    var files: [String: [UInt8]] { names.mapValues { nodes[$0] ?? [] } }

    mutating func apply(_ change: Change) {
      switch change {
      case .create(let name, let node):
        names[name] = node
        if nodes[node] == nil { nodes[node] = [] }
      case .write(let node, let offset, let bytes):
        var content = nodes[node] ?? []
        if content.count < offset + bytes.count {
          content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
        }
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        nodes[node] = content
      case .truncate(let node, let length): nodes[node] = Array((nodes[node] ?? []).prefix(length))
      case .rename(let from, let to, let node):
        names[from] = nil
        names[to] = node
        if nodes[node] == nil { nodes[node] = [] }
      case .remove(let name): names[name] = nil
      case .synchronize, .synchronizeFolder, .promise: break
      }
    }
  }

  private(set) var disk: Disk
  private let first: Disk
  private(set) var changes: [Change] = []
  private var open: [Int32: Int] = [:]
  private var nextFile: Int32 = 3
  private var nextNode = 1000
  private static let folder = -1

  /// The number of operations so far.
  private(set) var operationCount = 0
  private let fault: (operation: Int, Fault)?
  private(set) var isStopped = false

  /// Files that are safe on the disk, and an operation that fails.
  init(_ files: [String: [UInt8]] = [:], fault: (operation: Int, Fault)? = nil) {
    var disk = Disk()
    for (number, (name, bytes)) in files.sorted(by: { $0.key < $1.key }).enumerated() {
      disk.names[name] = number
      disk.nodes[number] = bytes
    }
    self.disk = disk
    first = disk
    self.fault = fault
  }

  /// Records that the program has made a promise.
  func promise(_ number: Int) { if !isStopped { changes.append(.promise(number)) } }

  private func change(_ change: Change) {
    disk.apply(change)
    changes.append(change)
  }

  /// Counts an operation, and throws if it is the failing one. Returns the fault if only half of a
  /// write must be done.
  private func countOperation(isWrite: Bool = false) throws(SystemCallError) -> Fault? {
    if isStopped { throw SystemCallError(EIO) }
    defer { operationCount += 1 }
    guard let (operation, fault) = fault, operation == operationCount else { return nil }
    switch fault {
    case .refuse(let code): throw SystemCallError(code)
    case .short where isWrite, .half where isWrite: return fault
    case .short: throw SystemCallError(EINTR)
    case .half: throw SystemCallError(ENOSPC)
    case .stop:
      isStopped = true
      throw SystemCallError(EIO)
    }
  }

  private static func name(_ path: String) -> String {
    path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }

  private func node(_ file: Int32) throws(SystemCallError) -> Int {
    guard let node = open[file] else { throw SystemCallError(EBADF) }
    return node
  }

  func open(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemCallError) -> Int32 {
    _ = try countOperation()
    nextFile += 1
    if flags & O_DIRECTORY != 0 {
      open[nextFile] = Self.folder
      return nextFile
    }
    let name = Self.name(path)
    if let node = disk.names[name] {
      if flags & O_EXCL != 0 { throw SystemCallError(EEXIST) }
      if flags & O_TRUNC != 0 { change(.truncate(node: node, length: 0)) }
      open[nextFile] = node
    } else {
      guard flags & O_CREAT != 0 else { throw SystemCallError(ENOENT) }
      nextNode += 1
      change(.create(name: name, node: nextNode))
      open[nextFile] = nextNode
    }
    return nextFile
  }

  func lock(_ file: Int32) throws(SystemCallError) { _ = try countOperation() }

  func isNamed(_ file: Int32, _ path: String) throws(SystemCallError) -> Bool {
    _ = try countOperation()
    return true
  }

  func permissions(_ file: Int32) throws(SystemCallError) -> UInt32 {
    _ = try countOperation()
    return 0o600
  }

  func read(_ file: Int32, at offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
    _ = try countOperation()
    return Array((disk.nodes[try node(file)] ?? []).dropFirst(offset).prefix(count))
  }

  func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int) throws(SystemCallError)
    -> Int
  {
    let fault = try countOperation(isWrite: true)
    let done = Array(fault == nil ? bytes : bytes.prefix(bytes.count / 2))
    change(.write(node: try node(file), offset: offset, bytes: done))
    if fault == .half { throw SystemCallError(ENOSPC) }
    return done.count
  }

  func synchronize(_ file: Int32, dataOnly: Bool) throws(SystemCallError) {
    _ = try countOperation()
    let node = try node(file)
    changes.append(node == Self.folder ? .synchronizeFolder : .synchronize(node: node))
  }

  func truncate(_ file: Int32, to length: Int) throws(SystemCallError) {
    _ = try countOperation()
    change(.truncate(node: try node(file), length: length))
  }

  func rename(_ path: String, to other: String) throws(SystemCallError) {
    _ = try countOperation()
    guard let node = disk.names[Self.name(path)] else { throw SystemCallError(ENOENT) }
    change(.rename(from: Self.name(path), to: Self.name(other), node: node))
  }

  func remove(_ path: String) throws(SystemCallError) {
    _ = try countOperation()
    guard disk.names[Self.name(path)] != nil else { throw SystemCallError(ENOENT) }
    change(.remove(name: Self.name(path)))
  }

  func close(_ file: Int32) { open[file] = nil }
}

// MARK: - Power cuts

/// The guarantees of a disk.
enum DiskModel: CaseIterable {
  /// Only synchronized content is safe; names in a folder are safe after synchronizing the folder.
  case strict
  /// Like ext4: changes of folders keep their order, and any synchronization makes earlier ones
  /// safe.
  case ordered
}

extension CrashingFiles {
  /// Calls the closure once for each state that a power cut at any moment could leave, with the
  /// last promise before it. Returns the number of states.
  @discardableResult
  func forEachState(
    _ model: DiskModel, _ body: (_ files: [String: [UInt8]], _ promise: Int?) throws -> Void
  ) rethrows -> Int {
    var seen: Set<Int> = []
    var (safe, pending, promise) = (first, [Change](), Int?.none)
    var count = 0
    func judge(_ disk: Disk) throws {
      let files = disk.files
      var hasher = Hasher()
      hasher.combine(files)
      hasher.combine(promise)
      guard seen.insert(hasher.finalize()).inserted else { return }
      count += 1
      try body(files, promise)
    }
    func judgeAll() throws { try Self.states(of: pending, on: safe, model, judge) }
    try judgeAll()
    for change in changes {
      switch change {
      case .promise(let number):
        promise = number
      case .synchronize(let node):
        Self.settle(&pending, on: &safe) { $0.node == node || model == .ordered && $0.isOfFolder }
      case .synchronizeFolder:
        Self.settle(&pending, on: &safe) { $0.isOfFolder }
      default: pending.append(change)
      }
      try judgeAll()
    }
    return count
  }

  private static func settle(
    _ pending: inout [Change], on disk: inout Disk, _ isSafe: (Change) -> Bool
  ) {
    for change in pending where isSafe(change) { disk.apply(change) }
    pending.removeAll(where: isSafe)
  }

  /// All subsets of up to six pending changes. For more changes: each prefix, each change lost and
  /// each change alone. In each state, the last six writes are also torn.
  private static func states(
    of pending: [Change], on safe: Disk, _ model: DiskModel, _ judge: (Disk) throws -> Void
  ) rethrows {
    let all = pending.indices
    var subsets: [[Int]] = []
    if pending.count <= 6 {
      subsets = (0..<1 << pending.count).map { bits in all.filter { bits >> $0 & 1 == 1 } }
    } else {
      for end in 0...pending.count { subsets.append(Array(0..<end)) }
      for one in all { subsets += [all.filter { $0 != one }, [one]] }
    }
    for subset in subsets {
      if model == .ordered {
        // The first changes of the folder are on the disk, for every number of them.
        let folder = all.filter { pending[$0].isOfFolder }
        let kept = subset.filter { pending[$0].isOfFolder }
        guard kept.elementsEqual(folder.prefix(kept.count)) else { continue }
      }
      var disk = safe
      for index in subset { disk.apply(pending[index]) }
      try judge(disk)
      for torn in subset.suffix(6) {
        for piece in tears(of: pending[torn], on: safe) {
          var disk = safe
          for index in subset { disk.apply(index == torn ? piece : pending[index]) }
          try judge(disk)
        }
      }
    }
  }

  /// The incomplete forms of one write after a power cut: its start, its end behind zeros, a hole
  /// of zeros, or only zeros.
  private static func tears(of change: Change, on disk: Disk) -> [Change] {
    guard case .write(let node, let offset, let bytes) = change else { return [] }
    func with(_ bytes: [UInt8]) -> Change { .write(node: node, offset: offset, bytes: bytes) }
    func zeros(_ range: Range<Int>) -> Change {
      var bytes = bytes
      for index in range { bytes[index] = 0 }
      return with(bytes)
    }
    // Disks write at least 512 bytes at once; smaller pieces test small files better.
    let cuts = Set(stride(from: 16 - offset % 16, to: bytes.count, by: 16)).union([
      1, bytes.count - 1,
    ]).filter { 0 < $0 && $0 < bytes.count }
    var tears = [zeros(0..<bytes.count)]
    for cut in cuts {
      tears += [with(Array(bytes[..<cut])), zeros(0..<cut), zeros(cut..<bytes.count)]
      tears.append(zeros(cut..<min(cut + 16, bytes.count)))
    }
    return tears
  }
}

extension CrashingFiles.Change {
  var node: Int? {
    switch self {
    case .write(let node, _, _), .truncate(let node, _): node
    default: nil
    }
  }
}
