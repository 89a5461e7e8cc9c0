// The field numbers of the messages in an archive. Fields that this package only copies have no
// name here.

/// The whole drawing. Up to `strokes`, both forms use the same numbers.
enum DrawingField {
  static let replicas = 2
  static let clocks = 3
  static let inks = 4
  static let strokes = 5
  static let boundsVersion = 7
  /// In the `wrd` form only; the form of 2018 uses another number.
  static let identifier = 8
}

/// An entry of the ink table.
enum InkField {
  static let color = 1
  static let identifier = 2
  static let version = 3
  static let weight = 8
}

/// A stroke, or a piece of one, in a `wrd` archive.
enum StrokeField {
  static let identifier = 1
  static let version = 2
  static let dataVersion = 3
  static let ink = 4
  static let path = 5
  static let bounds = 6
  static let transform = 7
  static let flags = 8
  static let piecesVersion = 9
  static let mask = 10
  static let pieces = 11
  static let ranges = 12
  static let group = 16
  /// A field of this package for values of PencilKit's interface that no known field stores; see
  /// `PrivateFields`.
  static let renderState = 60
  /// The same, in pieces only.
  static let part = 61
}

/// The path of a stroke in a `wrd` archive.
enum PathField {
  static let identifier = 1
  static let creationDate = 2
  static let count = 3
  static let pointChannels = 4
  static let constantChannels = 5
  static let constants = 6
  static let points = 7
  /// Of this package; see `PrivateFields`.
  static let lateralJitter = 60
}

/// A stroke in a drawing of 2018. The fields of its path are among its own.
enum Stroke2018Field {
  static let version = 1
  static let dataVersion = 2
  static let ink = 3
  static let count = 4
  static let points = 5
  static let bounds = 6
  static let hidden = 9
  static let transform = 10
  static let creationDate = 11
  static let identifier = 13
  static let pathIdentifier = 14
}

/// The fields that lead to the drawing in a document of 2018.
enum Document2018Field {
  static let content = 2
  static let drawing = 3
}

/// The number in `StrokeField.flags`.
struct StrokeFlags {
  var rawValue: UInt64

  static let deleted: UInt64 = 1
  /// The bits that archives set on every piece that an eraser left.
  static let piece: UInt64 = 14
  static let seedBit: UInt64 = 1 << 37
  private static let seedBits: UInt64 = 0xFFFF_FFFF << 5

  var isDeleted: Bool { rawValue & Self.deleted != 0 }

  /// Whether the bit is set that announces a seed.
  var hasSeed: Bool { rawValue & Self.seedBit != 0 }

  /// The flags without the seed, which the model holds.
  var withoutSeed: UInt64 { rawValue & ~Self.seedBits }

  /// Whether writing the seed gives the same bits: false for seed bits that `seedBit` does not
  /// announce.
  var isSeedWritable: Bool { hasSeed || seed == 0 }

  var seed: UInt32 {
    get { UInt32(truncatingIfNeeded: rawValue >> 5) }
    set {
      // Bits that already hold the seed stay as they are, even if `seedBit` does not announce them.
      guard newValue != seed else { return }
      rawValue = withoutSeed | UInt64(newValue) << 5
      if newValue != 0 { rawValue |= Self.seedBit }
    }
  }
}
