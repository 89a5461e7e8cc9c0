import Graphics

/// Text formats: lines, XML and JSON.
extension SampleDrawing {
  /// A log of MyPaint: seconds, x, y and pressure. Events without pressure move the pen to the next
  /// stroke.
  var myPaint: [UInt8] {
    text { stroke in
      let lines = stroke.points.map { point in
        "\(seconds(stroke, point)) \(point.x) \(point.y) \(point.pressure)\n"
      }
      guard let last = stroke.points.last else { return "" }
      return lines.joined() + "\(seconds(stroke, last)) \(last.x) \(last.y) 0.0\n"
    }
  }

  /// A drawing of Omniglot, whose y runs upwards.
  var omniglot: [UInt8] {
    Array("START\n".utf8)
      + text { stroke in
        let rows = stroke.points.map { "\($0.x),\(-$0.y),\(stroke.start + $0.time)\n" }
        return rows.joined() + "BREAK\n"
      }
  }

  /// UNIPEN in tenths of pixels, whose y runs upwards.
  var unipen: [UInt8] {
    let start = ".VERSION 1.0\n.COORD X Y T P\n.X_POINTS_PER_INCH 960\n.Y_POINTS_PER_INCH 960\n"
    return Array(start.utf8)
      + text { stroke in
        let rows = stroke.points.map { point in
          "\(whole(10 * point.x)) \(whole(-10 * point.y)) \(stroke.start + point.time) "
            + "\(whole(100 * point.pressure))\n"
        }
        return ".PEN_DOWN\n" + rows.joined() + ".PEN_UP\n"
      }
  }

  /// A symbol of write-math.
  var hwrt: [UInt8] {
    list(in: "[", "]") { stroke in
      let points = stroke.points.map { point in
        #"{"x":\#(point.x),"y":\#(point.y),"time":\#(Self.date + stroke.start + point.time)}"#
      }
      return "[" + points.joined(separator: ",") + "]"
    }
  }

  /// Lists of points for perfect-freehand, named by number.
  func freehand(scale: Double) -> [UInt8] {
    list(in: "{", "}") { stroke in
      let points = stroke.points.map { point in
        "[\(rounded(point.x * scale)),\(rounded(point.y * scale)),\(point.pressure),\(point.time)]"
      }
      return "\"\(stroke.start)\":[" + points.joined(separator: ",") + "]"
    }
  }

  /// A session of the IAM On-Line Handwriting Database, in tenths of points. The highlighter
  /// becomes its green.
  var iamOnDB: [UInt8] {
    let unit = 10 * Self.unit
    let corner = Point(x: Self.size.width, y: Self.size.height) * unit
    let start =
      "<?xml version=\"1.0\"?>\n<WhiteboardCaptureSession><WhiteboardDescription>"
      + "<SensorLocation corner=\"top_left\"/><DiagonallyOppositeCoords x=\"\(whole(corner.x))\" "
      + "y=\"\(whole(corner.y))\"/></WhiteboardDescription><StrokeSet>\n"
    let strokes = text { stroke in
      let points = stroke.points.map { point in
        "<Point x=\"\(whole(point.x * unit))\" y=\"\(whole(point.y * unit))\" "
          + "time=\"\(seconds(stroke, point))\"/>\n"
      }
      let color = stroke.pen == .highlighter ? "green" : "\(stroke.pen)"
      return "<Stroke colour=\"\(color)\">\n" + points.joined() + "</Stroke>\n"
    }
    return Array(start.utf8) + strokes + Array("</StrokeSet></WhiteboardCaptureSession>\n".utf8)
  }

  // MARK: - Parts

  /// The seconds since the drawing began.
  private func seconds(_ stroke: Stroke, _ point: SamplePoint) -> Double {
    Double(stroke.start + point.time) / 1000
  }

  private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  private func whole(_ value: Double) -> Int { Int(clamping: Int64(value.rounded())) }

  private func text(_ part: (Stroke) -> String) -> [UInt8] {
    Array(strokes.map(part).joined().utf8)
  }

  private func list(in start: String, _ end: String, _ part: (Stroke) -> String) -> [UInt8] {
    Array((start + strokes.map(part).joined(separator: ",") + end).utf8)
  }
}
