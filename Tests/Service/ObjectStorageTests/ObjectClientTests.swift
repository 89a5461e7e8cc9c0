import Checksums
import Dispatch
import Glibc
import HTTP
import HTTPServing
import Storage
import Testing
import Threads

@testable import SharedStorage

/// The client's handling of answers, tested with a scripted store.
struct ObjectClientTests {
  private func problem(_ body: () throws -> Void) -> StorageError.Problem? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.problem
    }
  }

  @Test func `passing failures of the store are retried until it works`() throws {
    let answers = [
      ScriptedStore.refusal(503, "SlowDown"), ScriptedStore.refusal(500, "InternalError"),
      Response(200, [], .bytes([1, 2, 3])),
    ]
    let store = try ScriptedStore { _, number in
      answers[min(number, 3) - 1]
    }
    defer { store.stop() }
    #expect(try store.client().get("a")?.bytes == [1, 2, 3])
    #expect(store.requests.count == 3)
  }

  @Test func `a failure that outlasts the retries is reported with the store's code`() throws {
    let store = try ScriptedStore { _, _ in
      ScriptedStore.refusal(503, "SlowDown")
    }
    defer { store.stop() }
    let client = try store.client(patience: 0.2)
    #expect(
      problem { _ = try client.get("a") } == .unavailable("the store answers 503 SlowDown"))
    #expect(store.requests.count > 1)
  }

  @Test func `an unreachable store is reported as a passing problem`() throws {
    let store = try ScriptedStore { _, _ in Response(200, [], .bytes([])) }
    let client = try store.client(patience: 0.1)
    store.stop()
    guard case .unavailable? = problem({ _ = try client.head("a") }) else {
      Issue.record("it was not told as unavailable")
      return
    }
  }

  @Test func `a silent store delays the first callers only`() throws {
    let isSilent = ConditionMutex(true)
    let store = try ScriptedStore { _, _ in
      isSilent.wait { $0 ? nil : () }
      return Response(200, [], .bytes([1, 2, 3]))
    }
    defer {
      isSilent.change { $0 = false }
      store.stop()
    }
    let client = try store.client(patience: 0.4, silence: 0.2)
    // More callers than connections: the last ones get no connection in time.
    let failures = Lanes.sum(100) { client.fails("a") }
    #expect(failures == 100)
    let asked = store.requests.count
    #expect(asked <= 100)
    // From then on no caller waits, and one thread checks at intervals whether the store is back,
    // by requests without side effects.
    let end = DispatchTime.now() + 0.5
    let calls = ConditionMutex(0)
    let odd = Lanes.sum(16) {
      while DispatchTime.now() < end {
        if !client.fails("a") { return true }
        calls.withLock { $0 += 1 }
      }
      return false
    }
    #expect(odd == 0 && calls.withLock { $0 } > 100)
    let looks = store.requests[asked...]
    #expect(looks.count < 30 && looks.allSatisfy { $0.method == "HEAD" })
    isSilent.change { $0 = false }
    var tries = 0
    while client.fails("a"), tries < 1000 {
      tries += 1
      usleep(10_000)
    }
    #expect(try client.get("a")?.bytes == [1, 2, 3])
  }

  @Test func `an object that takes too long does not delay the others`() throws {
    let isSilent = ConditionMutex(true)
    let store = try ScriptedStore { request, _ in
      if request.target.hasSuffix("/slow") { isSilent.wait { $0 ? nil : () } }
      return Response(200, [], .bytes([1, 2, 3]))
    }
    defer {
      isSilent.change { $0 = false }
      store.stop()
    }
    let client = try store.client(patience: 0.3, silence: 0.2)
    Lanes.run(2) { lane in
      if lane == 0 {
        #expect(client.fails("slow"))
      } else {
        for _ in 0..<20 {
          #expect(!client.fails("a"))
          usleep(30_000)
        }
      }
    }
    #expect(!client.fails("a"))
  }

  @Test func `a refused HEAD request is followed by one for the reason`() throws {
    let store = try ScriptedStore { _, _ in ScriptedStore.refusal(403, "AccessDenied") }
    defer { store.stop() }
    #expect(
      problem { _ = try store.client().head("a") }
        == .unavailable("the store refuses the credentials (AccessDenied)"))
  }

  @Test func `the bucket of a missing object is checked once`()
    throws
  {
    let isThere = ConditionMutex(false)
    let store = try ScriptedStore { request, _ in
      request.target == "/drawings/" && isThere.withLock { $0 }
        ? Response(200, [], .bytes([])) : ScriptedStore.refusal(404, "NoSuchBucket")
    }
    defer { store.stop() }
    let client = try store.client()
    #expect(problem { _ = try client.head("a") } == .unavailable("the bucket is missing"))
    isThere.change { $0 = true }
    for _ in 0..<3 { #expect(try client.head("a") == nil) }
    #expect(store.requests.filter { $0.target == "/drawings/" }.count == 2)
  }

  @Test func `refused credentials are reported at once, without secrets`() throws {
    let store = try ScriptedStore { _, _ in
      ScriptedStore.refusal(403, "SignatureDoesNotMatch")
    }
    defer { store.stop() }
    do {
      try store.client().put("a", [1], contentType: "text/plain", note: "n")
      Issue.record("it was stored")
    } catch {
      #expect("\(error)".contains("SignatureDoesNotMatch") && !"\(error)".contains("hush"))
    }
    #expect(store.requests.count == 1)
    #expect(!"\(store.requests)".contains("hush"))
  }

  @Test func `a missing bucket is an error, a missing object is not`() throws {
    let store = try ScriptedStore { request, _ in
      ScriptedStore.refusal(
        404, request.target.hasPrefix("/drawings/b") ? "NoSuchBucket" : "NoSuchKey")
    }
    defer { store.stop() }
    let client = try store.client()
    #expect(try client.get("a") == nil)
    #expect(problem { _ = try client.get("b") } == .unavailable("the bucket is missing"))
  }

  @Test func `a large object is uploaded in parts`() throws {
    let bytes = (0..<(ObjectClient.partSize * 2 + 5)).map { UInt8(truncatingIfNeeded: $0 >> 8) }
    let store = try ScriptedStore { request, _ in
      if request.method == "POST", request.target.contains("uploads") {
        return Response(200, [], .bytes(Array("<R><UploadId>u1</UploadId></R>".utf8)))
      }
      return Response(200, [("ETag", "\"t\"")], .bytes([]))
    }
    defer { store.stop() }
    try store.client().put("a", bytes, contentType: "text/plain", note: "n")
    let parts = store.requests.filter { $0.method == "PUT" }
      .sorted { $0.target < $1.target }
    #expect(parts.count == 3 && parts.flatMap(\.body) == bytes)
    let last = try #require(store.requests.last)
    #expect(String(decoding: last.body, as: UTF8.self).contains("<PartNumber>3</PartNumber>"))
    #expect(store.requests.first?.fields["x-amz-meta-pkd"] == "n")
  }

  @Test(arguments: ["a part fails", "the end fails", "the end says that it fails"])
  func `a failed upload in parts is aborted`(_ how: String) throws {
    let bytes = [UInt8](repeating: 1, count: ObjectClient.partSize + 1)
    let store = try ScriptedStore { request, _ in
      switch request.method {
      case "POST" where request.target.contains("uploads"):
        return Response(200, [], .bytes(Array("<R><UploadId>u1</UploadId></R>".utf8)))
      case "PUT" where how == "a part fails" && request.target.contains("partNumber=2"):
        return ScriptedStore.refusal(500, "InternalError")
      case "POST" where how == "the end fails": return ScriptedStore.refusal(400, "InvalidPart")
      case "POST" where how == "the end says that it fails":
        return ScriptedStore.refusal(200, "InternalError")
      default: return Response(200, [("ETag", "\"t\"")], .bytes([]))
      }
    }
    defer { store.stop() }
    #expect(throws: StorageError.self) {
      try store.client(patience: 0.1).put("a", bytes, contentType: "text/plain", note: "n")
    }
    let last = store.requests.last
    #expect(last?.method == "DELETE" && last?.target.contains("uploadId=u1") == true)
  }

  @Test func `malformed S3 answers are refused and do not trap`() throws {
    for text in ["", "no XML", "<a>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"] {
      let store = try ScriptedStore { _, _ in
        Response(200, [], .bytes(Array(text.utf8)))
      }
      defer { store.stop() }
      let client = try store.client(patience: 0.1)
      #expect(throws: StorageError.self, "\(text)") { try client.list("a") }
      #expect(throws: StorageError.self, "\(text)") {
        try client.unfinishedUploads("a", before: Moment(seconds: 0))
      }
    }
  }

  @Test func `a list of objects that never ends is given up`() throws {
    let store = try ScriptedStore { _, _ in
      Response(
        200, [],
        .bytes(
          Array(
            "<L><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></L>"
              .utf8)))
    }
    defer { store.stop() }
    let client = try store.client(patience: 0.1)
    #expect(throws: StorageError.self) { try client.level("a/") }
    #expect(try client.all("a/").isEmpty)
  }

  @Test func `a blob whose bytes have changed is reported as damaged`() throws {
    let info = BlobContent("a", contentType: "text/plain", [1, 2, 3]).info(
      in: try BlobFolder("u"), created: Moment(seconds: 1), updated: Moment(seconds: 1))
    let note = ObjectNote(info).description
    let store = try ScriptedStore { request, _ in
      let bytes: [UInt8] = request.target.hasSuffix("/a") ? [1, 2, 3] : [1, 2, 4]
      return Response(200, [("x-amz-meta-pkd", note)], .bytes(bytes))
    }
    defer { store.stop() }
    let blobs = S3BlobStore(try store.client(), locks: ProcessLocks())
    #expect(try blobs.get(BlobPath("u/a"))?.bytes == [1, 2, 3])
    guard case .damaged? = problem({ _ = try blobs.get(BlobPath("u/b")) }) else {
      Issue.record("other bytes were taken")
      return
    }
  }
}

extension ObjectClient {
  /// Whether an object cannot be read for a passing reason.
  fileprivate func fails(_ key: String) -> Bool {
    do {
      return try get(key) == nil
    } catch {
      if case .unavailable = error.problem { return true }
      return false
    }
  }
}

extension Lanes {
  /// How often a body is true in concurrent calls.
  fileprivate static func sum(_ count: Int, _ body: () -> Bool) -> Int {
    let sum = ConditionMutex(0)
    run(count) { _ in if body() { sum.withLock { $0 += 1 } } }
    return sum.withLock { $0 }
  }
}
