import Foundation
import Graphics
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing
import WebEngine

/// Opens bytes as a page would.
private func open(_ bytes: [UInt8]) -> Int32 {
  bytes.withUnsafeBytes { documentOpen($0.baseAddress, $0.count) }
}

private func sample(_ name: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: Corpus.project.appendingPathComponent("Samples/\(name).pkd")))
}

/// Opens a view of a whole page.
private func openView(_ document: Int32, scale: Double = 1, isLive: Int32 = 0) -> Int32 {
  viewOpen(document, isLive, scale, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

private func pixels(_ view: Int32) -> [UInt8] {
  let count = Int(viewBytesPerRow(view)) * Int(viewHeight(view))
  return Array(UnsafeRawBufferPointer(start: viewPixels(view), count: count))
}

@Suite(.serialized) struct EngineTests {
  @Test func `a document is opened, shown at several scales and closed`() throws {
    let handle = open(try sample("mood"))
    #expect(handle > 0 && documentIsDamaged(handle) == 0)
    let view = openView(handle)
    #expect(viewShow(view, .infinity) == 1)
    let first = pixels(view)
    #expect(first.contains { $0 != 255 })
    let second = openView(handle, scale: 2)
    #expect(viewShowSteps(second, documentStepCount(handle)) == 1)
    #expect(abs(viewWidth(second) - 2 * viewWidth(view)) <= 1)
    #expect(documentClose(handle) == 0)
    // Views outlive their document.
    #expect(viewShow(view, 0) > 0 && pixels(view) != first)
    #expect(viewShow(view, .infinity) > 0 && pixels(view) == first)
    #expect(viewClose(view) == 0 && viewClose(second) == 0)
    #expect(viewShow(view, 0) == EngineError.unknownHandle.rawValue)
    #expect(openView(handle) == EngineError.unknownHandle.rawValue)
  }

  @Test(arguments: [nil, Color.white, Color(red: 0.5, green: 0.8, blue: 1)])
  func `a page tells whether it has a colour of its own`(_ color: Color?) throws {
    let expected: Int32 = color == nil || color == .white ? 0 : 1
    let recording = Recording(
      canvas: Recording.Canvas(size: Size(width: 9, height: 9), background: color))
    let handle = open(try PKDWriter.encode(recording))
    #expect(documentHasBackground(handle) == expected)
    #expect(documentClose(handle) == 0)
    #expect(documentHasBackground(handle) == EngineError.unknownHandle.rawValue)
  }

  @Test func `PencilKit archives are opened too`() throws {
    let archive = RandomInk.archive(seed: 4)
    let handle = open(archive)
    #expect(handle > 0 && documentStepCount(handle) > 0)
    let view = viewOpen(handle, 0, 1, 0, 0, 200, 200, 0, 0, 0, 0, 0, 0)
    #expect(viewShow(view, .infinity) == 1 && documentWrite(handle) > 0)
    #expect(viewClose(view) == 0 && documentClose(handle) == 0)
    #expect(open(Array(archive.dropLast(20))) == EngineError.notARecording.rawValue)
  }

  @Test func `what a pen draws comes out as a file that the engine opens again`() throws {
    let page = documentCreate(300, 200)
    #expect(penUndo(page, 0) == EngineError.wrongKind.rawValue)
    #expect(openView(page, isLive: 1) == EngineError.wrongKind.rawValue)
    #expect(penTake(page, Array(1...16)) == 0)
    let view = openView(page, isLive: 1)
    #expect(viewUpdate(view) == 1)
    let empty = pixels(view)
    #expect(penBegin(page, 0, 0xFF00_00FF, 5, 1.7e9) == 0)
    let samples = (0..<20).flatMap {
      [10 + 9 * Double($0), 100, Double($0) / 60, 1, 0, 1] as [Double]
    }
    #expect(penDraw(page, samples, 20, 0) == 0)
    #expect(viewUpdate(view) > 0 && pixels(view) != empty)
    #expect(viewShow(view, 0) == EngineError.wrongKind.rawValue)
    #expect(penEnd(page, 1.7e9 + 1) == 0 && viewUpdate(view) >= 0)
    let drawn = pixels(view)
    #expect(penChoices(page) == 1)
    #expect(penUndo(page, 1.7e9 + 2) == 0 && viewUpdate(view) > 0)
    #expect(pixels(view) == empty && penChoices(page) == 2)
    #expect(penRedo(page, 1.7e9 + 3) == 0 && viewUpdate(view) > 0)
    #expect(pixels(view) == drawn)
    let count = documentWrite(page)
    let bytes = Array(UnsafeBufferPointer(start: documentBytes(page), count: Int(count)))
    let copy = open(bytes)
    #expect(documentWidth(copy) == 300 && documentStepCount(copy) == 3)
    let replay = openView(copy)
    #expect(viewShow(replay, .infinity) == 1 && pixels(replay) == drawn)
    for handle in [view, replay] { #expect(viewClose(handle) == 0) }
    for handle in [page, copy] { #expect(documentClose(handle) == 0) }
  }

  @Test func `invalid calls return errors`() throws {
    #expect(open([]) < 0)
    #expect(open(Array("no recording".utf8)) == EngineError.notARecording.rawValue)
    #expect(documentOpen(nil, 3) == EngineError.invalidArgument.rawValue)
    #expect(documentCreate(-1, 5) == EngineError.invalidArgument.rawValue)
    #expect(documentCreate(.nan, 5) == EngineError.invalidArgument.rawValue)
    #expect(engineAllocate(0) == nil && engineAllocate(-1) == nil)
    for handle in [-1, 0, 1000, .min, .max] as [Int32] {
      #expect(openView(handle) == EngineError.unknownHandle.rawValue)
      #expect(documentClose(handle) == EngineError.unknownHandle.rawValue)
      #expect(viewShow(handle, 0) == EngineError.unknownHandle.rawValue)
      #expect(documentWidth(handle) == 0 && viewPixels(handle) == nil)
    }
    let handle = open(try sample("mood"))
    for scale in [0, -1, .nan, .infinity, 1e9] {
      #expect(openView(handle, scale: scale) < 0, "\(scale)")
    }
    for choice in [-1, 9, .max] as [Int32] {
      let view = viewOpen(handle, 0, 1, 0, 0, 0, 0, choice, 0, 0, 0, 0, 0)
      #expect(view == EngineError.invalidArgument.rawValue)
    }
    let view = openView(handle)
    for time in [-.infinity, -1, .nan, 1e300] { #expect(viewShow(view, time) >= 0, "\(time)") }
    #expect(viewShowSteps(view, .min) >= 0 && viewShowSteps(view, .max) >= 0)
    #expect(viewClose(view) == 0 && documentClose(handle) == 0)
  }

  @Test func `allocated memory is writable and can be freed`() throws {
    let memory = try #require(engineAllocate(1000))
    memory.initializeMemory(as: UInt8.self, repeating: 7, count: 1000)
    engineFree(memory, 1000)
  }

  /// The hashes of all processors; `Tests/run` compares those of a page.
  @Test(
    arguments: zip(
      0..<6 as Range<Int32>,
      [
        2_541_495_308_814_040_978, 10_897_264_011_403_856_270, 12_445_103_772_267_324_575,
        84_059_451_566_715_962, 14_183_820_028_202_157_120, 1_053_616_999_922_039_747,
      ] as [UInt64]))
  func `functions give the same bits everywhere`(_ function: Int32, _ hash: UInt64) {
    #expect(engineMathHash(function) == hash)
  }
}

extension RandomInk {
  fileprivate static func archive(seed: UInt64) -> [UInt8] {
    var random = RandomInk(seed: seed)
    return random.drawing().dataRepresentation()
  }
}
