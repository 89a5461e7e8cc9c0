import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// `pkd serve` and `pkd token` as programs: their start, and the files after they are killed.
struct ServeCommandTests {
  private let folder: TemporaryFolder

  private var root: String { folder.file("store").path }

  init() throws {
    folder = try TemporaryFolder()
    #expect(try Program.run("pkd", ["store", "init", "--root", root]).code == 0)
  }

  private func token(_ uid: String) throws -> String {
    let result = try Program.run("pkd", ["token", "--uid", uid, "--root", root])
    #expect(result.code == 0, "\(result.errors)")
    return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let checkIn = Array(
    ##"{"colorHex":"","colorIntensity":0.5,"emotion":"joy","topic":"","evaluation":""}"##.utf8)
  private static let json = [("Content-Type", "application/json")]

  @Test(arguments: ["libcrypto.so.3", "libmicrohttpd.so.12"])
  func `serve without a needed library does not start, and names it`(_ library: String) throws {
    var program = try Data(contentsOf: Program.binary("pkd-service"))
    let name = Data(library.utf8)
    // No machine has a library of this name. It is changed only in a copy of the program, whose
    // texts end with a zero byte.
    var found = 0..<0
    while let next = program.range(of: name + [0], in: found.upperBound..<program.count) {
      program.replaceSubrange(next, with: Data(library.replacing("so.", with: "no.").utf8) + [0])
      found = next
    }
    try program.write(to: folder.file("pkd-service"))
    let result = try Program.shell(
      "chmod +x pkd-service; ./pkd-service serve --dev --root store --listen 127.0.0.1:0",
      in: folder.url)
    #expect(result.code == 1 && result.text.isEmpty, "\(result)")
    #expect(result.errors.contains(library.replacing("so.", with: "no.")), "\(result.errors)")
    #expect(result.errors.contains("is in the package lib"))
  }

  @Test func `serve prints its address, accepts local tokens, and ends with 0`() throws {
    let server = try RunningServer([], root: root)
    #expect(server.url == "http://127.0.0.1:\(server.port)")
    #expect(try server.send("GET", "/health")?.status == 200)
    #expect(try server.send("GET", "/ready")?.status == 200)
    #expect(try server.send("GET", "/v1/users/ann/drawings")?.status == 401)
    let token = try token("ann")
    #expect(try server.send("GET", "/v1/users/ann/drawings", token: token)?.status == 200)
    #expect(try server.send("GET", "/v1/users/bob/drawings", token: token)?.status == 403)
    let metrics = try #require(try server.send("GET", "/metrics"))
    #expect(metrics.text.contains("pentimento_requests_total{route=\"/v1/users/{uid}/drawings\""))
    let proxied = try server.send("GET", "/metrics", [("X-Forwarded-For", "1.2.3.4")])
    #expect(proxied?.status == 403)
    #expect(server.terminate() == 0)
  }

  @Test func `a fresh store in development answers with its sample at once`() throws {
    let server = try RunningServer(["--dev"], root: folder.file("fresh").path)
    for path in [
      "drawings", "gallery", "cards", "charts/week", "planets", "drawings/sample/thumbnail.png",
      "drawings/sample/render", "drawings/sample/frames/50", "mood_checkins/sample",
    ] {
      #expect(try server.send("GET", "/v1/users/dev/\(path)")?.status == 200, "\(path)")
    }
    // The samples are found by their titles and by their handwritten words.
    for (text, wanted) in [
      ("demo", ["sample"]), ("landscape", ["landscape"]), ("sunny", ["mood"]),
      ("bloom", ["minute"]),
      ("plum", ["erased"]), ("jam", ["erased"]), ("pear", []), ("underneath", ["handwriting"]),
      ("watercolor", ["inks"]),
    ] {
      let reply = try server.send("GET", "/v1/users/dev/drawings?search=\(text)")
      #expect(reply?.items.compactMap { $0["id"] as? String } == wanted, "\(text)")
    }
    #expect(try server.send("GET", "/v1/growthMethods")?.json["items"] as? [Any] != nil)
    // A page of another site, or another name for this machine.
    for host in ["evil.example", "127.evil.example", "localhost.evil.example"] {
      let client = try Client(port: server.port)
      client.write("GET /v1/users/dev/gallery HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      let bytes = client.readAll(seconds: 5) { !Reply.all(in: $0).isEmpty }
      #expect(Reply.all(in: bytes).first?.status == 403, "\(host)")
    }
    #expect(
      try server.send("GET", "/v1/users/dev/gallery", [("Origin", "https://evil.example")])?.status
        == 403)
  }

  @Test func `everything that was acknowledged is there after a kill under load`() throws {
    let recording = try Recordings.sample("mood")
    let token = try token("ann")
    let server = try RunningServer(["--change-rate", "0"], root: root)
    let acknowledged = ConditionMutex<[String]>([])
    let threads = (0..<6).map { thread in
      Thread {
        for number in 0..<10_000 {
          let id = "t\(thread)-\(number)"
          let path = "/v1/users/ann/drawings/\(id)/recording.pkd"
          guard
            let reply = try? server.send("PUT", path, token: token, body: recording),
            reply.status == 201
          else { return }
          let checkIn = try? server.send(
            "PUT", "/v1/users/ann/mood_checkins/\(id)", token: token, Self.json, body: Self.checkIn)
          acknowledged.withLock { list in
            list.append("drawings/\(id)/recording.pkd")
            list.append("drawings/\(id)")
            if checkIn?.status == 201 { list.append("mood_checkins/\(id)") }
          }
        }
      }
    }
    for thread in threads { thread.start() }
    Thread.sleep(forTimeInterval: 2)
    server.kill()
    Thread.sleep(forTimeInterval: 0.3)
    let list = acknowledged.withLock { $0 }
    #expect(list.count > 10)
    let again = try RunningServer(["--change-rate", "0"], root: root)
    for path in list {
      let reply = try again.send("GET", "/v1/users/ann/\(path)", token: token)
      #expect(reply?.status == 200, "\(path)")
      if path.hasSuffix(".pkd") { #expect(reply?.body == recording) }
    }
    #expect(again.terminate() == 0)
    // Drawings that were not acknowledged may have files without a document, but nothing else.
    let verified = try Program.run("pkd", ["store", "verify", "--root", root])
    let findings = verified.text.split(separator: "\n").filter { $0.hasPrefix("users/") }
    for finding in findings {
      #expect(finding.hasSuffix("its document is missing"), "\(finding)")
      let path = finding.split(separator: ":")[0].dropFirst("users/ann/".count)
      #expect(!list.contains(String(path)), "\(finding)")
    }
    #expect(verified.code == (findings.isEmpty ? 0 : 65), "\(verified.text) \(verified.errors)")
  }

  @Test func `two servers on one folder show the same, whoever writes`() throws {
    let token = try token("ann")
    let (first, second) = (
      try RunningServer([], root: root), try RunningServer([], root: root)
    )
    let recording = try Recordings.sample("mood")
    let path = "/v1/users/ann/drawings/d"
    #expect(
      try first.send("PUT", "\(path)/recording.pkd", token: token, body: recording)?.status == 201)
    let picture = try second.send("GET", "\(path)/thumbnail.png", token: token)
    #expect(picture?.status == 200)
    // Two clients at once with the same name: one drawing is stored, and both may assume that it is
    // theirs.
    let statuses = ConditionMutex<[Int]>([])
    let threads = [first, second].map { server in
      Thread {
        let reply = try? server.send(
          "PUT", "/v1/users/ann/drawings/same/recording.pkd", token: token, body: recording)
        statuses.change { $0.append(reply?.status ?? 0) }
      }
    }
    for thread in threads { thread.start() }
    let both: [Int] = statuses.wait { $0.count == 2 ? $0 : nil }
    #expect(both.allSatisfy { $0 == 201 || $0 == 200 }, "\(both)")
    #expect(try first.send("DELETE", path, token: token)?.status == 204)
    #expect(try second.send("GET", "\(path)/thumbnail.png", token: token)?.status == 404)
    #expect(try second.send("GET", path, token: token)?.status == 404)
  }

  @Test func `an access log without a reader delays neither requests nor the end`() throws {
    let fifo = folder.file("log").path
    #expect(mkfifo(fifo, 0o600) == 0)
    let unread = try Program.run("pkd", ["serve", "--root", root, "--access-log", fifo])
    #expect(unread.code == 2)
    // Open for reading, but never read.
    let reader = open(fifo, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    let server = try RunningServer(["--access-log", fifo], root: root)
    for _ in 0..<600 {
      #expect(try server.send("GET", "/health")?.status == 200)
    }
    #expect(server.terminate() == 0)
  }

  @Test func `settings come from options, the environment and a file, in this order`() throws {
    let file = folder.file("settings.json")
    try Data(#"{"root": "/nowhere", "change-rate": 1, "quota": "7"}"#.utf8).write(to: file)
    let server = try RunningServer(
      ["--config", file.path], root: root, environment: ["PENTIMENTO_CHANGE_RATE": "1000"])
    #expect(try server.send("GET", "/health")?.status == 200)
    let other = try Program.run(
      "pkd", ["serve", "--root", root], environment: ["PENTIMENTO_CONFIG": "/nowhere"])
    #expect(other.errors.contains("/nowhere"))
    for (options, words) in [
      (["--listen", "here"], "--listen"), (["--listen", "127.0.0.1:99999"], "--listen"),
      (["--listen", "127.0.0.1:\(server.port)"], "Address already in use"),
      (["--change-rate", "many"], "--change-rate"), (["--quota", "0"], "--quota"),
      (["--certificate", "x"], "--key"), (["--token-keys", "/nowhere"], "--token-issuer"),
      (["--token-keys", "/nowhere", "--token-issuer", "i"], "--token-audience"),
      (["--token-keys", "/nowhere", "--token-audience", "a"], "--token-issuer"),
      (["--token-keys", "/nowhere", "--any-audience"], "/nowhere"),
      (["--token-keys", "/nowhere", "--token-issuer", "i", "--token-audience", "a"], "/nowhere"),
      (["--token-keys", "http://id.example/keys", "--any-audience"], "https://"),
      (["--allow-emulator-tokens"], "--dev"), (["--store-links"], "--blobs"),
      (["--dev", "--listen", "0.0.0.0:0"], "--dev"), (["--public-url", "ink"], "--public-url"),
      (["--config", "/nowhere"], "/nowhere"), (["--nonsense"], "--nonsense"),
      (["--root", "/nowhere/at/all"], "there is no service"),
    ] {
      let result = try Program.run("pkd", ["serve", "--root", root] + options)
      #expect(result.code == 1 || result.code == 2, "\(options)")
      #expect(result.errors.contains(words), "\(options): \(result.errors)")
    }
    for text in ["{", "[]", #"{"nonsense": 1}"#, #"{"quota": -1}"#, #"{"quota": 1.5}"#] {
      try Data(text.utf8).write(to: file)
      let result = try Program.run("pkd", ["serve", "--root", root, "--config", file.path])
      #expect(result.code == 2 || result.code == 65, "\(text): \(result.code)")
      #expect(!result.errors.isEmpty)
    }
  }

  @Test func `tokens of a folder open no other folder, and none is made without a service`() throws
  {
    let other = folder.file("other").path
    #expect(try Program.run("pkd", ["store", "init", "--root", other]).code == 0)
    let token = try token("ann")
    let server = try RunningServer([], root: other)
    #expect(try server.send("GET", "/v1/users/ann/drawings", token: token)?.status == 401)
    for words in [
      [], ["--uid", "a/b"], ["--uid", ""], ["--uid", "ann", "--hours", "0"],
      ["--uid", "ann", "--root", "/nowhere"],
    ] {
      let result = try Program.run("pkd", ["token"] + ["--root", root] + words)
      #expect(result.code == 2, "\(words): \(result.code) \(result.errors)")
      #expect(result.text.isEmpty)
    }
    // Only the owner may read the key.
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/server-key")
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
  }

  private static let hasTools =
    (try? Program.run("pkd", ["--version"]).code) == 0
    && (try? Program.shell(
      "command -v openssl && command -v curl", in: URL(fileURLWithPath: "/tmp")
    )
    .code) == 0

  @Test(.enabled(if: hasTools, "skipped: openssl or curl is not installed"))
  func `serve with a certificate encrypts everything`() throws {
    let made = try Program.shell(
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out chain.pem -subj /CN=localhost "
        + "-days 1 -addext subjectAltName=IP:127.0.0.1 2>&1", in: folder.url)
    #expect(made.code == 0)
    let server = try RunningServer(
      ["--certificate", folder.file("chain.pem").path, "--key", folder.file("key.pem").path],
      root: root)
    #expect(server.url.hasPrefix("https://"))
    let reply = try Program.shell(
      "curl -si --cacert chain.pem \(server.url)/health", in: folder.url)
    #expect(reply.code == 0, "\(reply.errors)")
    #expect(reply.text.contains("200 OK"))
    #expect(reply.text.contains("Strict-Transport-Security"))
    // Old versions of TLS are refused.
    #expect(
      try Program.shell(
        "curl -s --tls-max 1.1 --cacert chain.pem \(server.url)/health", in: folder.url
      )
      .code != 0)
    let swapped = try Program.run(
      "pkd",
      [
        "serve", "--root", root, "--listen", "127.0.0.1:0", "--certificate",
        folder.file("key.pem").path, "--key", folder.file("chain.pem").path,
      ])
    #expect(swapped.code == 2)
  }

  /// Makes a key named $1, and prints a token for `ann` that it signs.
  private static let signing = #"""
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out $1.pem 2>/dev/null
    openssl pkey -in $1.pem -pubout -out $1.pub
    b64() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
    now=$(date +%s)
    head=$(printf '{"alg":"RS256","typ":"JWT"}' | b64)
    body=$(printf '{"iss":"https://id.example","aud":"ink","sub":"ann","iat":%d,"exp":%d}' $now $((now+600)) | b64)
    sign=$(printf '%s.%s' $head $body | openssl dgst -sha256 -sign $1.pem | b64)
    printf '%s.%s.%s' $head $body $sign
    """#

  @Test(.enabled(if: hasTools, "skipped: openssl or curl is not installed"))
  func `tokens of another issuer are accepted while its key is in the file`() throws {
    let first = try Program.shell(Self.signing, "first", in: folder.url)
    let second = try Program.shell(Self.signing, "second", in: folder.url)
    #expect(first.code == 0 && second.code == 0)
    let keys = folder.file("keys.pem")
    try FileManager.default.copyItem(at: folder.file("first.pub"), to: keys)
    let server = try RunningServer(
      [
        "--token-keys", keys.path, "--token-issuer", "https://id.example", "--token-audience",
        "ink",
      ], root: root)
    let path = "/v1/users/ann/drawings"
    #expect(try server.send("GET", path, token: first.text)?.status == 200)
    #expect(try server.send("GET", path, token: second.text)?.status == 401)
    // Tokens of both issuers are accepted.
    #expect(try server.send("GET", path, token: try token("ann"))?.status == 200)
    try Data(contentsOf: folder.file("second.pub")).write(to: keys)
    Thread.sleep(forTimeInterval: 1.5)
    #expect(try server.send("GET", path, token: second.text)?.status == 200)
    #expect(try server.send("GET", path, token: first.text)?.status == 401)
    // A file that has become invalid leaves the former keys.
    try Data("nonsense".utf8).write(to: keys)
    Thread.sleep(forTimeInterval: 1.5)
    #expect(try server.send("GET", path, token: second.text)?.status == 200)
  }

  @Test(.enabled(if: hasTools, "skipped: openssl or curl is not installed"))
  func `tokens of another issuer are accepted with keys from its address`() throws {
    let token = try Program.shell(Self.signing, "first", in: folder.url)
    #expect(token.code == 0)
    let key = try Data(contentsOf: folder.file("first.pub"))
    let issuer = try FakeIssuer()
    let server = try RunningServer(
      [
        "--token-keys", issuer.url, "--token-issuer", "https://id.example", "--token-audience",
        "ink",
      ], root: root)
    let path = "/v1/users/ann/drawings"
    // The issuer answers with errors at first; this must not be reported as an invalid token.
    #expect(try server.send("GET", path, token: token.text)?.status == 503)
    #expect(try server.send("GET", path, token: try self.token("ann"))?.status == 200)
    #expect(try server.send("GET", path, token: "nonsense")?.status == 401)
    issuer.answer = .init(status: 200, body: Array(key))
    #expect(
      try waited(15) { try server.send("GET", path, token: token.text)?.status == 200 },
      "\(issuer.count) requests")
    // An issuer that has gone leaves its keys.
    issuer.answer = .init(status: 500, body: [])
    #expect(try server.send("GET", path, token: token.text)?.status == 200)
  }
}
