import Foundation
import TestSupport
import Testing

/// `pkd user`: invitations, users and their sessions.
struct UserCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    #expect(try Program.run("pkd", ["store", "init"], in: folder.url).code == 0)
  }

  private func run(
    _ words: String..., environment: [String: String] = [:]
  ) throws -> Program.Result {
    try Program.run("pkd", ["user"] + words, environment: environment, in: folder.url)
  }

  @Test func `an invitation is a link with a code in its fragment`() throws {
    let plain = try run("add", "ann", "--name", "Ann")
    #expect(plain.code == 0 && plain.errors.contains("--public-url"))
    #expect(try #/^\/welcome#pkdi_[A-Za-z0-9_-]{43}\n$/#.wholeMatch(in: plain.text) != nil)
    let named = try run("add", "ann", "--public-url", "https://ink.example/draw")
    #expect(named.text.hasPrefix("https://ink.example/draw/welcome#pkdi_") && named.errors == "")
    let variable = try run(
      "add", "--json", environment: ["PENTIMENTO_PUBLIC_URL": "https://ink.example"])
    let made = try #require(
      try JSONSerialization.jsonObject(with: variable.output) as? [String: String])
    #expect(made["uid"]?.hasPrefix("u-") == true)
    #expect(made["link"]?.hasPrefix("https://ink.example/welcome#pkdi_") == true)
    #expect(plain.text != named.text)
    // The store has no code.
    let bytes = try Data(contentsOf: folder.file("pentimento-data/pentimento.db"))
    let code = Data(plain.text.split(separator: "#")[1].dropLast().utf8)
    #expect(bytes.range(of: code) == nil)
  }

  @Test func `users are listed, and their sessions ended`() throws {
    #expect(try run("add", "ann").code == 0)
    #expect(
      try Program.run(
        "pkd", ["store", "profile", "set", "--uid", "bob", "--name", "Bob"], in: folder.url
      ).code == 0)
    #expect(
      try run("list").text
        == "ann  -  passkeys 0  sessions 0\nbob  Bob  passkeys 0  sessions 0\n")
    let list = try run("list", "--json").text
    #expect(list.contains(#""uid": "bob", "name": "Bob", "passkeys": 0, "sessions": 0"#))
    #expect(try run("sessions", "ann").text == "")
    #expect(try run("end-sessions", "ann").text == "0 sessions ended\n")
    #expect(try run("end-sessions", "ann", "--json").text.contains(#""ended": 0"#))
  }

  @Test func `wrong words and names are refused`() throws {
    for words in [
      ["remove", "ann"], ["list", "ann"], ["sessions"], ["end-sessions"], ["add", "a/b"],
      ["add", "ann", "--days", "0"], ["add", "ann", "--days", "366"],
      ["add", "ann", "--name", String(repeating: "x", count: 201)],
    ] {
      let result = try Program.run("pkd", ["user"] + words, in: folder.url)
      #expect(result.code == 2, "\(words): \(result)")
    }
    let elsewhere = try Program.run(
      "pkd", ["user", "add", "ann", "--root", "nothing"], in: folder.url)
    #expect(elsewhere.code == 2 && elsewhere.errors.contains("there is no service"))
  }
}
