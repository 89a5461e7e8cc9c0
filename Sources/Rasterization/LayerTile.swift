import CRasterKernels

/// The pixels of one tile of a layer, with the groups of them that were drawn in.
final class LayerTile: @unchecked Sendable {
  /// Where the pixels are, as bytes or as deep words.
  let pixels: UnsafeMutableRawPointer
  /// A bit for each group and a byte a row.
  let groups: UnsafeMutablePointer<UInt8>
  let byteCount: Int

  /// A tile whose pixels are all zero.
  init(isDeep: Bool) {
    byteCount = (isDeep ? 8 : 4) * TileBins.side * TileBins.side
    pixels = .allocate(byteCount: byteCount, alignment: 64)
    pixels.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    groups = .allocate(capacity: TileBins.side)
    groups.initialize(repeating: 0, count: TileBins.side)
  }

  /// A copy.
  init(_ other: LayerTile) {
    byteCount = other.byteCount
    pixels = .allocate(byteCount: byteCount, alignment: 64)
    pixels.copyMemory(from: other.pixels, byteCount: byteCount)
    groups = .allocate(capacity: TileBins.side)
    groups.initialize(from: other.groups, count: TileBins.side)
  }

  deinit {
    pixels.deallocate()
    groups.deallocate()
  }

  var bytes: UnsafeMutablePointer<UInt8> { pixels.assumingMemoryBound(to: UInt8.self) }
  var words: UnsafeMutablePointer<UInt16> { pixels.assumingMemoryBound(to: UInt16.self) }
}

/// What was drawn and stays: tiles of which only those exist that ink touched. Copies share their tiles.
package struct Layer: Sendable {
  var tiles: [LayerTile?]

  init(count: Int) { tiles = [LayerTile?](repeating: nil, count: count) }

  /// How many bytes the tiles of some layers take, each counted once.
  package static func byteCount(of layers: some Sequence<Layer>) -> Int {
    var seen: Set<ObjectIdentifier> = []
    var count = 0
    for layer in layers {
      for case let tile? in layer.tiles where seen.insert(ObjectIdentifier(tile)).inserted {
        count += tile.byteCount
      }
    }
    return count
  }

  /// The tile to draw in, which nobody else has.
  mutating func ownTile(_ place: Int, isDeep: Bool) -> LayerTile {
    if let tile = tiles[place] {
      if isKnownUniquelyReferenced(&tiles[place]) { return tile }
      let copy = LayerTile(tile)
      tiles[place] = copy
      return copy
    }
    let tile = LayerTile(isDeep: isDeep)
    tiles[place] = tile
    return tile
  }
}

extension TilePainter {
  /// Draws scenes over a tile of a layer that holds what lies below.
  func add(_ scenes: [Scene], column: Int, row: Int, to tile: LayerTile, isDeep: Bool) {
    begin()
    if isDeep {
      paintDeep(scenes, column: column, row: row, over: tile.words)
    } else {
      paint(scenes, column: column, row: row, over: tile.bytes, pitch: 4 * TileBins.side)
    }
    let drawn = groups
    for y in 0..<TileBins.side { tile.groups[y] |= drawn[y] }
  }

  /// Shows a tile: what lies below the ink is in the pixels, the layer's ink is on nothing, and scenes
  /// come on top of that.
  func lay(
    _ tile: LayerTile?, _ scenes: [Scene], column: Int, row: Int,
    over pixels: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    if let tile { take(tile, to: group.base, bytesPerRow: 4 * TileBins.side) }
    paint(scenes, isIsolated: true, column: column, row: row, over: pixels, pitch: pitch)
  }

  /// The same in deep words.
  func layDeep(
    _ tile: LayerTile?, _ scenes: [Scene], column: Int, row: Int,
    over words: UnsafeMutablePointer<UInt16>
  ) {
    if let tile {
      take(
        tile, to: UnsafeMutableRawPointer(deepGroup.base).assumingMemoryBound(to: UInt8.self),
        bytesPerRow: 8 * TileBins.side)
    }
    paintDeep(scenes, isIsolated: true, column: column, row: row, over: words)
  }

  /// Copies the rows that were drawn in, and notes which groups those are.
  private func take(
    _ tile: LayerTile, to memory: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    note(tile.groups)
    for y in 0..<TileBins.side where tile.groups[y] != 0 {
      (memory + y * bytesPerRow).update(from: tile.bytes + y * bytesPerRow, count: bytesPerRow)
    }
  }
}
