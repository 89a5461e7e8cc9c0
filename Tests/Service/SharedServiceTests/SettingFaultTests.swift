import Foundation
import StorageTestSupport
import TestSupport
import Testing
import WebClient

@testable import SharedStorage

/// Servers with an operator's mistake, which is repaired while they run.
@Suite(.enabled(if: TestStores.arePresent, "\(TestStores.absence)"))
struct SettingFaultTests {
  @Test func `credentials in a file are reloaded and never printed`() throws {
    let stores = try TestStores()
    let file = stores.file("credentials")
    let right = TestStores.credentials()
    func write(_ name: String, _ secret: String, token: String = "") throws {
      let lines = [
        "[default]", "aws_access_key_id = \(name)", "aws_secret_access_key = \(secret)",
        token.isEmpty ? "" : "aws_session_token = \(token)",
      ]
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
    }
    let server = try stores.server(
      environment: [
        "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "",
        "AWS_SHARED_CREDENTIALS_FILE": file.path,
      ])
    let client = UserClient(uid: "u", token: try stores.token("u"))
    let recording = try Ink.small(1)
    func store(_ id: String) -> (status: Int, canRepeat: Bool, text: String) {
      let path = "/v1/users/u/drawings/\(id)/recording.pkd"
      guard let answer = client.send(.put, path, to: server.url, body: recording)?.answer else {
        return (0, false, "")
      }
      return (
        answer.status, answer.field("retry-after") != nil,
        String(decoding: answer.body, as: UTF8.self)
      )
    }
    // A missing file, an unknown key, a wrong secret.
    let mistakes: [() throws -> Void] = [
      {}, { try write("nobody", "hush-of-nobody", token: "hush-and-ended") },
      { try write(right.name, "hush-and-wrong") },
    ]
    for (number, mistake) in mistakes.enumerated() {
      try mistake()
      // The operator is informed once, for any number of requests.
      for _ in 0..<20 {
        let answer = store("d\(number)")
        #expect(answer.status == 503 && answer.canRepeat, "\(number): \(answer)")
        #expect(!answer.text.contains("hush") && !answer.text.contains(file.path))
      }
    }
    try write(right.name, right.secret)
    #expect(store("d").status == 201)
    for word in ["InvalidAccessKeyId", "SignatureDoesNotMatch"] {
      #expect(happens { server.output.contains("refuses the credentials (\(word))") })
    }
    #expect(server.output.contains(file.path), "an operator is told which file is missing")
    // The store's answer repeats the signed text, including the name of the key.
    for secret in ["hush", right.secret] { #expect(!server.output.contains(secret)) }
    #expect(server.output.split(separator: "\n").count == 4)
    #expect(server.terminate() == 0)
  }

  @Test func `a missing bucket is reported by name, and used once it exists`() throws {
    let stores = try TestStores()
    let bucket = "test-\(UUID().uuidString.lowercased().prefix(12))"
    let server = try stores.server(blobs: TestStores.address(bucket, "ink"))
    let client = UserClient(uid: "u", token: try stores.token("u"))
    let recording = try Ink.small(1)
    let path = "/v1/users/u/drawings/d/recording.pkd"
    func status(_ method: String) -> Int {
      method == "GET"
        ? client.status(.get, path, to: server.url)
        : client.status(.put, path, to: server.url, body: recording)
    }
    #expect(status("PUT") == 503)
    #expect(status("GET") == 503)
    #expect(client.status(.get, "/v1/users/u/drawings", to: server.url) == 200)
    #expect(happens { server.output.contains("s3://\(bucket)/") })
    #expect(server.output.contains("bucket is missing"))
    // If another test has just killed the gateway, this takes half a minute.
    var options = ObjectClient.Options(now: moment)
    options.silenceSeconds = 60
    let owner = ObjectClient(
      try ObjectAddress(TestStores.address(bucket, "ink")), options,
      credentials: TestStores.credentials)
    #expect(try owner.answer(.init(method: .put)).status == 200)
    defer {
      if let all = try? owner.all("") { try? owner.delete(all.map(\.key)) }
      _ = try? owner.answer(.init(method: .delete))
    }
    #expect(status("PUT") == 201)
    #expect(status("GET") == 200)
  }
}
