import InkFiles
import Compression
import Graphics
import Strokes

extension OmniglotImporter {
  /// Reads a text, or all texts of an archive, into columns.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>, into columns: inout InkColumns) {
    let isArchive = ZipArchive.recognizes(Array(bytes.prefix(4)))
    guard isArchive else { return readDrawing(bytes, named: "", into: &columns) }
    do throws(ZipError) {
      let archive = try ZipArchive(Array(bytes))
      // Texts of numbers pack to a third; a few crafted bytes can hold gigabytes.
      var allowance = (4 << 20) + 64 * bytes.count
      for drawing in archive.drawings {
        do throws(ZipError) {
          let text = try archive.contents(of: drawing, limit: min(allowance, 1 << 24))
          allowance -= text.count
          text.withUnsafeBufferPointer {
            readDrawing($0, named: drawing.drawingName, into: &columns)
          }
        } catch {
          columns.addDamage("\(drawing.drawingName): \(error)")
          columns.endDrawing(key: drawing.drawingName)
        }
      }
    } catch {
      columns.addDamage("\(error)")
      columns.endDrawing()
    }
  }

  /// Reads a drawing, whose name begins with those of its alphabet and its character. Its y runs
  /// up.
  private static func readDrawing(
    _ text: UnsafeBufferPointer<UInt8>, named name: String, into columns: inout InkColumns
  ) {
    var start: Double?
    var number = 0
    var scanner = TextScanner(text)
    var isOpen = false
    var damage = 0
    while !scanner.isAtEnd, damage < damageLimit {
      number += 1
      if scanner.starts(with: "BREAK") {
        columns.endStroke()
        isOpen = false
      } else if let point = row(&scanner) {
        let time = point.timeOffset - (start ?? point.timeOffset)
        if start == nil { start = point.timeOffset }
        columns.addPoint(x: point.location.x, y: -point.location.y, time: time)
        isOpen = true
      } else if !scanner.starts(with: "START"), !scanner.isAtLineBreak {
        columns.addDamage("\(ImportError(.expected("a row of x, y and time"), at: .line(number)))")
        damage += 1
      }
      scanner.skipLine()
    }
    if isOpen || start == nil {
      let part = isOpen ? "the end of the last stroke" : "a stroke"
      columns.addDamage("\(ImportError(.missing(part), at: .line(number + 1)))")
    }
    columns.endStroke()
    let character = name.split(separator: "/").dropLast().joined(separator: "/")
    columns.endDrawing(label: character, key: name, hasTimes: start != nil)
  }
}
