public import Strokes

import Graphics

// Possible changes of a drawing: strokes are added, cut, moved, coloured and deleted. Tests merge
// two such histories of one drawing.

extension RandomInk {
  /// A short stroke that begins at a time, at one of a few locations, so that erasers meet several.
  public mutating func plainStroke(at time: Double, pointCount: ClosedRange<Int> = 2...8)
    -> PKStroke
  {
    let (x, y) = (number(0...60), number(0...60))
    let points = (0...whole(pointCount)).map { index in
      PKStrokePoint(
        location: Point(x: x + 8 * Double(index), y: y + number(-3...3)),
        timeOffset: 0.01 * Double(index), size: Size(width: 4, height: 4), opacity: 1, force: 1,
        azimuth: 0, altitude: 1)
    }
    return PKStroke(
      ink: PKInk(.pen, color: color()),
      path: PKStrokePath(
        controlPoints: points, creationDate: Timestamp(secondsSinceReferenceDate: time)),
      randomSeed: UInt32(whole(0...1000)), id: identifier())
  }

  /// A drawing of plain strokes from a start time on.
  public mutating func plainDrawing(strokeCount: ClosedRange<Int>, from time: Double = 0)
    -> PKDrawing
  {
    PKDrawing(strokes: (0..<whole(strokeCount)).map { plainStroke(at: time + Double($0)) })
  }

  /// The path of an eraser from top to bottom.
  public mutating func wipe() -> (path: PKStrokePath, eraser: PKEraserTool) {
    let x = number(0...110)
    let path = PKStrokePath(
      controlPoints: [-10.0, 80].map { y in
        PKStrokePoint(
          location: Point(x: x, y: y), timeOffset: 0, size: Size(width: 1, height: 1), opacity: 1,
          force: 1, azimuth: 0, altitude: 1)
      })
    return (path, PKEraserTool(chance(0.2) ? .vector : .bitmap, width: number(2...8)))
  }

  /// The drawing after some changes from a start time on.
  public mutating func changed(
    _ drawing: PKDrawing, from time: Double, count: ClosedRange<Int> = 1...5
  ) -> PKDrawing {
    var drawing = drawing
    for change in 0..<whole(count) {
      let now = time + Double(change)
      let index = drawing.strokes.isEmpty ? nil : whole(0...drawing.strokes.count - 1)
      switch (whole(0...7), index) {
      case (1, let index?): drawing.strokes[index].transform = transform()
      case (2, let index?): drawing.strokes[index].ink.color = color()
      case (3, let index?): drawing.strokes.remove(at: index)
      case (4, let index?): drawing.strokes[index] = part(of: drawing.strokes[index])
      case (5, _), (6, _):
        let (path, eraser) = wipe()
        drawing.erase(along: path, with: eraser)
      default: drawing.strokes.append(plainStroke(at: now))
      }
    }
    return drawing
  }

  /// The recording after some more events from a start time on.
  public mutating func continued(
    _ recording: Recording, from time: Double, count: ClosedRange<Int> = 1...8
  ) -> Recording {
    var recording = recording
    var now = time
    func add(_ action: Recording.Action) {
      recording.events.append(
        Recording.Event(time: Timestamp(secondsSinceReferenceDate: now), action: action))
    }
    for _ in 0..<whole(count) {
      now += number(0...1)
      let strokes = recording.drawing.strokes
      switch whole(0...14) {
      case 0...3:
        let stroke = plainStroke(at: now)
        var begun = stroke
        begun.path = stroke.path.controlPoints(in: 0..<1)
        add(.strokeBegun(begun))
        now += 0.05
        add(.strokeExtended(stroke.id, by: stroke.path.controlPoints(in: 1..<stroke.path.count)))
        add(.strokeEnded(stroke.id))
      case 4, 5:
        let (path, eraser) = wipe()
        recording.erase(
          along: path, with: eraser, at: Timestamp(secondsSinceReferenceDate: now))
      case 6:
        if let stroke = strokes.randomElement(using: &generator) {
          add(.moved([stroke.id], by: transform()))
        }
      case 7, 8: add(.undone)
      case 9: add(.redone)
      case 10: add(chance(0.3) ? .cleared : .undone)
      case 11:
        let pasted = (0..<whole(1...3)).map { plainStroke(at: now + Double($0)) }
        let isFront = chance()
        add(.edited([], above: isFront ? pasted : [], below: isFront ? [] : pasted))
      case 12:
        if let stroke = strokes.randomElement(using: &generator) {
          let change = StrokeChange(strokeID: stroke.id, replacements: [PKStroke]())
          let isFront = chance()
          add(.edited([change], above: isFront ? [stroke] : [], below: isFront ? [] : [stroke]))
        }
      case 13:
        if var stroke = strokes.randomElement(using: &generator) {
          stroke.ink.color = color()
          add(.edited([.init(strokeID: stroke.id, replacements: [stroke])], above: [], below: []))
        }
      default: add(.toolChanged(tool()))
      }
    }
    return recording
  }
}
