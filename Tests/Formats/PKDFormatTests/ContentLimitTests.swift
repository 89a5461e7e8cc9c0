import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct ContentLimitTests {
  private static let limit = PKDLimits().pathElements

  /// The error of a stroke after a change; nil if it may be written.
  private static func error(_ change: (inout PKStroke) -> Void) -> PKDContentError? {
    var random = RandomInk(seed: 1)
    var stroke = random.stroke(pointCount: 3...3)
    change(&stroke)
    var check = ContentCheck()
    do throws(PKDContentError) {
      try check.add(stroke)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a stroke may have as many ranges of its mask as readers take, and no more`() {
    let ranges = [ClosedRange<Double>](repeating: 0...1, count: Self.limit)
    #expect(Self.error { $0.archivedMaskRanges = ranges } == nil)
    let reason = PKDContentError.Reason.tooMany(
      .ranges, count: Self.limit + 1, limit: Self.limit)
    #expect(
      Self.error { $0.archivedMaskRanges = ranges + [0...1] }
        == PKDContentError(reason, .stroke(0)))
  }

  @Test func `a mask may have as many elements as readers take, and no more`() {
    var mask = Path()
    mask.move(to: .zero)
    for index in 1..<Self.limit { mask.addLine(to: Point(x: Double(index & 7), y: 1)) }
    #expect(mask.elements.count == Self.limit)
    #expect(Self.error { $0.mask = mask } == nil)
    mask.addLine(to: .zero)
    let reason = PKDContentError.Reason.tooMany(
      .pathElements, count: Self.limit + 1, limit: Self.limit)
    #expect(Self.error { $0.mask = mask } == PKDContentError(reason, .stroke(0)))
  }
}
