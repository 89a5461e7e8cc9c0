import Glibc
import Interchange
import PNGFormat
import Rasterization
import Threads

/// Draws the drawings of files of Quick, Draw!'s lines: a small square picture for each, black on white.
///
/// Files are read in blocks of lines, of which each thread has one in memory. Pictures keep the order of the lines, with
/// any number of threads.
struct LineThumbnails {
  /// The width and height of the pictures.
  let size: Int
  let threads: Int

  static let option = Option(
    "ndjson",
    help:
      "Draw each line of Quick, Draw! files as a picture named by its key_id, into a folder, or "
      + "into one archive with -o NAME.tar.")
  static let sizes = 8...2048

  /// Parses the options of `thumbnail --ndjson`, of which most options of pictures are none.
  init(_ arguments: Arguments, others: [Option]) throws(UsageError) {
    func error(_ message: String) -> UsageError {
      UsageError(message: message, command: "thumbnail")
    }
    for option in others where arguments.has(option.name) {
      throw error("--ndjson and --\(option.name) exclude each other")
    }
    let text = arguments.options["size"] ?? "256"
    guard let size = Int(text), Self.sizes.contains(size) else {
      throw error("--size needs a number of pixels from 8 to 2048 with --ndjson, not '\(text)'")
    }
    self.size = size
    // The parser has checked the number.
    let threads = arguments.options[Option.threads.name].flatMap { Int($0) } ?? Lanes.available
    self.threads = min(max(threads, 1), 64)
  }

  /// Where pictures go.
  enum Target {
    case archive(OutputFile)
    case folder(Int32, name: SystemString, mayReplace: Bool)
  }

  /// Draws all lines of all inputs. Damage and files that exist are failures at the end.
  func draw(_ inputs: [SystemString], to target: Target, _ console: inout Console)
    throws(SystemError)
  {
    let lines = ConditionMutex(LineBlocks(of: inputs))
    let output = ConditionMutex(Output(target: target))
    Lanes.run(threads) { _ in
      let painter = ThumbnailPainter(size: size)
      var record = QuickDrawRecord()
      while let block = lines.withLock({ $0.next() }) {
        var pictures = Pictures()
        block.draw(with: painter, &record, target, into: &pictures)
        output.wait { $0.nextBlock == block.number ? () : nil }
        output.change { $0.add(pictures) }
        if output.withLock({ $0.error }) != nil { lines.withLock { $0.stop() } }
      }
    }
    let end = output.withLock { $0 }
    for failure in end.failures { console.fail(failure, .badData) }
    if end.failureCount > end.failures.count {
      console.fail("\(end.failureCount) drawings in all are damaged", .badData)
    }
    if let error = end.error ?? lines.withLock({ $0.error }) { throw error }
    if case .archive(let file) = target { try file.write(TarArchive.end) }
    if console.isVerbose { console.note("\(end.pictureCount) pictures of \(size)×\(size) pixels") }
  }

  /// The pictures of a block of lines.
  struct Pictures {
    /// Entries of the archive; empty if pictures go into a folder.
    var archive: [UInt8] = []
    var count = 0
    var failures: [String] = []
    var error: SystemError?
  }

  /// What all threads write to.
  private struct Output {
    let target: Target
    /// The number of the block that comes next.
    private(set) var nextBlock = 0
    private(set) var pictureCount = 0
    private(set) var failures: [String] = []
    private(set) var failureCount = 0
    private(set) var error: SystemError?
    /// So many failures are printed.
    private static let failureLimit = 20

    init(target: Target) { self.target = target }

    mutating func add(_ pictures: Pictures) {
      nextBlock += 1
      guard error == nil else { return }
      error = pictures.error
      pictureCount += pictures.count
      failureCount += pictures.failures.count
      failures += pictures.failures.prefix(max(Self.failureLimit - failures.count, 0))
      guard case .archive(let file) = target else { return }
      do throws(SystemError) {
        try file.write(pictures.archive)
      } catch {
        self.error = error
      }
    }
  }
}

/// Some lines of a file.
private struct LineBlock {
  /// The number of the block in all files.
  let number: Int
  let input: SystemString
  let inputNumber: Int
  let firstLine: Int
  let bytes: [UInt8]

  func draw(
    with painter: ThumbnailPainter, _ record: inout QuickDrawRecord,
    _ target: LineThumbnails.Target,
    into pictures: inout LineThumbnails.Pictures
  ) {
    bytes.withUnsafeBufferPointer { bytes in
      var (start, line) = (0, firstLine)
      while start < bytes.count, pictures.error == nil {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        let text = UnsafeBufferPointer(rebasing: bytes[start..<end])
        if text.contains(where: { $0 > 0x20 }) {
          record.read(text, number: line)
          for damage in record.damage { pictures.failures.append("\(input): \(damage)") }
          if record.damage.isEmpty || record.strokeCount > 0 {
            add(record, line, painter, target, to: &pictures)
          }
        }
        start = end + 1
        line += 1
      }
    }
  }

  private func add(
    _ record: QuickDrawRecord, _ line: Int, _ painter: ThumbnailPainter,
    _ target: LineThumbnails.Target, to pictures: inout LineThumbnails.Pictures
  ) {
    let png = painter.picture(of: record)
    let name = (record.keyID.isFileName ? record.keyID : "\(inputNumber)-\(line)") + ".png"
    switch target {
    case .archive: TarArchive.append(png, named: name, to: &pictures.archive)
    case .folder(let folder, let path, let mayReplace):
      let mode = O_WRONLY | O_CREAT | O_CLOEXEC | (mayReplace ? O_TRUNC : O_EXCL)
      let file = openat(folder, name, mode, 0o666)
      let place = SystemString(bytes: path.bytes + name.utf8)
      guard file >= 0 else {
        pictures.error =
          errno == EEXIST ? SystemError(alreadyExists: place) : SystemError(place.description)
        return
      }
      do throws(SystemError) {
        try writeAll(png, to: file, place.description)
      } catch {
        pictures.error = error
        unlinkat(folder, name, 0)
      }
      close(file)
    }
    pictures.count += 1
  }
}

