import Glibc

/// Where the results of several inputs go.
struct OutputNames {
  /// One input with its output.
  struct Pair {
    let input: SystemString
    let output: SystemString
    /// Whether the output's name was given as it is, so that what is there may be replaced.
    let isGiven: Bool
  }

  let pairs: [Pair]

  /// Names for inputs. `given` is a file, a folder, or nil for beside the inputs.
  init(
    of inputs: [SystemString], given: SystemString?, ending: String, command: String
  ) throws(UsageError) {
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }
    if inputs.count == 1, given.map({ !$0.isFolder }) ?? (inputs[0] == .standardStream) {
      let output = given ?? .standardStream
      // A name that promises something else would be a lie that other programs believe.
      if let found = output.nameEnding, found.lowercased() != ending {
        throw error("cannot write '\(output)'; pictures are PNG, end the name with .\(ending)")
      }
      guard inputs[0] == .standardStream || !isSameFile(inputs[0], output) else {
        throw error("'\(output)' is '\(inputs[0])' itself")
      }
      pairs = [Pair(input: inputs[0], output: output, isGiven: true)]
      return
    }
    if let given, !given.isFolder {
      throw error("'\(given)' is no folder for \(inputs.count) pictures; end it with / to make one")
    }
    if given == nil, inputs.contains(.standardStream) {
      throw error("'-' among other names needs a folder: -o FOLDER/")
    }
    let folder = given.map { $0.bytes.last == UInt8(ascii: "/") ? $0 : $0 + "/".utf8 }
    let places = inputs.map(Place.init)
    // Folder names are put in front, one after the other, until all names differ.
    var depths = [Int](repeating: 0, count: places.count)
    while true {
      let outputs = places.indices.map { index in
        (folder ?? inputs[index].folder)
          + places[index].name(depth: depths[index], ending: ending).bytes
      }
      let groups = Dictionary(grouping: outputs.indices) { outputs[$0] }
      let equal = groups.values.filter { $0.count > 1 }
      guard let first = equal.min(by: { $0[0] < $1[0] }) else {
        pairs = zip(inputs, outputs).map { Pair(input: $0, output: $1, isGiven: false) }
        return
      }
      var isStuck = folder == nil
      for group in equal {
        let movable = group.filter { depths[$0] < places[$0].folders.count }
        if movable.isEmpty { isStuck = true }
        for index in movable { depths[index] += 1 }
      }
      if isStuck {
        let name = folder.map { $0 + places[first[0]].name(depth: 0, ending: ending).bytes }
        throw error(
          "'\(inputs[first[0]])' and '\(inputs[first[1]])' would both become "
            + "'\(name ?? outputs[first[0]])'")
      }
    }
  }

  /// A file's name without its ending, and the names of the folders that it lies in.
  private struct Place {
    let folders: [ArraySlice<UInt8>]
    let name: ArraySlice<UInt8>

    init(_ path: SystemString) {
      let slash = UInt8(ascii: "/")
      let file = path == .standardStream ? SystemString("stdin") : path
      let last = file.bytes[file.folder.bytes.count...]
      let dot = last.dropFirst().lastIndex(of: UInt8(ascii: "."))
      name = last[..<(dot ?? last.endIndex)]
      var whole = file.folder.bytes
      if whole.first != slash { whole = SystemString.workingFolder.bytes + [slash] + whole }
      var folders: [ArraySlice<UInt8>] = []
      for folder in whole.split(separator: slash) {
        if folder.elementsEqual("..".utf8) {
          _ = folders.popLast()
        } else if !folder.elementsEqual(".".utf8) {
          folders.append(folder)
        }
      }
      self.folders = path == .standardStream ? [] : folders
    }

    func name(depth: Int, ending: String) -> SystemString {
      let parts = folders.suffix(depth) + [name]
      return SystemString(
        bytes: Array(parts.joined(separator: [UInt8(ascii: "-")])) + Array(".\(ending)".utf8))
    }
  }
}

extension SystemString {
  /// Whether the name says that it is a folder, or leads to one.
  fileprivate var isFolder: Bool {
    var status = stat()
    return bytes.last == UInt8(ascii: "/")
      || stat(cString, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// What stands behind the last dot of a file's name.
  fileprivate var nameEnding: String? {
    let name = bytes[folder.bytes.count...]
    return name.dropFirst().lastIndex(of: UInt8(ascii: ".")).map {
      String(decoding: name[($0 + 1)...], as: UTF8.self)
    }
  }

  /// The folder in which the program was started; empty where that is gone.
  fileprivate static var workingFolder: SystemString {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&room, room.count) != nil else { return "" }
    return SystemString(bytes: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
  }
}

/// Makes a folder, and those that it lies in.
func makeFolder(_ path: SystemString) throws(SystemError) {
  let slash = UInt8(ascii: "/")
  for index in path.bytes.indices where path.bytes[index] == slash && index > 0 {
    let folder = SystemString(bytes: Array(path.bytes[..<index]))
    guard mkdir(folder.cString, 0o777) == 0 || errno == EEXIST else {
      throw SystemError(folder.description)
    }
  }
}

/// Whether there is anything of this name.
func isThere(_ path: SystemString) -> Bool {
  var status = stat()
  return lstat(path.cString, &status) == 0
}
