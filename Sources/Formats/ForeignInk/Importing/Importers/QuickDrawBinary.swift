import InkFiles
import Strokes

/// Reads Quick, Draw!'s binary form of simplified drawings: records one behind the other, without
/// any mark between them.
enum QuickDrawBinaryImporter: InkImporter {
  /// The bytes before the strokes.
  static let headSize = 8 + 2 + 1 + 4 + 2

  /// The format has no magic bytes, so several plausible records are required.
  static func recognizes(_ start: FileStart) -> Bool {
    var file = ByteCursor(start.bytes)
    for number in 0..<8 where file.remaining > 0 {
      do throws(ImportError) {
        guard try file.skipRecord(mustBeUsual: true) else { return false }
      } catch {
        // The file may be truncated, but not within the first two records.
        return number > 1 && file.remaining < 1 << 16
      }
    }
    return file.offset > 0
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    var starts: [Int] = []
    var file = ByteCursor(bytes)
    do throws(ImportError) {
      while file.remaining > 0 {
        starts.append(file.offset)
        _ = try file.skipRecord(mustBeUsual: false)
      }
    } catch {
      // After damage, the start of a further record cannot be found. The last record is read as far
      // as possible.
    }
    guard bytes.count >= headSize else { throw ImportError(.truncated, at: bytes.count) }
    let found = starts
    return ImportedInk(pageCount: found.count) { (index) throws(ImportError) in
      let end = index + 1 < found.count ? found[index + 1] : bytes.count
      var record = QuickDrawRecord()
      record.read(ByteCursor(bytes[found[index]..<end]))
      return record.page(index, fileBytes: end - found[index], options)
    }
  }
}

extension ByteCursor {
  /// Skips a drawing; false if `mustBeUsual` is set and its values are implausible.
  fileprivate mutating func skipRecord(mustBeUsual: Bool) throws(ImportError) -> Bool {
    try skip(8)
    let country = try take(2)
    let recognized = try byte()
    let seconds = try uint32()
    let strokeCount = try uint16()
    if mustBeUsual {
      // Times from 2014 to 2033.
      guard country.allSatisfy({ (0x41...0x5A).contains($0) }), recognized <= 1,
        (1_400_000_000...2_000_000_000).contains(seconds), strokeCount > 0
      else { return false }
    }
    for _ in 0..<strokeCount {
      let count = try uint16()
      if mustBeUsual, count == 0 { return false }
      try skip(2 * count)
    }
    return true
  }
}

extension QuickDrawRecord {
  /// Reads a record of the binary form. Damage ends it; the strokes before it are kept.
  mutating func read(_ bytes: ByteCursor) {
    var bytes = bytes
    do throws(ImportError) {
      keyID = String(try bytes.littleEndian(UInt64.self))
      let letters = try bytes.take(2).filter { (0x20...0x7E).contains($0) }
      countryCode = String(decoding: letters, as: UTF8.self)
      isRecognized = try bytes.byte() != 0
      date = Timestamp(secondsSince1970: Double(try bytes.uint32()))
      for _ in 0..<(try bytes.uint16()) {
        let count = try bytes.uint16()
        let (xs, ys) = (try bytes.take(count), try bytes.take(count))
        self.xs += xs.lazy.map(Double.init)
        self.ys += ys.lazy.map(Double.init)
        strokeEnds.append(self.xs.count)
      }
    } catch {
      damage.append(error)
    }
  }
}
