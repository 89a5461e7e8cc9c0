import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

struct PathTests {
  /// Whether a body refuses a path.
  private static func isRefused<Result>(_ body: () throws -> Result) -> Bool {
    guard case .badPath = problem(body) else { return false }
    return true
  }

  @Test func `names in paths begin with a letter or digit and have plain characters`()
    throws
  {
    let longest = String(repeating: "a", count: 128)
    for name in ["a", "Z", "0", "a.b", "a-b", "a_b", "a..", "0--", "CON", longest] {
      try StorageName.check(name)
      try StorageName.check(name[...])
    }
    for name in badNames {
      #expect(Self.isRefused { try StorageName.check(name) }, "'\(name.prefix(40))'")
    }
    // Every byte, alone and after a letter.
    for byte in UInt8(0)..<128 {
      let letter = String(UnicodeScalar(byte))
      let isName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8
        .contains(byte)
      #expect(Self.isRefused { try StorageName.check(letter) } == !isName)
      let isInner = isName || ".-_".utf8.contains(byte)
      #expect(Self.isRefused { try StorageName.check("a" + letter) } == !isInner)
      #expect(Self.isRefused { try StorageName.check("a" + letter + "a") } == !isInner)
    }
  }

  @Test func `invalid names are refused at every position of every path`() throws {
    for name in badNames where !name.contains("/") {
      let label = "'\(name.prefix(40))'"
      for path in [name, "\(name)/b/c", "a/\(name)/c", "a/b/\(name)"] {
        #expect(Self.isRefused { try CollectionPath(path) }, "\(label)")
      }
      for path in ["\(name)/b", "a/\(name)", "a/b/\(name)/d", "a/b/c/\(name)"] {
        #expect(Self.isRefused { try DocumentPath(path) }, "\(label)")
        #expect(Self.isRefused { try BlobPath(path) }, "\(label)")
        #expect(Self.isRefused { try BlobFolder(path) }, "\(label)")
      }
      #expect(Self.isRefused { try CollectionPath("a").document(name) }, "\(label)")
      #expect(Self.isRefused { try DocumentPath("a/b").collection(name) }, "\(label)")
      #expect(Self.isRefused { try BlobFolder("a").blob(name) }, "\(label)")
    }
    // Names with slashes are invalid.
    #expect(Self.isRefused { try CollectionPath("a").document("b/c") })
    #expect(Self.isRefused { try DocumentPath("a/b").collection("c/d") })
    #expect(Self.isRefused { try DocumentPath("a/b").collection("c/d/e") })
    #expect(Self.isRefused { try BlobFolder("a").blob("b/c") })
  }

