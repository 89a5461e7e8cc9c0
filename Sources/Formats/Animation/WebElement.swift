/// The element `<pentimento-drawing>` for web pages, as the files that a server has to send.
///
/// `docs/guides/web.md` describes how pages use it.
public enum WebElement {
  /// The script, its worker, the engine, and an example that shows `sample.pkd`.
  public static var files: [(name: String, bytes: [UInt8])] {
    get throws(MissingEngine) {
      scripts + [
        ("engine.wasm", try PlayerParts.engine),
        ("index.html", Array(example.utf8)),
      ]
    }
  }

  /// The script and its worker.
  package static var scripts: [(name: String, bytes: [UInt8])] {
    let parts = PlayerParts.scripts
    return [
      ("pentimento.js", parts.element + parts.served),
      ("pentimento-worker.js", parts.worker),
    ]
  }

  private static let example = """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; connect-src 'self'; img-src data:; \
    script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <title>A drawing</title>
    <script src="pentimento.js" defer></script>
    <main>
    <h1>A drawing</h1>
    <pentimento-drawing src="sample.pkd" label="A drawing" controls></pentimento-drawing>
    </main>

    """
}
