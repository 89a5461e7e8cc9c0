/// Wacom's formats, whose curves pass all points but the first and the last.
extension SampleDrawing {
  /// A file of the Universal Ink Model, with the samples of the pen.
  func universalInk(version: [UInt8]) -> [UInt8] {
    var file = UniversalInkBytes()
    (file.version, file.sensors) = (version, [:])
    file.strokes = strokes.enumerated().map { index, stroke in
      let name = "sensor \(index)"
      var sensor = UniversalInkBytes.Sensor()
      sensor.start = Self.date + stroke.start
      sensor.times = stroke.points.map(\.time)
      sensor.pressures = stroke.points.map { Int(clamping: Int64(($0.pressure * 100).rounded())) }
      (sensor.altitudes, sensor.azimuths) = ([], [])
      file.sensors[name] = sensor
      var ink = UniversalInkBytes.Stroke()
      let points = stroke.curvePoints
      ink.x = points.map(\.x)
      ink.y = points.map(\.y)
      ink.sizes = points.map(stroke.width)
      ink.color = stroke.pen.rgba
      ink.sensor = name
      if stroke.pen == .highlighter { ink.brush = "app://sample/vector-brush/Highlighter" }
      return ink
    }
    return file.file
  }

  /// A file of WILL 2, which has no highlighter: its stroke is translucent.
  var will: [UInt8] {
    WILLBytes.file(
      strokes.map { stroke in
        func hundredths(_ value: Double) -> Int { Int(clamping: Int64((value * 100).rounded())) }
        var path = WILLBytes.Path()
        let points = stroke.curvePoints
        path.x = points.map { hundredths($0.x) }
        path.y = points.map { hundredths($0.y) }
        path.widths = points.map { hundredths(stroke.width($0)) }
        path.color = stroke.pen.rgba
        return path.message
      })
  }
}

extension SampleDrawing.Stroke {
  fileprivate var curvePoints: [SampleDrawing.SamplePoint] {
    points.prefix(1) + points + points.suffix(1)
  }
}
