// The library for regular expressions, which has these functions of texts, is 1 MB, a fourteenth of
// `pkd`. Without it the program links only as long as nobody calls it.

extension StringProtocol {
  /// Whether the bytes of a text are in this one.
  package func includes(_ text: String) -> Bool {
    let (all, wanted) = (Array(utf8), Array(text.utf8))
    guard wanted.count <= all.count else { return false }
    return (0...all.count - wanted.count).contains {
      all[$0..<$0 + wanted.count].elementsEqual(wanted)
    }
  }

  /// This text with one character replaced by another everywhere, also where it carries a combining
  /// mark.
  package func exchanging(_ scalar: Unicode.Scalar, for text: String) -> String {
    var result = String.UnicodeScalarView()
    for next in unicodeScalars {
      if next == scalar { result += text.unicodeScalars } else { result.append(next) }
    }
    return String(result)
  }
}
