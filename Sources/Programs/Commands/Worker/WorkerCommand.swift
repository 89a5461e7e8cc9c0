import ForeignInk
import Threads

/// `pkd worker`: draws the records of another program until its input ends.
package let workerCommand = CommandDefinition(
  name: "worker",
  summary: "Draw what another program hands over, record by record.",
  operands: "",
  operandCount: 0...0,
  options: [
    Option(
      "framed", help: "Records and results with bytes behind them, instead of lines of JSON."),
    Option(
      "skip-done",
      help: "Leave out pictures that were drawn from the same bytes with the same options."),
    Option(
      "blobs", value: "URL",
      help: "Paths are those of objects in this bucket: s3://BUCKET/PREFIX?region=…."),
  ] + InputOptions.table.filter { !["page", "by-person"].contains($0.name) } + WorkPainter.options,
  examples: [
    (
      "pkd worker --size 256 < records.ndjson > results.ndjson",
      #"A record: {"id": "7", "path": "a.pkd", "output": "a.png", "options": {"size": 128}}."#
    )
  ],
  needsService: { arguments in
    guard let address = arguments.options["blobs"] else { return false }
    guard address.hasPrefix("s3://") else { throw workerCommand.error("--blobs needs s3://…") }
    return true
  }
) { arguments, _ in
  try work(arguments, at: .files)
}

/// Draws all records; `place` stores their drawings and pictures.
package func work(_ arguments: Arguments, at place: WorkPlace) throws {
  // Invalid options of the command line end the program at once.
  let painter = try WorkPainter(arguments, place)
  Interruption.endProgram()
  useHeapOfPictures()
  let records = WorkReader(isFramed: arguments.has("framed"))
  let writer = WorkWriter(isFramed: arguments.has("framed"))
  let lanes = painter.threads
  let shared = ConditionMutex((reader: records, failure: (any Error)?.none))
  Lanes.run(lanes) { _ in
    while true {
      let next = shared.withLock { shared -> WorkRecord? in
        guard shared.failure == nil else { return nil }
        do {
          return try shared.reader.next()
        } catch {
          shared.failure = error
          return nil
        }
      }
      guard let next else { return }
      do {
        try writer.write(painter.result(of: next))
      } catch {
        shared.withLock { $0.failure = $0.failure ?? error }
      }
    }
  }
  if let failure = shared.withLock({ $0.failure }) { throw failure }
}
