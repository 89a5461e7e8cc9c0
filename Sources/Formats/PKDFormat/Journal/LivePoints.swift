import Graphics
import Strokes

/// The fields of a live chunk besides its points, which belong to the stroke being drawn. Points
/// are written many times a second and read only after a crash, so they are stored without coding.
struct LivePoints {
  /// The number of strokes before this one.
  var record: Int
  /// The number of the stroke's points before these.
  var first: Int
  /// The stroke without its points; only in the chunk that begins it.
  var description: Description?
  var scale = PointScale.current
  var present = PointChannels.all

  /// The fields of a stroke besides its points.
  struct Description {
    var ink: PKInk
    var date: Timestamp
    var seed: UInt32
    var transform: AffineTransform
    var id: Identifier
  }

  /// The bytes of a point: six floats and seven words.
  static let pointBytes = 38
  /// The maximum number of points in one chunk.
  static let chunkPoints = 1 << 16
}

extension ByteWriter {
  /// Writes the payload of a live chunk with a range of a stroke's points.
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

/// Points in the layout of live chunks, so that writing them is copying them. They are stored in
/// pieces, since a stroke may become long, and growing one array takes longer than everything else.
struct PackedPoints {
  private(set) var count = 0
  private var pieces: [[UInt8]] = []
  /// A buffer that is reused by every call of `append`.
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

  /// Calls the closure with the bytes of a range of points, piece by piece.
  func forEachPiece(of range: Range<Int>, _ body: (ArraySlice<UInt8>) -> Void) {
    var index = range.lowerBound
    while index < range.upperBound {
      let (piece, start) = index.quotientAndRemainder(dividingBy: Self.piecePoints)
      let end = min(Self.piecePoints, start + range.upperBound - index)
      body(pieces[piece][LivePoints.pointBytes * start..<LivePoints.pointBytes * end])
      index += end - start
    }
  }

  /// All points, with the scale's defaults where nothing is stored.
  func points(in scale: PointScale) -> [StoredPoint] {
    var points: [StoredPoint] = []
    points.reserveCapacity(count)
    for piece in pieces { points += piece.unpacked(in: scale) }
    return points
  }
}

extension [UInt8] {
  /// Appends points in the layout of live chunks.
  fileprivate mutating func pack(_ points: ArraySlice<StoredPoint>) {
    let start = count
    // Each point is stored as eight floats, the last two of which are overwritten by eight words.
    // So the last store needs two bytes more than a point has.
    append(contentsOf: repeatElement(0, count: LivePoints.pointBytes * points.count + 2))
    withUnsafeMutableBytes { bytes in
      var offset = start
      for point in points {
        bytes.storeBytes(of: point.floats, toByteOffset: offset, as: SIMD8<Float>.self)
        bytes.storeBytes(of: point.words, toByteOffset: offset + 24, as: SIMD8<UInt16>.self)
        offset += LivePoints.pointBytes
      }
    }
    removeLast(2)
  }

  fileprivate func unpacked(in scale: PointScale) -> [StoredPoint] {
    withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: LivePoints.pointBytes).map { offset in
        var point = StoredPoint(defaultsIn: scale)
        for channel in PointChannel.floats {
          point[float: channel] = bytes.loadUnaligned(
            fromByteOffset: offset + 4 * channel.rawValue, as: Float.self)
        }
        for (word, channel) in PointChannel.words.enumerated() {
          point[word: channel] = bytes.loadUnaligned(
            fromByteOffset: offset + 24 + 2 * word, as: UInt16.self)
        }
        return point
      }
    }
  }
}

extension ByteReader {
  /// Reads the payload of a live chunk.
  mutating func live(
    _ version: FormatVersion, limits: PKDLimits
  ) throws(PKDError) -> (LivePoints, [StoredPoint]) {
    var head = LivePoints(
      record: try count(limit: limits.strokes, .strokes),
      first: try count(limit: limits.points, .points))
    let start = offset
    let isDescribed = try byte()
    // A stroke may have been flushed without points, so a chunk without a description may also have
    // `first` 0.
    guard isDescribed == 0 || isDescribed == 1 && head.first == 0 else {
      throw PKDError(.notCanonical, at: start)
    }
    if isDescribed == 1 {
      head.description = LivePoints.Description(
        ink: try ink(version, limits: limits),
        date: Timestamp(secondsSinceReferenceDate: try double()),
        seed: UInt32(try littleEndian(4)), transform: AffineTransform(numbers: try numbers(6)),
        id: try identifier())
    }
    head.scale = try pointScale()
    head.present = try pointChannels()
    let countOffset = offset
    let count = try count(limit: limits.points, .points)
    guard count == remaining / LivePoints.pointBytes, remaining % LivePoints.pointBytes == 0 else {
      throw PKDError(.trailingBytes(remaining), at: countOffset)
    }
    var points: [StoredPoint] = []
    points.reserveCapacity(count)
    for _ in 0..<count {
      var point = StoredPoint(defaultsIn: head.scale)
      let start = offset
      for channel in PointChannel.floats {
        point[float: channel] = Float(bitPattern: UInt32(try littleEndian(4)))
        guard point[float: channel].isFinite else { throw PKDError(.notFinite, at: start) }
      }
      for channel in PointChannel.words {
        point[word: channel] = UInt16(try littleEndian(2))
      }
      points.append(point)
    }
    return (head, points)
  }
}

/// A stroke without an end: it is being drawn, or the recording broke off.
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
  /// Adds the points of one more chunk, or begins the stroke that it describes. Returns false if
  /// the chunk does not continue the current stroke.
  mutating func append(_ head: LivePoints, _ points: [StoredPoint]) -> Bool {
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
  /// A stroke that begins, with the points that it has already.
  init(_ stroke: PKStroke, record: Int) {
    let columns = stroke.path.columns
    var points = PackedPoints()
    points.append(columns.points)
    self.init(
      record: record, stroke: stroke, points: points, scale: columns.scale,
      present: columns.present)
  }

  /// A stroke from its first live chunk.
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
