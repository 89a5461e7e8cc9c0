import Testing

@testable import PKDFormat

struct PredictedGridTests {
  private static func numbers(_ values: [Float], offset: Double) -> PredictedNumbers {
    values.withUnsafeBufferPointer {
      PredictedNumbers($0, isSteady: false, steps: .grid(step: 1, offset: offset))
    }
  }

  @Test(arguments: [0, 0.25, 0.5, -0.375, 3.125])
  func `values on a grid are steps from their predictions, wherever the grid begins`(
    _ offset: Double
  ) {
    // Each difference is one more than the one before, so that values are predicted.
    let values = [0, 1, 3, 6, 10, 15].map { Float(Double($0) + offset) }
    let numbers = Self.numbers(values, offset: offset)
    #expect(numbers.flags == [0, 0, 0, 0, 0, 0])
    #expect(numbers.indices == [2, 2, 2, 2, 2])
    #expect(numbers.bits.isEmpty)
  }

  @Test func `a value beside the grid has a flag, and the others stay on it`() {
    let numbers = Self.numbers([0.25, 1.25, 2.5, 3.25, 4.25], offset: 0.25)
    #expect(numbers.flags == [0, 0, 1, 0, 0])
    #expect(numbers.indices.count == 3 && numbers.bits.count == 1)
  }
}
