import CRasterKernels
import TestSupport
import Testing

@testable import Rasterization

/// The tones, which turn fields into coverage.
private enum Tone: CaseIterable {
  case tooth, marker, passes, reed, wash

  /// The kernel that fills the fields which the tone reads.
  var nib: InkNib {
    switch self {
    case .tooth, .passes, .wash: .disc
    case .marker: .blade
    case .reed: .bladeDepth
    }
  }
}

/// A tone with random parameters, for plain fields and for tiles.
private struct ToneForm {
  let tone: Tone
  private let tooth: PlainTooth
  private let marker: RasterMarker
  private let passes: RasterPasses
  private let reed: RasterReed
  private let wash: PlainWash

  init(_ tone: Tone, texels: [UInt8], _ random: inout SplitMix64) {
    func one(of values: [Float]) -> Float { values.randomElement(using: &random) ?? 0 }
    func grain() -> PlainGrain { .random(texels, &random) }
    self.tone = tone
    tooth = PlainTooth(
      grain: grain(), depth: one(of: [0.62, 1.05]), gain: one(of: [1, 1.4]),
      cap: one(of: [0.88, 1]), detail: one(of: [0, 0.3, 1]), ceiling: one(of: [1, 4]))
    marker = RasterMarker(ceiling: one(of: [1, 4]), print: one(of: [0, 1.3]))
    passes = RasterPasses(rest: one(of: [0, 0.5, 0.97]), ceiling: one(of: [1, 2, 16]))
    reed = RasterReed(
      edge: one(of: [0, 0.2]), depth: one(of: [0.1, 1.1]), rough: one(of: [0, 0.35]),
      dry: one(of: [0, 1.15]), detail: one(of: [0, 0.6, 1]))
    var wash = PlainWash(
      wobbleA: grain(), wobbleB: grain(), cloudA: grain(), cloudB: grain(), pigment: grain())
    (wash.swayA, wash.swayB, wash.edgeOut, wash.edgeIn) = (4.8, 1.9, 1.6, 1)
    wash.rim = one(of: [0, 0.4, 4.8])
    wash.pool = one(of: [0, 1, 13])
    wash.detail = one(of: [0, 0.5, 1])
    wash.strength = one(of: [1, 1.45])
    self.wash = wash
  }

  func coverage(of fields: inout PlainInkFields) -> [UInt8] {
    switch tone {
    case .tooth: fields.tooth(tooth)
    case .marker: fields.marker(marker)
    case .passes: fields.passes(passes)
    case .reed: fields.reed(reed)
    case .wash: fields.wash(wash)
    }
  }

  func coverage(of tile: InkTile) -> InkTile.Coverage {
    switch tone {
    case .tooth: tile.tooth(tooth)
    case .marker: tile.marker(marker)
    case .passes: tile.passes(passes)
    case .reed: tile.reed(reed)
    case .wash: tile.wash(wash)
    }
  }
}

private let lattices =
  [
    (RasterLattice(along: 4, across: 3, seed: 1, share: 0.5), 1.9),
    (RasterLattice(along: 1, across: 0, seed: .max, share: 0.38), 1),
    (RasterLattice(along: 205, across: 154, seed: 77, share: 0.62), 1.35),
  ] as [(RasterLattice, Float)]

@Suite struct `The kernels of textured inks` {
  private static let origins = [(0, 0), (128, 384), (-128, 0), (99_968, 0), (-262_144, 4096)]
  private static let texels = PlainGrain(
    fine: RasterLattice(along: 102, across: 77, seed: 5, share: 0.6),
    coarse: RasterLattice(along: 30, across: 12, seed: 6, share: 0.4), contrast: 1.5
  ).texels

