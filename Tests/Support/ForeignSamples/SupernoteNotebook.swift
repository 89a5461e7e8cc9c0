/// A notebook of a Supernote tablet.
struct SupernoteNotebook {
  struct Stroke {
    var pen: UInt32 = 10
    var color: UInt32 = 0
    /// In hundredths of a pixel.
    var thickness: UInt32 = 400
    var inkClass: Int32 = 5000
    var layer: Int32 = 0
    var kind = "others"
    /// The digitizer's height and width, and coordinates in it, from the right and from the top.
    var height: UInt32 = 18_710
    var width: UInt32 = 14_030
    var points: [(x: UInt32, y: UInt32)] = [(13_030, 2_000), (12_030, 2_000)]
    var pressures: [UInt16] = [1_000, 2_000]
    var tilts: [(Int16, Int16)] = [(0, 0), (4_500, 0)]
    var state: Int32 = 0
    var outline: [[(x: Float, y: Float)]] = []

    var bytes: TabletBytes {
      var bytes = TabletBytes()
      for value in [pen, color, thickness] { bytes.add(value) }
      bytes.bytes += [UInt8](repeating: 0, count: 28)
      bytes.add(inkClass)
      bytes.add(layer)
      let text = Array(kind.utf8)
      bytes.bytes += text + [UInt8](repeating: 0, count: 52 - text.count + 28)
      bytes.add(height)
      bytes.add(width)
      bytes.bytes += [UInt8](repeating: 0, count: 208 - bytes.bytes.count)
      bytes.add(UInt32(1))
      bytes.bytes += [UInt8](repeating: 9, count: 24)
      bytes.add(UInt32(points.count))
      for point in points {
        bytes.add(point.y)
        bytes.add(point.x)
      }
      bytes.add(UInt32(pressures.count))
      for pressure in pressures { bytes.add(pressure) }
      bytes.add(UInt32(tilts.count))
      for tilt in tilts {
        bytes.add(tilt.0)
        bytes.add(tilt.1)
      }
      bytes.add(UInt32(points.count))
      bytes.bytes += [UInt8](repeating: 1, count: points.count)
      bytes.add(UInt32(0))
      bytes.add(UInt32(0))
      bytes.add(state)
      bytes.bytes += [UInt8](repeating: 0, count: 48)
      bytes.add(UInt32(0))
      bytes.bytes += [UInt8](repeating: 0, count: 10)
      bytes.add(UInt32(outline.count))
      for polygon in outline {
        bytes.add(UInt32(polygon.count))
        for corner in polygon {
          bytes.add(corner.x)
          bytes.add(corner.y)
        }
      }
      bytes.bytes += [UInt8](repeating: 0xFF, count: 30)
      return bytes
    }
  }

  struct Page {
    var strokes: [Stroke] = []
    var orientation = "1000"
    var style = "style_white"
    var sequence = "MAINLAYER,BGLAYER"
    var info = "[]"
    /// Bytes that replace those of a stroke.
    var damaged: [Int: TabletBytes] = [:]
  }

  var start = "noteSN_FILE_VER_20230015"
  var equipment = "A5X"
  var pages: [Page] = [Page(strokes: [Stroke()])]
  /// Additional text of the footer.
  var footer = ""

  /// The file: its start, the blocks, the footer and its address.
  var bytes: [UInt8] {
    var file = TabletBytes(start)
    func append(_ block: TabletBytes) -> Int {
      let address = file.bytes.count
      file.addBlock(block)
      return address
    }
    let header = append(TabletBytes("<FILE_TYPE:NOTE><APPLY_EQUIPMENT:\(equipment)>"))
    var text = ""
    // Pages are listed backwards: their numbers give the order.
    for (index, page) in pages.enumerated().reversed() {
      var total = 0
      if !page.strokes.isEmpty {
        var block = TabletBytes()
        block.add(UInt32(page.strokes.count))
        for (index, stroke) in page.strokes.enumerated() {
          block.addBlock(page.damaged[index] ?? stroke.bytes)
        }
        total = append(block)
      }
      let address = append(
        TabletBytes(
          "<PAGESTYLE:\(page.style)><LAYERINFO:\(page.info)><LAYERSEQ:\(page.sequence)>"
            + "<TOTALPATH:\(total)><PAGEID:P\(index + 1)><ORIENTATION:\(page.orientation)>"))
      text += "<PAGE\(index + 1):\(address)>"
    }
    let address = append(TabletBytes("\(text)\(footer)<FILE_FEATURE:\(header)>"))
    file.add(UInt32(address))
    return file.bytes
  }
}
