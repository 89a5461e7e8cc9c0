import Commands
import DrawingServices
import Glibc
import Graphics
import JSON
import Journal
import Storage

let storeDeliver = CommandDefinition.storeVerb(
  "deliver", "Create due weekly summaries, and deliver events.",
  [
    Option(
      "command", value: "CMD", help: "Run this command for each event; its standard input is JSON."),
    Option("webhook", value: "URL", help: "Post each event to this address, through curl."),
    Option(
      "timeout", value: "SECONDS", form: .positive(upTo: 86_400),
      help: "The timeout for each event; 30 unless given."),
  ],
  examples: [
    ("pkd store deliver --webhook https://example.org/events", "From a timer, each minute."),
    ("pkd store deliver --command 'cat >> events.json'", "Failed events are retried."),
  ]
) { session, console in
  try session.requireOperator(to: "deliver")
  let given = session.arguments.words
  guard (given["command"] == nil) != (given["webhook"] == nil) else {
    throw session.error("give --command CMD or --webhook URL")
  }
  let timeout = session.arguments.number("timeout") ?? 30
  let listener = ShellCommand(
    command: given["command"] ?? post(to: given["webhook"] ?? "", within: timeout),
    timeout: timeout)
  let environment = try session.environment(for: .writing)
  // If a listener hangs, periodic runs must not queue up.
  guard let lock = try FolderLock(session.root, "deliver") else {
    return console.note("another 'pkd store deliver' is running")
  }
  defer { withExtendedLifetime(lock) {} }
  let summaries = try WeeklySummaries(environment).makeDue { uid, error in
    console.fail("the week of \(uid): \(error)", storeExitCode(of: error) ?? .failed)
  }
  Interruption.watch()
  var late = 0
  let result = try Outbox(environment).deliver { event in
    let outcome = listener.run(event.json + [10])
    if outcome == .terminated, !Interruption.isRequested { late += 1 }
    if console.isVerbose {
      console.note("\(event.id): \(outcome == .succeeded ? "delivered" : "\(outcome)")")
    }
    return outcome == .succeeded
  } isStopped: {
    Interruption.isRequested
  } unreadable: { path, reason in
    console.fail("\(path): \(reason)", .badData)
  }
  if late > 0 {
    console.fail("\(late.counting("event")) took longer than \(timeout) seconds", .failed)
  }
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.field("summaries", summaries)
        json.field("delivered", result.delivered)
        json.field("failed", result.failed)
      }
    }
  } else {
    try console.print(
      "\(summaries) summaries created, \(result.delivered) events delivered, \(result.failed) failed"
    )
  }
  if result.failed > 0 {
    console.fail("\(result.failed.counting("event")) could not be delivered", .failed)
  }
  if Interruption.isRequested { console.raise(.interrupted) }
}

/// A shell command that posts its input, and ends with 0 if the response has a 2xx status.
private func post(to address: SystemString, within seconds: Double) -> SystemString {
  let curl =
    "curl -sS -m \(Int(clamping: seconds.rounded(.up))) -o /dev/null -w '%{http_code}' "
    + "-H 'Content-Type: application/json' --data-binary @- -- "
  return SystemString(bytes: Array("case \"$(\(curl)".utf8)) + address.inQuotes.bytes
    + ")\" in 2??) ;; *) exit 1 ;; esac".utf8
}
