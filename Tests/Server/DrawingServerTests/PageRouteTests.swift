import Animation
import Foundation
import TestSupport
import Testing
import WebPages

/// The pages as a server sends them.
struct PageRouteTests {
  @Test func `every page and file is public and has a strict policy`() throws {
    let server = try TestServer()
    let pages = WebPages.addresses.map(\.0)
    let assets = WebPages.files.keys.filter { name in
      !WebPages.addresses.contains { $0.1 == name }
    }
    #expect(assets.count > 30)
    let folder = "/assets/\(WebPages.version)/"
    for target in pages + assets.map({ "\(folder)\($0)" }) {
      let reply = try server.send("GET", target, as: nil)
      #expect(reply.status == 200, "\(target)")
      #expect(reply.fields["content-security-policy"] == WebPages.policy, "\(target)")
      #expect(reply.fields["content-type"] != "application/octet-stream", "\(target)")
      let tag = try #require(reply.fields["etag"])
      let again = try server.send("GET", target, as: nil, [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.isEmpty, "\(target)")
      let packed = try server.send("GET", target, as: nil, [("Accept-Encoding", "br, gzip")])
      #expect(packed.body.count <= reply.body.count + 64, "\(target)")
    }
    for missing in [
      "\(folder)none.mjs", "/assets/", folder, "\(folder)..%2Fsw.js", "/gallery",
      // Files of another version, or of none.
      "/assets/0123456789abcdef/shared.mjs", "/assets/shared.mjs",
    ] {
      #expect(try server.send("GET", missing, as: nil).status >= 400, "\(missing)")
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["TEST_ENGINE"] != nil, "needs a compiled engine"))
  func `the program contains the compiled engines`() throws {
    let path = try #require(ProcessInfo.processInfo.environment["TEST_ENGINE"])
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    for name in ["engine.wasm", "canvas.wasm", "player.wasm"] {
      let compiled = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
      let sent = try TestServer().send("GET", "/assets/\(WebPages.version)/\(name)", as: nil)
      #expect(sent.status == 200 && [UInt8](sent.body) == compiled, "swift build again")
    }
  }

  @Test func `files of pages are cached for ever, and the pages are revalidated`() throws {
    let server = try TestServer()
    let html = try server.send("GET", "/", as: nil)
    #expect(html.fields["cache-control"] == "no-cache")
    #expect(html.text.contains("\"assets/\(WebPages.version)/gallery.mjs\""))
    let script = try server.send("GET", "/assets/\(WebPages.version)/gallery.mjs", as: nil)
    #expect(script.fields["cache-control"] == "public, max-age=31536000, immutable")
    // The service worker caches no missing file.
    let worker = try server.send("GET", "/sw.js", as: nil).text
    let list = try #require(worker.split(separator: "\n").first { $0.hasPrefix("const files = ") })
    let kept = try JSONDecoder().decode(
      [String].self, from: Data(list.dropFirst(14).dropLast().utf8))
    // Itself, and the engine that is loaded when it is needed.
    #expect(kept.count == WebPages.files.count - 2)
    for address in kept {
      #expect(
        try server.send("GET", String(address.dropFirst()), as: nil).status == 200, "\(address)")
    }
  }

  @Test func `pages load scripts and styles only from their own files`() throws {
    for (address, name) in WebPages.addresses where name.hasSuffix(".html") {
      let file = try #require(WebPages.file(name))
      let html = String(decoding: file.bytes, as: UTF8.self)
      for pattern in [
        #"<style"#, #"\sstyle="#, #"\son\w+="#, #"https?://"#, #"<script(?![^>]*\ssrc=)"#,
      ] {
        #expect(
          html.range(of: pattern, options: .regularExpression) == nil, "\(address): \(pattern)")
      }
      // All addresses are relative, so that any path before the pages works.
      #expect(html.range(of: #"(src|href)="/"#, options: .regularExpression) == nil, "\(address)")
    }
  }

  @Test func `pages and files without the engines are small`() {
    let size = WebPages.files.values.filter { !WebPages.isEngine($0.name) }
      .reduce(0) { $0 + ($1.packed ?? $1.bytes).count }
    #expect(size <= 208 << 10)
  }

  @Test func `the program contains all files of the Site folder`() throws {
    let folder = Corpus.project.appendingPathComponent("Sources/Web/WebPages/Site")
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    let names = try #require(paths).filter { $0.contains(".") }.sorted()
    #expect(WebFile.pages.map(\.name) == names, "list them in CWebFiles/pages.c")
    for file in WebFile.pages {
      let bytes = try Data(contentsOf: folder.appendingPathComponent(file.name))
      #expect(file.bytes == [UInt8](bytes), "\(file.name)")
    }
  }
}
