import InkFiles
import Foundation
import Graphics
import ForeignInk
import PKDFormat
import Strokes

/// The foreign format of the inputs; an environment variable contains its raw value.
private let format: DrawingFile.Format = {
  let name = ProcessInfo.processInfo.environment["TEST_FORMAT"] ?? ""
  guard let format = DrawingFile.Format(rawValue: name) else {
    fatalError("TEST_FORMAT names no format: '\(name)'")
  }
  return format
}()

/// Files of one foreign format: all pages of accepted files can be stored as recordings.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  var options = ImportOptions()
  options.decompressedBytes = 1 << 22
  // Fitting takes most of the time, so most inputs are read without it.
  if count % 4 != 0 { options.fit = nil }
  options.readsHidden = count % 3 == 0
  do throws(DrawingFileError) {
    let file = try DrawingFile(input, as: format, options: options)
    for index in 0..<min(file.pageCount, pageLimit) {
      do throws(DrawingFileError) {
        check(try file.page(index))
      } catch {
        check(error)
      }
    }
  } catch {
    check(error)
  }
  return 0
}

/// Half of the inputs are well-formed, with one extreme value.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: UInt32
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { bytes, random in
    let values = ExtremeValues(bytes)
    return values.count > 0 ? values[random.below(values.count)] : nil
  }
}

/// In files with thousands of pages, a few pages are enough.
private let pageLimit = 16

private func check(_ error: DrawingFileError) {
  if "\(error)".isEmpty { violated("an error without a message") }
  guard case .imported(_, let error) = error, let offset = error.offset else { return }
  if offset < 0 { violated("an error at byte \(offset)") }
}

private func check(_ file: DrawingFile) {
  for error in file.damage { check(error) }
  let contents = file.contents()
  for stroke in contents.drawing.strokes {
    if !stroke.path.allSatisfy({ $0.location.isFinite && $0.timeOffset.isFinite }) {
      violated("a point is no place")
    }
    if !stroke.ink.color.isFinite { violated("a colour is none") }
  }
  do throws(PKDContentError) {
    let bytes = try contents.encodeRecording(options: PKDWriter.Options())
    let reader = try? PKDReader(bytes)
    if reader == nil || reader?.damage != nil { violated("a page is a damaged recording") }
  } catch {
    violated("a page cannot be kept: \(error)")
  }
}
