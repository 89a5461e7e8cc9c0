import Foundation

/// The extent of a test run: the usual one tries a sample of the long one's cases, to fit into the
/// time of continuous integration. `run_length.py` is the counterpart in the tests of the package
/// for Python.
public enum RunLength {
  private static let environment = ProcessInfo.processInfo.environment
  private static let cases = environment["TEST_CASES"].flatMap { Int($0) }

  /// Whether to try all cases: `Tests/run --long` sets `TEST_LONG`.
  public static let isLong = environment["TEST_LONG"] != nil

  /// The number of random cases. `TEST_CASES` overrides it, for a run of a single test.
  public static func count(_ usual: Int, long: Int) -> Int { cases ?? (isLong ? long : usual) }

  /// The step from one case to the next: 1 in the long run, more in the usual one. Cuts of bytes
  /// and flips of bits use odd steps, which reach every bit of a byte.
  public static func step(_ usual: Int) -> Int { isLong ? 1 : usual }
}
