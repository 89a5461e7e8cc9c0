import CRasterKernels
import Foundation
import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

/// The alpha of all pixels of a scene on a transparent background.
private func alphas(
  _ side: Int, samples: Int = 8, _ draw: (inout Scene) -> Void
) -> [UInt8] {
  var scene = Scene(width: side, height: side, background: .clear)
  draw(&scene)
  let picture = Pixmap(width: side, height: side)
  [scene].paint([TilePainter(samples: samples)], into: picture)
  return (0..<side).flatMap { y in
    picture.withRow(y) { row in (0..<side).map { row[4 * $0 + 3] } }
  }
}

extension Scene {
  fileprivate mutating func add(_ points: [(x: Float, y: Float, radius: Float)]) {
    let black = RasterPaint(red: 0, green: 0, blue: 0, alpha: 255, mixing: 255, mix: 0)
    add(black) { $0.addPolyline(count: points.count) { points[$0] } }
  }
}

@Suite struct `A scene` {
  private func mass(_ alphas: [UInt8]) -> Double { alphas.reduce(0) { $0 + Double($1) } / 255 }

  @Test(arguments: [8, 16], [2, 4, 8])
  func `a scene has as much ink in a thumbnail as on the page`(samples: Int, factor: Int) {
    func page(_ scale: Float) -> Double {
      let pixels = alphas(Int(400 * scale), samples: samples) { scene in
        var random = SplitMix64(seed: 11)
        for row in 0..<8 {
          for column in 0..<7 {
            var (x, y) = (Float(column) * 56 + 20, Float(row) * 46 + 24)
            let radius = Float.random(in: 0.7...2, using: &random)
            scene.add(
              (0..<12).map { index in
                defer {
                  x += Float.random(in: 0.5...5, using: &random)
                  y += Float.random(in: -5...5, using: &random)
                }
                let width = radius * (1 + 0.3 * Float(index % 3))
                return (x * scale, y * scale, width * scale)
              })
          }
        }
      }
      return mass(pixels)
    }
    let share = page(1 / Float(factor)) * Double(factor * factor) / page(1)
    #expect(abs(share - 1) < 0.01, "\(share)")
  }

  @Test(arguments: [8, 16])
  func `a scene draws a million points in one pixel as one dot`(samples: Int) {
    var random = SplitMix64(seed: 12)
    let pixels = alphas(32, samples: samples) { scene in
      scene.add(
        (0..<1_000_000).map { _ in
          (.random(in: 12..<13, using: &random), .random(in: 12..<13, using: &random), 1)
        })
    }
    // The area of a square of one pixel, widened by a nib of radius 1.
    #expect(mass(pixels) < 1.015 * (1 + 4 + .pi))
    #expect(mass(pixels) > 0.99 * (1 + 4 + .pi))
    #expect(pixels[12 * 32 + 12] == 255)
  }

  @Test(arguments: [8, 16], [0.02, 0.3, 2, 9, 40] as [Float])
  func `a scene draws two equal points as one`(samples: Int, radius: Float) {
    let one = alphas(100, samples: samples) { $0.add([(50.3, 49.8, radius)]) }
    let two = alphas(100, samples: samples) {
      $0.add([(50.3, 49.8, radius), (50.3, 49.8, radius)])
    }
    #expect(one == two)
    #expect(radius < 0.1 || one.contains { $0 > 0 })
  }

  @Test func `a scene skips points outside of the limits, and draws the others`() {
    let far: [(x: Float, y: Float, radius: Float)] = [
      (-200_000, 50, 4), (300_000, 50, 4), (1e30, .nan, 4), (.infinity, 3, 2), (200_000, 50, 4),
    ]
    let pixels = alphas(100) { $0.add(far) }
    // Three of the points are outside of the limits; the others make a horizontal line of 8 pixels.
    #expect(mass(pixels) == 800)
    #expect(alphas(100) { $0.add([(-5, 50, 4.9), (-5, 60, 4.9)]) }.allSatisfy { $0 == 0 })
    #expect(alphas(100) { $0.add([]) }.allSatisfy { $0 == 0 })
  }

  @Test(arguments: [8, 16])
  func `a scene looks the same in all tiles`(samples: Int) {
    var random = SplitMix64(seed: 13)
    let points = (0..<40).map { _ in
      (
        x: Float(Int.random(in: 0..<200, using: &random)) + 0.25,
        y: Float.random(in: 0..<200, using: &random).rounded(.down) + 0.375,
        radius: Float.random(in: 0.1...14, using: &random)
      )
    }
    let here = alphas(400, samples: samples) { $0.add(points) }
    let there = alphas(400, samples: samples) {
      $0.add(points.map { ($0.x + 77, $0.y + 131, $0.radius) })
    }
    var differing = 0
    for y in 0..<269 {
      for x in 0..<323 where here[y * 400 + x] != there[(y + 131) * 400 + x + 77] { differing += 1 }
    }
    #expect(differing == 0)
  }

  @Test func `painting a scene leaves the painter's buffers clear`() {
    let painter = TilePainter(samples: 8)
    var random = SplitMix64(seed: 14)
    var scene = Scene(width: 300, height: 200, background: .clear)
    func draw() -> [UInt8] {
      scene.removeAll()
      scene.add([(20, 30, 3), (150, 140, 20), (280, 20, 0.2)])
      let picture = Pixmap(width: 300, height: 200)
      [scene].paint([painter], into: picture)
      return (0..<200).flatMap { picture.withRow($0, Array.init) }
    }
    let first = draw()
    for _ in 0..<5 {
      scene.removeAll()
      scene.add(
        (0..<30).map { _ in
          (
            .random(in: -50...350, using: &random), .random(in: -50...250, using: &random),
            .random(in: 0...40, using: &random)
          )
        })
      [scene].paint([painter], into: Pixmap(width: 300, height: 200))
      #expect(draw() == first)
    }
  }

  @Test(arguments: PKInk.InkType.known)
  func `painting any ink leaves no groups marked for the next tile`(_ ink: PKInk.InkType) throws {
    let page = Rect(x: 0, y: 0, width: 64, height: 64)
    let line = PKStroke(
      ink: PKInk(ink, color: .black),
      path: PKStrokePath(
        controlPoints: [8.0, 20, 40, 56].map { x in
          PKStrokePoint(
            location: Point(x: x, y: 32), timeOffset: 0, size: Size(width: 6, height: 6),
            opacity: 1, force: 1, azimuth: 0, altitude: 1)
        }))
    let scene = try SceneBuilder(
      PictureSetup(
        options: RenderOptions(background: .transparent),
        canvas: Recording.Canvas(size: page.size)
      ) { page })
    scene.add([line])
    let painter = TilePainter(samples: 8)
    let picture = Pixmap(width: 64, height: 64)
    func paint() {
      painter.begin()
      painter.paint(
        [scene.ink], column: 0, row: 0, over: picture.tile(0, 0),
        pitch: picture.memory.bytesPerRow)
    }
    paint()
    let drawn = (0..<64).contains { painter.groups[$0] != 0 }
    #expect(drawn)
    // Groups that were not read are cleared, too.
    paint()
    painter.begin()
    let left = (0..<64).contains { painter.groups[$0] != 0 }
    #expect(!left)
  }
}
