import InkFiles
import Graphics
import PencilKitArchive

/// The columns of a stroke's curve in Wacom's Universal Ink Model.
struct UniversalInkSpline {
  /// A column, with its field's number in version 3.1.
  enum Column: Int {
    case x = 1
    case y, z, red, green, blue, alpha, size, rotation, scaleX, scaleY, scaleZ, offsetX, offsetY,
      offsetZ

    /// The index of its number of digits, counted from the lowest four bits; nil for colours.
    fileprivate var digitsIndex: Int? {
      switch self {
      case .x, .y, .z: 0
      case .size: 1
      case .rotation: 2
      case .scaleX, .scaleY, .scaleZ: 3
      case .offsetX, .offsetY, .offsetZ: 4
      case .red, .green, .blue, .alpha: nil
      }
    }
  }

  private var columns = [[Double]](repeating: [], count: 16)
  /// Whether there are colours in an unknown coding.
  private(set) var hasUnreadColors = false

  subscript(column: Column) -> [Double] { columns[column.rawValue] }

  /// Reads a column of plain numbers.
  mutating func read(
    _ field: WireField, number: Int, of reader: ProtobufReader
  ) throws(ImportError) {
    guard let column = Column(rawValue: number) else { return }
    if column.digitsIndex == nil {
      try reader.append(integersOf: field, to: &columns[number])
    } else {
      try reader.append(numbersOf: field, to: &columns[number])
    }
  }

  /// Reads a column of differences of whole numbers, of which some digits are decimals.
  mutating func read(
    differences field: WireField, digits: Int, of reader: ProtobufReader
  ) throws(ImportError) {
    guard let column = Column(rawValue: field.number) else { return }
    guard let index = column.digitsIndex else {
      hasUnreadColors = true
      return
    }
    try reader.append(
      sumsOf: field, over: .powerOfTen(digits >> (4 * index) & 15), to: &columns[field.number])
  }

  /// A value of a column; the last one is held. Nil without the column.
  func value(_ column: Column, _ index: Int) -> Double? {
    let values = columns[column.rawValue]
    return index < values.count ? values[index] : values.last
  }

  /// A scale; zero means that none is set.
  func scale(_ column: Column, _ index: Int) -> Double? {
    value(column, index).flatMap { $0 == 0 ? nil : $0 }
  }

  /// Whether points have a shape of their own.
  var hasShape: Bool {
    [Column.scaleX, .scaleY, .offsetX, .offsetY].contains { !self[$0].isEmpty }
  }

  /// The colour of the stroke, and the opacities of its points if they differ.
  func color(_ style: Color, _ notes: inout ImportNotes) -> (Color, opacities: [Double]?) {
    func component(_ column: Column, _ standard: Double) -> Double {
      let values = self[column]
      guard let first = values.first else { return standard }
      if values.contains(where: { $0 != first }) {
        notes.add("colours that change along a stroke are averaged")
      }
      return min(values.reduce(0, +) / Double(values.count) / 255, 1)
    }
    var color = style
    color.red = component(.red, style.red)
    color.green = component(.green, style.green)
    color.blue = component(.blue, style.blue)
    let alphas = self[.alpha]
    guard let greatest = alphas.max() else { return (color, nil) }
    color.alpha = min(greatest / 255, 1)
    guard greatest > 0, alphas.contains(where: { $0 != greatest }) else { return (color, nil) }
    return (color, alphas.map { $0 / greatest })
  }
}
