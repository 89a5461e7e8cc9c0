import Foundation

/// How much a run of the tests tries: the usual one a sample of what the long one does, so that it ends within the
/// time that continuous integration has. `run_length.py` says the same to the tests of the package for Python.
public enum RunLength {
  private static let environment = ProcessInfo.processInfo.environment
  private static let cases = environment["TEST_CASES"].flatMap { Int($0) }

  /// Whether to try everything: `Tests/run --long` sets `TEST_LONG`.
  public static let isLong = environment["TEST_LONG"] != nil

  /// A number of random cases. `TEST_CASES` is another one, for a run of a single test.
  public static func count(_ usual: Int, long: Int) -> Int { cases ?? (isLong ? long : usual) }

  /// The distance between cases that follow each other: all in the long run, one of some in the usual one. Cuts of bytes
  /// and flips of bits take odd distances, which reach every bit of a byte.
  public static func step(_ usual: Int) -> Int { isLong ? 1 : usual }
}
