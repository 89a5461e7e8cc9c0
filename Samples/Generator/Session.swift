import Graphics
import Strokes

/// A script of drawing steps, which is played into a recording.
struct Session {
  /// One action of the artist.
  enum Step {
    /// Draws along a guide. Steps with the same name form an object, which can be moved.
    case draw(String, Guide, Brush, Touch = Touch())
    /// Writes a line of text, which is an object, too.
    case write(String, text: String, at: Point, Penmanship, Brush)
    /// Draws a dot.
    case tap(String, Point, Brush)
    /// Undoes the last change.
    case undo
    /// Erases along a guide.
    case erase(Guide, PKEraserTool)
    /// Moves objects with the lasso.
    case move([String], x: Double, y: Double)
    /// Waits for some seconds.
    case look(Double)
  }

  private(set) var recording: Recording
  private(set) var words: [WrittenWord] = []
  private var artist: Artist
  private var tool: PKTool?
  /// The strokes of each object.
  private var strokes: [String: [Identifier]] = [:]

  init(on canvas: Recording.Canvas, by artist: Artist) {
    recording = Recording(canvas: canvas)
    self.artist = artist
  }

  mutating func play(_ step: Step) {
    switch step {
    case .draw(let name, let guide, let brush, let touch):
      take(.inking(brush.tool))
      deliver([artist.stroke(along: guide, brush, touch)], as: name)
    case .write(let name, let text, let place, let style, let brush):
      take(.inking(brush.tool))
      let written = artist.words(writing: text, at: place, style, brush)
      deliver(written.flatMap(\.strokes), as: name)
      words += written
    case .tap(let name, let place, let brush):
      play(.draw(name, Guide(along: [place]), brush, .dot))
    case .undo:
      artist.wait(0.4)
      record(.undone, at: artist.now)
    case .erase(let guide, let eraser):
      take(.eraser(eraser))
      let path = artist.path(rubbingAlong: guide)
      recording.erase(along: path, with: eraser, at: artist.now)
    case .move(let names, let x, let y):
      take(.lasso)
      artist.wait(2.2)
      let moved = names.flatMap { strokes[$0] ?? [] }
      record(.moved(moved, by: AffineTransform(translationX: x, y: y)), at: artist.now)
    case .look(let seconds):
      artist.wait(seconds)
    }
  }

  /// Selects a tool, unless it is already selected.
  private mutating func take(_ tool: PKTool) {
    guard tool != self.tool else { return }
    artist.wait(0.5)
    record(.toolChanged(tool), at: artist.now)
    self.tool = tool
  }

  private mutating func deliver(_ strokes: [PKStroke], as name: String) {
    for stroke in strokes {
      record(.strokeBegun(stroke), at: stroke.path.creationDate)
      record(.strokeEnded(stroke.id), at: stroke.path.creationDate + stroke.path.duration)
    }
    self.strokes[name, default: []] += strokes.map(\.id)
  }

  private mutating func record(_ action: Recording.Action, at time: Timestamp) {
    recording.events.append(Recording.Event(time: time, action: action))
  }
}

extension Brush {
  /// The tool, set to the width of a firm touch.
  fileprivate var tool: PKInkingTool { PKInkingTool(ink: ink, width: size(pressure: 0.7).width) }
}
