import InkFiles
import PencilKitArchive

/// The sensor data of pens in Wacom's Universal Ink Model: columns of differences, decoded when a
/// stroke needs them.
struct UniversalInkSensors {
  /// A kind of value that a device sends.
  private struct Channel {
    enum Kind { case time, pressure, altitude, azimuth }

    var kind: Kind?
    /// The divisor of the sums of differences.
    var divisor = 1.0
  }

  /// The samples between the pen's contact and its lift.
  struct Samples {
    /// Seconds since 1970 at which the times start; nil if the file does not say.
    var start: Double?
    /// Seconds.
    var times: [Double] = []
    /// From 0 to 1.
    var pressures: [Double] = []
    /// Radians.
    var (altitudes, azimuths): ([Double], [Double]) = ([], [])
  }

  /// The damage that decoding found.
  private(set) var damage: [ImportError] = []
  private var channels: [ID: Channel] = [:]
  private var records: [ID: ProtobufReader] = [:]
  private var decoded: [ID: Samples] = [:]

  /// An identifier: sixteen bytes, or a text. Dictionaries hash its bytes one by one, which would
  /// take longer than everything else, so it is folded to two numbers. Programs do not produce
  /// identifiers that collide.
  private struct ID: Hashable {
    private let high, low: UInt64

    init(_ bytes: ArraySlice<UInt8>) {
      var (high, low) = (UInt64(bytes.count), UInt64(0x9E37_79B9_7F4A_7C15))
      for byte in bytes {
        high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
        low = (low ^ low >> 29 &+ UInt64(byte)) &* 0xD6E8_FEB8_6659_FD93
      }
      (self.high, self.low) = (high, low)
    }
  }

  /// Reads a field of the message of all input.
  mutating func read(_ field: WireField, of reader: ProtobufReader) throws(ImportError) {
    switch field.number {
    case 1: try readContexts(try reader.message(field))
    case 2:
      let message = try reader.message(field)
      var record = message
      while let field = try record.next() {
        guard field.number == 1 else { continue }
        records[ID(try record.data(field))] = message
        break
      }
    default: break
    }
  }

  /// The channels of all devices.
  private mutating func readContexts(_ message: ProtobufReader) throws(ImportError) {
    var message = message
    while let field = try message.next() {
      guard field.number == 5 else { continue }
      var context = try message.message(field)
      while let field = try context.next() {
        guard field.number == 2 else { continue }
        var device = try context.message(field)
        while let field = try device.next() {
          if field.number == 2, field.kind == .bytes {
            try readChannel(try device.message(field))
          }
        }
      }
    }
  }

  private mutating func readChannel(_ message: ProtobufReader) throws(ImportError) {
    var message = message
    var (id, type): (ArraySlice<UInt8>, String) = ([], "")
    var (resolution, digits) = (0.0, 0)
    while let field = try message.next() {
      switch field.number {
      case 1: id = try message.data(field)
      case 2: type = try message.text(field)
      case 4: resolution = try message.number(field)
      case 7: digits = try message.integer(field)
      default: break
      }
    }
    var channel = Channel()
    switch type.split(separator: "/").last?.lowercased() {
    case "timestamp": channel.kind = .time
    case "pressure": channel.kind = .pressure
    case "altitude": channel.kind = .altitude
    case "azimuth": channel.kind = .azimuth
    default: break
    }
    if !(resolution > 0) { resolution = channel.kind == .time ? 1_000 : 1 }
    channel.divisor = .powerOfTen(digits) * resolution
    channels[ID(id)] = channel
  }

  /// The samples with an identifier; nil if there are none. Samples after damage are lost.
  mutating func samples(_ bytes: ArraySlice<UInt8>) -> Samples? {
    let id = ID(bytes)
    if let known = decoded[id] { return known }
    guard let record = records[id] else { return nil }
    var samples = Samples()
    do throws(ImportError) { try read(record, into: &samples) } catch { damage.append(error) }
    // A record is decoded once, even if many strokes refer to it.
    decoded[id] = samples
    return samples
  }

  private func read(
    _ record: ProtobufReader, into samples: inout Samples
  ) throws(ImportError) {
    var record = record
    while let field = try record.next() {
      switch field.number {
      case 4:
        // Milliseconds; 0 and those after the year 9999 are no moments.
        let start = try record.integer(field)
        if (1...253_402_300_799_000).contains(start) { samples.start = Double(start) / 1000 }
      case 5: try readColumn(try record.message(field), into: &samples)
      default: break
      }
    }
  }

  private func readColumn(
    _ message: ProtobufReader, into samples: inout Samples
  ) throws(ImportError) {
    var message = message
    var channel: Channel?
    var values: [WireField] = []
    while let field = try message.next() {
      switch field.number {
      case 1: channel = channels[ID(try message.data(field))]
      case 2: values.append(field)
      default: break
      }
    }
    guard let channel, let kind = channel.kind else { return }
    var column: [Double] = []
    for field in values { try message.append(sumsOf: field, over: channel.divisor, to: &column) }
    switch kind {
    case .time: samples.times = column
    case .pressure: samples.pressures = column
    case .altitude: samples.altitudes = column
    case .azimuth: samples.azimuths = column
    }
  }
}

extension UniversalInkSensors.Samples {
  var count: Int {
    max(times.count, max(pressures.count, max(altitudes.count, azimuths.count)))
  }

  /// A value of a column between samples; the last one is held. Nil without the column.
  static func value(_ column: [Double], at place: Double) -> Double? {
    guard let last = column.last else { return nil }
    let index = Int(place)
    guard index + 1 < column.count else { return index < column.count ? column[index] : last }
    return column[index] + (column[index + 1] - column[index]) * (place - Double(index))
  }

  /// The azimuth between samples, by the shorter way around.
  func azimuth(at place: Double) -> Double? {
    guard place != place.rounded(.down) else { return Self.value(azimuths, at: place) }
    guard let start = Self.value(azimuths, at: place.rounded(.down)),
      let end = Self.value(azimuths, at: place.rounded(.up))
    else { return nil }
    let turn = (end - start).remainder(dividingBy: 2 * .pi)
    return start + turn * (place - place.rounded(.down))
  }
}
