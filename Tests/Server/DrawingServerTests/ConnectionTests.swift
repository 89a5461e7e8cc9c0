import DrawingServices
import Foundation
import Glibc
import HTTP
import TestSupport
import Testing
import Threads

@testable import HTTPServing

/// The shares of connections of each client.
struct ConnectionTests {
  private static func limits(_ all: Int, ofClient: Int) -> HTTPListener.Limits {
    var limits = HTTPListener.Limits()
    limits.connections = all
    limits.connectionsOfClient = ofClient
    limits.extraConnections = 4
    return limits
  }

  private static let body =
    "PUT /v1/users/ann/drawings/d/recording.pkd HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n"
    + "Expect: 100-continue\r\n"

  /// Connections of one address that begin a body, which the server waits for.
  private static func uploads(
    _ count: Int, _ server: TestServer, from source: String, _ fields: (Int) -> String
  ) throws -> [Client] {
    try (0..<count).map { number in
      let client = try Client(port: server.port, from: source)
      client.write(body + fields(number) + "\r\n")
      let answer = client.readAll(seconds: 30) { $0.count >= 12 }
      #expect(String(decoding: answer.prefix(12), as: UTF8.self) == "HTTP/1.1 100")
      client.write("0123")
      return client
    }
  }

  /// Connections of one address that send nothing, or send one request and wait.
  private static func hold(
    _ count: Int, _ server: TestServer, from source: String, _ text: String = ""
  ) throws -> [Client] {
    try (0..<count).map { _ in
      let client = try Client(port: server.port, from: source)
      client.write(text)
      return client
    }
  }

