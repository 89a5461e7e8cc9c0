/// The elements for web pages, as the files that a server has to send: `<pentimento-drawing>`
/// replays, and `<pentimento-canvas>` and `<pentimento-tools>` draw.
///
/// `docs/guides/web.md` describes how pages use them.
public enum WebElement {
  /// The files of the player: its script, worker and engine, and an example that shows `sample.pkd`.
  public static var playerFiles: [(name: String, bytes: [UInt8])] {
    get throws(MissingEngine) {
      scripts + [
        ("player.wasm", try PlayerParts.engine),
        ("index.html", Array(example.utf8)),
      ]
    }
  }

  /// The files of the canvas and its tools, and an example that draws on `sample.pkd`.
  public static var canvasFiles: [(name: String, bytes: [UInt8])] {
    get throws(MissingEngine) {
      guard let engine = WebFile.canvasEngine, let whole = WebFile.pageEngine else {
        throw MissingEngine()
      }
      return [
        ("pentimento-canvas.js", CanvasParts.scripts.elements),
        ("pentimento-canvas-worker.js", CanvasParts.scripts.worker),
        ("canvas.wasm", WebFile.unpacked(engine)),
        ("engine.wasm", WebFile.unpacked(whole)),
        ("draw.html", Array(canvasExample.utf8)),
      ]
    }
  }

  /// The player's script and its worker.
  package static var scripts: [(name: String, bytes: [UInt8])] {
    let parts = PlayerParts.scripts
    return [
      ("pentimento.js", parts.element + parts.served),
      ("pentimento-worker.js", parts.worker),
    ]
  }

  private static let example = page(
    "A drawing", "pentimento.js",
    #"<pentimento-drawing src="sample.pkd" label="A drawing" controls></pentimento-drawing>"#)

  private static let canvasExample = page(
    "A canvas", "pentimento-canvas.js",
    """
    <pentimento-canvas id="canvas" src="sample.pkd" label="A page to draw on"></pentimento-canvas>
    <pentimento-tools for="canvas"></pentimento-tools>
    """)

  /// A page under a strict content policy.
  private static func page(_ title: String, _ script: String, _ elements: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; connect-src 'self'; img-src data:; \
    script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <title>\(title)</title>
    <script src="\(script)" defer></script>
    <main>
    <h1>\(title)</h1>
    \(elements)
    </main>

    """
  }
}
