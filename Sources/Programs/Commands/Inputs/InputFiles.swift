package import InkFiles
import Glibc
import ForeignInk
import System

/// A file that a command reads.
package struct InputFile {
  package let path: SystemString
  /// The folders between a given folder and this file, with their last slash; empty for other
  /// files. Outputs in another folder are put into the same subfolders.
  package var subfolders: SystemString = ""
  /// Whether the file itself was given, not a folder or a list that contains it.
  package var isGiven = true
}

/// The files that a command reads: its operands, the ink in folders among them, and the paths in a
/// list.
package struct InputFiles {
  package static let options = [
    Option("recursive", letter: "r", help: "In a folder, also take the ink in its folders."),
    Option(
      "files-from", value: "LIST",
      help: "Also take the files that a file lists, one on each line or each followed by a zero "
        + "byte; '-' is the standard input."),
  ]

  private(set) var files: [InputFile] = []
  private let isRecursive: Bool
  /// The formats that the command reads; nil for all. Other ink in folders is skipped.
  private let formats: [DrawingFile.Format]?
  /// A folder for outputs, which is not searched; nil for none.
  private let excluded: SystemString?
  private var seen: Set<SystemString> = []

  /// Finds the files; `operands` are those of the arguments unless given. Reports unreadable files.
  /// `output` is a folder for outputs that may be inside a given folder.
  package init(
    _ arguments: Arguments, operands: [SystemString]? = nil, of command: String,
    formats: [DrawingFile.Format]? = nil, output: SystemString? = nil, _ console: inout Console
  ) throws {
    let operands = operands ?? arguments.operands
    self.formats = formats
    isRecursive = arguments.has("recursive")
    excluded = output.flatMap { $0.isFolder ? $0 : nil }
    for path in operands { add(path, isGiven: true, &console) }
    guard let list = arguments.words["files-from"] else { return }
    guard list != .standardStream || !operands.contains(.standardStream) else {
      throw UsageError(
        message: "the standard input cannot be both a drawing and the list", command: command)
    }
    for path in Self.paths(in: try readFile(list)) { add(path, isGiven: false, &console) }
  }

  package var paths: [SystemString] { files.map(\.path) }

  /// The paths in a list. Names may contain line breaks, so other programs can end them with zero
  /// bytes instead.
  private static func paths(in list: [UInt8]) -> [SystemString] {
    let isOfBytes = list.contains(0)
    return list.split(separator: isOfBytes ? 0 : UInt8(ascii: "\n")).compactMap { line in
      let name = !isOfBytes && line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard !name.isEmpty else { return nil }
      // In a list '-' is a file.
      return name.elementsEqual("-".utf8) ? "./-" : SystemString(bytes: Array(name))
    }
  }

  private mutating func add(_ path: SystemString, isGiven: Bool, _ console: inout Console) {
    guard path != .standardStream, path.isFolder else {
      files.append(InputFile(path: path, isGiven: isGiven))
      return
    }
    let count = files.count
    let failures = console.failureCount
    let skipped = addInk(in: path, below: "", &console)
    guard files.count == count, console.failureCount == failures else { return }
    console.fail(
      "\(path): there is no \(formats == nil ? "ink" : "file for this command") in this folder"
        + (skipped ? "; --recursive also looks in its folders" : ""), .failed)
  }

  /// Adds the ink in a folder. Returns whether subfolders were left out.
  private mutating func addInk(
    in folder: SystemString, below subfolders: SystemString, _ console: inout Console
  ) -> Bool {
    guard let names = folderEntries(folder) else {
      console.fail("\(SystemError(folder.description))", .failed)
      return false
    }
    var hasFolders = false
    let start = folder.bytes.last == UInt8(ascii: "/") ? folder : folder + "/".utf8
    for name in names where name.bytes.first != UInt8(ascii: ".") {
      let path = start + name.bytes
      var status = stat()
      guard lstat(path.cString, &status) == 0 else {
        // Deleted in the meantime, or a path that is too long.
        if errno != ENOENT { console.fail("\(SystemError(path.description))", .failed) }
        continue
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        // Links to folders are not followed, because they may form a cycle.
        if let excluded, isSameFile(path, excluded) { continue }
        hasFolders = true
        if isRecursive {
          _ = addInk(in: path, below: subfolders + name.bytes + "/".utf8, &console)
        }
      } else if isRegularFile(path), let format = format(ofInk: path),
        formats?.contains(format) ?? true, seen.insert(path).inserted
      {
        files.append(InputFile(path: path, subfolders: subfolders, isGiven: false))
      }
    }
    return hasFolders && !isRecursive
  }
}

/// The format of a file in a folder, by its extension or else by its content; nil if it is not ink.
private func format(ofInk path: SystemString) -> DrawingFile.Format? {
  if let ending = path.nameEnding?.lowercased(),
    let format = DrawingFile.Format.allCases.first(where: { $0.ownFileExtensions.contains(ending) })
  {
    // Even if its content is damaged: the damage must be reported.
    return format
  }
  guard let start = readStart(of: path, count: 1 << 16) else { return nil }
  let isArchive = start.starts(with: "PK\u{3}\u{4}".utf8)
  // The table of a ZIP archive is at its end.
  guard let bytes = isArchive ? try? readFile(path) : start else { return nil }
  return DrawingFile.Format(ofInk: bytes)
}

/// The first bytes of a file; nil if it cannot be read.
private func readStart(of path: SystemString, count: Int) -> [UInt8]? {
  try? withReader(path) { read in
    var start: [UInt8] = []
    while start.count < count {
      let piece = try read(count - start.count)
      if piece.isEmpty { break }
      start += piece
    }
    return start
  }
}
