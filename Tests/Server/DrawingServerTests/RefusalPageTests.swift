import DrawingServer
import DrawingServices
import Foundation
import Testing

/// The answers at addresses without content, for browsers and for programs.
struct RefusalPageTests {
  private static let browser = (
    "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
  )
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func isPage(_ reply: Reply) -> Bool {
    reply.fields["content-type"] == "text/html; charset=utf-8"
  }

  @Test func `browsers get an error page with a link to the gallery, programs JSON`() throws {
    for target in [
      "/nothing-here", "/s/none", "/s/none/replay.html", "/assets/old/shared.mjs",
      "/v1/users/ann/drawings/d/image.png?signature=x&expires=1", "/v1/users/ann/drawings",
      "/%2e%2e/%2e%2e/etc/passwd", "//nothing", "/\(String(repeating: "a", count: 4_000))",
      "/\(String(repeating: "a", count: 9_000))",
    ] {
      let page = try server.send("GET", target, as: nil, [Self.browser])
      #expect((400..<500).contains(page.status), "\(target): \(page.status)")
      #expect(isPage(page), "\(target)")
      #expect(page.text.contains(#"<a href="http://ink.example/">To the gallery</a>"#), "\(target)")
      #expect(page.text.contains(">\(page.status)<"), "\(target)")
      #expect(page.fields["cache-control"] == "no-store")
      #expect(page.fields["content-security-policy"]?.contains("default-src 'none'") == true)
      let others: [[(String, String)]] = [
        [], [("Accept", "*/*")], [("Accept", "application/json, text/html;q=0.5")],
        [("Accept", "text/html;q=0")], [("Accept", "image/avif,image/*;q=0.8")],
        [("Accept", ";;,/,=")],
      ]
      for fields in others {
        let reply = try server.send("GET", target, as: nil, fields)
        #expect(reply.status == page.status, "\(target) \(fields)")
        #expect(reply.fields["content-type"] == "application/problem+json", "\(target) \(fields)")
        #expect(!reply.code.isEmpty)
      }
    }
  }

  @Test func `only a plain GET or HEAD of a browser gets an error page`()
    throws
  {
    #expect(isPage(try server.send("GET", "/nothing", as: nil, [Self.browser])))
    #expect(!isPage(try server.send("GET", "/nothing", as: "ann", [Self.browser])))
    #expect(!isPage(try server.send("POST", "/nothing", as: nil, [Self.browser])))
    #expect(!isPage(try server.send("DELETE", "/s/none", as: nil, [Self.browser])))
    // Firebase's SDKs expect errors in their own form.
    #expect(!isPage(try server.send("GET", "/v0/b/x/o/none", as: nil, [Self.browser])))
    let head = try server.send("HEAD", "/nothing", as: nil, [Self.browser])
    #expect(head.status == 404 && isPage(head) && head.body.isEmpty)
    let get = try server.send("GET", "/drawing", as: nil, [Self.browser, ("Cookie", "x=y")])
    #expect(get.status == 200)
  }

  @Test func `an error page contains nothing of the address or headers`() throws {
    for target in [
      "/%3Cscript%3Ealert(1)%3C/script%3E", "/<b>x</b>", "/s/%22%3E%3Cimg%20src=x%3E", "/?a=<i>",
    ] {
      let page = try server.send(
        "GET", target, as: nil,
        [Self.browser, ("Accept-Language", "<u>,zh"), ("X-Forwarded-Host", "evil.example")])
      for part in ["<script", "<b>", "<img", "<i>", "<u>", "evil"] where page.status != 200 {
        #expect(!page.text.contains(part), "\(target): \(part)")
      }
    }
    let server = try TestServer { $0.publicURL = "http://ink.example/a\"><b>" }
    let page = try server.send("GET", "/nothing", as: nil, [Self.browser])
    #expect(page.text.contains("href=\"http://ink.example/a&quot;&gt;&lt;b&gt;/\""))
  }

  @Test func `an error page is in the browser's preferred language`() throws {
    let fields = [Self.browser, ("Accept-Language", "zh-TW,zh;q=0.9,en;q=0.5")]
    let page = try server.send("GET", "/nothing", as: nil, fields)
    #expect(page.text.contains("<html lang=\"zh-TW\">") && page.text.contains("這裡什麼都沒有"))
  }

  @Test func `an expired sign-in does not lock the pages`() throws {
    let cookie = ("Cookie", "pentimento=\(server.token("ann", seconds: -86_400))")
    for target in ["/", "/drawing", "/sw.js"] {
      #expect(
        try server.send("GET", target, as: nil, [Self.browser, cookie]).status == 200, "\(target)")
    }
    let data = try server.send("GET", "/v1/users/ann/drawings", as: nil, [cookie])
    #expect(data.status == 401)
  }
}
