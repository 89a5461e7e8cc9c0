import CRasterKernels
import TestSupport
import Testing

@testable import Rasterization

@Suite struct `The kernels in C` {
  static let origins = [(0, 0), (128, 384), (-128, 0), (131_072, 261_888), (-262_144, 4096)]

  /// Levels, with the number of samples of a pixel's side.
  static let pairs = kernelLevels.flatMap { level in [8, 16].map { (level, $0) } }

  @Test(arguments: [8, 16])
  func `kernels sweep round nibs as the plain code does, to the bit`(samples: Int) throws {
    let tiles = try kernelLevels.map { try KernelTile(level: $0, samples: samples) }
    var plain = PlainSamples(perPixel: samples)
    var random = SplitMix64(seed: 1)
    for number in 0..<15 {
      for kind in PathKind.allCases {
        let (left, top) = Self.origins[number % Self.origins.count]
        let path = kind.round(&random, left: left, top: top)
        let last = path.x.count - 1
        // Sometimes only a part of the path, sometimes several paths before samples are counted.
        let first = number % 4 == 3 ? last / 3 : 0
        plain.sweep(path, from: first, to: last, left: left, top: top)
        for tile in tiles { tile.sweep(path, from: first, to: last, left: left, top: top) }
        if number % 5 == 4 { continue }
        let expected = plain.resolve()
        for (level, tile) in tiles.enumerated() {
          #expect(tile.resolve() == expected, "\(kind), number \(number), level \(level)")
          #expect(tile.isClear, "\(kind), number \(number), level \(level)")
        }
      }
    }
  }

  @Test(arguments: [8, 16])
  func `kernels sweep elliptic nibs as the plain code does, to the bit`(samples: Int) throws {
    let tiles = try kernelLevels.map { try KernelTile(level: $0, samples: samples) }
    var plain = PlainSamples(perPixel: samples)
    var random = SplitMix64(seed: 2)
    for number in 0..<15 {
      for kind in PathKind.allCases {
        let (left, top) = Self.origins[number % Self.origins.count]
        let path = kind.elliptic(&random, left: left, top: top)
        let last = path.x.count - 1
        // Sometimes only a part of the path, sometimes several paths before samples are counted.
        let first = number % 4 == 3 ? last / 3 : 0
        plain.sweep(path, from: first, to: last, left: left, top: top)
        for tile in tiles { tile.sweep(path, from: first, to: last, left: left, top: top) }
        if number % 5 == 4 { continue }
        let expected = plain.resolve()
        for (level, tile) in tiles.enumerated() {
          #expect(tile.resolve() == expected, "\(kind), number \(number), level \(level)")
          #expect(tile.isClear, "\(kind), number \(number), level \(level)")
        }
      }
    }
  }

  @Test(arguments: pairs)
  func `kernels draw a path in parts as in one call`(level: Int32, samples: Int) throws {
    let tile = try KernelTile(level: level, samples: samples)
    var random = SplitMix64(seed: 3)
    for kind in PathKind.allCases {
      let round = kind.round(&random, left: 0, top: 0)
      let elliptic = kind.elliptic(&random, left: 0, top: 0)
      let last = round.x.count - 1
      tile.sweep(round, from: 0, to: last, left: 0, top: 0)
      let whole = tile.resolve()
      for i in 0..<max(last, 1) {
        tile.sweep(round, from: i, to: min(i + 1, last), left: 0, top: 0)
      }
      #expect(tile.resolve() == whole, "round, \(kind)")
      let end = elliptic.x.count - 1
      tile.sweep(elliptic, from: 0, to: end, left: 0, top: 0)
      let other = tile.resolve()
      for i in (0..<max(end, 1)).reversed() {
        tile.sweep(elliptic, from: i, to: min(i + 1, end), left: 0, top: 0)
      }
      #expect(tile.resolve() == other, "elliptic, \(kind)")
    }
  }

  @Test(arguments: pairs)
  func `kernels draw long paths as they draw their parts`(level: Int32, samples: Int) throws {
    // More points than the scratch memory holds at a time.
    var random = SplitMix64(seed: 4)
    var path = PlainRoundPath(x: [], y: [], radius: [])
    for i in 0..<3000 {
      path.x.append(Int32(i % 130) * 1024 + Int32.random(in: 0..<1024, using: &random))
      path.y.append(Int32(i / 25) * 1024 + Int32.random(in: 0..<3000, using: &random))
      path.radius.append(Float.random(in: 0.1...1.4, using: &random))
    }
    let tile = try KernelTile(level: level, samples: samples)
    tile.sweep(path, from: 0, to: 2999, left: 0, top: 0)
    let whole = tile.resolve()
    for first in stride(from: 0, to: 2999, by: 7) {
      tile.sweep(path, from: first, to: min(first + 7, 2999), left: 0, top: 0)
    }
    #expect(tile.resolve() == whole)
  }

  @Test(arguments: pairs)
  func `kernels move coverage when a path moves by pixels`(level: Int32, samples: Int) throws {
    let tile = try KernelTile(level: level, samples: samples)
    var random = SplitMix64(seed: 5)
    let side = TileBins.side
    for kind in PathKind.allCases where kind != .atTheLimits {
      let path = kind.round(&random, left: 0, top: 0)
      let last = path.x.count - 1
      tile.sweep(path, from: 0, to: last, left: 0, top: 0)
      let before = tile.resolve()
      let (dx, dy) = (Int.random(in: -60...60, using: &random), 37)
      var moved = path
      for i in path.x.indices {
        moved.x[i] += Int32(dx * 1024)
        moved.y[i] += Int32(dy * 1024)
      }
      tile.sweep(moved, from: 0, to: last, left: 0, top: 0)
      let after = tile.resolve()
      var differing = 0
      for y in dy..<side {
        for x in max(dx, 0)..<min(side + dx, side)
        where after[y * side + x] != before[(y - dy) * side + x - dx] {
          differing += 1
        }
      }
      #expect(differing == 0, "\(kind)")
    }
  }

