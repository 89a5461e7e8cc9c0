import Strokes

@testable import PencilKitArchive

// Properties of the readers that must hold for any bytes. libFuzzer itself checks that nothing
// traps, hangs or takes too much memory.

/// Whether bytes begin as a `wrd` archive, with or without the first byte that databases add.
func isWrd(_ bytes: [UInt8]) -> Bool {
  let magic = Array("wrd".utf8) + [0xF0]
  return bytes.starts(with: magic) || bytes.starts(with: [1] + magic)
}

/// Checks the drawing that the reader returns for an archive, or its error.
func checkArchive(_ bytes: [UInt8]) {
  let plain = Result { () throws -> [PlainStroke] in
    let start = bytes.first == 1 ? 7 : 6
    guard bytes.count >= start else { throw PlainFault.wire }
    return try plainStrokes(bytes[start...])
  }
  let drawing: PKDrawing
  do throws(PencilKitError) {
    drawing = try PencilKitReader(bytes).drawing
  } catch {
    checkRefusal(error, of: bytes.count, plain)
    return
  }
  guard let strokes = try? plain.get() else {
    violated("the fast decoder takes what the plain one refuses: \(plain)")
  }
  compare(strokes, with: drawing.strokes)
  checkRoundTrip(drawing)
  let kept = drawing.keepingBytes(of: bytes).dataRepresentation()
  guard kept.elementsEqual(bytes.first == 1 ? bytes.dropFirst() : bytes[...]) else {
    violated("an archive comes back with other bytes")
  }
}

/// Checks the reader of the message inside a compressed drawing of 2018.
func checkMessage2018(_ message: [UInt8]) {
  check2018(message) { () throws(PencilKitError) in
    let archive = try Notes2018Decoder.decode(message)
    var drawing = PKDrawing(strokes: archive.strokes)
    drawing.residue = ArchiveResidue(form: .notes2018, bytes: archive.outline)
    return drawing
  }
}

/// Checks the reader of compressed drawings of 2018 against the message that one call of zlib
/// returns.
func checkPacked2018(_ bytes: [UInt8], holding message: [UInt8]) {
  check2018(message) { () throws(PencilKitError) in try PencilKitReader(bytes).drawing }
}

private func check2018(_ message: [UInt8], _ read: () throws(PencilKitError) -> PKDrawing) {
  let plain = Result { () throws -> [PlainStroke] in try plainStrokes2018(message[...]) }
  let drawing: PKDrawing
  do throws(PencilKitError) {
    drawing = try read()
  } catch {
    checkRefusal(error, of: message.count, plain)
    return
  }
  guard let strokes = try? plain.get() else {
    violated("the fast decoder takes what the plain one refuses: \(plain)")
  }
  compare(strokes, with: drawing.strokes)
  checkRoundTrip2018(drawing)
  checkArchive(of: drawing)
}

/// An error has an offset in the input. The plain decoder also refuses archives, for the reasons
/// below.
private func checkRefusal(
  _ error: PencilKitError, of count: Int, _ plain: Result<[PlainStroke], any Error>
) {
  guard error.offset >= 0, error.offset <= count else {
    violated("an error at byte \(error.offset) of \(count)")
  }
  switch (error.reason, plain) {
  case (.pointCount, .success), (.unknownChannels, .success), (.repeatedChannels, .success),
    (.noLocations, .success), (.inkIndex, .success), (.notADrawing, .success),
    (.compression, .success), (.tooLarge, .success):
    violated("the fast decoder refuses what the plain one takes: \(error)")
  default: break
  }
}

/// decode → encode → decode gives an equal drawing.
private func checkRoundTrip(_ drawing: PKDrawing) {
  let written = drawing.dataRepresentation()
  let again: PKDrawing
  do throws(PencilKitError) {
    again = try PKDrawing(data: written)
  } catch {
    violated("an archive that was written cannot be read: \(error)")
  }
  guard again == drawing else {
    violated("a drawing changes when it is written: " + difference(drawing, again))
  }
}

private func checkRoundTrip2018(_ drawing: PKDrawing) {
  guard let written = PencilKitWriter.notes2018Message(drawing) else {
    violated("a drawing of 2018 that was read cannot be written")
  }
  let again: DecodedArchive
  do throws(PencilKitError) {
    again = try Notes2018Decoder.decode(written)
  } catch {
    violated("a drawing of 2018 that was written cannot be read: \(error)")
  }
  guard again.strokes == drawing.strokes else {
    violated(
      "a drawing of 2018 changes when it is written: "
        + difference(drawing, PKDrawing(strokes: again.strokes)))
  }
}

/// The archive of any drawing can be read. The result may differ: archives store 32-bit floats, and
/// steps for some channels.
func checkArchive(of drawing: PKDrawing) {
  do throws(PencilKitError) {
    let again = try PKDrawing(data: drawing.dataRepresentation())
    guard again.strokes.count == drawing.strokes.count else {
      violated("an archive holds \(again.strokes.count) of \(drawing.strokes.count) strokes")
    }
  } catch {
    violated("an archive that was written cannot be read: \(error)")
  }
}

/// Describes the first difference between two drawings.
func difference(_ a: PKDrawing, _ b: PKDrawing) -> String {
  guard a.strokes.count == b.strokes.count else {
    return "\(a.strokes.count) and \(b.strokes.count) strokes"
  }
  for (index, (x, y)) in zip(a.strokes, b.strokes).enumerated() where x != y {
    let parts: [(String, Bool)] = [
      ("id", x.id == y.id), ("seed", x.randomSeed == y.randomSeed), ("ink", x.ink == y.ink),
      ("transform", x.transform == y.transform), ("mask", x.mask == y.mask),
      ("date", x.path.creationDate == y.path.creationDate),
      ("points", x.path.columns == y.path.columns),
      ("part", x.visiblePathRange == y.visiblePathRange),
      ("group", x.renderGroupID == y.renderGroupID), ("parent", x.parentID == y.parentID),
    ]
    let names = parts.filter { !$0.1 }.map(\.0)
    return "stroke \(index) in " + names.joined(separator: ", ")
  }
  return "nothing"
}
