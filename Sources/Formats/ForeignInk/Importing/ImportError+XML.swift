import InkFiles
import XML

extension ImportError {
  /// Damage of a text in XML.
  init(_ error: XMLError) { self.init(.syntax(error.reason), at: error.offset) }
}
