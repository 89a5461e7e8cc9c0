import Glibc

/// The used names of a run's pictures in each folder.
struct PictureNames {
  private var folders: [SystemString: UsedNames] = [:]

  /// Uses a name in a folder; if it is already used, returns an unused one: NAME-2, NAME-3, ….
  mutating func use(_ name: String, in folder: SystemString) -> String? {
    folders[folder, default: UsedNames()].use(name)
  }
}

/// The names of the pictures in a folder.
private struct UsedNames {
  /// Numeric names, as in data sets, take less memory as numbers.
  private var numbers: Set<UInt64> = []
  private var others: Set<String> = []
  /// The last number appended to each repeated name.
  private var lastNumbers: [String: Int] = [:]

  mutating func use(_ name: String) -> String? {
    if insert(name) { return nil }
    var number = lastNumbers[name, default: 1]
    while true {
      number += 1
      let other = "\(name)-\(number)"
      if insert(other) {
        lastNumbers[name] = number
        return other
      }
    }
  }

  private mutating func insert(_ name: String) -> Bool {
    // 01 and 1 are different names.
    if name.utf8.first != UInt8(ascii: "0"), let number = UInt64(name) {
      return numbers.insert(number).inserted
    }
    return others.insert(name).inserted
  }
}

/// A folder for the pictures of lines, with a subfolder for each label. Each file appears whole or
/// not at all.
struct PictureFolder {
  /// The path with its final slash.
  let path: SystemString
  let mayReplace: Bool

  /// The results of writing files.
  struct Result {
    var count = 0
    /// Failures of single files, which exist already or are written by another process. The other
    /// files are still written.
    var failures: [String] = []
    /// An error that ends the run, such as a full disk.
    var error: SystemError?
  }

  /// Writes pictures until an error that would affect the others, too.
  func write(_ pictures: LinePictures) -> Result {
    var result = Result()
    var made: Set<SystemString> = [path]
    for (index, file) in pictures.files.enumerated() {
      let folder = file.folder == "" ? path : path + file.folder.bytes + "/".utf8
      do throws(SystemError) {
        if made.insert(folder).inserted { try makeFolder(folder) }
        try write(Array(pictures.file(index)), to: folder + "\(file.name).png".utf8)
        result.count += 1
      } catch {
        guard error.code == EEXIST || error.code == EWOULDBLOCK else {
          result.error = error
          break
        }
        result.failures.append("\(error)")
      }
    }
    return result
  }

  private func write(_ bytes: [UInt8], to place: SystemString) throws(SystemError) {
    // Not durable, because the pictures can be drawn again.
    if mayReplace {
      return try writeFile(to: place, isDurable: false) { file throws(SystemError) in
        try file.write(bytes)
      }
    }
    let file = try FileReplacement(place, for: place, mayReplace: false)
    try file.file.write(bytes)
    try file.commit(isDurable: false)
  }
}
