import Graphics
import Strokes

/// What a live chunk holds: points of the stroke under the pen, as they are in memory. They are
/// written many times a second and read after accidents only, so they are not coded.
struct LivePoints {
  /// The number of strokes before this one.
  var record: Int
  /// The number of the stroke's points before these.
  var first: Int
  /// What is said of the stroke with its first points.
  var description: Description?
  var scale = PointScale.current
  var present = PointChannels.all

  struct Description {
    var ink: PKInk
    var date: Timestamp
    var seed: UInt32
    var transform: AffineTransform
    var id: Identifier
  }

  /// Six floats and seven words.
  static let pointBytes = 38
  /// As many as are put into one chunk.
  static let chunkPoints = 1 << 16
}

extension ByteWriter {
  /// Writes some of the points of a stroke.
  mutating func live(_ head: LivePoints, _ points: PackedPoints, _ range: Range<Int>) {
    count(head.record)
    count(head.first)
    byte(head.description == nil ? 0 : 1)
    if let description = head.description {
      ink(description.ink)
      double(description.date.secondsSinceReferenceDate)
      littleEndian(UInt64(description.seed), count: 4)
      numbers(description.transform.numbers)
      append(description.id.bytes)
    }
    byte(head.scale.rawValue)
    varint(UInt64(head.present.rawValue))
    count(range.count)
    points.forEachPiece(of: range) { append($0) }
  }
}

/// Points as live chunks hold them, so that writing them is copying them. They lie in pieces, since
/// a stroke grows for as long as it likes, and moving it to larger room takes longer than the rest.
struct PackedPoints {
  private(set) var count = 0
  private var pieces: [[UInt8]] = []
  /// Kept from one batch to the next.
  private var batch: [StoredPoint] = []

  private static let piecePoints = 1024

  mutating func append(_ points: some Collection<PKStrokePoint>, in scale: PointScale) {
    batch.removeAll(keepingCapacity: true)
    batch.append(points, in: scale)
    append(batch)
  }

  mutating func append(_ points: [StoredPoint]) {
    var rest = points[...]
    while !rest.isEmpty {
      let filled = count % Self.piecePoints
      if filled == 0 {
        var piece: [UInt8] = []
        piece.reserveCapacity(LivePoints.pointBytes * Self.piecePoints + 2)
        pieces.append(piece)
      }
      let part = rest.prefix(Self.piecePoints - filled)
      pieces[pieces.count - 1].pack(part)
      count += part.count
      rest = rest.dropFirst(part.count)
    }
  }

  /// Gives the bytes of some points, piece by piece.
  func forEachPiece(of range: Range<Int>, _ body: (ArraySlice<UInt8>) -> Void) {
    var place = range.lowerBound
    while place < range.upperBound {
      let (piece, start) = place.quotientAndRemainder(dividingBy: Self.piecePoints)
      let end = min(Self.piecePoints, start + range.upperBound - place)
      body(pieces[piece][LivePoints.pointBytes * start..<LivePoints.pointBytes * end])
      place += end - start
    }
  }

  /// All points; the scale says what they have where nothing is stored.
  func points(in scale: PointScale) -> [StoredPoint] {
    var points: [StoredPoint] = []
    points.reserveCapacity(count)
    for piece in pieces { points += piece.unpacked(in: scale) }
    return points
  }
}

extension [UInt8] {
  /// Adds points.
  fileprivate mutating func pack(_ points: ArraySlice<StoredPoint>) {
    let start = count
    // Every point is stored as eight floats and, over the last two of them, eight words. So the last
    // one needs two bytes more than it has.
    append(contentsOf: repeatElement(0, count: LivePoints.pointBytes * points.count + 2))
    withUnsafeMutableBytes { bytes in
      var place = start
      for point in points {
        bytes.storeBytes(of: point.floats, toByteOffset: place, as: SIMD8<Float>.self)
        bytes.storeBytes(of: point.words, toByteOffset: place + 24, as: SIMD8<UInt16>.self)
        place += LivePoints.pointBytes
      }
    }
    removeLast(2)
  }

