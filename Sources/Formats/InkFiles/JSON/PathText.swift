import Graphics

/// Paths as text in the notation of SVG: `M x y L x y Q x y x y C x y x y x y Z`.
enum PathText {
  static func encode(_ path: Path) -> String {
    func text(_ points: Point...) -> String {
      points.map { "\($0.x) \($0.y)" }.joined(separator: " ")
    }
    return path.elements.map { element in
      switch element {
      case .move(let to): "M \(text(to))"
      case .line(let to): "L \(text(to))"
      case .quadratic(let to, let control): "Q \(text(control, to))"
      case .cubic(let to, let control1, let control2): "C \(text(control1, control2, to))"
      case .close: "Z"
      }
    }.joined(separator: " ")
  }

  /// The path of a text with absolute commands M, L, Q, C and Z; nil for any other text.
  static func decode(_ text: String) -> Path? {
    var path = Path()
    var words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\n" })[...]
    func point() -> Point? {
      guard words.count >= 2, let x = Double(words.removeFirst()),
        let y = Double(words.removeFirst()), x.isFinite, y.isFinite
      else { return nil }
      return Point(x: x, y: y)
    }
    while let command = words.popFirst() {
      switch command {
      case "M":
        guard let to = point() else { return nil }
        path.move(to: to)
      case "L":
        guard !path.isEmpty, let to = point() else { return nil }
        path.addLine(to: to)
      case "Q":
        guard !path.isEmpty, let control = point(), let to = point() else { return nil }
        path.addQuadratic(to: to, control: control)
      case "C":
        guard !path.isEmpty, let control1 = point(), let control2 = point(), let to = point()
        else { return nil }
        path.addCubic(to: to, control1: control1, control2: control2)
      case "Z": path.close()
      default: return nil
      }
    }
    return path
  }
}
