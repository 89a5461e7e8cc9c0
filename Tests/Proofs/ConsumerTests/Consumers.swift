import InkFiles
import Animation
import DrawingServices
import Journal
import Graphics
import ForeignInk
import PKDFormat
import PNGFormat
import PencilKitArchive
import Rasterization
import Replay
import Storage
import Strokes

/// Checks all code that uses a file after a reader has accepted it, for any bytes: the file can be
/// described, verified, converted, drawn, replayed, repaired and stored. Tests and fuzzers share
/// these checks.
struct Consumers {
  /// Pixels on the longer side of pictures.
  var side = 40
  /// The number of replay steps that are drawn, each also in its middle.
  var steps = 4
  /// Drawings with more points are not drawn.
  var maximumPointCount = 3000
  /// The seed of the pictures' options.
  var seed: UInt64 = 0

  /// A description of the first violated property; nil if all hold.
  func violation(_ bytes: [UInt8]) -> String? {
    let file: DrawingFile
    do throws(DrawingFileError) {
      file = try DrawingFile(bytes)
    } catch {
      // An unreadable file must be refused everywhere else, but a damaged page can be repaired.
      if let verification = try? PKDVerification(bytes) {
        let isPage = bytes.dropFirst(12).starts(with: Array("PAGE".utf8))
        guard isPage, !verification.problems.isEmpty else {
          return "only the verification accepts a file"
        }
        if let violation = violation(ofRepair: verification) { return violation }
      }
      return refusal(bytes) == nil ? "a service stores an unreadable file" : nil
    }
    if file.format == .pkd, let violation = violation(ofRecording: bytes, file) {
      return violation
    }
    let contents = file.contents()
    let drawing = contents.drawing
    guard drawing == file.strokes().drawing,
      contents.recording == file.contents(withArchive: false).recording
    else {
      return "a file is read one way alone and another with all that it holds"
    }
    describe(drawing)
    if let reader = file.reader { describe(reader) }
    if let violation = conversionViolation(drawing) ?? replayViolation(contents.recording) {
      return violation
    }
    if let violation = pictureViolation(drawing, file.canvas) { return violation }
    guard isDrawn(drawing), file.format != .json else { return nil }
    let refusal = refusal(bytes)
    guard contents.damage.isEmpty else {
      return refusal == nil ? "a service keeps a damaged file" : nil
    }
    return refusal.map { "a service refuses an intact file: \($0)" }
  }

  // MARK: - info, verify, repair

  private func describe(_ drawing: PKDrawing) {
    _ = (drawing.bounds, drawing.creationDate?.iso8601, drawing.requiredContentVersion)
    _ = PencilKitSummary(of: drawing)
    for stroke in drawing.strokes where isDrawn(drawing) {
      _ = (stroke.renderBounds, stroke.maskedPathRanges, stroke.path.creationDate.iso8601)
    }
  }

  /// Reads a `.pkd` file's data about its strokes, without their points.
  private func describe(_ reader: PKDReader) {
    _ = (reader.readScript(), try? reader.readResidue().flatMap { PencilKitSummary(of: $0) })
    for index in 0..<min(reader.strokeCount, 1000) {
      _ = reader.overview(ofStroke: index)
    }
  }

  private func violation(ofRecording bytes: [UInt8], _ file: DrawingFile) -> String? {
    do {
      _ = SizeBreakdown(try PKDReader(bytes))
      let verification = try PKDVerification(bytes)
      if verification.problems.isEmpty, let damage = file.contents().damage.first,
        damage != .foreignArchive, damage != .lostEvents
      {
        return "verification finds nothing where there is: \(damage)"
      }
      return violation(ofRepair: verification)
    } catch {
      return "a file that can be read cannot be verified: \(error)"
    }
  }

  private func violation(ofRepair verification: PKDVerification) -> String? {
    do {
      let repaired = try DrawingFile(try verification.repaired(\.hasIntactResidue).bytes)
      return repaired.contents().damage.first.map { "a repaired file is damaged: \($0)" }
    } catch {
      return "a file that can be verified cannot be repaired: \(error)"
    }
  }

