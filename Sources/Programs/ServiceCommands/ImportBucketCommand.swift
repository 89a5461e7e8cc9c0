import SharedStorage
import Commands
import DrawingServices
import Glibc
import JSON
import Journal
import Storage
import Threads

/// `pkd import-bucket`: draws the pictures of recordings that other programs stored in a bucket.
let importBucketCommand = CommandDefinition(
  name: ServiceWord.importBucket.rawValue,
  summary: ServiceWord.importBucket.summary,
  operands: "BUCKET",
  operandCount: 1...1,
  options: [
    Option(
      "root", value: "DIR",
      help: "Also make documents, in the service of this folder; it has the settings, too."),
    Option(
      "documents", value: "URL", help: "Documents in PostgreSQL: postgres://USER@HOST/DATABASE."),
    Option(
      "thumbnail-size", value: "N",
      help: "The longer side of thumbnails in pixels; 256 unless given or set."),
    Option(
      "image-scale", value: "X",
      help: "The scale of images in pixels per point; 2 unless given or set."),
    .force("Draw pictures again that are there already."),
    .json,
  ],
  examples: [
    (
      "pkd import-bucket 's3://app.example.com?region=eu-west-1'",
      "Adds image.png and thumbnail.png to users/UID/drawings/ID/recording.pkd."
    ),
    (
      "pkd import-bucket 's3://app?endpoint=https://…' --root ink",
      "Makes it a service, too: 'pkd serve --root ink --blobs s3://app…'."
    ),
    ("pkd import-bucket ./copy", "The same for a folder."),
  ]
) { arguments, console in
  do {
    let result = try importBucket(arguments, &console)
    if arguments.has(Option.json.name) {
      try console.print { result.write(to: &$0) }
    } else {
      try console.print(result.line)
    }
  } catch {
    guard let code = storeExitCode(of: error) else { throw error }
    if code == .usage { throw importBucketCommand.error("\(error)") }
    console.fail("\(error)", code)
  }
}

private func importBucket(
  _ arguments: Arguments, _ console: inout Console
) throws -> PictureImport.Result {
  var options = PictureImport.Options()
  options.replacesPictures = arguments.has("force")
  options.threads =
    arguments.whole(Option.threads.name) ?? Lanes.available
  options.writesDocuments = arguments.has(Option.root.name) || arguments.has(Option.documents.name)
  let environment = try bucketEnvironment(arguments, writesDocuments: options.writesDocuments)
  for path in try Upkeep.unreachableFolders(in: environment) {
    console.fail("\(path.printable): \(Upkeep.unreachableProblem(path))", .badData)
  }
  Interruption.watch()
  var failures: [(path: String, error: any Error)] = []
  var last = time(nil)
  let result = try PictureImport(environment, options).run {
    failures.append(($0, $1))
  } progress: { result in
    for failure in failures {
      console.fail(
        "\(failure.path.printable): \(failure.error)", storeExitCode(of: failure.error) ?? .failed)
    }
    failures = []
    if time(nil) - last >= 2 {
      last = time(nil)
      if !arguments.has(Option.json.name) { console.note("so far: \(result.line)") }
    }
    return Interruption.isRequested
  }
  if Interruption.isRequested { console.raise(.interrupted) }
  return result
}

/// The bucket as a service, with the settings of the options.
private func bucketEnvironment(
  _ arguments: Arguments, writesDocuments: Bool
) throws -> ServiceEnvironment {
  let address = arguments.operands[0].description
  var environment: ServiceEnvironment
  if writesDocuments {
    let isBucket = address.hasPrefix("s3://")
    let root = arguments.options[Option.root.name]
    guard isBucket || root == nil else {
      throw importBucketCommand.error("'pkd store adopt' makes a service of a folder")
    }
    let place: ServicePlace
    do throws(ServicePlaceError) {
      place = try ServicePlace(text: isBucket ? root ?? "pentimento-data" : address)
        .with(documents: arguments.options[Option.documents.name], blobs: isBucket ? address : nil)
    } catch {
      throw importBucketCommand.error("\(error)")
    }
    environment = try place.open(.journal, for: .creating)
  } else {
    environment = ServiceEnvironment(
      .journal, documents: InMemoryDocumentStore(), blobs: try SharedBlobs.open(address),
      now: { LocalService.systemTime() }, newID: { LocalService.randomName() })
  }
  for name in ["thumbnail-size", "image-scale"] {
    guard let text = arguments.options[name],
      let setting = environment.application.settings.first(where: { $0.name == name })
    else { continue }
    try setting.put(setting.value(fromText: text), into: &environment.settings)
  }
  return environment
}

extension PictureImport.Result {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("drawings", drawings)
      json.field("pictures", pictures)
      json.field("documents", documents)
      json.field("complete", complete)
      json.field("failed", failed)
    }
  }

  fileprivate var line: String {
    "\(drawings.counting("drawing")): \(pictures.counting("picture")) drawn,"
      + " \(documents.counting("document")) written, \(complete) had all, \(failed) failed"
  }
}
