import CRasterKernels
import TestSupport
import Testing

@testable import Rasterization

/// The tones, which convert fields to coverage.
private enum Tone: CaseIterable {
  case tooth, marker, passes, reed, wash

  /// The kernel that fills the fields which the tone reads.
  var nib: InkNib {
    switch self {
    case .tooth, .passes, .wash: .disc
    case .marker: .blade
    case .reed: .fibres
    }
  }
}

/// A tone with random parameters, for plain fields and for tiles.
private struct ToneForm {
  let tone: Tone
  let fibres: RasterFibres
  private let tooth: RasterTooth
  private let marker: RasterMarker
  private let passes: RasterPasses
  private let wash: RasterWash

  init(_ tone: Tone, _ random: inout SplitMix64) {
    func one(of values: [Float]) -> Float { values.randomElement(using: &random) ?? 0 }
    func grain() -> RasterGrain { .random(&random) }
    self.tone = tone
    fibres = .random(&random)
    tooth = RasterTooth(
      grain: grain(), range: one(of: [0, 1.8]), spread: one(of: [0, 0.3]),
      depth: one(of: [0.62, 1.05]), gain: one(of: [1, 1.4]), cap: one(of: [0.88, 1]),
      ceiling: one(of: [1, 4]))
    marker = RasterMarker(ceiling: one(of: [1, 4]))
    passes = RasterPasses(rest: one(of: [0, 0.5, 0.97]), ceiling: one(of: [1, 2, 16]))
    wash = RasterWash(
      wobble: grain(), cloud: grain(), pigment: grain(), sway: one(of: [0, 4.8]),
      clouds: one(of: [0, 0.8]), specks: one(of: [0, 0.34]), edgeOut: 1.6, edgeIn: 1,
      rim: one(of: [0, 0.4, 4.8]), pool: one(of: [0, 1, 13]), strength: one(of: [1, 1.45]))
  }

  func coverage(of fields: inout PlainInkFields, left: Int, top: Int) -> [UInt8] {
    switch tone {
    case .tooth: fields.tooth(tooth, left: left, top: top)
    case .marker: fields.marker(marker)
    case .passes: fields.passes(passes)
    case .reed: fields.reed()
    case .wash: fields.wash(wash, left: left, top: top)
    }
  }

  func coverage(of tile: InkTile) -> InkTile.Coverage {
    switch tone {
    case .tooth: tile.tooth(tooth)
    case .marker: tile.marker(marker)
    case .passes: tile.passes(passes)
    case .reed: tile.reed()
    case .wash: tile.wash(wash)
    }
  }
}

@Suite struct `The kernels of textured inks` {
  private static let origins = [(0, 0), (128, 384), (-128, 0), (99_968, 0), (-262_144, 4096)]
  @Test(arguments: Tone.allCases)
  fileprivate func `ink kernels deposit ink and compute coverage as the plain code does`(
    _ tone: Tone
  ) throws {
    let tiles = try kernelLevels.map { try InkTile(level: $0) }
    var random = SplitMix64(seed: 21)
    var inked = 0
    for number in 0..<5 {
      for kind in InkPathKind.allCases {
        let (left, top) = Self.origins[number]
        var plain = PlainInkFields()
        let tones = ToneForm(tone, &random)
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
          case .fibres:
            plain.depositFibres(
              path, from: first, to: last, left: left, top: top, form, tones.fibres)
          }
          for tile in tiles {
            tile.deposit(
              tone.nib, path, from: first, to: last, left: left, top: top, form,
              tones.fibres)
          }
        }
        let expected = tones.coverage(of: &plain, left: left, top: top)
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
  func `ink kernels give a pixel the same coverage in every tile`(_ nib: InkNib) throws {
    let tone: Tone = nib == .disc ? .wash : nib == .blade ? .marker : .reed
    var random = SplitMix64(seed: 22)
    for level in kernelLevels {
      let tile = try InkTile(level: level)
      for kind in InkPathKind.allCases {
        let path = kind.path(&random, left: 64, top: 64)
        var form = RasterDeposit.random(&random)
        form.hasDepth = nib == .disc ? 1 : 0
        let tones = ToneForm(tone, &random)
        func draw(_ left: Int, _ top: Int) -> [UInt8] {
          let last = max(path.x.count - 1, 1)
          tile.deposit(nib, path, from: 0, to: last, left: left, top: top, form, tones.fibres)
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
  func `ink kernels give the same coverage in any order of segments`(_ nib: InkNib) throws {
    let tone: Tone = nib == .disc ? .wash : nib == .blade ? .marker : .reed
    var random = SplitMix64(seed: 23)
    let tile = try InkTile(level: .max)
    for kind in InkPathKind.allCases {
      let path = kind.path(&random, left: 0, top: 0)
      let form = RasterDeposit.random(&random)
      let tones = ToneForm(tone, &random)
      let last = max(path.x.count - 1, 1)
      tile.deposit(nib, path, from: 0, to: last, left: 0, top: 0, form, tones.fibres)
      let whole = tones.coverage(of: tile).bytes
      for i in (0..<last).reversed() {
        tile.deposit(nib, path, from: i, to: i + 1, left: 0, top: 0, form, tones.fibres)
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
  func `blending 16-bit pixels gives the words of the plain code`(level: Int32, mix: UInt8) throws {
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
  func `16-bit tiles are composited as by the plain code, and cleared`(level: Int32) throws {
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

  @Test(arguments: kernelLevels, 1...7)
  func `kernels average squares of pixels as the plain code does`(level: Int32, shift: Int) {
    var random = SplitMix64(seed: UInt64(shift))
    let (pixelCount, side) = (TileBins.side * TileBins.side, TileBins.side >> shift)
    let drawn = (0..<TileBins.side).map { _ in
      UInt8.random(in: 0...255, using: &random) & 0b1101_0110
    }
    // The tile is a part of a tile that has `factor` times as many groups in a row.
    let firstGroup = Int.random(in: 0..<1 << shift, using: &random) * Int(RasterGroupsPerRow)
    func check<Word: FixedWidthInteger & UnsignedInteger>(
      _ type: Word.Type,
      _ average: ([Word], inout [Word], inout [UInt8]) -> Void
    ) {
      let tile = (0..<4 * pixelCount).map { _ in
        // Includes the greatest sums.
        Bool.random(using: &random) ? Word.max : Word.random(in: 0...Word.max, using: &random)
      }
      let blank = [Word](repeating: 77, count: 4 * side * side)
      var (expected, found) = (blank, blank)
      var expectedGroups = [UInt8](repeating: 0, count: side)
      var groups = expectedGroups
      PlainBlend.average(
        tile, drawn: drawn, shift: shift, to: &expected, groups: &expectedGroups,
        firstGroup: firstGroup)
      average(tile, &found, &groups)
      #expect(found == expected)
      #expect(groups == expectedGroups)
    }
    check(UInt8.self) { tile, pixels, groups in
      rasterKernels(level, 8).pointee.average(
        tile, drawn, Int32(shift), &pixels, Int32(4 * side), &groups, Int32(firstGroup))
    }
    check(UInt16.self) { tile, pixels, groups in
      rasterInkKernels(level).pointee.averageDeep(
        tile, drawn, Int32(shift), &pixels, Int32(8 * side), &groups, Int32(firstGroup))
    }
  }
}
