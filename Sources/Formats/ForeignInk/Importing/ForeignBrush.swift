import Graphics
import Strokes

/// The tools of foreign programs, and the inks here that look like them. Foreign files state drawn
/// widths, so all inks take sizes as they are.
enum ForeignBrush {
  /// A pen whose width varies: the file states it for each point, or it follows from the pressure.
  case pen
  /// A line of constant width: fineliners, technical pens, lines of vector programs.
  case evenPen
  case pencil
  /// Translucent, flat and broad; text stays readable below it.
  case highlighter
  /// An opaque felt marker.
  case marker
  case fountainPen
  case paintbrush
  case watercolor
  case crayon

  /// The ink that is drawn.
  private var inkType: PKInk.InkType {
    switch self {
    case .pen, .marker, .paintbrush: .pen
    case .evenPen: .monoline
    case .pencil: .pencil
    case .highlighter: .marker
    // Files state the width across the stroke's direction. The nib of `.fountainPen` would apply
    // the direction again.
    case .fountainPen: .pen
    case .watercolor: .watercolor
    case .crayon: .crayon
    }
  }

  /// The ink in a colour.
  func ink(_ color: Color) -> PKInk {
    var color = color
    if case .highlighter = self {
      // One pass of the marker must cover as much as the colour's alpha. The marker multiplies
      // alpha by its own opacity, so it counts twice, and a pass lays down 0.85 of the ink.
      color.alpha = min((max(color.alpha, 0) / 0.85).squareRoot(), 1)
    }
    return PKInk(inkType, color: color, widthLaw: .plain)
  }
}
