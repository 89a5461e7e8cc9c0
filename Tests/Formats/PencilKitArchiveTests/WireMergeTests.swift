import Testing

@testable import PencilKitArchive

struct WireMergeTests {
  private static func message(_ fields: [(Int, UInt64)]) -> [UInt8] {
    var writer = WireWriter()
    for (number, value) in fields { writer.field(number, number: value) }
    return writer.bytes
  }

  /// A message with fields 2 and 4 replaced by 102 and 104, and the old values that the body
  /// received.
  private static func merged(_ fields: [(Int, UInt64)]) -> (bytes: [UInt8], old: [UInt64?]) {
    let old = message(fields)
    var (writer, values) = (WireWriter(), [UInt64?]())
    writer.merge([2, 4], over: WireReader(old, in: 0..<old.count)) { number, field, writer in
      values.append(field?.value)
      writer.field(number, number: UInt64(100 + number))
    }
    return (writer.bytes, values)
  }

  @Test func `replaced fields keep their positions, and others are kept`() {
    let (bytes, old) = Self.merged([(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)])
    #expect(bytes == Self.message([(1, 1), (2, 102), (3, 3), (4, 104), (5, 5)]))
    #expect(old == [2, 4])
    // The same in another order.
    #expect(
      Self.merged([(4, 4), (3, 3), (2, 2)]).bytes
        == Self.message([(4, 104), (3, 3), (2, 102)]))
  }

  @Test func `a new field is inserted before those with higher numbers`() {
    let (bytes, old) = Self.merged([(1, 1), (3, 3), (5, 5)])
    #expect(bytes == Self.message([(1, 1), (2, 102), (3, 3), (4, 104), (5, 5)]))
    #expect(old == [nil, nil])
    #expect(Self.merged([]).bytes == Self.message([(2, 102), (4, 104)]))
  }

  @Test func `a repeated field is replaced once, and other repeated fields are kept`() {
    let (bytes, old) = Self.merged([(2, 2), (3, 3), (2, 22), (3, 33), (4, 4), (2, 222), (4, 44)])
    #expect(bytes == Self.message([(2, 102), (3, 3), (3, 33), (4, 104)]))
    #expect(old == [2, 4])
  }
}
