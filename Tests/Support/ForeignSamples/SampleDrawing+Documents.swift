import Graphics

/// Documents of programs with vector drawings, as JSON.
extension SampleDrawing {
  /// Records of tldraw. Its highlighter has its own sizes.
  var tldraw: [UInt8] {
    let shapes = strokes.enumerated().map { index, stroke in
      let points = stroke.points.map { #"{"x":\#($0.x),"y":\#($0.y),"z":\#($0.pressure)}"# }
      let isHighlighter = stroke.pen == .highlighter
      let color = isHighlighter ? "yellow" : "\(stroke.pen)"
      return
        #"{"typeName":"shape","id":"shape:\#(index)","type":"\#(isHighlighter ? "highlight" : "draw")","#
        + #""parentId":"page:a","index":"a\#(index)","x":0,"y":0,"rotation":0,"opacity":1,"#
        + #""props":{"color":"\#(color)","size":"s","dash":"draw","isPen":true,"segments":["#
        + #"{"type":"free","points":[\#(points.joined(separator: ","))]}]}}"#
    }
    return Array(
      (#"{"tldrawFileFormatVersion":1,"schema":{"schemaVersion":2},"records":["#
        + #"{"typeName":"page","id":"page:a","name":"Tea","index":"a1"},"#
        + shapes.joined(separator: ",") + "]}").utf8)
  }

  /// A document of Rnote, with the highlighter in its layer.
  var rnote: [UInt8] {
    let slots = strokes.map { stroke in
      func element(_ point: SamplePoint) -> String {
        #"{"pos":[\#(point.x),\#(point.y)],"pressure":\#(point.pressure)}"#
      }
      let isHighlighter = stroke.pen == .highlighter
      let color = zip("rgba", stroke.pen.components).map {
        "\"\($0)\":\((Double($1) / 255 * 1000).rounded() / 1000)"
      }
      let segments = stroke.points.dropFirst().map { #"{"lineto":{"end":\#(element($0))}}"# }
      return #"{"value":{"brushstroke":{"path":{"start":\#(element(stroke.points[0])),"#
        + #""segments":[\#(segments.joined(separator: ","))]},"style":{"smooth":{"#
        + #""stroke_width":\#(isHighlighter ? Self.highlighterWidth : Self.penWidth),"#
        + #""stroke_color":{\#(color.joined(separator: ","))},"#
        + #""pressure_curve":"\#(isHighlighter ? "const" : "linear")"}}}},"version":1}"#
    }
    let times = strokes.enumerated().map { index, stroke in
      let layer = stroke.pen == .highlighter ? #""highlighter""# : #"{"user_layer":0}"#
      return #"{"value":{"t":\#(index),"layer":\#(layer)},"version":1}"#
    }
    let text =
      #"{"version":"0.9.4","data":{"engine_snapshot":{"document":{"x":0.0,"y":0.0,"#
      + #""width":\#(Self.size.width),"height":\#(Self.size.height),"layout":"fixed_size","#
      + #""format":{"width":\#(Self.size.width),"height":\#(Self.size.height),"dpi":96.0}},"#
      + #""stroke_components":[\#(slots.joined(separator: ","))],"#
      + #""chrono_components":[\#(times.joined(separator: ","))]}}}"#
    return Packing.gzip(Array(text.utf8), blockSize: 512)
  }
}
