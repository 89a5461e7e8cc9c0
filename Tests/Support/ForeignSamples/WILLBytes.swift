/// Files of Wacom's WILL 2.
enum WILLBytes {
  /// A path of points with widths, in hundredths of a unit.
  struct Path {
    var (start, end) = (0.0, 1.0)
    var x = [1000, 1000, 1500, 2000, 2000]
    var y = [2000, 2000, 2400, 2000, 2000]
    var widths = [100, 100, 250, 300, 300]
    var color = 0x3366_99CC
    var digits = 2

    var message: [UInt8] {
      typealias Bytes = WacomBytes
      var (coordinates, last) = ([UInt8](), (x: 0, y: 0))
      for (x, y) in zip(x, y) {
        coordinates += Bytes.signed(x - last.x) + Bytes.signed(y - last.y)
        last = (x, y)
      }
      return Bytes.field(1, float: start) + Bytes.field(2, float: end)
        + Bytes.field(4, coordinates) + Bytes.field(5, sums: widths)
        + Bytes.field(6, Bytes.signed(color)) + Bytes.field(8, integer: 0)
        // After the field that it divides.
        + Bytes.field(3, integer: digits)
    }
  }

  /// A file of messages of paths.
  static func file(_ messages: [[UInt8]]) -> [UInt8] {
    WacomBytes.riff(
      "WILL",
      [
        ("HEAD", [1, 0, 0]),
        ("INK ", messages.flatMap { WacomBytes.varint(UInt64($0.count)) + $0 }),
      ])
  }
}
