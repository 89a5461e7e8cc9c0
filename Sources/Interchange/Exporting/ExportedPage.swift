import Graphics
public import Strokes

/// A page to write in a foreign format.
public struct ExportedPage: Sendable {
  /// What the page is called; empty if it has no name.
  public var name: String
  /// The ink.
  public var drawing: PKDrawing
  /// The ink as it was drawn.
  public var recording: Recording

  /// A page.
  public init(name: String = "", drawing: PKDrawing, recording: Recording) {
    self.name = name
    self.drawing = drawing
    self.recording = recording
  }

  var canvas: Recording.Canvas { recording.canvas }

  /// The part of the canvas that a format with pages shows: the page, or what is drawn with some space around it.
  var frame: Rect {
    if let size = canvas.size, size.width > 0, size.height > 0 {
      return Rect(origin: Point(x: 0, y: 0), size: size)
    }
    let bounds = drawing.bounds
    guard !bounds.isNull else { return Rect(x: 0, y: 0, width: 595, height: 842) }
    let margin = 18.0
    return Rect(
      x: bounds.minX - margin, y: bounds.minY - margin, width: bounds.width + 2 * margin,
      height: bounds.height + 2 * margin)
  }
}

extension PKInk {
  /// The colour as `#rrggbb`, without its transparency.
  var solidHex: String { String(color.withAlpha(1).clamped.hex.prefix(7)).lowercased() }

  /// The part of the paper that the ink covers.
  var cover: Double { min(max(color.alpha, 0), 1) }
}

/// Texts of numbers for files: the shortest with at most some decimals.
struct NumberWriter {
  let decimals: Int

  func text(_ value: Double) -> String {
    var factor = 1.0
    for _ in 0..<decimals { factor *= 10 }
    let scaled = (value * factor).rounded()
    guard abs(scaled) < 1e15 else { return value.isFinite ? value.description : "0" }
    let whole = Int64(scaled)
    let digits = String(whole.magnitude)
    let padded = String(repeating: "0", count: max(decimals + 1 - digits.count, 0)) + digits
    var text = padded.dropLast(decimals) + (decimals > 0 ? "." : "") + padded.suffix(decimals)
    if decimals > 0 {
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
    }
    return (whole < 0 ? "-" : "") + text
  }
}
