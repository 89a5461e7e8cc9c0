package import Strokes

import Graphics

extension RandomInk {
  /// Selects strokes in one of several ways, and changes them.
  package mutating func edit(_ page: inout PenPage, at time: Timestamp) {
    let place = Point(x: number(0...200), y: number(0...160))
    switch whole(0...3) {
    case 0: page.selectAll()
    case 1: page.select(at: place, within: number(0...60), adding: chance())
    default:
      let other = Point(x: number(0...200), y: number(0...160))
      page.select(inside: Rect(around: [place, other]).corners, adding: chance())
    }
    let shift = AffineTransform(translationX: number(-30...30), y: number(-30...30))
    switch whole(0...6) {
    case 0: page.transformSelection(by: transform(), at: time)
    case 1: page.restyleSelection(color: color(), at: time)
    case 2: page.restyleSelection(ink: ink().inkType, at: time)
    case 3: page.restyleSelection(widthFactor: number(0.5...2), at: time)
    case 4: page.reorderSelection(toFront: chance(), at: time)
    // A drawing of all ink would double each time.
    case 5 where page.selectionCount < 40: page.duplicateSelection(by: shift, at: time)
    default: page.insert(erasedDrawing().strokes, by: shift, at: time)
    }
  }
}
