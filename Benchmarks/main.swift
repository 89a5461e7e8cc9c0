import Glibc
import Measurement

/// The groups of figures, by their word on the command line.
let groups: [(name: String, figures: (Effort) -> [Figure])] = [
  ("archive", ArchiveBenchmarks.figures), ("spline", SplineBenchmarks.figures),
  ("memory", MemoryBenchmarks.figures), ("recording", RecordingBenchmarks.figures),
  ("peers", PeerBenchmarks.figures), ("journal", JournalBenchmarks.figures),
  ("inks", InkBenchmarks.figures), ("pictures", PictureBenchmarks.figures),
  ("replay", ReplayBenchmarks.figures), ("service", ServiceBenchmarks.figures),
  ("service-search", ServiceBenchmarks.search),
  ("upkeep", UpkeepBenchmarks.figures), ("opening", OpeningBenchmarks.figures),
  ("web", WebBenchmarks.figures), ("server", ServerBenchmarks.figures),
  ("rooms", RoomBenchmarks.figures),
  ("pages", PagesBenchmarks.figures), ("interchange", InterchangeBenchmarks.figures),
  ("sync", SyncBenchmarks.figures), ("scale-batch", ScaleBenchmarks.batch),
  ("scale-spark", ScaleBenchmarks.spark), ("scale-submits", SubmitBenchmarks.figures),
  ("scale-migrate", ScaleBenchmarks.migrating), ("scale-model", ScaleModel.figures),
]

let usage = """
  Usage: Benchmarks \(groups.map(\.name).joined(separator: "|"))|all [--json [FILE]] [--smoke]

    --json   print JSON with machine, compiler and commit, for Benchmarks/Results; into a file beside the table
    --smoke  only check that everything runs

    'scale' means all groups of that beginning. They use what is there: spark-submit in PATH, and the stores of TEST_POSTGRES
    and TEST_S3, as Tests/Proofs/Services/postgres-up and objects-up print them, which should be fresh ones.

         Benchmarks raster WORKLOAD.bin RUNS [--dump FILE] [--fine] [--threads N]

    draw a workload of a harness that compares rasterizers, and print a line of JSON for each frame

         Benchmarks png [--runs] [--effort E] [--threads N] FILE.rgba WIDTH HEIGHT RUNS OUT.png

    encode a picture of a harness that compares PNG encoders, and print a line of JSON

         Benchmarks apng [--unknown] [--source] [--any] FRAMES.rgb RECTS.txt WIDTH HEIGHT N OUT.png [RUNS]

    encode the frames of a replay as APNG, and print a line of JSON

         Benchmarks priors

    write the statistics of the coder of recordings, and print the sizes that they and trained ones give
  """

let words = CommandLine.arguments.dropFirst()
let options = Set(words.filter { $0.hasPrefix("--") })
/// The JSON report's path: the word after `--json`, unless it is the name of a group.
let reportFile = words.firstIndex(of: "--json").flatMap { index -> String? in
  guard let word = words[(index + 1)...].first, !word.hasPrefix("--"),
    word != "all", !groups.contains(where: { $0.name == word || $0.name.hasPrefix("\(word)-") })
  else { return nil }
  return word
}
let names = words.filter { !$0.hasPrefix("--") && $0 != reportFile }

if names.first == MemoryBenchmarks.childWord, let path = names.dropFirst().first {
  MemoryBenchmarks.printPeak(opening: path)
  exit(0)
}
if names.first == MemoryBenchmarks.recordingWord, let path = names.dropFirst().first {
  MemoryBenchmarks.printPeak(decoding: path)
  exit(0)
}
if names.first == MemoryBenchmarks.pictureWord, let path = names.dropFirst().first {
  MemoryBenchmarks.printPeak(drawing: path)
  exit(0)
}
if names.first == PictureBenchmarks.childWord, let path = names.dropFirst().first {
  PictureBenchmarks.printTime(of: path)
  exit(0)
}
if names.first == ReplayBenchmarks.childWord, let path = names.dropFirst().first {
  ReplayBenchmarks.printPeak(replaying: path)
  exit(0)
}
if names.first == ServiceBenchmarks.childWord, let path = names.dropFirst().first {
  ServiceBenchmarks.printPeak(using: path)
  exit(0)
}
if words.first == "raster" {
  exit(RasterContender.run(Array(words.dropFirst())))
}
if words.first == "png" {
  exit(PNGContender.run(Array(words.dropFirst())))
}
if words.first == "apng" {
  exit(APNGContender.run(Array(words.dropFirst())))
}
if names.first == "priors" {
  PriorCommand.run()
  exit(0)
}
let wanted = groups.filter { group in
  names.contains { $0 == "all" || $0 == group.name || group.name.hasPrefix("\($0)-") }
}
guard !wanted.isEmpty, options.isSubset(of: ["--json", "--smoke"]) else {
  let text = usage + "\n"
  write(STDERR_FILENO, text, text.utf8.count)
  exit(2)
}
let effort = options.contains("--smoke") ? Effort.smoke : .full
let section = Section(figures: wanted.flatMap { $0.figures(effort) })
let report = Report(machine: .current(program: "Benchmarks"), sections: [section])
if let reportFile {
  guard let file = fopen(reportFile, "w") else {
    perror(reportFile)
    exit(1)
  }
  fwrite(report.json, 1, report.json.count, file)
  fclose(file)
}
if options.contains("--json"), reportFile == nil {
  print(String(decoding: report.json, as: UTF8.self), terminator: "")
} else {
  print(ReportTable(section).text)
}
