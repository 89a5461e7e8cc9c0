import Graphics

extension Recording.Canvas {
  /// Merges the pages of two sides, value by value. A change by only one side is taken; of two
  /// changes, the later side's. Without a base, a value that only one side has counts as added.
  static func merged(base: Self?, earlier: Self, later: Self) -> Self {
    func choose<Value>(
      _ old: Value??, _ earlier: Value?, _ later: Value?, _ areEqual: (Value, Value) -> Bool
    ) -> Value? {
      func isSame(_ a: Value?, _ b: Value?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return areEqual(a, b)
      }
      guard let old else { return later ?? earlier }
      return isSame(later, old) ? earlier : later
    }
    var result = Self(
      size: choose(base.map { $0.size }, earlier.size, later.size) { $0 == $1 },
      background: choose(base.map { $0.background }, earlier.background, later.background) {
        $0 == $1
      })
    // Names are compared by their bytes, as in files.
    func byName(_ canvas: Self?) -> [[UInt8]: Recording.CanvasText] {
      (canvas?.texts ?? []).reduce(into: [:]) { $0[Array($1.name.utf8)] = $1 }
    }
    let (old, earlierTexts, laterTexts) = (byName(base), byName(earlier), byName(later))
    let added = earlier.texts.filter { laterTexts[Array($0.name.utf8)] == nil }
    result.texts = (later.texts + added).compactMap { text in
      let name = Array(text.name.utf8)
      return choose(base.map { _ in old[name] }, earlierTexts[name], laterTexts[name]) { $0 == $1 }
    }.sorted(by: <)
    return result
  }
}