extension String {
  /// Whether it can be the name of a file everywhere: letters and digits of ASCII.
  fileprivate var isFileName: Bool {
    (1...64).contains(utf8.count)
      && utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      }
  }
}

/// Reads files in blocks of whole lines.
private struct LineBlocks {
  private var inputs: ArraySlice<SystemString>
  private var input: SystemString = "-"
  private var inputNumber = 0
  /// The open file; below 0 for none.
  private var file: Int32 = -1
  /// The start of a line whose end is not read yet.
  private var rest: [UInt8] = []
  private var line = 1
  private var number = 0
  private(set) var error: SystemError?

  private static let blockSize = 1 << 17
  /// No drawing has a longer line.
  private static let lineLimit = 1 << 26

  init(of inputs: [SystemString]) { self.inputs = inputs[...] }

  /// Ends the reading.
  mutating func stop() {
    inputs.removeAll()
    rest.removeAll()
    closeFile()
  }

  private mutating func closeFile() {
    if file > STDIN_FILENO { close(file) }
    file = -1
  }

  /// The next lines; nil at the end of the last file and after an error.
  mutating func next() -> LineBlock? {
    do throws(SystemError) {
      return try read()
    } catch {
      self.error = self.error ?? error
      stop()
      return nil
    }
  }

  private var name: String { input == .standardStream ? "standard input" : input.description }

  private mutating func read() throws(SystemError) -> LineBlock? {
    while true {
      if file < 0 {
        guard let next = inputs.popFirst() else { return nil }
        (input, line) = (next, 1)
        inputNumber += 1
        file = next == .standardStream ? STDIN_FILENO : open(next.cString, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError(name) }
      }
      let start = rest.count
      var bytes = rest
      bytes.append(contentsOf: repeatElement(0, count: Self.blockSize))
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + start }, Self.blockSize)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError(name)
      }
      bytes.removeLast(Self.blockSize - count)
      if count == 0 {
        rest = []
        closeFile()
        if bytes.isEmpty { continue }
        return block(bytes)
      }
      guard let end = bytes[start...].lastIndex(of: UInt8(ascii: "\n")) else {
        rest = bytes
        guard rest.count <= Self.lineLimit else {
          throw SystemError(
            name, code: EFBIG, reason: "line \(line) has more than \(Self.lineLimit) bytes",
            exitCode: .badData)
        }
        continue
      }
      rest = Array(bytes[(end + 1)...])
      bytes.removeLast(rest.count)
      return block(bytes)
    }
  }

  private mutating func block(_ bytes: [UInt8]) -> LineBlock {
    let block = LineBlock(
      number: number, input: input, inputNumber: inputNumber, firstLine: line, bytes: bytes)
    number += 1
    line += bytes.withUnsafeBufferPointer { bytes in
      var count = 0
      for byte in bytes { count += byte == UInt8(ascii: "\n") ? 1 : 0 }
      return count
    }
    return block
  }
}

/// Draws drawings as square pictures of one size.
private final class ThumbnailPainter {
  private let size: Int
  private let painter: LinePainter
  private let encoder: GreyEncoder
  /// The width of the pen in pixels: that of the importer for pictures of 256 pixels, and never so thin that lines fade.
  private let pen: Double
  /// The share of the side that the drawing takes, as in other thumbnails.
  private static let inkShare = 1 / 1.12

  init(size: Int) {
    self.size = size
    pen = max(Double(size) / 64, 1.25)
    painter = LinePainter(width: size, height: size)
    encoder = GreyEncoder(width: size, height: size, levels: LinePainter.levels)
    // All pictures get the codes of this one: rings as large as drawings, whose edges have all slopes.
    let side = Double(size)
    encoder.clear()
    painter.paint(
      ends: [32, 64], radius: Float(pen / 2), into: encoder.pixels, pitch: encoder.pitch
    ) { index in
      let angle = Double(index) * (2 * .pi / 31)
      let radius = side * (index < 32 ? 0.4 : 0.2)
      return (Float(side / 2 + radius * cos(angle)), Float(side / 2 + radius * sin(angle)))
    }
    encoder.fit()
  }

  /// A drawing as a PNG file, which is valid until the next call.
  func picture(of record: QuickDrawRecord) -> UnsafeRawBufferPointer {
    encoder.clear()
    record.xs.withUnsafeBufferPointer { xs in
      record.ys.withUnsafeBufferPointer { ys in
        let (x, y) = (Self.range(of: xs), Self.range(of: ys))
        let longer = max(x.high - x.low, y.high - y.low)
        let scale = longer > 0 ? (Double(size) * Self.inkShare - pen) / longer : 1
        let (centerX, centerY) = ((x.low + x.high) / 2, (y.low + y.high) / 2)
        let middle = Double(size) / 2
        painter.paint(
          ends: record.strokeEnds, radius: Float(pen / 2), into: encoder.pixels,
          pitch: encoder.pitch
        ) { index in
          (
            Float((xs[index] - centerX) * scale + middle),
            Float((ys[index] - centerY) * scale + middle)
          )
        }
      }
    }
    return encoder.encoded()
  }

  private static func range(of values: UnsafeBufferPointer<Double>) -> (low: Double, high: Double) {
    guard var low = values.first else { return (0, 0) }
    var high = low
    for value in values {
      low = min(low, value)
      high = max(high, value)
    }
    return (low, high)
  }
}
