/// Ink Serialized Format, and the records of Quick, Draw!.
extension SampleDrawing {
  /// A stream with a table of the pens, whose width depends on pressure, in units of 0.01 mm.
  var isf: [UInt8] {
    let unit = 2540.0 / 96
    func whole(_ value: Double) -> Int { Int(clamping: Int64(value.rounded())) }
    // The properties for a colour, a width and a height; then the highlighter's raster operation,
    // and that it ignores pressure.
    func number(_ property: Int, _ value: Int) -> [UInt8] {
      ISFBytes.number(property) + ISFBytes.number(value)
    }
    let pens: [Pen] = [.black, .blue, .red, .highlighter]
    var stream = ISFBytes()
    stream.add(
      2,
      table: pens.map { pen in
        let (rgb, isHighlighter) = (pen.components, pen == .highlighter)
        // A pen draws this width at half pressure.
        let width = whole((isHighlighter ? Self.highlighterWidth : Self.penWidth / 2) * unit)
        let look =
          number(68, rgb[0] | rgb[1] << 8 | rgb[2] << 16) + number(69, width) + number(70, width)
        return isHighlighter
          ? look + number(71, 1) + number(72, 5) + number(80, 255 - rgb[3]) + ISFBytes.number(87)
            + [9, 0, 0, 0]
          : look + number(72, 1)
      })
    // Ticks and pressure follow x and y.
    stream.add(5, sized: [54, 56])
    for stroke in strokes {
      stream.add(9, ISFBytes.number(pens.firstIndex(of: stroke.pen) ?? 0))
      let columns = [
        stroke.points.map { whole($0.x * unit) }, stroke.points.map { whole($0.y * unit) },
        stroke.points.map(\.time), stroke.points.map { whole($0.pressure * 1023) },
      ]
      stream.addStroke(
        stroke.points.count,
        columns.map { ISFBytes.packed($0, width: 16, asDifferences: true) })
    }
    return stream.stream()
  }

  /// A record of Quick, Draw!, in whole pixels.
  var quickDrawRecord: [UInt8] {
    QuickDrawBytes.record(
      seconds: UInt32(Self.date / 1000),
      strokes.map { stroke in
        func column(_ values: [Double]) -> [UInt8] { values.map { UInt8($0.rounded()) } }
        return (column(stroke.points.map(\.x)), column(stroke.points.map(\.y)))
      })
  }
}
