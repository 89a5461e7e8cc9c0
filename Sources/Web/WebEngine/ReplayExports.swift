import Rasterization
import Replay

// Views of replays. The canvas, which shows only the page that its pen draws on, does not contain
// these functions.

/// Opens a view of a document's replay, or with `isLive` 1 of the page that its pen draws on, with
/// `viewOptions`. Returns a handle.
@_cdecl("viewOpen")
public func viewOpen(
  _ handle: Int32, _ isLive: Int32, _ scale: Double, _ x: Double, _ y: Double, _ width: Double,
  _ height: Double, _ style: Int32, _ paper: Int32, _ background: Int32,
  _ backgroundColor: UInt32, _ earlier: Int32, _ earlierColor: UInt32, _ side: Int32 = 0,
  _ margin: Double = 0
) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    let options = try viewOptions(
      scale, x, y, width, height, style, paper, background, backgroundColor, earlier, earlierColor,
      side, margin)
    defer { shareMemory() }
    guard isLive == 1 else { return views.add(try PageView(replaying: document, options)) }
    // Playback-only engines have no pen: this function references its code only through the
    // document, so that the linker can remove it.
    guard let open = document.openPenView else { throw .wrongKind }
    return views.add(try open(document, options))
  }
}

/// Shows the replay at a time in seconds. Returns the number of rectangles that changed.
@_cdecl("viewShow")
public func viewShow(_ handle: Int32, _ seconds: Double) -> Int32 {
  result { () throws(EngineError) in
    let view = try views.find(handle)
    return try view.show(view.document.timeline.state(at: seconds))
  }
}

/// Shows the replay after a number of whole steps. Returns the number of rectangles that changed.
@_cdecl("viewShowSteps")
public func viewShowSteps(_ handle: Int32, _ count: Int32) -> Int32 {
  result { () throws(EngineError) in
    try views.find(handle).show(PageState(doneSteps: max(Int(count), 0), growing: nil))
  }
}
