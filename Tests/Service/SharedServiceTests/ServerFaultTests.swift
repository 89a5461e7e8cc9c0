import Foundation
import Glibc
import StorageTestSupport
import TestSupport
import Testing
import WebClient

/// Real servers on shared stores, one of which dies or does not answer.
@Suite(.enabled(if: TestStores.arePresent, "\(TestStores.absence)"))
struct ServerFaultTests {
  private func clients(_ stores: TestStores, _ count: Int) throws -> [UserClient] {
    try (0..<count).map { UserClient(uid: "u\($0)", token: try stores.token("u\($0)")) }
  }

  @Test func `a server that dies behind nginx loses nothing acknowledged`()
    throws
  {
    let stores = try TestStores()
    let first = try stores.server("a")
    var second = try stores.server("b")
    let clients = try clients(stores, 4)
    let nginx = try Nginx(in: stores.file("nginx"), for: [first.port, second.port])
    if nginx == nil { print("nginx is not installed: the writers use both servers themselves") }
    let load = Load(
      writers: 8, users: clients.count, "d", tokens: clients.map(\.token),
      to: nginx.map { [$0.url] } ?? [first.url, second.url])
    #expect(load.goesOn(40))
    for _ in 0..<2 {
      second.kill()
      #expect(load.goesOn())
      second = try stores.server("b", port: second.port)
      #expect(load.goesOn())
    }
    let seen = load.end()
    #expect(seen.odd.filter { !$0.hasPrefix("502 ") && !$0.hasPrefix("504 ") } == [])
    #expect(seen.slowest < Load.limit)
    try seen.check(clients, at: [first, second])
    print("a dying server: \(seen.summary)")
  }

  @Test func `a killed database gives 503 and loses nothing`() throws {
    let postgres = try PostgresServer()
    let stores = try TestStores(postgres: postgres)
    let servers = [try stores.server("a"), try stores.server("b")]
    let clients = try clients(stores, 2)
    let load = Load(
      writers: 6, users: clients.count, "d", tokens: clients.map(\.token), to: servers.map(\.url))
    for pause in [0, 1_500_000] as [UInt32] {
      #expect(load.goesOn())
      try postgres.kill()
      usleep(pause)
      try postgres.start()
    }
    #expect(load.goesOn())
    let seen = load.end()
    seen.expectAnswers(of: servers)
    #expect(seen.statuses[503] ?? 0 > 10)
    #expect(servers.allSatisfy { $0.isRunning })
    try seen.check(clients, at: servers)
    print("a killed database: \(seen.summary)")
  }

  @Test func `an object store that refuses connections for a while loses nothing`() throws {
    let proxy = try FaultyProxy(target: TestStores.objectsPort)
    let stores = try TestStores(throughPort: proxy.port)
    let servers = [try stores.server("a"), try stores.server("b")]
    let clients = try clients(stores, 2)
    let load = Load(
      writers: 6, users: clients.count, "d", tokens: clients.map(\.token), to: servers.map(\.url))
    #expect(load.goesOn())
    // A short interruption only delays requests.
    proxy.mode = .refusing
    usleep(1_000_000)
    proxy.mode = .passing
    #expect(load.goesOn())
    #expect(load.seen.statuses[503] == nil)
    proxy.mode = .refusing
    // A server waits ten seconds for its store, perhaps after waiting as long for a lock of the
    // other server.
    #expect(happens(within: Load.limit) { load.seen.statuses[503] ?? 0 > 10 })
    proxy.mode = .passing
    #expect(load.goesOn())
    let seen = load.end()
    seen.expectAnswers(of: servers)
    #expect(servers.allSatisfy { $0.isRunning })
    try seen.check(clients, at: servers)
    print("a store that refuses: \(seen.summary)")
  }

