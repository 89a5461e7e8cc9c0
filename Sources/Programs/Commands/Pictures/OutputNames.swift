import Glibc

/// The output paths for several inputs.
///
/// An output path depends only on its input path and on the options, never on the other inputs or
/// on existing files.
struct OutputNames {
  /// An input and its output.
  struct Pair {
    let input: SystemString
    let output: SystemString
    /// Whether the user gave this output path, so that an existing file may be replaced.
    let isGiven: Bool

    /// The output of a page: page-1.png, or page-01.png if there are ten or more pages.
    fileprivate func page(_ index: Int, of count: Int) -> Pair {
      let folder = output.folder.bytes
      let name = output.bytes[folder.count...]
      let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
      let digits = String(index + 1)
      let number =
        "-" + String(repeating: "0", count: max(String(count).count - digits.count, 0)) + digits
      let bytes = folder + name[..<dot] + Array(number.utf8) + name[dot...]
      return Pair(input: input, output: SystemString(bytes: bytes), isGiven: isGiven)
    }
  }

  let pairs: [Pair]
  /// The identities of all inputs, and of outputs in a folder.
  private let taken: Set<SystemString>

  /// The only output, if there is one input and one picture: its given name, or else the standard
  /// output.
  static func single(_ inputs: [InputFile], given: SystemString?) -> SystemString? {
    guard inputs.count == 1, inputs[0].isGiven else { return nil }
    let isSingle = given.map { !$0.isFolder } ?? (inputs[0].path == .standardStream)
    return isSingle ? given ?? .standardStream : nil
  }

  /// The outputs of inputs. `given` is a file, a folder, or nil for the folders of the inputs. In a
  /// folder, `withFolders` prefixes the names with those of the inputs' folders. Two equal names
  /// are an error: a name that depended on the other inputs would change with them. With
  /// `keepsExisting`, an input whose output would be itself stays as it is; it may be another
  /// input's output from an earlier run.
  init(
    of inputs: [InputFile], given: SystemString?, withFolders: Bool, ending: String,
    keepsExisting: Bool = false, command: String
  ) throws(UsageError) {
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }
    if let output = Self.single(inputs, given: given) {
      pairs = [Pair(input: inputs[0].path, output: output, isGiven: true)]
      taken = []
      return
    }
    if let given, !given.isFolder {
      throw error(
        "'\(given)' is not a folder for \(inputs.count.counting("file")); end it with / to create one"
      )
    }
    if given == nil, inputs.contains(where: { $0.path == .standardStream }) {
      throw error("'-' beside other inputs needs a folder: -o FOLDER/")
    }
    let folder = given.map { $0.bytes.last == UInt8(ascii: "/") ? $0 : $0 + "/".utf8 }
    var owners: [SystemString: SystemString] = [:]
    pairs = inputs.map { file in
      let input = file.path
      let name = Self.name(of: input, withFolders: folder != nil && withFolders, ending: ending)
      let subfolders = withFolders ? "" : file.subfolders
      let output = folder.map { $0 + subfolders.bytes + name.bytes } ?? input.folder + name.bytes
      return Pair(input: input, output: output, isGiven: false)
    }
    let written = pairs.map { (pair: $0, source: $0.input.place, place: $0.output.place) }
      .filter { !keepsExisting || $0.place != $0.source }
    let sources = Set(written.filter { $0.pair.input != .standardStream }.map(\.source))
    for (pair, source, place) in written {
      let (input, output) = (pair.input, pair.output)
      if place != source, sources.contains(place) {
        throw error("'\(input)' would become '\(output)', which is another input")
      }
      if let other = owners.updateValue(input, forKey: place) {
        throw error(
          "'\(other)' and '\(input)' would both become '\(output)'"
            + (folder == nil || withFolders || input.folder == other.folder
              ? "" : "; --with-folders prefixes the names of their folders"))
      }
    }
    taken = sources.union(owners.keys)
  }

  /// The output of a page of several. Nil if it is an input, or the output of another input;
  /// reports this.
  func page(_ index: Int, of count: Int, _ pair: Pair, _ console: inout Console) -> Pair? {
    let numbered = pair.page(index, of: count)
    // Both forms are tested: a folder that was created in the meantime has changed the path's
    // identity.
    guard !taken.contains(numbered.output.place), !taken.contains(numbered.output) else {
      console.fail(
        "\(pair.input): page \(index + 1) would become '\(numbered.output)', which is an input, or the output of another one",
        .usage)
      return nil
    }
    return numbered
  }

  /// Creates the folders of outputs that were not given by name.
  func makeFolders() throws(SystemError) {
    for folder in Set(pairs.filter { !$0.isGiven }.map(\.output.folder)) { try makeFolder(folder) }
  }

  /// The name of a file with another extension, optionally prefixed with the names of its folders.
  private static func name(
    of path: SystemString, withFolders: Bool, ending: String
  ) -> SystemString {
    let file = path == .standardStream ? SystemString("stdin") : path
    var last = file.bytes[file.folder.bytes.count...]
    // A compressed file gets the name of its content.
    let packed = ".ndjson.gz"
    if last.count > packed.utf8.count,
      String(decoding: last.suffix(packed.utf8.count), as: UTF8.self).lowercased() == packed
    {
      last = last.dropLast(".gz".utf8.count)
    }
    let dot = last.dropFirst().lastIndex(of: UInt8(ascii: "."))
    var parts: [ArraySlice<UInt8>] = []
    for folder in file.folder.bytes.split(separator: UInt8(ascii: "/")) where withFolders {
      if folder.elementsEqual("..".utf8) {
        _ = parts.popLast()
      } else if !folder.elementsEqual(".".utf8) {
        parts.append(folder)
      }
    }
    parts.append(last[..<(dot ?? last.endIndex)])
    return SystemString(
      bytes: Array(parts.joined(separator: [UInt8(ascii: "-")])) + Array(".\(ending)".utf8))
  }
}

