import Foundation

/// How much a run of the tests tries: the usual one a sample of what the long one does, so that it ends within the
/// time that continuous integration has.
public enum RunLength {
  /// Whether to try everything: `Tests/run --long` sets `LONG_TESTS`.
  public static let isLong = ProcessInfo.processInfo.environment["LONG_TESTS"] != nil

  /// A number of random cases.
  public static func count(_ usual: Int, long: Int) -> Int { isLong ? long : usual }

  /// The distance between cases that follow each other: all in the long run, one of some in the usual one. Cuts of bytes
  /// and flips of bits take odd distances, which reach every bit of a byte.
  public static func step(_ usual: Int) -> Int { isLong ? 1 : usual }
}
