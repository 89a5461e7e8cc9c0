import Foundation
import TestSupport
import Testing

/// `pkd store deliver` with misbehaving listeners.
struct StoreDeliverTests {
  private let store: StoreFolder

  init() throws {
    store = try StoreFolder()
    for index in 0..<10 { try store.run("checkin", "add", "--uid", "ann", "--id", "c\(index)") }
  }

  @Test func `a delivery command may ignore the event, as its exit code decides`() throws {
    for (command, isDelivered) in [
      ("false", false), ("cat > got; exit 3", false), ("exec 0<&-; kill -9 $$", false),
      ("exit 0", true),
    ] {
      let result = try store.object("deliver", "--command", command)
      #expect(result["delivered"] as? Int == (isDelivered ? 1 : 0), "\(command): \(result)")
      guard !isDelivered else { return }
      #expect(result["failed"] as? Int == 1, "\(command)")
      try makeDue()
    }
  }

  @Test func `an event larger than a pipe buffer is delivered whole, also if it is not read`()
    throws
  {
    let event = """
      {"kind": "k", "uid": "ann", "payload": {"text": "\(String(repeating: "x", count: 300_000))"},
       "createdAt": "2026-11-18T12:00:00Z", "attempts": 0, "nextAttemptAt": "2026-11-18T12:00:00Z"}
      """
    try Data(event.utf8).write(to: store.folder.file("event.json"))
    for (command, size) in [("sleep 0.1", 0), ("head -c 1 > got", 1), ("cat > got", 300_000)] {
      #expect(try store.run("doc", "set", "outbox/big", "event.json").code == 0)
      try Data().write(to: store.folder.file("got"))
      let result = try store.run("deliver", "--command", command)
      #expect(result.code == 0, "\(command): \(result)")
      #expect(try Data(contentsOf: store.folder.file("got")).count >= size)
    }
  }

  /// Makes the waiting event due at once.
  private func makeDue() throws {
    let events = try store.object("doc", "list", "outbox")
    let event = try #require((events["documents"] as? [[String: Any]])?.first)
    let path = try #require(event["path"] as? String)
    #expect(
      try store.run(
        "doc", "set", path, #"{"nextAttemptAt": "2026-01-01T00:00:00Z"}"#, "--merge"
      ).code == 0)
  }

  @Test func `a listener that hangs, ignores signals or leaves children is terminated with them`()
    throws
  {
    for (command, isDelivered) in [
      ("sleep 1000; true", false), ("trap '' TERM; while :; do sleep 1000; done", false),
      ("(trap '' TERM; sleep 1000; :) & sleep 1000 & wait", false),
      // Background processes of a successful listener may run until the timeout, not longer.
      ("(trap '' TERM; sleep 1000; :) & sleep 0.05 &", true),
    ] {
      let result = try store.run(
        "deliver", "--timeout", "0.2", "--command", "echo $$ > group; " + command)
      #expect(result.code == (isDelivered ? 0 : 1), "\(command): \(result)")
      #expect(result.errors.contains("took longer than 0.2 seconds") == !isDelivered, "\(result)")
      #expect(try processesOfListener() == "", "\(command)")
      if !isDelivered { try makeDue() }
    }
    #expect(try store.object("stats")["waitingEvents"] as? Int == 0)
  }

  /// The running processes of the process group whose id the listener has written.
  private func processesOfListener() throws -> String {
    try Program.shell(
      """
      cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$(cat group)" '$5 == group && $3 != "Z"'
      """, in: store.folder.url
    ).text
  }

  @Test func `the output of a delivery command is not mixed with the results`() throws {
    let result = try store.object("deliver", "--command", "cat; echo more")
    #expect(result["delivered"] as? Int == 1)
  }

  @Test func `a delivery timeout must be a valid number of seconds`() throws {
    for wrong in ["0", "-1", "nan", "soon", "1e9"] {
      #expect(
        try store.run("deliver", "--command", "true", "--timeout", wrong).code == 2, "\(wrong)")
    }
  }

  @Test func `an interrupted delivery terminates the listener and keeps the event`() throws {
    let result = try Program.shell(
      """
      pkd store deliver --command 'echo $$ > group; sleep 1000' & pkd=$!
      while [ ! -s group ]; do sleep 0.02; done
      kill -INT $pkd
      wait $pkd || echo code $?
      """, in: store.folder.url)
    #expect(result.text == "code 130\n" || result.text.hasSuffix("\ncode 130\n"), "\(result)")
    #expect(try processesOfListener() == "")
    #expect(try store.object("stats")["waitingEvents"] as? Int == 1)
  }
}
