/// Pages of tablets, in units of their screens' pixels: 226 per inch.
extension SampleDrawing {
  private static let screen = 226.0 / 96

  /// A page of a reMarkable tablet of version 5.
  var remarkable5: [UInt8] {
    RemarkablePage.layered([
      strokes.map { stroke in
        .init(
          tool: stroke.pen == .highlighter ? 18 : 15, color: stroke.remarkableColor,
          points: stroke.remarkablePoints(fromMiddle: false))
      }
    ])
  }

  /// A page of a reMarkable tablet of version 6, whose x starts in the middle.
  var remarkable6: [UInt8] {
    RemarkablePage.page(
      strokes.enumerated().map { index, stroke in
        let left = index == 0 ? RemarkablePage.ID.none : .init(UInt64(index + 19))
        return RemarkablePage.item(
          5, .init(UInt64(index + 20)), left: left,
          RemarkablePage.line(
            tool: stroke.pen == .highlighter ? 18 : 15, color: stroke.remarkableColor,
            stroke.remarkablePoints(fromMiddle: true)))
      })
  }

  /// A page of a Supernote tablet, which has greys: black, dark and light.
  var supernote: [UInt8] {
    let (width, height) = (14_030.0, 18_710.0)
    let strokes = strokes.map { stroke in
      let isHighlighter = stroke.pen == .highlighter
      var note = SupernoteNotebook.Stroke()
      note.pen = isHighlighter ? 11 : 16
      note.color = isHighlighter ? 202 : stroke.pen == .black ? 0 : 157
      // Ink without an outline is drawn with 0.77 times this width plus 0.85 pixels.
      let mean = stroke.points.reduce(0) { $0 + stroke.width($1) } / Double(stroke.points.count)
      let drawn = mean * Self.screen
      note.thickness = UInt32(100 * (isHighlighter ? drawn : (drawn - 0.85) / 0.77))
      note.points = stroke.points.map { point in
        (
          x: UInt32(width - point.x * Self.screen * width / 1403),
          y: UInt32(point.y * Self.screen * height / 1871)
        )
      }
      note.pressures = stroke.points.map { UInt16(4095 * $0.pressure) }
      note.tilts = []
      return note
    }
    return SupernoteNotebook(pages: [.init(strokes: strokes)]).bytes
  }
}

extension SampleDrawing.Stroke {
  fileprivate var remarkableColor: UInt32 {
    switch pen {
    case .black: 0
    case .blue: 6
    case .red: 7
    case .highlighter: 3
    }
  }

  fileprivate func remarkablePoints(fromMiddle: Bool) -> [RemarkablePage.PenPoint] {
    let screen = 226.0 / 96
    return points.map { point in
      (
        x: Float(point.x * screen - (fromMiddle ? 702 : 0)), y: Float(point.y * screen),
        width: Float(width(point) * screen), pressure: Float(point.pressure)
      )
    }
  }
}
