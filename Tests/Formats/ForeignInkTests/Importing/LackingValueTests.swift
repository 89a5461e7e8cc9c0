import InkFiles
import Compression
import ForeignSamples
import ForeignInk
import JSON
import Testing

/// Texts in which a value is missing, or of an unexpected kind.
struct LackingValueTests {
  private static let samples = (try? ForeignSample.all(.word)) ?? []
  /// The text of a sample, which may be compressed.
  private static func text(_ sample: ForeignSample) -> [UInt8] {
    (try? Inflate.inflate(sample.bytes, limit: 1 << 24)) ?? sample.bytes
  }
  private static func samples(beginningWith mark: Character) -> [ForeignSample] {
    samples.filter { text($0).first == mark.asciiValue }
  }

  @Test(arguments: samples(beginningWith: "{") + samples(beginningWith: "["))
  func `JSON with any value instead of another is refused or read in part`(sample: ForeignSample) {
    Self.expectSurvival(ofJSON: Self.text(sample), as: sample.format)
  }

  /// Reads JSON with replaced values, and with unknown keys.
  static func expectSurvival(ofJSON text: [UInt8], as format: DrawingFile.Format) {
    let others = [
      "null", "7", "-1", "1e300", "true", "\"?\"", "\"\"", "{}", "[]", "[{}]", "[7,7,7]",
    ]
    let values = valuesOfKeys(in: text)
    #expect(!values.isEmpty)
    for value in values {
      for other in others + ["\(String(decoding: text[value], as: UTF8.self)),\"new\":[{}]"] {
        var copy = text
        copy.replaceSubrange(value, with: other.utf8)
        _ = Damage.strokes(of: copy, as: format)
      }
    }
  }

  /// The values behind the first two occurrences of each key.
  static func valuesOfKeys(in text: [UInt8]) -> [Range<Int>] {
    var counts: [[UInt8]: Int] = [:]
    var values: [Range<Int>] = []
    for colon in text.indices.dropFirst(2)
    where text[colon] == UInt8(ascii: ":") && text[colon - 1] == UInt8(ascii: "\"") {
      let key = Array(text[..<(colon - 1)].reversed().prefix { $0 != UInt8(ascii: "\"") })
      counts[key, default: 0] += 1
      guard counts[key, default: 0] <= 2 else { continue }
      var reader = JSONReader(text).value(at: colon + 1)
      _ = reader.peek()
      let start = reader.offset
      if (try? reader.skip()) != nil { values.append(start..<reader.offset) }
    }
    return values
  }

  @Test(arguments: samples(beginningWith: "<"))
  func `XML without an attribute, or with any value in it, is refused or read in part`(
    sample: ForeignSample
  ) {
    Self.expectSurvival(ofXML: Self.text(sample), as: sample.format)
  }

  /// Reads XML with each attribute removed, and with replaced values.
  static func expectSurvival(ofXML text: [UInt8], as format: DrawingFile.Format) {
    let attributes = attributes(in: text)
    #expect(!attributes.isEmpty)
    for (whole, value) in attributes {
      for other in ["", "?", "-1", "0", "1e300", "%", "#", "7 7 7"] {
        var copy = text
        copy.replaceSubrange(value, with: other.utf8)
        _ = Damage.strokes(of: copy, as: format)
      }
      var copy = text
      copy.removeSubrange(whole)
      _ = Damage.strokes(of: copy, as: format)
    }
  }

  /// The first two attributes of each name, and their values.
  private static func attributes(
    in text: [UInt8]
  ) -> [(whole: Range<Int>, value: Range<Int>)] {
    var counts: [[UInt8]: Int] = [:]
    var attributes: [(Range<Int>, Range<Int>)] = []
    for equals in text.indices.dropLast() where text[equals] == UInt8(ascii: "=") {
      let quote = text[equals + 1]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = text[(equals + 2)...].firstIndex(of: quote)
      else { continue }
      let name = Array(text[..<equals].reversed().prefix { $0 > 0x20 })
      counts[name, default: 0] += 1
      guard counts[name, default: 0] <= 2 else { continue }
      attributes.append((equals - name.count..<end + 1, equals + 2..<end))
    }
    return attributes
  }
}