  @Test(arguments: kernelLevels)
  func `fill grain as the plain code does`(level: Int32) {
    for (index, (fine, contrast)) in lattices.enumerated() {
      let coarse = lattices[(index + 1) % lattices.count].0
      #expect(
        InkTile.grain(level: level, fine, coarse, contrast: contrast)
          == PlainGrain(fine: fine, coarse: coarse, contrast: contrast).texels)
    }
  }

  @Test(arguments: Tone.allCases)
  fileprivate func `deposit ink and turn it into coverage as the plain code does`(
    _ tone: Tone
  ) throws {
    let tiles = try kernelLevels.map { try InkTile(level: $0) }
    var random = SplitMix64(seed: 21)
    var inked = 0
    for number in 0..<5 {
      for kind in InkPathKind.allCases {
        let (left, top) = Self.origins[number]
        var plain = PlainInkFields()
        // Sometimes several paths, one over the other.
        for _ in 0...number % 2 {
          let path = kind.path(&random, left: left, top: top)
          let last = max(path.x.count - 1, 1)
          let first = number % 4 == 3 ? last / 3 : 0
          var form = RasterDeposit.random(&random)
          if tone == .wash { form.hasDepth = 1 }
          if tone == .passes { form.countsPasses = 1 }
          if tone == .tooth || tone == .passes { form.hasDepth = 0 }
          switch tone.nib {
          case .disc:
            plain.depositDisc(path, from: first, to: last, left: left, top: top, form)
          case .blade:
            plain.depositBlade(path, from: first, to: last, left: left, top: top, form)
          case .bladeDepth:
            plain.depositBladeDepth(path, from: first, to: last, left: left, top: top, form)
          }
          for tile in tiles {
            tile.deposit(tone.nib, path, from: first, to: last, left: left, top: top, form)
          }
        }
        let tones = ToneForm(tone, texels: Self.texels, &random)
        let expected = tones.coverage(of: &plain)
        let named = tiles.map { tones.coverage(of: $0) }
        for (level, (bytes, groups)) in named.enumerated() {
          var differing = 0
          for index in bytes.indices {
            // The tone of passes is only defined for pixels near the ink.
            if tone == .passes, !groups.contains(UInt16(index / 16)) { continue }
            if bytes[index] != expected[index] { differing += 1 }
            if bytes[index] > 0 { inked += 1 }
          }
          #expect(differing == 0, "\(kind), number \(number), level \(level)")
          #expect(groups == named[0].groups, "\(kind), number \(number), level \(level)")
          #expect(tiles[level].isClear, "\(kind), number \(number), level \(level)")
        }
      }
    }
    #expect(inked > 10_000)
  }

  @Test(arguments: InkNib.allCases)
  func `give a pixel the same coverage in every tile`(_ nib: InkNib) throws {
    let tone: Tone = nib == .disc ? .wash : nib == .blade ? .marker : .reed
    var random = SplitMix64(seed: 22)
    for level in kernelLevels {
      let tile = try InkTile(level: level)
      for kind in InkPathKind.allCases {
        let path = kind.path(&random, left: 64, top: 64)
        var form = RasterDeposit.random(&random)
        form.hasDepth = nib == .disc ? 1 : 0
        // Grain of one value, because its position depends on the tile.
        let even = [UInt8](repeating: 90, count: Self.texels.count)
        let tones = ToneForm(tone, texels: even, &random)
        func draw(_ left: Int, _ top: Int) -> [UInt8] {
          let last = max(path.x.count - 1, 1)
          tile.deposit(nib, path, from: 0, to: last, left: left, top: top, form)
          return tones.coverage(of: tile).bytes
        }
        let whole = draw(0, 0)
        for (left, top) in [(37, 5), (-90, 16), (64, -101)] {
          let part = draw(left, top)
          var differing = 0
          for y in max(top, 0)..<min(128 + top, 128) {
            for x in max(left, 0)..<min(128 + left, 128)
            where part[(y - top) * 128 + x - left] != whole[y * 128 + x] {
              differing += 1
            }
          }
          #expect(differing == 0, "\(kind) at \(left), \(top), level \(level)")
        }
      }
    }
  }

  @Test(arguments: InkNib.allCases)
  func `give the same coverage in any order of segments`(_ nib: InkNib) throws {
    let tone: Tone = nib == .disc ? .wash : nib == .blade ? .marker : .reed
    var random = SplitMix64(seed: 23)
    let tile = try InkTile(level: .max)
    for kind in InkPathKind.allCases {
      let path = kind.path(&random, left: 0, top: 0)
      let form = RasterDeposit.random(&random)
      let tones = ToneForm(tone, texels: Self.texels, &random)
      let last = max(path.x.count - 1, 1)
      tile.deposit(nib, path, from: 0, to: last, left: 0, top: 0, form)
      let whole = tones.coverage(of: tile).bytes
      for i in (0..<last).reversed() {
        tile.deposit(nib, path, from: i, to: i + 1, left: 0, top: 0, form)
      }
      #expect(tones.coverage(of: tile).bytes == whole, "\(kind)")
    }
  }
}

@Suite struct `Blending deep pixels` {
  /// The number of rows that are tested; a whole tile would take long.
  private static let rows = 4

  private static func pixels(_ random: inout SplitMix64) -> [UInt16] {
    (0..<rows * TileBins.side).flatMap { index -> [UInt16] in
      let alpha: UInt16 = [0, 65535, UInt16.random(in: 0...65535, using: &random)][index % 3]
      return (0..<3).map { _ in UInt16.random(in: 0...alpha, using: &random) } + [alpha]
    }
  }

  @Test(arguments: kernelLevels, (0...4).map(UInt8.init))
  func `gives the words of the plain code`(level: Int32, mix: UInt8) throws {
    let tile = try InkTile(level: level)
    var random = SplitMix64(seed: UInt64(mix))
    let before = Self.pixels(&random)
    for alpha in [0, 1, 255, 32_768, 40_000, 65_534, 65_535] as [UInt16] {
      let coverage = (0..<Self.rows * TileBins.side).map { index -> UInt8 in
        let kind = index / 16 % 3
        return kind == 0 ? 255 : kind == 1 ? 0 : UInt8.random(in: 0...255, using: &random)
      }
      let paint = RasterDeepPaint(
        red: .random(in: 0...65535, using: &random), green: alpha, blue: 65535 - alpha,
        alpha: alpha, mixing: [65535, 32_768, 0].randomElement(using: &random) ?? 0, mix: mix)
      var plain = before
      PlainBlend.blend(paint, through: coverage, into: &plain)
      for wholes in [true, false] {
        var mine = before
        tile.blend(paint, through: coverage, into: &mine, wholes: wholes)
        #expect(mine == plain, "alpha \(alpha)")
      }
    }
  }

  @Test(arguments: kernelLevels)
  func `composites tiles as the plain code does, and clears them`(level: Int32) throws {
    let kernels = try InkTile(level: level)
    var random = SplitMix64(seed: 7)
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