extension SystemString {
  /// Whether the path ends with a slash or leads to a folder.
  var isFolder: Bool {
    var status = stat()
    return bytes.last == UInt8(ascii: "/")
      || stat(cString, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The path's identity: the device and inode of its folder replace the folder's name, so that two
  /// spellings of a path are equal. The path itself if the folder does not exist yet.
  fileprivate var place: SystemString {
    let path = folder.bytes.isEmpty ? SystemString("./") : folder
    var status = stat()
    guard stat(path.cString, &status) == 0 else { return self }
    let number = Array("\(status.st_dev):\(status.st_ino)/".utf8)
    return SystemString(bytes: number + bytes[folder.bytes.count...])
  }

  /// The path with another extension.
  func withEnding(_ ending: String) -> SystemString {
    let name = bytes[folder.bytes.count...]
    let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    return SystemString(bytes: folder.bytes + name[..<dot] + Array(".\(ending)".utf8))
  }

  /// The part after the last dot of the name; nil if there is no dot.
  var nameEnding: String? {
    let name = bytes[folder.bytes.count...]
    return name.dropFirst().lastIndex(of: UInt8(ascii: ".")).map {
      String(decoding: name[($0 + 1)...], as: UTF8.self)
    }
  }
}

/// Creates the folders of a path that ends with a slash or contains a file name.
func makeFolder(_ path: SystemString) throws(SystemError) {
  let slash = UInt8(ascii: "/")
  for index in path.bytes.indices where path.bytes[index] == slash && index > 0 {
    let folder = SystemString(bytes: Array(path.bytes[..<index]))
    guard mkdir(folder.cString, 0o777) == 0 || errno == EEXIST else {
      throw SystemError(folder.description)
    }
  }
}

/// Whether a file, folder or link exists at a path.
func exists(_ path: SystemString) -> Bool {
  var status = stat()
  return lstat(path.cString, &status) == 0
}

/// Whether a path leads to a regular file, not to a folder, a pipe or a device.
func isRegularFile(_ path: SystemString) -> Bool {
  var status = stat()
  return stat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}
