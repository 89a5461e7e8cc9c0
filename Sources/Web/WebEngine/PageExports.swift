import Graphics
import Rasterization
import Strokes

// The page of a document. Playback-only engines do not contain these functions.

/// The paper of the page, as its index in `RenderOptions.Paper`; 0, which is blank, if it has no
/// known paper.
@_cdecl("documentPaper")
public func documentPaper(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    let paper = document.page.paper
    return Int32(RenderOptions.Paper.allCases.firstIndex(of: paper) ?? 0)
  }
}

/// Sets the paper of a page whose pen was taken. It is written with the document, and live views of
/// the page's own paper show it after the next `viewUpdate`. It is not an event, so undo does not
/// change it. Returns 0.
@_cdecl("documentSetPaper")
public func documentSetPaper(_ handle: Int32, _ paper: Int32) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    let paper: RenderOptions.Paper = try choice(paper)
    pen.setText(paper.text, named: RenderOptions.Paper.textName)
  }
}

/// Sets the size of a page whose pen was taken, in points; 0 for one without edges. It is written
/// with the document, shown by views that are opened afterwards, and no event. Returns 0.
@_cdecl("documentSetSize")
public func documentSetSize(_ handle: Int32, _ width: Double, _ height: Double) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    pen.setSize(try pageSize(width, height))
  }
}