  /// The reason for which a service refuses a file; nil if it stores it.
  private func refusal(_ bytes: [UInt8]) -> String? {
    var settings = ServiceSettings()
    settings.thumbnailSide = side
    settings.imageScale = 0.05
    settings.maximumPixels = 1 << 20
    let moment = Moment(seconds: 1_795_003_200)
    let environment = ServiceEnvironment(
      .journal, documents: InMemoryDocumentStore(), blobs: InMemoryBlobStore(), settings: settings,
      now: { moment }, newID: { "one" })
    let submission = DrawingService.Submission(recording: bytes)
    do {
      try DrawingService(environment, as: .user("ann")).submit(submission, of: "ann")
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: - convert, cat

  private func conversionViolation(_ drawing: PKDrawing) -> String? {
    guard isDrawn(drawing) else { return nil }
    let archive = drawing.dataRepresentation()
    do {
      let json = try DrawingFile(JSONDrawingWriter.encode(drawing)).strokes().drawing
      if hasPlainSteps(drawing) {
        if let part = difference(json, drawing) { return "a drawing changes in JSON: \(part)" }
        if json.dataRepresentation() != archive { return "an archive changes through JSON" }
      }
      let recorded = try DrawingFile(try PKDWriter.encode(drawing)).contents()
      if let damage = recorded.damage.first { return "what was written is damaged: \(damage)" }
      if let part = difference(recorded.drawing, drawing) {
        return "a drawing changes in a recording: \(part)"
      }
      if recorded.drawing.dataRepresentation() != archive {
        return "an archive changes through a recording"
      }
      _ = try DrawingFile(archive)
      for profile in [PKDProfile.sensor, .compact] {
        _ = try DrawingFile(try PKDWriter.encode(drawing, options: .init(profile: profile)))
      }
      return nil
    } catch {
      return "what was read cannot be converted: \(error)"
    }
  }

  /// The first difference between two drawings.
  private func difference(_ a: PKDrawing, _ b: PKDrawing) -> String? {
    guard a != b else { return nil }
    for (number, (x, y)) in zip(a.strokes, b.strokes).enumerated() where x != y {
      let parts = [
        ("id", x.id == y.id), ("seed", x.randomSeed == y.randomSeed), ("ink", x.ink == y.ink),
        ("transform", x.transform == y.transform), ("mask", x.mask == y.mask),
        ("date", x.path.creationDate == y.path.creationDate),
        ("points", x.path.columns == y.path.columns),
        ("part", x.visiblePathRange == y.visiblePathRange),
        ("group", x.renderGroupID == y.renderGroupID), ("parent", x.parentID == y.parentID),
      ]
      let names = parts.filter { !$0.1 }.map(\.0)
      guard names == ["points"] else { return "\(names) of stroke \(number)" }
      return "points of stroke \(number): \(difference(x.path.columns, y.path.columns))"
    }
    return "the number of strokes"
  }

  /// Whether all steps of 2018 fit into their bytes. Archives and JSON cannot represent larger
  /// values, which a `.pkd` file may contain.
  private func hasPlainSteps(_ drawing: PKDrawing) -> Bool {
    drawing.strokes.allSatisfy { stroke in
      let columns = stroke.path.columns
      return columns.scale == .current
        || (0..<columns.count).allSatisfy { index in
          let point = columns[index]
          return point[word: .altitude] <= 255 && point[word: .opacity] <= 255
        }
    }
  }

  private func difference(_ a: PointColumns, _ b: PointColumns) -> String {
    guard a.count == b.count, a.scale == b.scale else { return "count or scale" }
    guard a.varying == b.varying, a.present == b.present else {
      return "varying \(a.varying.rawValue) \(b.varying.rawValue), "
        + "present \(a.present.rawValue) \(b.present.rawValue)"
    }
    for index in 0..<a.count where a[index] != b[index] {
      return "at \(index) \(a[index]) and \(b[index])"
    }
    return "what is stored"
  }

  private func eventViolation(_ recording: Recording) -> String? {
    var writer = EventStreamWriter()
    var text = EventStreamWriter.header(recording.canvas)
    for event in recording.events { text += writer.line(event) }
    var reader = EventStreamReader()
    reader.append(text)
    reader.end()
    // An event about a missing stroke is an error, and the next event is read.
    var isAtEnd = false
    while !isAtEnd {
      do throws(EventStreamError) {
        isAtEnd = try reader.next() == nil
      } catch {
        switch error.reason {
        case .unknownStroke, .noOpenStroke: continue
        default: return "events that were written cannot be read: \(error)"
        }
      }
    }
    return reader.lineCount == recording.events.count + 1 ? nil : "events are lost in their text"
  }

  // MARK: - render, thumbnail

  private func isDrawn(_ drawing: PKDrawing) -> Bool {
    drawing.strokes.reduce(0) { $0 + $1.path.count } <= maximumPointCount
  }

  private func pictureViolation(_ drawing: PKDrawing, _ canvas: Recording.Canvas) -> String? {
    guard isDrawn(drawing) else { return nil }
    var random = Choices(seed: seed)
    for options in [RenderOptions(extent: .longerSide(side)), random.options(side: side)] {
      do {
        let rendering = try Renderer(options).rendering(of: drawing, on: canvas)
        let png = try PNGEncoder().encode(
          rendering, isOpaque: rendering.background.alpha == 1, scale: rendering.scale)
        let picture = try PNGDecoder().decode(png)
        if (picture.width, picture.height) != (rendering.width, rendering.height) {
          return "a picture of another size"
        }
      } catch let error as RenderError {
        // Some options exceed the limits for some drawings, which is no fault of the drawing.
        if case .unreadable = error.problem { return "a stroke cannot be drawn: \(error)" }
      } catch {
        return "a picture cannot be written: \(error)"
      }
    }
    return nil
  }

  // MARK: - replay

  private func replayViolation(_ recording: Recording) -> String? {
    let source = RecordedStrokes(recording)
    guard source.strokes.reduce(0, { $0 + $1.path.count }) <= maximumPointCount else { return nil }
    if let violation = eventViolation(recording) { return violation }
    do {
      let timeline = try Timeline(of: source, maximumPause: 0.5)
      let reader = try PKDReader(try PKDWriter.encode(recording))
      let again = try Timeline(of: reader, maximumPause: 0.5)
      if timeline.starts != again.starts || timeline.lengths != again.lengths {
        return "a replay has other times from a file"
      }
      var random = Choices(seed: seed)
      var options = random.options(side: side)
      (options.extent, options.region) = (.longerSide(side), nil)
      options.depth = .eight
      let frames = try FrameRenderer(of: source, timeline, options: options)
      let other = try FrameRenderer(of: reader, again, options: options)
      for step in timeline.starts.indices.prefix(steps) {
        for part in [0, 0.37, 1] {
          let state = timeline.state(at: timeline.starts[step] + part * timeline.lengths[step])
          let moment = again.state(at: again.starts[step] + part * again.lengths[step])
          _ = try (frames.show(state), other.show(moment))
          if !frames.picture.hasPixels(of: other.picture) {
            return "a frame at step \(step) is another one from a file"
          }
        }
      }
      _ = try AnimatedSVG(of: source, Playback(timeline), options: options)
      let settings = HTMLPlayer.Settings(view: frames.visible)
      _ = try HTMLPlayer(settings).page(playing: try PKDWriter.encode(recording))
    } catch let error as RenderError {
      if case .unreadable = error.problem { return "a stroke cannot be replayed: \(error)" }
    } catch is ReplayError {
      return nil
    } catch {
      return "what was read cannot be replayed: \(error)"
    }
    return nil
  }
}

extension Pixmap {
  fileprivate func hasPixels(of other: Pixmap) -> Bool {
    (width, height) == (other.width, other.height)
      && (0..<height).allSatisfy { y in (0..<width).allSatisfy { self[$0, y] == other[$0, y] } }
  }
}

/// Random choices of a seed.
struct Choices {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ z >> 31) >> 2) % limit
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  private mutating func pick<Value: CaseIterable>(_ type: Value.Type) -> Value {
    pick(Array(Value.allCases))
  }