  @Test func `a slash with a combining mark still separates names`() {
    // As characters, each of these marks combines with the slash before it.
    for mark in ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20E3}", "\u{338}"] {
      for path in ["users/\(mark)ann", "users\(mark)/ann", "a/b/c/\(mark)d", "a/\(mark)b/c/d"] {
        #expect(Self.isRefused { try DocumentPath(path) })
        #expect(Self.isRefused { try BlobPath(path) })
        #expect(Self.isRefused { try BlobFolder(path) })
        #expect(Self.isRefused { try CollectionPath("a/" + path) })
      }
    }
  }

  @Test func `collections have an odd number of names, documents an even one`() throws {
    let names = (0..<20).map { "n\($0)" }
    for count in 0...20 {
      let path = names.prefix(count).joined(separator: "/")
      #expect(Self.isRefused { try CollectionPath(path) } == !(count % 2 == 1 && count <= 15))
      #expect(Self.isRefused { try DocumentPath(path) } == !(count % 2 == 0 && 2...16 ~= count))
      #expect(Self.isRefused { try BlobFolder(path) } == !(1...15 ~= count))
      #expect(Self.isRefused { try BlobPath(path) } == !(2...16 ~= count))
    }
    for path in ["/", "//", "/a", "a/", "a//b", "/a/b", "a/b/", "a//b/c", "a/b//c/d"] {
      #expect(Self.isRefused { try CollectionPath(path) })
      #expect(Self.isRefused { try DocumentPath(path) })
      #expect(Self.isRefused { try BlobFolder(path) })
      #expect(Self.isRefused { try BlobPath(path) })
    }
  }

  @Test func `paths give their parts and are built from them`() throws {
    let collection = try CollectionPath("users/ann/notes")
    let document = try collection.document("n1")
    #expect(collection.name == "notes" && collection.description == "users/ann/notes")
    #expect(document.description == "users/ann/notes/n1")
    #expect(document.collection == collection && document.id == "n1")
    #expect(try DocumentPath("users/ann/notes/n1") == document)
    #expect(try document.collection("lines").description == "users/ann/notes/n1/lines")
    let blob = try BlobPath("users/ann/image.png")
    #expect(blob.folder.description == "users/ann" && blob.name == "image.png")
    #expect(blob.folder.names == ["users", "ann"])
    #expect(try BlobFolder("users/ann").blob("image.png") == blob)
    #expect(blob.description == "users/ann/image.png")
    #expect(throws: StorageError.self) {
      try DocumentPath("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p").collection("q")
    }
  }

  @Test func `paths are sorted by bytes, blobs and folders name by name`() throws {
    let folders = ["a", "a/b", "a/b/c", "a/b-c", "a/b.c", "a/b0", "a-b", "b"]
    for (index, path) in folders.enumerated() {
      for (otherIndex, other) in folders.enumerated() {
        let (a, b) = (try BlobFolder(path), try BlobFolder(other))
        #expect((a < b) == (index < otherIndex), "\(path) and \(other)")
        let (x, y) = (try BlobPath("\(path)/y"), try BlobPath("\(other)/x"))
        #expect((x < y) == (index < otherIndex))
      }
    }
    #expect(try BlobPath("a/B") < BlobPath("a/b") && BlobPath("a/1") < BlobPath("a/10"))
    #expect(try CollectionPath("a-b") < CollectionPath("a/b/c"), "byte by byte")
    #expect(
      try DocumentPath("a/b") < DocumentPath("a/c") && DocumentPath("a/c") < DocumentPath("b/a"))
    #expect(try !(DocumentPath("a/b") < DocumentPath("a/b")))
  }

  @Test func `storage errors show paths shortened and without control characters`() {
    let bad = "\u{1B}[31mé\n" + String(repeating: "x", count: 1000)
    do throws(StorageError) {
      _ = try CollectionPath(bad)
    } catch {
      #expect(error.subject.utf8.count <= 80 && error.subject.utf8.allSatisfy { 32...126 ~= $0 })
      #expect(error.description.hasPrefix("'?[31m???xxx"))
    }
  }

  @Test func `every storage error is one plain sentence`() {
    let problems: [(StorageError.Problem, String)] = [
      (.badPath("it is empty"), "'x' cannot be a name: it is empty"),
      (.badValue("not a finite number"), "x: not a finite number"),
      (.notFound, "x: not found"), (.alreadyExists, "x: already exists"),
      (.tooLarge(limit: 7), "x: larger than 7 bytes"), (.damaged("why"), "x: damaged: why"),
      (.locked, "x: locked by another program"), (.full, "x: no space is left on the disk"),
      (.readOnly, "x: cannot be written to"),
      (.newerVersion(9), "x: written by a newer program (version 9)"),
      (.system(5), "x: Input/output error"),
      (.database("reason"), "x: reason"),
    ]
    for (problem, text) in problems { #expect(StorageError(problem, "x").description == text) }
    for (code, problem): (Int32, StorageError.Problem) in [
      (28, .full), (122, .full), (30, .readOnly), (13, .readOnly), (1, .readOnly), (2, .notFound),
      (5, .system(5)), (24, .system(24)),
    ] {
      #expect(StorageError(code: code, "x").problem == problem)
    }
  }

  @Test func `moments are counted in microseconds`() {
    let moment = Moment(seconds: 3)
    #expect(moment.microseconds == 3_000_000)
    #expect(moment + 2 == Moment(seconds: 5) && moment - 4 == Moment(seconds: -1))
    #expect(Moment(microseconds: -1) < Moment(seconds: 0))
    #expect(Moment.supported.lowerBound == Moment(seconds: -62_167_219_200))
    #expect(Moment.supported.upperBound < Moment(seconds: 253_402_300_800))
  }
}
