import Foundation
import HTTPServing
import TestSupport
import Testing

@testable import WebClient

struct BrokenPeerTests {
  /// The kind of problem of a request to an address.
  private func kind(
    _ url: String, _ options: WebConnection.Options = .init(), seconds: Double? = 5
  ) -> WebProblem.Kind? {
    problem {
      _ = try WebConnection(url, options).request(.get, "/", limit: 99, seconds: seconds)
    }
  }

  @Test func `closed ports and unknown hosts are reported as unreachable`() throws {
    let port = Loopback.freePort()
    #expect(kind("http://127.0.0.1:\(port)") == .cannotConnect)
    #expect(kind("https://127.0.0.1:\(port)") == .cannotConnect)
    #expect(kind("https://nothing.invalid") == .cannotConnect)
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
  ])
  func `an answer that breaks off is reported as an interruption`(_ text: String) throws {
    let peer = try ScriptedPeer { link in
      link.readHeader()
      link.write(text)
    }
    #expect(kind(peer.url) == .interrupted)
    let connection = try WebConnection(peer.url)
    #expect(problem { try connection.stream("/") { _ in true } } == .interrupted)
  }

  @Test func `malformed and endless answers are reported`() throws {
    for text in ["nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", "SSH-2.0-x\r\n"] {
      let peer = try ScriptedPeer { link in
        link.readHeader()
        link.write(text)
      }
      #expect(kind(peer.url) != nil, "\(text)")
    }
    let endless = try ScriptedPeer { link in
      link.readHeader()
      link.write("HTTP/1.1 200 OK\r\n")
      for _ in 0..<80 { link.write("X-Long: \(String(repeating: "a", count: 1000))\r\n") }
      link.readToEnd()
    }
    #expect(kind(endless.url) == .tooLarge)
  }

  @Test func `a silent server runs into the timeout, a slow one does not`() throws {
    let silent = try ScriptedPeer { $0.readToEnd() }
    #expect(kind(silent.url, .init(silenceSeconds: 0.1), seconds: nil) == .timeout)
    #expect(kind(silent.url, seconds: 0.1) == .timeout)
    // The peer accepts the connection and never speaks TLS.
    let secure = "https://127.0.0.1:\(silent.port)"
    #expect(kind(secure, .init(connectSeconds: 0.1)) == .cannotConnect)
    let slow = try ScriptedPeer { link in
      link.readHeader()
      link.write("HTTP/1.1 200 OK\r\n\r\n")
      for _ in 0..<25 {
        Thread.sleep(forTimeInterval: 0.1)
        link.write(".")
      }
    }
    // A slow answer is no silence, even if it takes longer in total. Two seconds, because on a busy
    // machine the peer sleeps longer than intended.
    #expect(kind(slow.url, .init(silenceSeconds: 2), seconds: nil) == nil)
  }

  @Test func `a request is ended while its server is silent, and before it answers`() throws {
    let box = Box()
    let peer = try ScriptedPeer { link in
      link.readHeader()
      box.connection?.end()
      link.readToEnd()
    }
    let connection = try WebConnection(peer.url)
    box.connection = connection
    #expect(problem { _ = try connection.request(.get, "/", limit: 9) } == .ended)
    #expect(problem { _ = try connection.request(.post, "/", body: [1], limit: 9) } == .ended)
  }

  @Test func `a connection that its server has closed is made again`() throws {
    let peer = try ScriptedPeer { link in
      link.readHeader()
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      // The next request arrives, and the peer closes without an answer.
      link.readHeader()
    }
    let connection = try WebConnection(peer.url)
    for _ in 0..<3 {
      #expect(try connection.request(.get, "/", limit: 2).body == Array("ok".utf8))
    }
    #expect(peer.connectionCount == 3)
  }

  @Test func `requests to this machine use no proxy`() async {
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "all_proxy"] { setenv(name, "http://127.0.0.1:1", 1) }
      let peer = try ScriptedPeer { link in
        link.readHeader()
        link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
      _ = try WebConnection(peer.url).request(.get, "/", limit: 0)
    }
  }

  @Test func `interim answers are skipped, and trailers are no header fields`() throws {
    let peer = try ScriptedPeer { link in
      link.readHeader()
      link.write("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nC:\t d \r\n")
      link.write("Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nE: f\r\n\r\n")
      link.readToEnd()
    }
    let answer = try WebConnection(peer.url).request(.get, "/", limit: 2)
    #expect(answer.status == 200 && answer.body == Array("ok".utf8))
    #expect(answer.fields.map(\.name) == ["C", "Transfer-Encoding"])
    #expect(answer.field("c") == "d")
  }

  @Test func `the bytes of all requests and answers are counted, once each`() throws {
    let first = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let second =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    let peer = try ScriptedPeer { link in
      link.readHeader()
      link.write(first)
      link.readHeader()
      link.write(second)
      link.readToEnd()
    }
    let connection = try WebConnection(peer.url)
    _ = try connection.request(.get, "/a/../%2e/b", limit: 2)
    #expect(peer.received.starts(with: "GET /a/../%2e/b HTTP/1.1\r\n".utf8))
    #expect(connection.traffic == (peer.received.count, first.utf8.count))
    _ = try connection.request(.post, "/", body: [UInt8](repeating: 7, count: 999) + [9], limit: 2)
    let traffic = connection.traffic
    #expect(traffic.received == first.utf8.count + second.utf8.count)
    #expect(peer.connectionCount == 1)
    // The answer arrives before the peer has read the body.
    for _ in 0..<2000 where peer.received.last != 9 { Thread.sleep(forTimeInterval: 0.001) }
    #expect(traffic.sent == peer.received.count)
  }

  @Test(.enabled(if: OwnCertificate.canBeMade, "skipped: openssl is not installed"))
  func `a certificate of the server's own is refused, and trusted by its file alone`() throws {
    let own = try OwnCertificate()
    let server = try TestListener(own.certificate)
    #expect(kind(server.url) == .certificate)
    let trusting = WebConnection.Options(certificates: own.file)
    let connection = try WebConnection(server.url, trusting)
    let ends = try (0..<2).map { _ in
      let answer = try connection.request(.put, "/echo", body: [1], limit: 1)
      #expect(answer.body == [1])
      return answer.field("x-connection")
    }
    #expect(Set(ends).count == 1)
    // Another authority, another host, and a missing file.
    #expect(kind(server.url, .init(certificates: try OwnCertificate().file)) == .certificate)
    let other = try OwnCertificate(for: "DNS:example.org")
    let elsewhere = try TestListener(other.certificate)
    #expect(kind(elsewhere.url, .init(certificates: other.file)) == .certificate)
    #expect(kind(server.url, .init(certificates: "/nowhere")) == .certificate)
  }

  @Test func `a server without TLS is distinguished from a lost connection`() throws {
    let plain = try ScriptedPeer { link in
      link.write("HTTP/1.1 400 Bad Request\r\n\r\n")
      link.readToEnd()
    }
    #expect(kind("https://127.0.0.1:\(plain.port)") == .certificate)
    let closing = try ScriptedPeer { _ in }
    #expect(kind("https://127.0.0.1:\(closing.port)") == .cannotConnect)
  }
}

/// Holds a connection that a script gets later.
private final class Box: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: WebConnection?

  var connection: WebConnection? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
