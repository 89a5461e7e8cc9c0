import Graphics
import PKDFormat
import Strokes

// Drawing together: the page's own events, as files for a room, and the events and open strokes of
// others.

/// Joins a room as a person: from now on, own events wait until the room puts them into order, and
/// undo takes back what this person did. Returns 0.
@_cdecl("roomJoin")
public func roomJoin(_ handle: Int32, _ person: Int32) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    guard let person = UInt16(exactly: person) else { throw .invalidArgument }
    pen.join(as: person)
  }
}

/// The number of own events that have no place in the order yet.
@_cdecl("roomWaitingCount")
public func roomWaitingCount(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    guard let pen = try document(handle).pen else { throw .wrongKind }
    return Int32(pen.waitingEvents.count)
  }
}

/// Makes a file of the waiting events from a number on, or without events one of the paper and the
/// page's size alone. Returns its number of bytes; they are those of `documentBytes`.
@_cdecl("roomWrite")
public func roomWrite(_ handle: Int32, _ first: Int32, _ count: Int32) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    guard let pen = document.pen else { throw .wrongKind }
    let waiting = pen.waitingEvents
    guard first >= 0, count >= 0, Int(first) + Int(count) <= waiting.count else {
      throw .invalidArgument
    }
    do throws(PKDContentError) {
      document.bytes = Block(
        try RoomEntry(
          Array(waiting.dropFirst(Int(first)).prefix(Int(count))), on: pen.recording.canvas
        ).encoded())
    } catch {
      throw .notWritable
    }
    return Int32(document.bytes.count)
  }
}

/// Adds the events of a file that a person has made, as the room has ordered them. The time is the
/// room's, in seconds since 1970. Returns 1, or 0 if they have to come again when the current
/// gesture has ended.
@_cdecl("roomReceive")
public func roomReceive(
  _ handle: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int32, _ person: Int32, _ time: Double
) -> Int32 {
  var isTaken: Int32 = 1
  let failure = withPen(handle, at: time) { (pen, time) throws(EngineError) in
    guard let person = UInt16(exactly: person), let bytes, count >= 0 else {
      throw .invalidArgument
    }
    guard pen.canReceive else { return isTaken = 0 }
    let entry: RoomEntry
    do throws(PKDError) {
      entry = try RoomEntry(
        Array(UnsafeBufferPointer(start: bytes, count: Int(count))), limits: OpenDocument.limits)
    } catch {
      throw .notARecording
    }
    pen.receive(entry, by: person, at: time)
  }
  return failure < 0 ? failure : isTaken
}

/// Puts own events into the order, the first that wait, at the room's time. Returns as `roomReceive`.
@_cdecl("roomConfirm")
public func roomConfirm(_ handle: Int32, _ count: Int32, _ time: Double) -> Int32 {
  var isTaken: Int32 = 1
  let failure = withPen(handle, at: time) { (pen, time) throws(EngineError) in
    guard 0...pen.waitingEvents.count ~= Int(count) else { throw .invalidArgument }
    guard pen.canReceive else { return isTaken = 0 }
    pen.confirm(Int(count), at: time)
  }
  return failure < 0 ? failure : isTaken
}

/// Writes the 16 bytes of the name of the open stroke, or of the next one. Returns 0.
@_cdecl("roomOpenName")
public func roomOpenName(_ handle: Int32, _ name: UnsafeMutablePointer<UInt8>?) -> Int32 {
  result { () throws(EngineError) in
    guard let pen = try document(handle).pen else { throw .wrongKind }
    guard let name else { throw .invalidArgument }
    for (index, byte) in pen.openID.bytes.enumerated() { name[index] = byte }
    return 0
  }
}

/// Shows a stroke that somebody else begins, with the numbers of `penBegin` and `penSetTolerance`.
/// Returns 0.
@_cdecl("roomShow")
public func roomShow(
  _ handle: Int32, _ name: UnsafePointer<UInt8>?, _ ink: Int32, _ color: UInt32, _ width: Double,
  _ tolerance: Double, _ time: Double
) -> Int32 {
  withPen(handle, at: time) { (pen, time) throws(EngineError) in
    let inks = PKInkingTool.InkType.known
    guard inks.indices.contains(Int(ink)), width.isFinite,
      tolerance == 0 || 1e-3...1e3 ~= tolerance
    else { throw .invalidArgument }
    pen.showOther(
      try identifier(name),
      with: PKInkingTool(inks[Int(ink)], color: Color(rgba: color), width: width),
      tolerance: tolerance == 0 ? nil : tolerance, at: time)
  }
}

/// Continues a stroke of somebody else with samples as of `penDraw`, from a number on. Returns 0.
@_cdecl("roomDraw")
public func roomDraw(
  _ handle: Int32, _ name: UnsafePointer<UInt8>?, _ samples: UnsafePointer<Double>?,
  _ count: Int32, _ first: Int32
) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    pen.drawOther(try identifier(name), try read(samples, Int(count)), from: Int(first))
  }
}

/// Stops showing a stroke of somebody else. Returns 0.
@_cdecl("roomHide")
public func roomHide(_ handle: Int32, _ name: UnsafePointer<UInt8>?) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in pen.hideOther(try identifier(name)) }
}

private func identifier(_ bytes: UnsafePointer<UInt8>?) throws(EngineError) -> Identifier {
  guard let bytes,
    let id = Identifier(bytes: UnsafeBufferPointer(start: bytes, count: 16))
  else { throw .invalidArgument }
  return id
}
