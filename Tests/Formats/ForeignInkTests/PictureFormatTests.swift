import InkFiles
import ForeignInk
import Testing

struct PictureFormatTests {
  private static let drawings = [
    "<svg xmlns='http://www.w3.org/2000/svg'/>", " \n\t<svg/>", "\u{FEFF}<svg/>",
    "<?xml version='1.0' encoding='UTF-8'?>\n<svg/>",
    "\u{FEFF}<?xml version='1.0'?><!-- made by hand --><svg/>",
    "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'svg11.dtd'>\n<svg/>",
    "<!-- a note -->\n<svg/>",
  ]

  @Test(arguments: drawings) func `an SVG is recognized as a picture, not as ink`(text: String) {
    #expect(throws: DrawingFileError.picture(.svg)) { try DrawingFile(Array(text.utf8)) }
  }

  @Test(arguments: ["<html><svg/></html>", "a <svg/>", "<?xml version='1.0'?><page/>", "<!-- -->"])
  func `text that is no SVG is not recognized as a picture`(text: String) {
    let error = #expect(throws: DrawingFileError.self) { try DrawingFile(Array(text.utf8)) }
    #expect(error != .picture(.svg))
  }
}
