import ForeignInk
import Threads

/// Draws the drawings of files in Quick, Draw!'s lines: a small square picture for each, black on
/// white.
///
/// Files are read in blocks of lines; each thread has one block in memory. Pictures keep the order
/// of the lines, with any number of threads; so do their names. The used names are kept in memory.
struct LineThumbnails {
  /// The width and height of the pictures.
  let size: Int
  let threads: Int

  static let option = Option(
    "ndjson",
    help:
      "Draw each line of Quick, Draw! files as a picture named by its key_id, in a folder named by "
      + "its word, into a folder, or into one archive with -o NAME.tar.")
  static let sizes = 8...2048

  /// Parses the options of `thumbnail --ndjson`, which excludes most options of pictures.
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
    threads = min(arguments.whole(Option.threads.name) ?? Lanes.available, 64)
  }

  /// The destination of pictures.
  enum Target {
    case archive(OutputFile)
    case folder(PictureFolder)
  }

  /// Draws all lines of all inputs. Damage and existing files are reported as failures at the end.
  func draw(_ inputs: [SystemString], to target: Target, _ console: inout Console)
    throws(SystemError)
  {
    let lines = ConditionMutex(LineBlocks(of: inputs))
    let output = ConditionMutex(Output(target: target))
    Lanes.run(threads) { _ in
      let painter = ThumbnailPainter(size: size)
      var record = QuickDrawRecord()
      while let block = lines.withLock({ $0.next() }) {
        var pictures = LinePictures(isArchive: target.isArchive)
        block.draw(with: painter, &record, into: &pictures)
        output.wait { $0.nextBlock == block.number ? () : nil }
        // Only naming has to wait for the names of earlier lines; all threads write files.
        output.change { $0.add(&pictures, of: block) }
        if case .folder(let folder) = target {
          let files = folder.write(pictures)
          output.withLock { $0.add(files, of: block) }
        }
        let (hasFailed, isHopeless) = output.withLock { ($0.error != nil, $0.isHopeless(block)) }
        if isHopeless { lines.withLock { $0.skip(block.inputNumber) } }
        if hasFailed { lines.withLock { $0.stop() } }
      }
    }
    let end = output.withLock { $0 }
    end.report(to: &console)
    if let error = end.error ?? lines.withLock({ $0.error }) { throw error }
    if case .archive(let file) = target { try file.write(TarArchive.end) }
    if end.isEmpty { console.note("no pictures were made: there are no drawings in the input") }
    if console.isVerbose { console.note("\(end.pictureCount) pictures of \(size)×\(size) pixels") }
  }

  /// The shared output of all threads.
  private struct Output {
    let target: Target
    /// The number of the next block.
    private(set) var nextBlock = 0
    private(set) var pictureCount = 0
    private(set) var error: SystemError?
    private var names = PictureNames()
    private var damage = FailureList()
    private var existing = FailureList()
    /// Messages about files that seem to contain no drawings.
    private var hopelessInputs: [String] = []
    /// The file of the next lines.
    private var input = (number: 0, damagedLines: 0, hasDrawing: false, isHopeless: false)

    init(target: Target) { self.target = target }

    /// Names the pictures of the next block, and adds them to the archive. Removes pictures that
    /// must not be written.
    mutating func add(_ pictures: inout LinePictures, of block: LineBlock) {
      nextBlock += 1
      if input.number != block.inputNumber { input = (block.inputNumber, 0, false, false) }
      guard error == nil, !input.isHopeless else { return pictures.removeAll() }
      if !input.hasDrawing {
        let before = input.damagedLines
        input.damagedLines += pictures.leadingDamage
        input.hasDrawing = pictures.hasDrawing
        if input.damagedLines >= LinePictures.damageLimit {
          input.isHopeless = true
          hopelessInputs.append(
            "\(block.input): the first \(LinePictures.damageLimit) lines are damaged, so the rest is not read; "
              + "is it a file of Quick, Draw! lines?")
          damage.add(pictures.failures.prefix(LinePictures.damageLimit - before), of: block)
          return pictures.removeAll()
        }
      }
      damage.add(pictures.failures[...], of: block)
      pictures.useUnusedNames(of: &names)
      guard case .archive(let file) = target else { return }
      pictureCount += pictures.files.count
      do throws(SystemError) {
        try file.write(pictures.bytes)
      } catch {
        self.error = error
      }
    }

    /// Adds the results of writing a block's files.
    mutating func add(_ files: PictureFolder.Result, of block: LineBlock) {
      pictureCount += files.count
      existing.add(files.failures[...], of: block)
      if error == nil { error = files.error }
    }

    /// Whether there was nothing to draw.
    var isEmpty: Bool {
      pictureCount + damage.count + existing.count == 0 && hopelessInputs.isEmpty
    }

    func isHopeless(_ block: LineBlock) -> Bool {
      input.number == block.inputNumber && input.isHopeless
    }

    func report(to console: inout Console) {
      for failure in damage.texts { console.fail(failure, .badData) }
      if damage.count > damage.texts.count {
        console.fail("\(damage.count) drawings in all are damaged", .badData)
      }
      for text in hopelessInputs { console.fail(text, .badData) }
      for failure in existing.texts { console.fail(failure, .failed) }
      if existing.count > existing.texts.count {
        console.fail("\(existing.count) pictures in all were not written", .failed)
      }
    }
  }
}

extension LineThumbnails.Target {
  fileprivate var isArchive: Bool { if case .archive = self { true } else { false } }
}

/// The first failures in the order of the lines, and their total number.
private struct FailureList {
  private var first: [(block: Int, text: String)] = []
  private(set) var count = 0
  /// The maximum number of printed failures.
  private static let limit = 20

  var texts: [String] { first.map(\.text) }

  mutating func add(_ texts: ArraySlice<String>, of block: LineBlock) {
    count += texts.count
    // Threads finish in any order.
    let place = first.firstIndex { $0.block > block.number } ?? first.count
    first.insert(contentsOf: texts.prefix(Self.limit).map { (block.number, $0) }, at: place)
    first.removeLast(max(first.count - Self.limit, 0))
  }
}
