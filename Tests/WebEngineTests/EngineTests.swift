import Foundation
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

/// The pixels of the picture that was drawn last.
private func pixels(_ handle: Int32) -> [UInt8] {
  let count = 4 * Int(pictureWidth(handle)) * Int(pictureHeight(handle))
  return Array(UnsafeRawBufferPointer(start: picturePixels(handle), count: count))
}

@Suite(.serialized) struct EngineTests {
  @Test func `a document is opened, drawn at several scales and closed`() throws {
    let handle = open(try sample("mood"))
    #expect(handle > 0 && documentIsDamaged(handle) == 0)
    #expect(picturePixels(handle) == nil && pictureWidth(handle) == 0)
    #expect(documentRender(handle, 1) == 0)
    let first = pixels(handle)
    let width = pictureWidth(handle)
    #expect(first.contains { $0 != 255 })
    #expect(documentRender(handle, 2) == 0)
    #expect(abs(pictureWidth(handle) - 2 * width) <= 1 && pixels(handle) != first)
    #expect(documentRender(handle, 1) == 0 && pixels(handle) == first)
    #expect(documentClose(handle) == 0)
    #expect(documentRender(handle, 1) == EngineError.unknownHandle.rawValue)
  }

  @Test func `invalid calls return errors`() throws {
    #expect(open([]) < 0)
    #expect(open(Array("no recording".utf8)) == EngineError.notARecording.rawValue)
    #expect(documentOpen(nil, 3) == EngineError.invalidArgument.rawValue)
    #expect(engineAllocate(0) == nil && engineAllocate(-1) == nil)
    for handle in [-1, 0, 1000, .min, .max] as [Int32] {
      #expect(documentRender(handle, 1) == EngineError.unknownHandle.rawValue)
      #expect(documentClose(handle) == EngineError.unknownHandle.rawValue)
      #expect(documentWidth(handle) == 0 && picturePixels(handle) == nil)
    }
    let handle = open(try sample("mood"))
    for scale in [0, -1, .nan, .infinity, 1e9, 1e-300] {
      let result = documentRender(handle, scale)
      #expect(result == 0 || result == EngineError.noPicture.rawValue, "\(scale)")
    }
    #expect(documentClose(handle) == 0)
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
