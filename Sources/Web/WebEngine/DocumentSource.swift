import Graphics
import PKDFormat
import Strokes

/// The readable content of a file. It is one type, so that the engine contains the code for reading
/// strokes only once.
enum DocumentSource: RecordingSource {
  /// An intact `.pkd` file, whose strokes are decoded when they are drawn.
  case file(PKDReader)
  /// Any other content.
  case strokes(RecordedStrokes)

  var canvas: Recording.Canvas {
    switch self {
    case .file(let reader): reader.canvas
    case .strokes(let strokes): strokes.canvas
    }
  }

  var script: RecordingScript {
    switch self {
    case .file(let reader): reader.script
    case .strokes(let strokes): strokes.script
    }
  }

  var strokeCount: Int {
    switch self {
    case .file(let reader): reader.strokeCount
    case .strokes(let strokes): strokes.strokeCount
    }
  }

  func id(ofStroke index: Int) -> Identifier {
    switch self {
    case .file(let reader): reader.id(ofStroke: index)
    case .strokes(let strokes): strokes.id(ofStroke: index)
    }
  }

  func parentID(ofStroke index: Int) -> Identifier? {
    switch self {
    case .file(let reader): reader.parentID(ofStroke: index)
    case .strokes(let strokes): strokes.parentID(ofStroke: index)
    }
  }

  func bounds(ofStroke index: Int) -> Rect {
    switch self {
    case .file(let reader): reader.bounds(ofStroke: index)
    case .strokes(let strokes): strokes.bounds(ofStroke: index)
    }
  }

  func ink(ofStroke index: Int) -> PKInk {
    switch self {
    case .file(let reader): reader.ink(ofStroke: index)
    case .strokes(let strokes): strokes.ink(ofStroke: index)
    }
  }

  func renderGroupID(ofStroke index: Int) -> Identifier? {
    switch self {
    case .file(let reader): reader.renderGroupID(ofStroke: index)
    case .strokes(let strokes): strokes.renderGroupID(ofStroke: index)
    }
  }

  func isMasked(stroke index: Int) -> Bool {
    switch self {
    case .file(let reader): reader.isMasked(stroke: index)
    case .strokes(let strokes): strokes.isMasked(stroke: index)
    }
  }

  func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    switch self {
    case .file(let reader): reader.timeRange(ofStroke: index)
    case .strokes(let strokes): strokes.timeRange(ofStroke: index)
    }
  }

  func stroke(at index: Int) throws(PKDError) -> PKStroke {
    switch self {
    case .file(let reader): try reader.stroke(at: index)
    case .strokes(let strokes): strokes.stroke(at: index)
    }
  }
}
