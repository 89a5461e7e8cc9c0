import Foundation
import TestSupport
import Testing

/// The sizes of pictures; small pictures are the purpose of higher efforts.
struct PictureSizeTests {
  /// The maximum size of the samples' pictures for each effort. A change of an ink also changes
  /// them.
  private static let limits: [(name: String, fast: Int, small: Int, best: Int)] = [
    ("erased", 134_212, 99_079, 93_596), ("handwriting", 16_911, 16_184, 15_829),
    ("inks", 281_831, 201_153, 192_461), ("landscape", 957_894, 739_298, 718_238),
    ("minute", 69_585, 49_697, 47_569), ("mood", 104_180, 61_897, 57_870),
  ]

  @Test func `pictures of the samples do not exceed their recorded sizes`() throws {
    let folder = try TemporaryFolder()
    for (name, fast, small, best) in Self.limits {
      let sample = Corpus.project.appendingPathComponent("Samples/\(name).pkd").path
      for (effort, limit) in [("fast", fast), ("small", small), ("best", best)] {
        let result = try Program.shell(
          "pkd render '\(sample)' --effort \(effort) -o \(name).png --force", in: folder.url)
        #expect(result.code == 0, "\(result.errors)")
        let size = try Data(contentsOf: folder.file("\(name).png")).count
        #expect(size <= limit, "\(name), \(effort): \(size) bytes")
      }
    }
  }
}