  fileprivate func unpacked(in scale: PointScale) -> [StoredPoint] {
    withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: LivePoints.pointBytes).map { place in
        var point = StoredPoint(defaultsIn: scale)
        for channel in PointChannel.floats {
          point[float: channel] = bytes.loadUnaligned(
            fromByteOffset: place + 4 * channel.rawValue, as: Float.self)
        }
        for (word, channel) in PointChannel.words.enumerated() {
          point[word: channel] = bytes.loadUnaligned(
            fromByteOffset: place + 24 + 2 * word, as: UInt16.self)
        }
        return point
      }
    }
  }
}

extension ByteReader {
  mutating func live(limits: PKDLimits) throws(PKDError) -> (LivePoints, [StoredPoint]) {
    var head = LivePoints(
      record: try count(limit: limits.strokes, .strokes),
      first: try count(limit: limits.points, .points))
    let place = offset
    let isDescribed = try byte()
    // A stroke may have been flushed before its first point, so a second chunk begins there too.
    guard isDescribed == 0 || isDescribed == 1 && head.first == 0 else {
      throw PKDError(.notCanonical, at: place)
    }
    if isDescribed == 1 {
      head.description = LivePoints.Description(
        ink: try ink(limits: limits), date: Timestamp(secondsSinceReferenceDate: try double()),
        seed: UInt32(try littleEndian(4)), transform: AffineTransform(numbers: try numbers(6)),
        id: try identifier())
    }
    head.scale = try pointScale()
    head.present = try pointChannels()
    let countPlace = offset
    let count = try count(limit: limits.points, .points)
    guard count == remaining / LivePoints.pointBytes, remaining % LivePoints.pointBytes == 0 else {
      throw PKDError(.trailingBytes(remaining), at: countPlace)
    }
    var points: [StoredPoint] = []
    points.reserveCapacity(count)
    for _ in 0..<count {
      var point = StoredPoint(defaultsIn: head.scale)
      let place = offset
      for channel in PointChannel.floats {
        point[float: channel] = Float(bitPattern: UInt32(try littleEndian(4)))
        guard point[float: channel].isFinite else { throw PKDError(.notFinite, at: place) }
      }
      for channel in PointChannel.words {
        point[word: channel] = UInt16(try littleEndian(2))
      }
      points.append(point)
    }
    return (head, points)
  }
}

/// A stroke whose end is not known: the pen is down still, or the recording broke off.
struct LiveStroke {
  var record: Int
  var stroke: PKStroke
  var points: PackedPoints
  let scale: PointScale
  let present: PointChannels

  /// The stroke with its points.
  var whole: PKStroke {
    var whole = stroke
    whole.path = PKStrokePath(
      columns: PointColumns(points.points(in: scale), scale: scale, present: present),
      creationDate: stroke.path.creationDate)
    return whole
  }
}

extension LiveStroke? {
  /// Adds what one more chunk tells; false where that goes on with nothing that has begun.
  mutating func follow(_ head: LivePoints, _ points: [StoredPoint]) -> Bool {
    if let description = head.description {
      self = LiveStroke(description, head, points)
      return true
    }
    guard self?.points.count == head.first, self?.scale == head.scale,
      self?.present == head.present
    else { return false }
    self?.points.append(points)
    return true
  }
}

extension LiveStroke {
  /// A stroke that begins.
  init(_ stroke: PKStroke, record: Int) {
    let columns = stroke.path.columns
    var points = PackedPoints()
    points.append(columns.points)
    self.init(
      record: record, stroke: stroke, points: points, scale: columns.scale,
      present: columns.present)
  }

  /// A stroke as its first live chunk tells it.
  init(_ description: LivePoints.Description, _ head: LivePoints, _ points: [StoredPoint]) {
    let path = PKStrokePath(controlPoints: [], creationDate: description.date)
    var packed = PackedPoints()
    packed.append(points)
    self.init(
      record: head.record,
      stroke: PKStroke(
        ink: description.ink, path: path, transform: description.transform,
        randomSeed: description.seed, id: description.id),
      points: packed, scale: head.scale, present: head.present)
  }

  var description: LivePoints.Description {
    LivePoints.Description(
      ink: stroke.ink, date: stroke.path.creationDate, seed: stroke.randomSeed,
      transform: stroke.transform, id: stroke.id)
  }
}
