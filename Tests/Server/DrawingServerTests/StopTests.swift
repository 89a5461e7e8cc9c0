import Foundation
import Glibc
import HTTP
import TestSupport
import Testing
import Threads

@testable import HTTPServing

/// Stopping a server at any moment.
struct StopTests {
  @Test func `a server can be stopped at any moment under load, and the program goes on`() async {
    // In a separate program: the library would end the whole suite.
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let load = Load(threads: 3)
      for _ in 0..<RunLength.count(300, long: 10_000) {
        var limits = HTTPListener.Limits()
        limits.endMilliseconds = 100
        let listener = HTTPListener(limits, PlainHandler())
        let socket = try ListeningSocket("127.0.0.1:0")
        #expect(listener.start(socket.handle))
        load.turn(to: UInt16(socket.address.split(separator: ":").last ?? "") ?? 0)
        usleep(UInt32.random(in: 0...2_000))
        listener.stop()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("libmicrohttpd"), "\(text)")
  }

  @Test func `the HTTP library prints its reason before it aborts`() async {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
    ) {
      var limits = HTTPListener.Limits()
      limits.endMilliseconds = 10
      // A stream that is not closed before the end is a programming error.
      let listener = HTTPListener(limits, PlainHandler())
      let socket = try ListeningSocket("127.0.0.1:0")
      #expect(listener.start(socket.handle))
      let port = UInt16(socket.address.split(separator: ":").last ?? "") ?? 0
      let client = try Client(port: port)
      client.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = client.readAll(seconds: 30) { !$0.isEmpty }
      listener.stop()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        /pkd: the HTTP library cannot go on, so the program ends: .*suspended connections\. \(libmicrohttpd [\d.]+, daemon\.c:\d+\)\n/
      ), "\(text)")
  }

  @Test func `a stopping server completes open uploads and accepts no connections`() throws {
    let server = try TestServer()
    let body = try Recordings.sample("mood")
    let client = try Client(port: server.port)
    client.write(
      Array(
        ("PUT /v1/users/ann/drawings/d/recording.pkd HTTP/1.1\r\nHost: a\r\n"
          + "Content-Length: \(body.count)\r\nAuthorization: Bearer \(server.token("ann"))\r\n\r\n")
          .utf8) + body.prefix(100))
    // The server has the first bytes once it reports a connection with a request.
    while !server.hasUnansweredRequests { usleep(1_000) }
    let isStopped = ConditionMutex(false)
    Lanes.begin {
      server.stop()
      isStopped.change { $0 = true }
    }
    while (try? Client(port: server.port)) != nil { usleep(1_000) }
    #expect(!isStopped.withLock { $0 })
    client.write(Array(body.dropFirst(100)))
    #expect(client.ask()?.status == 201)
    isStopped.wait { $0 ? () : nil }
  }
}

/// A handler that answers at once, on a thread, behind a body, or without an end; the path chooses.
final class PlainHandler: RequestHandler {
  /// Requests for `/wait` are answered when this is true.
  let isOpen = ConditionMutex(false)

  func plan(for exchange: Exchange) -> Plan {
    switch String(decoding: exchange.rawTarget, as: UTF8.self) {
    case "/work": .work(bodyLimit: 1 << 20, owner: "") { _ in Response(200) }
    case "/wait":
      .work(bodyLimit: 0, owner: "") { [isOpen] _ in isOpen.wait { $0 ? Response(200) : nil } }
    case "/probe": .probe { _ in Response(200) }
    case "/stream": .answer(Response(200, [], .events(EventStream())))
    default: .answer(Response(200, [], .bytes(Array("ok".utf8))))
    }
  }

  func response(to refusal: Refusal, in exchange: Exchange) -> Response { Response(refusal.status) }
  func dropLimit(for exchange: Exchange) -> Int { 0 }
  func finished(_ exchange: Exchange) {}
}

/// Clients with typical requests, at a port that changes.
private final class Load: Sendable {
  private let port = ConditionMutex<UInt16>(0)

  private static let requests = [
    "", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /work HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /work HTTP/1.1\r\nHost: a\r\n\r\nGET /",
    "POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789",
    "POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234",
    "GET /probe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  ]

  init(threads: Int) {
    for number in 0..<threads {
      Thread { [port] in
        var round = number
        while true {
          round += 1
          let port = port.withLock { $0 }
          guard port > 0, let client = try? Client(port: port) else {
            usleep(100)
            continue
          }
          client.write(Self.requests[round % Self.requests.count])
          if round % 3 > 0 { _ = client.readAll(seconds: 0.002) }
        }
      }.start()
    }
  }

  func turn(to port: UInt16) { self.port.withLock { $0 = port } }
}
