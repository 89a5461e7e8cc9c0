import InkFiles
import Graphics
import JSON
import Strokes

/// Reads a page of a Supernote notebook: its layers, and the strokes of all of them in one block.
struct SupernotePage {
  private let bytes: [UInt8]
  private let keys: SupernoteKeys
  /// The size of the page in pixels.
  private let size: Size
  private let unit: Double
  private var builder: PageBuilder
  private let options: ImportOptions

  init(
    _ bytes: [UInt8], at address: Int, number: Int, _ screen: SupernoteScreen,
    _ options: ImportOptions
  ) throws(ImportError) {
    self.bytes = bytes
    self.options = options
    keys = try SupernoteKeys(bytes, at: address)
    let isTurned = keys["ORIENTATION"] == "1090"
    size =
      isTurned ? Size(width: screen.size.height, height: screen.size.width) : screen.size
    unit = 72 / screen.pixelsPerInch
    builder = PageBuilder(unit: unit, page: number, fileBytes: bytes.count, options)
  }

  consuming func page() -> ImportedPage {
    if let style = keys["PAGESTYLE"], !style.utf8.starts(with: "style_white".utf8) {
      builder.notes.add("the picture behind the page is left out")
    }
    do throws(ImportError) {
      if let address = keys.address("TOTALPATH") { try readStrokes(at: address) }
    } catch {
      builder.damage.append(error)
    }
    // The file's name for the page is left out: it is an internal number of the tablet.
    return builder.page(size: Size(width: size.width * unit, height: size.height * unit))
  }

  /// The maximum number of errors that are kept.
  private static let damageLimit = 100

  private mutating func readStrokes(at address: Int) throws(ImportError) {
    let layers = Layers(keys)
    var cursor = ByteCursor(bytes)
    try cursor.move(to: address)
    cursor = try cursor.part(try cursor.uint32())
    var records: [(rank: Int, record: ByteCursor)] = []
    do throws(ImportError) {
      let count = try cursor.count(
        UInt64(try cursor.uint32()), of: "strokes", bytesEach: SupernoteStroke.minimumSize)
      records.reserveCapacity(count)
      for _ in 0..<count {
        let record = try cursor.part(try cursor.uint32())
        records.append((layers.rank(of: SupernoteStroke.layer(of: record)), record))
      }
    } catch {
      builder.damage.append(error)
    }
    // Sorting keeps the order of the strokes of a layer.
    let order = records.indices.sorted { (records[$0].rank, $0) < (records[$1].rank, $1) }
    for index in order {
      var record = records[index].record
      let stroke: SupernoteStroke
      do throws(ImportError) {
        stroke = try SupernoteStroke(&record, on: size)
      } catch {
        if builder.damage.count < Self.damageLimit { builder.damage.append(error) }
        continue
      }
      let isHidden = !options.readsHidden && layers.hidden.contains(stroke.layer)
      if isHidden { builder.notes.add("strokes of hidden layers are left out") }
      try builder.add(stroke.foreignStroke(isHidden: isHidden, &builder.notes))
    }
  }

  /// The layers of the page.
  private struct Layers {
    /// The layers that are not shown.
    private(set) var hidden: Set<Int> = []
    private var ranks: [Int: Int] = [:]

    init(_ keys: SupernoteKeys) {
      // The uppermost layer comes first.
      let names = (keys["LAYERSEQ"] ?? "").split(separator: ",")
      for (rank, name) in names.reversed().enumerated() {
        ranks[name == "MAINLAYER" ? 0 : Int(name.dropFirst("LAYER".count)) ?? -1] = rank
      }
      if let info = keys["LAYERINFO"] { readInfo(info) }
    }

    /// The index of a layer, counted from the lowest one.
    func rank(of layer: Int) -> Int { ranks[layer] ?? -1 }

    /// Reads JSON in which colons are replaced by number signs, as the file uses colons between
    /// keys and values.
    private mutating func readInfo(_ text: String) {
      var (letters, isText, isEscaped) = (Array(text.utf8), false, false)
      for index in letters.indices {
        switch letters[index] {
        case _ where isEscaped:
          isEscaped = false
          continue
        case UInt8(ascii: "\\"): isEscaped = true
        case UInt8(ascii: "\""): isText.toggle()
        case UInt8(ascii: "#") where !isText: letters[index] = UInt8(ascii: ":")
        default: break
        }
      }
      var (hidden, json) = (hidden, JSONReader(letters))
      // A damaged text hides no layers.
      try? json.list { (json) throws(JSONError) in
        var (layer, isShown) = (Int?.none, true)
        try json.object { (key, json) throws(JSONError) in
          switch (key, json.peek()) {
          case ("layerId", _): layer = try json.integer(in: -100...100)
          case ("isVisible", UInt8(ascii: "f")), ("isDeleted", UInt8(ascii: "t")):
            isShown = false
            try json.skip()
          default: try json.skip()
          }
        }
        if let layer, !isShown { hidden.insert(layer) }
      }
      self.hidden = hidden
    }
  }
}
