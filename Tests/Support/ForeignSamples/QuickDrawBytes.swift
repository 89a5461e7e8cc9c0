/// Records in Quick, Draw!'s binary form.
enum QuickDrawBytes {
  /// A record: the strokes as pairs of lists.
  static func record(
    key: UInt64 = 0x0102_0304_0506_0708, country: String = "CH", recognized: UInt8 = 1,
    seconds: UInt32 = 1_488_000_000, _ strokes: [([UInt8], [UInt8])]
  ) -> [UInt8] {
    var record = TabletBytes()
    record.add(key)
    record.add(TabletBytes(country))
    record.add(recognized)
    record.add(seconds)
    record.add(UInt16(strokes.count))
    for (xs, ys) in strokes {
      record.add(UInt16(xs.count))
      record.bytes += xs + ys
    }
    return record.bytes
  }
}
