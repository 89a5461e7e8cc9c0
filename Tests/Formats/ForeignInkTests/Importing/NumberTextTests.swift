import Foundation
import Graphics
import TestSupport
import Testing

@testable import ForeignInk

struct NumberTextTests {
  private func read(_ text: String, from start: Int = 0) -> (value: Double?, index: Int) {
    var index = start
    let bytes = Array(text.utf8)
    let value = NumberText.number(in: bytes.span, at: &index)
    return (value, index)
  }

  private static let numbers: [(String, Double)] = [
    ("0", 0), ("-0", -0.0), ("12", 12), ("+3", 3), ("-1.5", -1.5), (".25", 0.25), ("7.", 7),
    ("1e3", 1000), ("1E+3", 1000), ("25e-2", 0.25), ("9007199254740993", 9007199254740992),
    ("0.1", 0.1), ("123456789.123456789", 123456789.123456789), ("1e400", .infinity),
    ("-1e400", -.infinity), ("1e-400", 0), ("1e99999999999999999999", .infinity),
    ("100000000000000000000000", 1e23), ("0.000000000000000000000000001", 1e-27),
    ("1e22", 1e22), ("1e23", 1e23), ("000000000000000000000000001.5", 1.5),
  ]

  @Test(arguments: numbers)
  func `a number's text is read as the nearest double`(text: String, value: Double) {
    let found = read(text)
    #expect(found.value == value)
    #expect(found.value?.sign == value.sign)
    #expect(found.index == text.utf8.count)
  }

  @Test(arguments: [
    ("267-33", 3), ("1,2", 1), ("1.5.5", 3), ("1e", 1), ("1e+", 1), ("1ex", 1), ("12 3", 2),
    ("3T", 1), ("-4\"", 2),
  ])
  func `reading a number's text stops where another value begins`(text: String, end: Int) {
    let found = read(text)
    #expect(found.value != nil)
    #expect(found.index == end)
  }

  @Test(arguments: ["", "-", "+", ".", "-.", "e5", "x", "-x", "--1", "+-1", " 1", "nan", "inf"])
  func `reading text that is no number does not move the index`(text: String) {
    let found = read(text)
    #expect(found.value == nil)
    #expect(found.index == 0)
  }

  @Test func `number texts of all lengths are read as by the standard library`() throws {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<RunLength.count(50_000, long: 200_000) {
      let digits = Int.random(in: 1...22, using: &generator)
      var text = Bool.random(using: &generator) ? "-" : ""
      let point = Int.random(in: 0...digits, using: &generator)
      for place in 0..<digits {
        if place == point { text += "." }
        text += String(Int.random(in: 0...9, using: &generator))
      }
      if Int.random(in: 0..<3, using: &generator) == 0 {
        text += "e\(Int.random(in: -40...40, using: &generator))"
      }
      let found = read("x" + text, from: 1)
      let expected = try #require(Double(text), "\(text)")
      #expect(found.value?.bitPattern == expected.bitPattern, "\(text)")
      #expect(found.index == text.utf8.count + 1)
    }
  }

  @Test func `doubles are read back from their descriptions`() {
    var generator = SplitMix64(seed: 8)
    for _ in 0..<RunLength.count(50_000, long: 200_000) {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(read("\(value)").value?.bitPattern == value.bitPattern)
    }
  }

  @Test(arguments: [
    (0.0, "0"), (0.5, ".5"), (-0.504, "-.5"), (12.3, "12.3"), (-1, "-1"), (100, "100"),
  ])
  func `texts of numbers have no needless digits`(value: Double, text: String) {
    #expect(DecimalText(decimals: 2).text(value) == text)
    let long = text.replacing(".", with: "0.", maxReplacements: abs(value) < 1 ? 1 : 0)
    #expect(DecimalText(decimals: 2, hasLeadingZero: true).text(value) == long)
  }

  @Test func `numbers that are not finite or too large are clamped in texts`() {
    let numbers = DecimalText(decimals: 2)
    #expect(numbers.text(.infinity) == "10000000" && numbers.text(-.infinity) == "-10000000")
    #expect(numbers.text(.nan) == "-10000000" || numbers.text(.nan) == "10000000")
    #expect(DecimalText(decimals: 0).text(2.6) == "3" && DecimalText(decimals: 99).decimals == 8)
  }
}
