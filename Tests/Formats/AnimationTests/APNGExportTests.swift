import Graphics
import PNGFormat
import Rasterization
import Replay
import Strokes
import TestSupport
import Testing

@testable import Animation

@Suite struct APNGExportTests {
  @Test(arguments: Sample.all)
  func `the poster of an APNG is the last frame, and changes no frame`(sample: Sample) throws {
    for style in [RenderOptions.Style.light, .dark] {
      let options = RenderOptions(extent: .longerSide(150), style: style)
      let plain = try frames(sample, options, hasPoster: false)
      let posted = try frames(sample, options, hasPoster: true)
      #expect(plain.showsDefault && !posted.showsDefault)
      #expect(posted.controls == plain.controls)
      var canvases: [[UInt8]] = []
      try plain.forEachCanvas { image, _ in canvases.append(image.components) }
      var number = 0
      try posted.forEachCanvas { image, _ in
        #expect(image.components == canvases[number])
        number += 1
      }
      #expect(try plain.defaultPicture().components == canvases.first)
      #expect(try posted.defaultPicture().components == canvases.last)
    }
  }

  @Test func `the poster of a page that is cleared at the end is empty`() throws {
    // The last frame has one colour, so the colours of the others are only found while drawing.
    var sample = try #require(Sample.all.first { $0.name == "minute" })
    let last = sample.recording.events.last?.time ?? .referenceDate
    sample.recording.events.append(Recording.Event(time: last + 0.5, action: .cleared))
    let posted = try frames(sample, RenderOptions(extent: .longerSide(90)), hasPoster: true)
    #expect(!posted.showsDefault)
    let poster = try posted.defaultPicture().components
    #expect(poster.allSatisfy { $0 == 255 })
    var canvases: [[UInt8]] = []
    try posted.forEachCanvas { image, _ in canvases.append(image.components) }
    #expect(canvases.last == poster && canvases.contains { $0 != poster })
  }

  private func frames(
    _ sample: Sample, _ options: RenderOptions, hasPoster: Bool
  ) throws -> PNGFrames {
    let renderer = try sample.renderer(options)
    let playback = Playback(renderer.timeline, Playback.Options(duration: 1.5))
    let schedule = try FrameSchedule(playback, rate: try #require(FrameRate(12)))
    let bytes = try renderer.apng(
      schedule, PNGProperties(width: renderer.width, height: renderer.height),
      hasPoster: hasPoster)
    return try PNGDecoder().frames(of: bytes)
  }
}