  private static let once = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: ["", once])
  func `a client beyond its share loses its oldest idle connections`(
    _ text: String
  ) throws {
    let server = try TestServer(limits: Self.limits(100, ofClient: 8))
    let other = try Client(port: server.port, from: "127.0.0.3")
    #expect(other.ask("GET /health")?.status == 200)
    let held = try Self.hold(30, server, from: "127.0.0.2", text)
    // A connection that arrived among the others may have got an extra one.
    let token = "Authorization: Bearer \(server.token("ann"))\r\n"
    while try Client(port: server.port, from: "127.0.0.2").ask("GET /v1/growthMethods", token)?
      .status != 200
    {}
    while !held.contains(where: { $0.isClosed(within: 0.01) }) {}
    #expect(other.ask("GET /health")?.status == 200)
    #expect(server.connectionCount <= 9 + 4)
  }

  @Test func `clients with nearly all connections lose the longest idle ones to others`()
    throws
  {
    let server = try TestServer(limits: Self.limits(32, ofClient: 100))
    let other = try Client(port: server.port, from: "127.0.0.3")
    #expect(other.ask("GET /health")?.status == 200)
    var held = try Self.hold(20, server, from: "127.0.0.2", Self.once)
    for client in held { #expect(client.ask()?.status == 200) }
    held += try Self.hold(20, server, from: "127.0.0.4")
    for number in 0..<10 {
      let one = try Client(port: server.port, from: "127.0.1.\(number)")
      #expect(one.ask("GET /health")?.status == 200)
    }
    while !held.contains(where: { $0.isClosed(within: 0.01) }) {}
    // It has waited longest, but it is the only connection of its client.
    #expect(other.ask("GET /health")?.status == 200)
  }

  @Test func `health probes are answered while one client uses its whole share`() throws {
    let server = try TestServer(limits: Self.limits(100, ofClient: 4))
    let token = "Authorization: Bearer \(server.token("ann"))\r\n"
    let held = try Self.uploads(4, server, from: "127.0.0.2") { _ in token }
    for _ in 0..<10 {
      for path in ["/health", "/ready", "/metrics"] {
        let probe = try Client(port: server.port, from: "127.0.0.2")
        #expect(probe.ask("GET \(path)")?.status == 200, "\(path)")
      }
    }
    let refused = try Client(port: server.port, from: "127.0.0.2")
    let reply = try #require(refused.ask("GET /v1/growthMethods"))
    #expect(reply.status == 429 && reply.code == "too-many-connections")
    #expect(reply.fields["connection"]?.lowercased() == "close")
    let other = try Client(port: server.port, from: "127.0.0.3")
    #expect(other.ask("GET /v1/growthMethods", token)?.status == 200)
    withExtendedLifetime(held) {}
  }

  @Test func `health probes are answered when all connections are in use`() throws {
    let server = try TestServer(limits: Self.limits(16, ofClient: 10))
    let token = "Authorization: Bearer \(server.token("ann"))\r\n"
    var held = try Self.uploads(8, server, from: "127.0.0.2") { _ in token }
    held += try Self.uploads(8, server, from: "127.0.0.3") { _ in token }
    // More than the extra connections: silent ones do not occupy them.
    let silent = try Self.hold(20, server, from: "127.0.0.4")
    for path in ["/health", "/ready", "/metrics"] {
      let probe = try Client(port: server.port, from: "127.0.0.5")
      #expect(probe.ask("GET \(path)")?.status == 200, "\(path)")
    }
    let refused = try Client(port: server.port, from: "127.0.0.5")
    #expect(refused.ask("GET /v1/growthMethods")?.status == 503)
    // Connections that begin a body there do not occupy them either.
    let bodies = try Self.hold(8, server, from: "127.0.0.6", Self.body + token + "\r\n0123")
    // A connection whose body is being read at this moment cannot be ended, so a probe may have to
    // be repeated.
    var metrics = ""
    #expect(
      try waited(10) {
        metrics = try Client(port: server.port, from: "127.0.0.5").ask("GET /metrics")?.text ?? ""
        return metrics != ""
      })
    #expect(metrics.contains(/pentimento_refused_connections_total [1-9]/))
    withExtendedLifetime((held, silent, bodies)) {}
  }

  @Test func `clients behind a trusted proxy have their own shares`() throws {
    let server = try TestServer(limits: Self.limits(100, ofClient: 4)) {
      $0.proxies = ["127.0.0.9"]
    }
    let token = "Authorization: Bearer \(server.token("ann"))\r\n"
    func forwarded(_ client: String) -> String { "X-Forwarded-For: 8.8.8.8, \(client)\r\n" }
    let idle = try Self.hold(10, server, from: "127.0.0.9", Self.once)
    for client in idle { #expect(client.ask()?.status == 200) }
    // Clients of one network; the second half of an IPv6 address can be chosen freely.
    let held = try Self.uploads(4, server, from: "127.0.0.9") { number in
      token + forwarded("2001:db8:0:7::\(number)")
    }
    let same = idle[0].ask("GET /v1/growthMethods", token + forwarded("2001:db8:0:7:1::"))
    #expect(same?.status == 429 && same?.code == "too-many-connections")
    #expect(
      idle[1].ask("GET /v1/growthMethods", token + forwarded("2001:db8:0:8::"))?.status == 200)
    // The end of its requests frees the share.
    withExtendedLifetime(held[1...]) {}
    held[0].write([UInt8](repeating: 0, count: 9000))
    _ = held[0].ask()
    // A refusal ends the connection, so each attempt uses a new one.
    let isFree = try (0..<500).contains { _ in
      usleep(10_000)
      let client = try Self.hold(1, server, from: "127.0.0.9", Self.once)[0]
      guard client.ask()?.status == 200 else { return false }
      return client.ask("GET /v1/growthMethods", token + forwarded("2001:db8:0:7:1::"))?.status
        == 200
    }
    #expect(isFree)
  }

  @Test func `health probes have threads that no other request can take`() throws {
    var limits = HTTPListener.Limits()
    limits.workThreads = 1
    let handler = PlainHandler()
    let listener = HTTPListener(limits, handler)
    let socket = try ListeningSocket("127.0.0.1:0")
    #expect(listener.start(socket.handle))
    let port = UInt16(socket.address.split(separator: ":").last ?? "") ?? 0
    let waiting = try (0..<3).map { _ in
      let client = try Client(port: port)
      client.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    while listener.workCount < 3 { usleep(1_000) }
    #expect(try Client(port: port).ask("GET /probe")?.status == 200)
    handler.isOpen.change { $0 = true }
    for client in waiting { #expect(client.ask()?.status == 200) }
    listener.stop()
  }

  @Test func `a request on a connection that was ended for another is not carried out`() throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let connection = Connection(ends[0], ClientAddress("10.0.0.1"))
    #expect(connection.begin())
    #expect(!connection.endIdle() && connection.hasUnansweredRequest)
    connection.enter(.header)
    #expect(connection.idleSince != nil && connection.endIdle())
    #expect(!connection.begin() && !connection.hasUnansweredRequest)
    connection.enter(.header)
    #expect(connection.idleSince == nil && !connection.endIdle())
  }

  @Test func `addresses of one owner have one share, in every notation of a proxy`() {
    func share(_ text: String) -> ClientAddress.Share { ClientAddress(text).share }
    for text in ["10.1.2.3:80", "::ffff:10.1.2.3", "[::ffff:10.1.2.3]:80"] {
      #expect(share(text) == share("10.1.2.3") && ClientAddress(text).text == "10.1.2.3")
    }
    #expect(share("10.1.2.3") != share("10.1.2.4"))
    #expect(share("2001:db8:0:7::1") == share("[2001:DB8:0:7:ffff::2]:443"))
    #expect(share("2001:db8:0:7::1") != share("2001:db8:0:6::1"))
    #expect(share("unknown") == share("unknown") && share("unknown") != share("_hidden"))
    #expect(ClientAddress("127.8.0.1").isLocal && ClientAddress("[::1]:9").isLocal)
    #expect(!ClientAddress("10.0.0.1").isLocal && !ClientAddress("::2").isLocal)
    for text in ["", ":", "[", "]", "[]", "[]:", "::::", String(repeating: "9", count: 9_000)] {
      #expect(ClientAddress(text).text.utf8.count <= 64)
    }
  }
}
