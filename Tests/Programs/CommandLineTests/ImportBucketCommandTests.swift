import Foundation
import TestSupport
import Testing

/// `pkd import-bucket` on a folder with the layout of an app's bucket.
struct ImportBucketCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) throws -> Program.Result {
    try Program.run("pkd", ["import-bucket"] + words, in: folder.url)
  }

  private func put(_ bytes: [UInt8], _ path: String) throws {
    let file = folder.file(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  private func bytes(_ path: String) -> [UInt8]? {
    (try? Data(contentsOf: folder.file(path))).map(Array.init)
  }

  @Test func `import-bucket adds missing pictures, and a second run does nothing`()
    throws
  {
    let sample = try Array(
      Data(contentsOf: Corpus.project.appendingPathComponent("Samples/mood.pkd")))
    try put(sample, "b/users/ann/drawings/d1/recording.pkd")
    try put(sample, "b/users/bob/drawings/d2/recording.pkd")
    try put([1, 2, 3], "b/users/bob/drawings/d2/image.png")
    try put(sample, "b/users/bob/elsewhere/d3/recording.pkd")
    let first = try run("b")
    #expect(first.code == 0, "\(first)")
    #expect(
      first.text == "2 drawings: 3 pictures drawn, 0 documents written, 0 had all, 0 failed\n")
    #expect(bytes("b/users/ann/drawings/d1/image.png")?.starts(with: [0x89, 0x50]) == true)
    #expect(bytes("b/users/ann/drawings/d1/thumbnail.png")?.starts(with: [0x89, 0x50]) == true)
    // Existing files stay, whatever their content.
    #expect(bytes("b/users/bob/drawings/d2/image.png") == [1, 2, 3])
    #expect(bytes("b/users/bob/elsewhere/d3/image.png") == nil)
    #expect(bytes("b/users/ann/drawings/d1/recording.pkd") == sample)
    let second = try run("b", "--json")
    #expect(
      second.text
        == #"{"drawings": 2, "pictures": 0, "documents": 0, "complete": 2, "failed": 0}"# + "\n")
    let forced = try run("b", "--force", "--thumbnail-size", "32")
    #expect(forced.text.contains("4 pictures drawn"), "\(forced)")
    #expect(bytes("b/users/bob/drawings/d2/image.png") != [1, 2, 3])
  }

  @Test func `import-bucket reports damaged recordings and invalid names`() throws {
    let sample = try Array(
      Data(contentsOf: Corpus.project.appendingPathComponent("Samples/mood.pkd")))
    try put(sample, "b/users/ann/drawings/good/recording.pkd")
    try put(Array(sample.prefix(1000)), "b/users/ann/drawings/cut/recording.pkd")
    try put([], "b/users/ann/drawings/empty/recording.pkd")
    try put(sample, "b/users/a@b.c/drawings/d/recording.pkd")
    try put(sample, "b/users/ann/drawings/sub/drawings/d9/recording.pkd")
    let result = try run("b")
    #expect(result.code == 65, "\(result)")
    #expect(
      result.text == "4 drawings: 2 pictures drawn, 0 documents written, 0 had all, 3 failed\n")
    for text in [
      "users/ann/drawings/cut: ", "users/ann/drawings/empty: ", "users/a@b.c: ",
      "users/ann/drawings/sub/drawings/d9: not the folder of a drawing",
    ] {
      #expect(result.errors.contains(text), "\(result.errors)")
    }
    #expect(bytes("b/users/ann/drawings/good/thumbnail.png") != nil)
    #expect(bytes("b/users/ann/drawings/cut/thumbnail.png") == nil)
  }

  @Test(arguments: [
    ([], "needs BUCKET"), (["nowhere"], "nowhere: not found"), (["b", "c"], "too many"),
    (["b", "--root", "s"], "pkd store adopt"), (["b", "--image-scale", "99"], "from 0.1 to 16"),
    (["b", "--thumbnail-size", "x"], "whole number"),
  ])
  func `import-bucket reports errors and writes nothing`(_ words: [String], _ reason: String)
    throws
  {
    try put([1], "b/users/ann/drawings/d/other")
    let result = try Program.run("pkd", ["import-bucket"] + words, in: folder.url)
    #expect([1, 2].contains(result.code) && result.errors.contains(reason), "\(result)")
    #expect(bytes("b/users/ann/drawings/d/image.png") == nil)
  }
}
