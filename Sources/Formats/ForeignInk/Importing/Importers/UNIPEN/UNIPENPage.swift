import InkFiles
import Graphics

/// A measurement of a tablet at a moment.
struct UNIPENSample {
  var x = 0.0
  var y = 0.0
  /// Seconds: on the tablet's clock while the file is read, then since the start of the stroke.
  var time = 0.0
  /// In units of the tablet; NaN if it measured none.
  var pressure = Double.nan
}

/// The pen's movement between touching the paper and leaving it.
struct UNIPENStroke {
  var samples: [UNIPENSample]
  /// Seconds since the file's clock began; nil if unknown.
  let start: Double?
  /// Whether the samples have times.
  let hasTimes: Bool
}

/// The resolution of a tablet.
struct UNIPENResolution {
  /// Units in an inch.
  let x, y: Double

  /// The transform that gives y the units of x.
  var shape: AffineTransform {
    x == y ? .identity : AffineTransform(scaleX: 1, y: x / y)
  }
}

/// The strokes between two starts of a set or a box.
struct UNIPENPage {
  var strokes: [UNIPENStroke] = []
  /// The resolution at the first stroke; nil if the file states none.
  var resolution: UNIPENResolution?
  /// The number of the first component. Movements on the paper and above it are numbered together,
  /// from 0.
  var firstComponent = 0
  /// The segments with a text, in the order of the file.
  var segments: [UNIPENSegment] = []
  var notes = ImportNotes()
  private(set) var damage: [ImportError] = []

  /// Keeps an error. Beyond a thousand, further errors are dropped.
  mutating func add(_ error: ImportError) {
    if damage.count < 1_000 { damage.append(error) }
  }

  /// The longer side of the strokes' box; 0 if there is none.
  var longerSide: Double {
    var (low, high) = (
      Point(x: .infinity, y: .infinity), Point(x: -Double.infinity, y: -Double.infinity)
    )
    for stroke in strokes {
      for sample in stroke.samples {
        low = Point(x: min(low.x, sample.x), y: min(low.y, sample.y))
        high = Point(x: max(high.x, sample.x), y: max(high.y, sample.y))
      }
    }
    return max(high.x - low.x, high.y - low.y, 0)
  }

  /// The page's name and the number of texts that are not part of it. The name consists of the
  /// texts of the first kind of segment, which is the highest one, up to the length of a title.
  var name: (text: String, unnamedCount: Int) {
    var (name, count) = ("", 0)
    for segment in segments where segment.kind == segments[0].kind {
      let longer = name.isEmpty ? segment.text : name + " " + segment.text
      guard longer.utf8.count <= Self.nameLimit else { break }
      name = longer
      count += 1
    }
    return (name, segments.count - count)
  }

  private static let nameLimit = 200
}

/// A part of the ink with its written text: the arguments of `.SEGMENT`.
struct UNIPENSegment {
  /// `WORD` or `CHARACTER`, for example.
  let kind: String
  /// The number of the first component; nil if the file does not state it.
  let firstComponent: Int?
  let text: String

  /// Reads a line like `WORD 3-5:0-12 OK "text"`. Nil if it has no text.
  init?(_ line: ArraySlice<UInt8>) {
    let words = line.split(maxSplits: 3) { $0 <= 0x20 }
    guard let kind = words.first else { return nil }
    self.kind = String(decoding: kind, as: UTF8.self)
    firstComponent = words.dropFirst().first.flatMap { word in
      Int(String(decoding: word.prefix { (48...57).contains($0) }, as: UTF8.self))
    }
    let quote = UInt8(ascii: "\"")
    var label: ArraySlice<UInt8> = words.count > 3 ? words[3].prefix { $0 > 0x20 } : []
    if let first = line.firstIndex(of: quote) {
      let rest = line[(first + 1)...]
      label = rest[..<(rest.lastIndex(of: quote) ?? rest.endIndex)]
    }
    // The format is older than UTF-8. Other bytes are read as Latin-1.
    let text =
      String(validating: label, as: UTF8.self)
      ?? String(String.UnicodeScalarView(label.map { Unicode.Scalar($0) }))
    self.text = text.split { $0.isWhitespace }.joined(separator: " ")
    if self.text.isEmpty || self.text == "?" { return nil }
  }
}
