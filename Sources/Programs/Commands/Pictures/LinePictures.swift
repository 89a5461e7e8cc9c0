import ForeignInk

/// The pictures of a block of lines, which one thread draws.
struct LinePictures {
  /// Whether the files are members of an archive, with headers.
  let isArchive: Bool
  /// The files one after the other.
  private(set) var bytes: [UInt8] = []
  /// The names of the files and of their folders, and the offsets at which they begin.
  private(set) var files: [(folder: SystemString, name: String, start: Int)] = []
  private(set) var failures: [String] = []
  /// Whether a line has a drawing.
  private(set) var hasDrawing = false
  /// The number of damaged lines before the first drawing.
  private(set) var leadingDamage = 0

  /// The label of the last picture, and its folder. Most pictures of a file have the same label.
  private var last = (label: "", folder: SystemString(""))

  /// The number of damaged lines at the start of a file after which the rest is not read.
  static let damageLimit = 20

  init(isArchive: Bool) { self.isArchive = isArchive }

  mutating func removeAll() { self = LinePictures(isArchive: isArchive) }

  /// The bytes of a file.
  func file(_ index: Int) -> ArraySlice<UInt8> {
    bytes[files[index].start..<(index + 1 < files.count ? files[index + 1].start : bytes.count)]
  }

  /// Adds the reason why the lines end here.
  fileprivate mutating func add(damage: String, of block: LineBlock) {
    failures.append("\(block.input): \(damage)")
  }

  /// Adds the result of reading a line: a picture, damage, or both.
  fileprivate mutating func add(
    _ record: QuickDrawRecord, of block: LineBlock, line: Int, _ painter: ThumbnailPainter
  ) {
    for damage in record.damage { failures.append("\(block.input): \(damage)") }
    guard record.damage.isEmpty || record.strokeCount > 0 else {
      if !hasDrawing { leadingDamage += 1 }
      return
    }
    hasDrawing = true
    let png = painter.picture(of: record)
    let name = record.fileName ?? "\(block.inputNumber)-\(line)"
    // Compares bytes, because `==` treats two Unicode spellings of a letter as equal.
    if !record.word.utf8.elementsEqual(last.label.utf8) {
      last = (record.word, folderName(ofLabel: record.word))
    }
    let folder = last.folder
    files.append((folder, name, bytes.count))
    if isArchive {
      TarArchive.append(png, named: name + ".png", in: folder, to: &bytes)
    } else {
      bytes += png
    }
  }

  /// Adds numbers to names that earlier pictures use.
  mutating func useUnusedNames(of names: inout PictureNames) {
    for index in files.indices {
      let file = files[index]
      guard let other = names.use(file.name, in: file.folder) else { continue }
      files[index].name = other
      if isArchive { TarArchive.rename(at: file.start, to: other + ".png", in: &bytes) }
    }
  }
}

extension LineBlock {
  /// Draws each line.
  func draw(
    with painter: ThumbnailPainter, _ record: inout QuickDrawRecord,
    into pictures: inout LinePictures
  ) {
    bytes.withUnsafeBufferPointer { bytes in
      // Some programs begin a text with a byte order mark.
      let isMarked = firstLine == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
      var (start, line) = (isMarked ? 3 : 0, firstLine)
      while start < bytes.count {
        var next = start
        while next < bytes.count, bytes[next] != UInt8(ascii: "\n") { next += 1 }
        var end = next
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        if end > start {
          record.read(UnsafeBufferPointer(rebasing: bytes[start..<end]), number: line)
          pictures.add(record, of: self, line: line, painter)
          if firstLine == 1, pictures.leadingDamage == LinePictures.damageLimit { return }
        }
        start = next + 1
        line += 1
      }
      if let damage { pictures.add(damage: damage, of: self) }
    }
  }
}

extension QuickDrawRecord {
  /// The key if it is valid as a file name everywhere: ASCII letters and digits. Otherwise nil,
  /// also for a null key.
  fileprivate var fileName: String? {
    let isName =
      (1...64).contains(keyID.utf8.count) && keyID != "null"
      && keyID.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      }
    return isName ? keyID : nil
  }
}
