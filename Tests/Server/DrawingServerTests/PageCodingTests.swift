import Foundation
import Storage
import TestSupport
import Testing

private let hasNode =
  (try? Program.shell("node --version", in: Corpus.project).code == 0) ?? false

/// The module of the pages that writes and reads the service's CBOR, run in Node.
@Suite(.enabled(if: hasNode, "skipped: there is no node on this machine"))
struct PageCodingTests {
  private static let module =
    Corpus.project.appendingPathComponent("Sources/Web/WebPages/Site/cbor.mjs").path

  /// The output of Node.
  private func run(_ script: String) throws -> String {
    let folder = try TemporaryFolder()
    let text =
      "import { decode, encode, Moment } from '\(Self.module)';\n"
      + "const hex = (bytes) => Buffer.from(bytes).toString('hex');\n\(script)"
    try Data(text.utf8).write(to: folder.file("script.mjs"))
    let result = try Program.shell("node script.mjs", in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    return result.text
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  @Test func `the web pages write the same CBOR as the service`() throws {
    let integers: [Int64] = [
      0, 1, 23, 24, 255, 256, 65535, 65536, 1 << 32 - 1, 1 << 32, 1 << 53 - 1, -1, -24, -25, -256,
      -257,
      -65537, -(1 << 40),
    ]
    let moments: [Int64] = [0, 1, -1, 999_999, 1_000_000, -1_000_001, 1_795_640_096_123_456]
    let texts = ["", "a", "é", "\u{FFFF}", "\u{10000}", String(repeating: "x", count: 300)]
    let fields: Fields = [
      "none": .null, "yes": true, "no": false, "half": .number(0.5), "small": .number(-1e-300),
      "integers": .list(integers.map { .integer($0) }),
      "moments": .list(moments.map { .moment(Moment(microseconds: $0)) }),
      "texts": .list(texts.map { .text($0) }), "bytes": .bytes([0, 1, 255]),
      "map": .map(["b": 1, "a": .list([]), "\u{10000}": 2, "\u{FFFF}": 3, "aa": 4]),
    ]
    let list = String(decoding: try JSONSerialization.data(withJSONObject: texts), as: UTF8.self)
    let page = try run(
      """
      process.stdout.write(hex(encode({
        yes: true, none: null, no: false, missing: undefined, half: 0.5, small: -1e-300, integers: \(integers),
        moments: \(moments).map((one) => new Moment(one)), texts: \(list),
        bytes: new Uint8Array([0, 1, 255]), map: { '\\u{10000}': 2, '\\uFFFF': 3, aa: 4, b: 1, a: [] },
      })));
      """)
    #expect(page == hexadecimal(fields.bytes))
    // Decoding and encoding gives the same bytes.
    let again = try run(
      "process.stdout.write(hex(encode(decode(Buffer.from('\(hexadecimal(fields.bytes))', 'hex')))));"
    )
    #expect(again == page)
  }

  @Test func `a cut or changed CBOR answer is read or refused by the pages`()
    throws
  {
    let fields: Fields = [
      "clock": .moment(Moment(microseconds: 1_795_640_096_123_456)), "cursor": 0, "store": "a1",
      "results": .list([.list([0, "conflict", "abc", .bytes([1, 2, 3]), .number(2.5)])]),
    ]
    let count = try run(
      """
      const whole = Buffer.from('\(hexadecimal(fields.bytes))', 'hex');
      let refused = 0;
      const attempt = (bytes) => {
        try { decode(new Uint8Array(bytes)); } catch (error) {
          if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
          refused += 1;
        }
      };
      for (let count = 0; count < whole.length; count++) attempt(whole.subarray(0, count));
      if (refused !== whole.length) throw new Error('a cut answer was read');
      for (let bit = 0; bit < 8 * whole.length; bit++) {
        const changed = Buffer.from(whole);
        changed[bit >> 3] ^= 1 << (bit & 7);
        attempt(changed);
      }
      process.stdout.write(String(refused - whole.length));
      """)
    #expect(try #require(Int(count)) > 0)
  }
}
