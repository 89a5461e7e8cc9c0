import CRasterKernels

/// The pixels of one tile of a layer, and which of their groups were drawn in.
final class LayerTile: @unchecked Sendable {
  /// The pixels, of 8 or of 16 bits a component.
  let pixels: UnsafeMutableRawPointer
  /// A byte for each row, with a bit for each group of pixels.
  let groups: UnsafeMutablePointer<UInt8>
  let byteCount: Int
  /// The allocation that contains the pixels at an aligned address. The system's allocator does not
  /// reuse freed aligned memory: replays took three times the memory of their layers.
  private let memory: UnsafeMutableRawPointer
  private static let alignment = 64

  /// A tile whose pixels are all zero.
  convenience init(isDeep: Bool) {
    self.init(byteCount: (isDeep ? 8 : 4) * TileBins.side * TileBins.side)
    pixels.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    groups.initialize(repeating: 0, count: TileBins.side)
  }

  /// A copy of another tile.
  convenience init(_ other: LayerTile) {
    self.init(byteCount: other.byteCount)
    pixels.copyMemory(from: other.pixels, byteCount: byteCount)
    groups.initialize(from: other.groups, count: TileBins.side)
  }

  private init(byteCount: Int) {
    self.byteCount = byteCount
    memory = .allocate(byteCount: byteCount + Self.alignment, alignment: 16)
    pixels = memory.alignedUp(toMultipleOf: Self.alignment)
    groups = .allocate(capacity: TileBins.side)
  }

  deinit {
    memory.deallocate()
    groups.deallocate()
  }

  var bytes: UnsafeMutablePointer<UInt8> { pixels.assumingMemoryBound(to: UInt8.self) }
  var words: UnsafeMutablePointer<UInt16> { pixels.assumingMemoryBound(to: UInt16.self) }
}

/// A sparse layer of pixels: only tiles that ink touched exist. Copies share their tiles.
package struct Layer: Sendable {
  var tiles: [LayerTile?]

  init(count: Int) { tiles = [LayerTile?](repeating: nil, count: count) }

  /// The number of bytes of the tiles of several layers; a shared tile counts once.
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

  /// The tile at an index, to draw in: a copy where other layers share it, a new one where there
  /// was none.
  mutating func uniqueTile(at index: Int, isDeep: Bool) -> LayerTile {
    if let tile = tiles[index] {
      if isKnownUniquelyReferenced(&tiles[index]) { return tile }
      let copy = LayerTile(tile)
      tiles[index] = copy
      return copy
    }
    let tile = LayerTile(isDeep: isDeep)
    tiles[index] = tile
    return tile
  }
}

extension TilePainter {
  /// Draws scenes over a tile of a layer.
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

  /// Composites an isolated tile: `pixels` hold the paper, `tile` the layer's ink on nothing, and
  /// the scenes are drawn over that ink before it is laid on the paper.
  func composite(
    _ tile: LayerTile?, _ scenes: [Scene], column: Int, row: Int,
    over pixels: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    if let tile { copy(tile, to: isolatedGroup.base, bytesPerRow: 4 * TileBins.side) }
    paint(scenes, isIsolated: true, column: column, row: row, over: pixels, pitch: pitch)
  }

  /// `composite` for 16-bit pixels.
  func compositeDeep(
    _ tile: LayerTile?, _ scenes: [Scene], column: Int, row: Int,
    over words: UnsafeMutablePointer<UInt16>
  ) {
    if let tile {
      copy(
        tile,
        to: UnsafeMutableRawPointer(deepIsolatedGroup.base).assumingMemoryBound(to: UInt8.self),
        bytesPerRow: 8 * TileBins.side)
    }
    paintDeep(scenes, isIsolated: true, column: column, row: row, over: words)
  }

  /// Copies the rows of a tile that were drawn in, and marks their groups as drawn in.
  private func copy(
    _ tile: LayerTile, to memory: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    markDrawn(tile.groups)
    for y in 0..<TileBins.side where tile.groups[y] != 0 {
      let start = y * bytesPerRow
      UnsafeMutableRawPointer(memory + start)
        .copyMemory(from: tile.bytes + start, byteCount: bytesPerRow)
    }
  }
}