  @Test(arguments: pairs)
  func `kernels give a pixel the same coverage in every tile`(level: Int32, samples: Int) throws {
    let tile = try KernelTile(level: level, samples: samples)
    var random = SplitMix64(seed: 6)
    let side = TileBins.side
    for kind in PathKind.allCases {
      let path = kind.elliptic(&random, left: 64, top: 64)
      let last = path.x.count - 1
      tile.sweep(path, from: 0, to: last, left: 0, top: 0)
      let whole = tile.resolve()
      for (left, top) in [(37, 5), (-90, 16), (64, -101)] {
        tile.sweep(path, from: 0, to: last, left: left, top: top)
        let part = tile.resolve()
        var differing = 0
        for y in max(top, 0)..<min(side + top, side) {
          for x in max(left, 0)..<min(side + left, side)
          where part[(y - top) * side + x - left] != whole[y * side + x] {
            differing += 1
          }
        }
        #expect(differing == 0, "\(kind) at \(left), \(top)")
      }
    }
  }
}

@Suite struct `Blending in C` {
  static let mixes = (0...4).map(UInt8.init)
  /// The number of rows that are tested; a whole tile with all alphas would take long.
  static let rows = 4

  /// Premultiplied pixels of all kinds.
  static func pixels(_ random: inout SplitMix64) -> [UInt8] {
    (0..<rows * TileBins.side).flatMap { index -> [UInt8] in
      let alpha: UInt8 = [0, 255, UInt8.random(in: 0...255, using: &random)][index % 3]
      return (0..<3).map { _ in UInt8.random(in: 0...alpha, using: &random) } + [alpha]
    }
  }

  /// Coverages with groups that are blank, whole and neither.
  static func coverage(_ random: inout SplitMix64) -> [UInt8] {
    (0..<rows * Int(RasterGroupsPerRow)).flatMap { group -> [UInt8] in
      (0..<Int(RasterGroupWidth)).map { _ in
        group % 3 == 0 ? 255 : group % 3 == 1 ? 0 : UInt8.random(in: 0...255, using: &random)
      }
    }
  }

  @Test(arguments: kernelLevels, mixes)
  func `blending gives the plain code's bytes for every alpha`(level: Int32, mix: UInt8) throws {
    let tile = try KernelTile(level: level, samples: 8)
    var random = SplitMix64(seed: UInt64(mix))
    let (before, coverage) = (Self.pixels(&random), Self.coverage(&random))
    for alpha in UInt8.min...UInt8.max {
      let paint = RasterPaint(
        red: .random(in: 0...255, using: &random), green: alpha, blue: 255 - alpha, alpha: alpha,
        mixing: alpha % 3 == 0 ? 255 : .random(in: 0...255, using: &random), mix: mix)
      var (mine, plain) = (before, before)
      tile.blend(paint, through: coverage, into: &mine, wholes: true)
      PlainBlend.blend(paint, through: coverage, into: &plain)
      #expect(mine == plain, "alpha \(alpha)")
      var other = before
      tile.blend(paint, through: coverage, into: &other, wholes: false)
      #expect(other == plain, "alpha \(alpha), no whole groups")
    }
  }

  @Test(arguments: kernelLevels)
  func `blending weighs every byte by every coverage to the nearest`(level: Int32) throws {
    // Every value of the pixel below, ink of black and white, and every coverage.
    let tile = try KernelTile(level: level, samples: 8)
    for ink in [UInt8(0), 255, 200] {
      let paint = RasterPaint(
        red: ink, green: 255 - ink, blue: ink, alpha: 255, mixing: 255, mix: 0)
      for part in 0..<4 {
        var before: [UInt8] = []
        var coverage: [UInt8] = []
        for index in 0..<TileBins.side * TileBins.side {
          let below = UInt8((index + part * 16384) / 256)
          before += [below, below, 255 - below, 255]
          coverage.append(UInt8(index % 256))
        }
        var after = before
        tile.blend(paint, through: coverage, into: &after, wholes: true)
        for (index, covered) in coverage.enumerated() {
          let below = Double(before[4 * index])
          let exact = below + (Double(ink) - below) * Double(covered) / 255
          guard abs(Double(after[4 * index]) - exact) > 0.5 + 1e-9 else { continue }
          Issue.record("\(below) below \(ink) through \(covered) is \(after[4 * index])")
        }
      }
    }
  }

  @Test(arguments: kernelLevels)
  func `tiles are composited as by the plain code, and cleared`(level: Int32) throws {
    let kernels = try KernelTile(level: level, samples: 8)
    var random = SplitMix64(seed: 7)
    for _ in 0..<8 {
      let (tile, below) = (Self.pixels(&random), Self.pixels(&random))
      let groups = (0..<TileBins.side).map {
        $0 < Self.rows ? UInt8.random(in: 0...255, using: &random) : 0
      }
      var (tile1, tile2, below1, below2) = (tile, tile, below, below)
      kernels.compositeTile(&tile1, over: &below1, groups: groups)
      PlainBlend.compositeTile(&tile2, over: &below2, groups: groups)
      #expect(below1 == below2)
      #expect(tile1 == tile2)
    }
  }
}
