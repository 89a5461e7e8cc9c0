import Graphics
import Strokes

/// What foreign programs draw with, and the inks here that look like it. Widths of foreign ink are the drawn ones, so
/// all inks take sizes as they are.
enum ForeignBrush {
  /// A pen whose width the file states for each point, or that has one from pressure.
  case pen
  /// A line of one width: fineliners, technical pens, lines of vector programs.
  case evenPen
  case pencil
  /// Translucent, flat and broad; text stays readable below it.
  case highlighter
  /// A felt marker that covers.
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
    // Files state the width across the direction of the stroke, which the nib would apply again.
    case .fountainPen: .pen
    case .watercolor: .watercolor
    case .crayon: .crayon
    }
  }

  /// The ink in a colour.
  func ink(_ color: Color) -> PKInk {
    var color = color
    if case .highlighter = self {
      // One pass covers as much as the colour's opacity says: the marker's own opacity counts twice, and a pass lays
      // down 0.85 of its ink.
      color.alpha = min((max(color.alpha, 0) / 0.85).squareRoot(), 1)
    }
    return PKInk(inkType, color: color, widthLaw: .plain)
  }
}
