import Graphics

/// The traces of a document with the definitions that they refer to.
struct InkMLTraces {
  let document: InkMLDocument
  private let setups: Setups
  /// Traces by the trace that they continue, and the reverse; without cycles.
  let next: [Int: Int]
  let prior: [Int: Int]

  /// The setups of traces, each made once.
  private final class Setups {
    private(set) var known: [Key: InkMLSetup] = [:]

    struct Key: Hashable {
      let context, brush, format: Int?
      /// The values of a point where the file states no format.
      var undeclaredValues = 2
    }

    func setup(_ key: Key, _ definitions: InkMLDefinitionReader) -> InkMLSetup {
      if let setup = known[key] { return setup }
      let setup = InkMLSetup(
        definitions, context: key.context, brush: key.brush, format: key.format,
        usual: .undeclared(values: key.undeclaredValues))
      known[key] = setup
      return setup
    }
  }

  init(_ document: InkMLDocument) {
    self.document = document
    setups = Setups()
    var (next, prior): ([Int: Int], [Int: Int]) = ([:], [:])
    for (index, trace) in document.traces.enumerated() {
      // A trace can only continue an earlier one.
      guard let before = trace.prior.flatMap({ document.indices[$0] }), before < index,
        next[before] == nil
      else { continue }
      next[before] = index
      prior[index] = before
    }
    (self.next, self.prior) = (next, prior)
  }

  /// The setup of a trace.
  subscript(trace: InkMLTrace) -> InkMLSetup {
    var key = Setups.Key(context: trace.context, brush: trace.brush, format: trace.format)
    let setup = setups.setup(key, document.definitions)
    guard setup.isUndeclared else { return setup }
    key.undeclaredValues = valuesOfFirstPoint(trace)
    return key.undeclaredValues == 2 ? setup : setups.setup(key, document.definitions)
  }

  /// The number of values in the first point of a trace, from 2 to 8.
  private func valuesOfFirstPoint(_ trace: InkMLTrace) -> Int {
    var (count, isInside) = (0, false)
    for index in trace.text {
      let byte = document.text[index]
      if byte == UInt8(ascii: ",") { break }
      if byte > 0x20, !isInside { count += 1 }
      isInside = byte > 0x20
    }
    return min(max(count, 2), 8)
  }

  /// The setups of all traces that were read so far.
  var usedSetups: some Sequence<InkMLSetup> { setups.known.values }

  /// Whether a trace is drawn, with the reason if not.
  enum Visibility {
    case shown
    /// The pen was above the page.
    case penUp
    /// No view shows the definition.
    case notViewed
  }

  func visibility(of index: Int) -> Visibility {
    let trace = document.traces[index]
    if trace.isPenUp { return .penUp }
    guard trace.isDefinition else { return .shown }
    let names = [trace.name].compactMap { $0 } + (document.definedGroups[index] ?? [])
    return names.contains { document.viewed.contains($0) } ? .shown : .notViewed
  }
}

extension InkMLSetup {
  /// The transform to the coordinates of a page whose unit is given in points.
  func transform(to unit: Double) -> AffineTransform {
    if let transform {
      let factor = (canvasLength ?? unit) / unit
      return AffineTransform(
        a: transform.a * factor, b: transform.b * factor, c: transform.c * factor,
        d: transform.d * factor, tx: transform.tx * factor, ty: transform.ty * factor)
    }
    func sign(_ channel: Int?) -> Double {
      channel.map { format.channels[$0].isReversed } == true ? -1 : 1
    }
    return AffineTransform(
      scaleX: sign(x) * (lengths.x ?? unit) / unit, y: sign(y) * (lengths.y ?? unit) / unit)
  }

  /// The seconds between the points of a trace that are evenly spaced; nil if unknown.
  func step(of trace: InkMLTrace, count: Int) -> Double? {
    if let duration = trace.duration, duration > 0, count > 1 {
      return duration / 1000 / Double(count - 1)
    }
    return sampleRate.map { 1 / $0 }
  }
}