  @Test(arguments: [FaultyProxy.Mode.stallingAnswers(after: 0), .stallingAnswers(after: 100)])
  func `an object store that stalls does not block servers`(_ mode: FaultyProxy.Mode) throws {
    let proxy = try FaultyProxy(target: TestStores.objectsPort)
    let stores = try TestStores(throughPort: proxy.port)
    let server = try stores.server()
    let clients = try clients(stores, 2)
    let path = "drawings/d/recording.pkd"
    for client in clients {
      let first = client.status(
        .put, "/v1/users/\(client.uid)/\(path)", to: server.url, body: try Ink.small(1))
      #expect(first == 201)
    }
    proxy.mode = mode
    // More than the server's threads.
    let load = Load(
      writers: 40, users: 2, "d", tokens: clients.map(\.token), to: [server.url])
    #expect(happens { proxy.stalledCount >= 20 })
    // Requests that need no object store are answered: health at once, others when a thread is
    // free.
    for _ in 0..<3 {
      let health = try #require(clients[0].send(.get, "/health", to: server.url))
      #expect(health.answer.status == 200 && health.seconds < 2)
      let list = try #require(clients[1].send(.get, "/v1/users/u1/drawings", to: server.url))
      #expect(list.answer.status == 200 && list.seconds < Load.limit)
    }
    let read = try #require(clients[0].send(.get, "/v1/users/u0/\(path)", to: server.url))
    #expect(read.answer.status == 503 && read.seconds < Load.limit)
    #expect(read.answer.field("retry-after") != nil)
    #expect(happens(within: Load.limit) { load.seen.statuses[503] ?? 0 >= 40 })
    proxy.mode = .passing
    #expect(load.goesOn(40))
    let seen = load.end()
    seen.expectAnswers(of: [server])
    try seen.check(clients, at: [server])
    print("\(mode): \(seen.summary)")
  }

  @Test func `servers wait for an object store that answers seconds later`() throws {
    let proxy = try FaultyProxy(target: TestStores.objectsPort)
    let stores = try TestStores(throughPort: proxy.port)
    let server = try stores.server()
    let clients = try clients(stores, 2)
    let load = Load(writers: 3, users: 2, "d", tokens: clients.map(\.token), to: [server.url])
    #expect(load.goesOn())
    proxy.mode = .delaying(seconds: 1)
    #expect(load.goesOn(2, within: Load.limit))
    let health = try #require(clients[0].send(.get, "/health", to: server.url))
    #expect(health.answer.status == 200 && health.seconds < 2)
    let list = try #require(clients[1].send(.get, "/v1/users/u1/drawings", to: server.url))
    #expect(list.answer.status == 200 && list.seconds < Load.limit)
    proxy.mode = .passing
    #expect(load.goesOn())
    let seen = load.end()
    seen.expectAnswers(of: [server])
    try seen.check(clients, at: [server])
    print("a slow store: \(seen.summary)")
  }
}

extension Load.Seen {
  /// Expects an answer to each request: the usual one, or one that allows to retry.
  func expectAnswers(
    of servers: [RunningServer], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    // Only the servers know the reason of an unexpected answer.
    #expect(odd == [], "\(servers.map { $0.output.suffix(4000) })", sourceLocation: sourceLocation)
    #expect(unanswered == [], sourceLocation: sourceLocation)
    #expect(slowest < Load.limit, sourceLocation: sourceLocation)
  }

  var summary: String {
    let answers = statuses.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
    let took = (slowest * 10).rounded() / 10
    return
      "\(stored.count) stored, \(repeated) of them repeated; \(answers.joined(separator: ", ")); "
      + "\(unanswered.count) unanswered; the slowest took \(took) s"
  }
}

/// nginx in front of servers, as in the guide.
private final class Nginx {
  let url: String
  private let process = Process()

  /// Starts it with its files in a folder; nil if it is not installed.
  init?(in folder: URL, for ports: [UInt16]) throws {
    let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let program else { return nil }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let port = Loopback.freePort()
    url = "http://127.0.0.1:\(port)"
    let servers = ports.map { "server 127.0.0.1:\($0);" }.joined(separator: " ")
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
    let configuration = """
      daemon off; pid \(folder.path)/pid; error_log \(folder.path)/log;
      \(geteuid() == 0 ? "user root;" : "")
      events {}
      http {
        access_log off; client_max_body_size 25m; \(temporary)
        upstream ink { hash $http_authorization consistent; \(servers) }
        server { listen 127.0.0.1:\(port); location / { proxy_pass http://ink; } }
      }
      """
    let file = folder.appendingPathComponent("configuration")
    try Data(configuration.utf8).write(to: file)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-c", file.path, "-e", "\(folder.path)/log"]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let probe = UserClient(uid: "", token: "")
    // Accepts any answer of a server, even a refusal of the empty token.
    guard happens({ 1..<500 ~= probe.status(.get, "/health", to: url) }) else {
      throw TestStores.Missing()
    }
  }

  deinit {
    // Its workers end with it.
    process.terminate()
    process.waitUntilExit()
  }
}
