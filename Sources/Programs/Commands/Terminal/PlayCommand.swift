import Animation
import Glibc
import Graphics
import ForeignInk
import Rasterization
import Replay
import Strokes
import System

/// `pkd play`: replays a drawing in the terminal.
let playCommand = CommandDefinition(
  name: "play",
  summary: "Watch ink being drawn, in the terminal.",
  operands: "IN",
  operandCount: 1...1,
  options: [
    Option(
      "loop", value: "N", form: .whole(0...1_000_000),
      help: "Number of repetitions, 0 for endless; 1 unless given."),
    Option(
      "display", choices: PlayDisplay.allCases.map(\.rawValue),
      help: "How to show pictures; the terminal's best method unless given."),
  ] + InputOptions.table
    + ReplayOptions.table.filter { ["speed", "max-pause"].contains($0.name) }
    + PictureOptions.table.filter {
      [
        "region", "frame", "margin", "background", "paper", "no-pattern", "earlier", "style",
        "quality",
      ]
      .contains($0.name)
    },
  examples: [
    ("pkd play page.pkd", "Space pauses, arrows seek, + and - change the speed, q ends it."),
    ("pkd play --speed 4 --loop 0 page.pkd", "Four times as fast, over and over."),
    (
      "pkd play --style dark --display blocks page.pkd",
      "Light ink on dark paper, drawn with characters."
    ),
  ]
) { arguments, console in
  let options = try PlayOptions(arguments)
  guard isatty(STDOUT_FILENO) == 1 else {
    throw playCommand.error("'play' needs a terminal as its standard output")
  }
  let term = Console.variable("TERM")
  guard Console.isCapable(term) else {
    throw playCommand.error(
      "'play' needs a terminal with escape codes (TERM is \(term.isEmpty ? "not set" : term))"
    )
  }
  let input = arguments.operands[0]
  guard
    let source = console.openRecording(input, InputOptions(arguments))?.source
  else { return }
  guard let session = TerminalSession() else {
    throw playCommand.error("'play' needs a terminal to read keys from")
  }
  do {
    let timeline = try Timeline(of: source, maximumPause: options.maximumPause)
    let show = PlayShow(session: session, options: options, source: source, timeline: timeline)
    defer { session.leave() }
    try show.run()
  } catch {
    session.leave()
    guard error is ReplayError || error is RenderError else { throw error }
    console.fail("\(input): \(error)", error is ReplayError ? .badData : .failed)
  }
  if Interruption.isRequested { console.raise(.interrupted) }
}

/// The methods to show pictures on a terminal.
enum PlayDisplay: String, CaseIterable {
  case auto, kitty, blocks
}

/// The options of `pkd play`.
private struct PlayOptions {
  let rendering: RenderOptions
  let display: PlayDisplay
  let speed: Double
  let maximumPause: Double
  let loopCount: Int

  init(_ arguments: Arguments) throws(UsageError) {
    rendering = try PictureOptions(arguments, of: "play", extent: .scale(1)).rendering
    display = arguments.options["display"].flatMap(PlayDisplay.init) ?? .auto
    let replay = try ReplayOptions(arguments, of: "play")
    (speed, maximumPause) = (replay.playback.speed, replay.maximumPause)
    loopCount = arguments.has("loop") ? replay.loopCount : 1
  }
}

/// A replay on a terminal, controlled by keys.
private final class PlayShow {
  private let session: TerminalSession
  private let options: PlayOptions
  private let source: any RecordingSource
  private let timeline: Timeline
  private var player: Player
  private var abilities = TerminalSession.Abilities()
  /// The renderer and the painter for the size of the terminal; nil after a resize.
  private var stage: Stage?
  private var statusLine = ""

  private struct Stage {
    let renderer: FrameRenderer
    var painter: any TerminalPainter
    let size: TerminalSize
    var isFresh = true
  }

  private static let frameTime = 1.0 / 30

  init(
    session: TerminalSession, options: PlayOptions, source: any RecordingSource,
    timeline: Timeline
  ) {
    (self.session, self.options, self.source) = (session, options, source)
    self.timeline = timeline
    player = Player(
      duration: timeline.duration, starts: timeline.starts, speed: options.speed,
      loopCount: options.loopCount)
  }

  func run() throws {
    try session.enter()
    abilities = try session.abilities()
    for key in abilities.keys { player.press(key) }
    var last = MonotonicTime.now
    while !player.hasQuit, !Interruption.isRequested {
      if try session.stopIfAsked() {
        stage = nil
        last = MonotonicTime.now
      }
      if session.takeResize() { stage = nil }
      let start = MonotonicTime.now
      player.advance(by: start - last)
      last = start
      try show()
      let wait = player.isPlaying ? start + Self.frameTime - MonotonicTime.now : 0.25
      for event in try session.events(within: max(wait, 0.001)) {
        if case .key(let key) = event { player.press(key) }
      }
    }
  }

  private func show() throws {
    var stage = try self.stage ?? newStage()
    var bytes: [UInt8] = stage.isFresh ? Array("\u{1B}[2J".utf8) : []
    var changed = try stage.renderer.show(timeline.state(at: player.position))
    if stage.isFresh {
      changed = [PixelRect(width: stage.renderer.width, height: stage.renderer.height)]
      statusLine = ""
    }
    if !changed.isEmpty { bytes += stage.painter.show(stage.renderer.picture, changed: changed) }
    // A character in the last cell could scroll the screen.
    let status = player.status(columns: stage.size.columns - 1)
    if status != statusLine {
      bytes += "\u{1B}[\(stage.size.rows);1H\u{1B}[0;7m\(status)\u{1B}[0m".utf8
      statusLine = status
    }
    stage.isFresh = false
    self.stage = stage
    guard !bytes.isEmpty else { return }
    // Synchronized output: terminals that support it show the whole frame at once.
    try session.write(Array("\u{1B}[?2026h".utf8) + bytes + Array("\u{1B}[?2026l".utf8))
  }

  /// A renderer and a painter for the current size of the terminal.
  private func newStage() throws -> Stage {
    let size = session.size
    var drawingSize = size
    // The last row is for the status line.
    drawingSize.rows = max(drawingSize.rows - 1, 1)
    if let cell = abilities.cell { drawingSize.cell = cell }
    let display = self.display
    var painter: any TerminalPainter = HalfBlockPainter(
      columns: drawingSize.columns, rows: drawingSize.rows, colors: Self.colors)
    if display == .kitty { painter = KittyPainter(size: drawingSize) }
    var rendering = options.rendering
    rendering.extent = .pixels(width: painter.width, height: painter.height)
    let renderer = try FrameRenderer(of: source, timeline, options: rendering)
    session.clearing = painter.clearing
    return Stage(renderer: renderer, painter: painter, size: size)
  }

  private var display: PlayDisplay {
    guard options.display == .auto else { return options.display }
    return abilities.hasKittyGraphics ? .kitty : .blocks
  }

  /// The colours of the terminal, according to the environment.
  private static var colors: HalfBlockPainter.Colors {
    let term = Console.variable("TERM")
    let isRich =
      ["truecolor", "24bit"].contains(Console.variable("COLORTERM"))
      || term.hasSuffix("-direct") || term.includes("kitty")
    return isRich ? .all : .indexed
  }
}