  /// Options of small pictures, including absurd ones.
  mutating func options(side: Int) -> RenderOptions {
    var options = RenderOptions(
      extent: pick([
        .longerSide(side), .pixels(width: side, height: side / 2 + 1), .scale(0.05), .scale(1),
        .scale(1e-300), .scale(1e300),
      ]),
      frame: pick([.automatic, .content]),
      margin: pick([.points(0), .ofThumbnails, .points(3), .points(1e30), .partOfInk(1e308)]),
      background: pick([.page, .transparent, .color(.white), .automatic]),
      paper: pick(RenderOptions.Paper.self),
      style: pick(RenderOptions.Style.self), colorSpace: pick(ColorSpace.self),
      depth: pick([.eight, .eight, .sixteen]), blending: pick(RenderOptions.Blending.self),
      overlap: pick([nil, .discard, .accumulate, .saturate]),
      quality: pick(RenderOptions.Quality.self), maximumPixels: 4 * side * side,
      threads: pick([1, 2]))
    options.region = pick([
      nil, nil, nil, Rect(x: 10, y: 10, width: 100, height: 90),
      Rect(x: 1e300, y: -1e300, width: 1e300, height: 1e300),
      Rect(x: -1e9, y: 0, width: 1e-9, height: 1e-9), Rect(x: 0, y: 0, width: 1e7, height: 1e-7),
    ])
    return options
  }
}
