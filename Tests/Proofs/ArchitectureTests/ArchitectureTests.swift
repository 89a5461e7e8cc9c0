import Foundation
import TestSupport
import Testing

/// A row of the table in `Package.swift`.
private struct Module {
  let name: String
  let imports: Set<String>
  /// The folder of its files.
  let place: String?
  /// The folder of its Swift sources; nil for C, tests and libraries of the system.
  let folder: String?

  /// All rows of the table.
  static let all: [Module] = {
    guard let text = try? ArchitectureTests.text("Package.swift") else { return [] }
    let row =
      /Module\(\s*"([\w-]+)"(?:,\s*\[([^\]]*)\])?(?:,\s*\.(\w+)(?:\((?:path: "([^"]+)")?[^)]*\))?)?/
    // Each entry begins with its name on a line of its own.
    return text.matches(of: /(?m)^    "([\w\/.]+)",\n((?:      .*\n|    \[\n)*)/).flatMap {
      folder in
      folder.output.2.matches(of: row).map { match in
        let (_, name, imports, kind, path) = match.output
        let names = (imports ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }
        let isSwift = kind == nil || kind == "program"
        let place = path.map(String.init) ?? "\(folder.output.1)/\(name)"
        return Module(
          name: String(name), imports: Set(names), place: place, folder: isSwift ? place : nil)
      }
    }
  }()

  static let swift = all.filter { $0.folder != nil }
}

/// The modules of the system that our modules import, besides those in `Package.swift`. A new line
/// is a decision about the architecture, so `docs/architecture.md` gives its reason.
private let systemImports: [String: Set<String>] = [
  "Threads": ["Glibc", "Synchronization"], "System": ["Glibc"], "InkFiles": ["Glibc"],
  // Clocks, and properties of the machine.
  "Measurement": ["Glibc"],
  "Rasterization": ["Synchronization"], "PNGFormat": ["Synchronization"],
  "Storage": ["Glibc"], "DrawingServices": ["Glibc"],
  "Commands": ["Glibc", "Synchronization"],
  "HTTPServing": ["Glibc", "Synchronization"], "DrawingServer": ["Glibc"],
  "ServiceCommands": ["Glibc"], "Sync": ["Glibc"],
  // Files with credentials, and pauses between attempts.
  "SharedStorage": ["Glibc"],
  // For apps, which use Foundation anyway.
  "PentimentoClient": ["Foundation", "FoundationNetworking"],
  // Types in its interface.
  "PencilKit": ["Foundation"],
  "SampleDrawings": ["Glibc"], "PictureSheets": ["Glibc"], "Benchmarks": ["Glibc"],
]

/// Folders and files that may use unsafe pointers, with the reason for each. All others may not.
private let placesWithPointers = [
  "Sources/System/System/",  // passes memory to read and write
  "Sources/System/Threads/",  // arguments of threads, and their mutexes
  "Sources/System/Checksums/",  // passes memory to C
  "Sources/Engine/Graphics/",  // memory for pixels
  "Sources/Engine/Strokes/Paths/",  // columns of numbers, walked several times
  "Sources/Engine/Strokes/Drawings/Identifier.swift",  // the bytes of a literal
  "Sources/Engine/Rasterization/",  // memory that kernels read and write
  "Sources/Formats/Animation/",  // frames, and bytes of giflib and libwebp
  "Sources/Formats/Compression/",  // loads eight bytes at a time, and copies matches wide
  "Sources/Formats/ForeignInk/",  // text and records in megabytes, and memory of libraries
  "Sources/Formats/JSON/",  // text, its bounds checked for each token
  "Sources/Formats/PKDFormat/",  // codes and columns, their bounds checked once per round
  "Sources/Formats/PNGFormat/",  // memory that kernels and libpng read and write
  "Sources/Formats/Pictures/",  // finished bytes of the encoder
  "Sources/Formats/PencilKitArchive/",  // loads and stores within checked sizes
  "Sources/Formats/VectorExport/OpacityPNG.swift",  // passes memory to a checksum
  "Sources/Formats/XML/",  // memory from expat
  "Sources/Service/SharedStorage/S3/ObjectXML.swift",  // text from expat
  "Sources/Service/SharedStorage/Postgres/",  // memory for and from libpq
  "Sources/Service/Storage/",  // memory for and from SQLite and the system
  "Sources/Server/DrawingServer/ServerProblem.swift",  // passes memory to read
  "Sources/Server/HTTPServing/",  // memory of the library, and addresses of sockets
  "Sources/Server/WebClient/",  // pieces of answers in the library's memory
  "Sources/Web/WebEngine/",  // memory that a page reads and writes
  "Sources/Clients/CInterface/",  // memory of a program in C
  "Sources/Clients/PencilKit/",  // pointers in the interfaces of CoreGraphics and UIKit
  "Sources/Programs/Commands/",  // arguments, rows of pixels, and memory to read into
]

struct ArchitectureTests {
  static let folders = Module.swift.compactMap(\.folder).sorted()

  static func swiftFiles(in folder: String) throws -> [String] {
    let root = Corpus.project.appendingPathComponent(folder)
    let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: Corpus.project.appendingPathComponent(path), encoding: .utf8)
  }

  private static func mayImport(_ line: Substring) -> Bool {
    let words = line.drop { $0.isWhitespace }
    return ["import ", "public import ", "package import ", "internal import ", "@"]
      .contains { words.hasPrefix($0) }
  }

  @Test(arguments: Module.swift.map(\.name))
  func `a module imports only what Package.swift gives it`(_ name: String) throws {
    let module = try #require(Module.swift.first { $0.name == name })
    let allowed = module.imports.union(systemImports[name] ?? [])
    let files = try Self.swiftFiles(in: #require(module.folder))
    #expect(!files.isEmpty)
    var used: Set<String> = []
    for file in files {
      // Only a few lines can be imports: matching all lines would take longer than all other tests
      // here.
      for line in try Self.text(file).split(separator: "\n") where Self.mayImport(line) {
        let match = line.firstMatch(
          of: /^\s*(?:@\w+ )*(?:public |package |internal )?import (?:\w+ )??(\w+)/)
        guard let name = match?.output.1 else { continue }
        used.insert(String(name))
        #expect(allowed.contains(String(name)), "\(file) imports \(name)")
      }
    }
    #expect(used.isSuperset(of: allowed), "\(allowed.subtracting(used)) is never imported")
  }

  /// The modules that are also compiled for web pages. They read bytes and draw, and do not call
  /// the system.
  private static let portable = [
    "Calendar", "Checksums", "Compression", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat",
    "Rasterization", "Replay", "VectorExport", "WebEngine",
  ]
  /// Modules that pages contain in part, with the files of that part.
  private static let partlyPortable = [
    "JSON": ["Base64.swift"], "XML": ["XMLText.swift"],
    "PNGFormat": [
      "Deflate", "Tokens/ByteSet.swift", "Tokens/PartTokens.swift", "Encoding/ByteBuffer.swift",
    ],
  ]

  private static func folder(of name: String) throws -> String {
    try #require(Module.swift.first { $0.name == name }?.folder)
  }

  private static func coreFiles() throws -> [String] {
    let parts = try partlyPortable.flatMap { name, parts in
      let folder = try folder(of: name)
      return try swiftFiles(in: folder).filter { file in
        parts.contains { file.hasPrefix("\(folder)/\($0)") }
      }
    }
    return try portable.flatMap { try swiftFiles(in: folder(of: $0)) } + parts
  }

  @Test func `portable modules import only portable modules, and all are compiled for pages`()
    throws
  {
    let script = try Self.text("Sources/Web/WebEngine/build")
    let lists = script.matches(of: /(?m)^ *modules\+?=\(([^)]*)\)/).map(\.output.1)
    // The player contains the modules of the first list, and pages contain all. Pages have their
    // own kind of threads.
    #expect(
      Set(lists.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) })
        == Set(Self.portable + ["Threads"] + Self.partlyPortable.keys))
    for name in Self.portable {
      let module = try #require(Module.swift.first { $0.name == name })
      for other in module.imports where Module.swift.contains(where: { $0.name == other }) {
        #expect(
          Self.portable.contains(other) || Self.partlyPortable[other] != nil || other == "Threads",
          "\(name) imports \(other)")
      }
      #expect((systemImports[name] ?? []).isSubset(of: ["Synchronization"]), "\(name)")
    }
  }

  @Test func `the core calls the system only through leaf modules, and suits Embedded Swift`()
    throws
  {
    // Code that Embedded Swift does not support, and imports of the system.
    let refused: [(what: String, pattern: Regex<Substring>)] = [
      ("import of a system", /(?m)^\s*(?:public |package )?import (?:Glibc|Foundation|Dispatch)\b/),
      ("key path as a function", /\(\\\.\w|: \\\.\w/),
      ("untyped throws", /\)\s*throws\s*(?:->|\{|$)/),
      ("existential", /\bany [A-Z]\w+/),
      ("dictionary with merged keys", /uniquingKeysWith/),
    ]
    let files = try Self.coreFiles()
    #expect(files.count > 100)
    for file in files {
      for line in try Self.text(file).split(separator: "\n") where !line.contains("//") {
        for (what, pattern) in refused {
          #expect(line.firstMatch(of: pattern) == nil, "\(what) in \(file): \(line)")
        }
      }
    }
  }

  @Test func `every folder of sources has its line in Package.swift`() throws {
    #expect(Module.swift.count > 14)
    let sources = Corpus.project.appendingPathComponent("Sources")
    for group in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
      let folder = sources.appendingPathComponent(group)
      // The packages for Python and Node, and the elements for drawing, have no Swift sources; a
      // script compiles the program that orders the engines' functions.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where !["Python", "Package", "Canvas", "EngineOrder"].contains(name) {
        #expect(Module.all.contains { $0.name == name }, "Sources/\(group)/\(name)")
      }
    }
  }

  @Test func `no module has a meaningless name such as Utilities`() {
    for folder in Self.folders {
      for name in ["Common", "Utils", "Utilities", "Core", "Helpers", "Shared"] {
        #expect(!folder.hasSuffix("/" + name))
      }
    }
  }

  @Test func `no module shares its name with a type in it`() throws {
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      let name = try #require(folder.split(separator: "/").last)
      let declaration = try Regex(
        "(?m)^\\s*public (?:final )?(?:struct|enum|class|actor|protocol) \(name)\\b")
      for file in try Self.swiftFiles(in: folder) {
        #expect(try Self.text(file).firstMatch(of: declaration) == nil, "\(file)")
      }
    }
  }

  @Test(arguments: Module.swift.filter { $0.folder?.hasPrefix("Sources/") == true }.map(\.name))
  func `the architecture page has a row for every module`(_ name: String) throws {
    let lines = try Self.text("docs/architecture.md").split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("| `\(name)` |") }, "no row for \(name)")
  }

  /// From the lowest to the highest folder.
  private static let order = [
    "System", "Engine", "Formats", "Service", "Server", "Web", "Clients", "Programs",
  ]
  /// Modules that import a module of a higher folder, with the reason.
  private static let asides: Set<String> = [
    "SharedStorage", "Sync",  // speak HTTP, as clients
    "DrawingServer",  // serves the pages
  ]

  @Test func `folders import only folders below them`() throws {
    #expect(
      try Set(
        FileManager.default.contentsOfDirectory(
          atPath: Corpus.project.appendingPathComponent("Sources").path)) == Set(Self.order))
    let places = Dictionary(
      uniqueKeysWithValues: Module.all.compactMap { module -> (String, Int)? in
        let parts = (module.place ?? "").split(separator: "/").map(String.init)
        guard parts.count == 3, parts[0] == "Sources" else { return nil }
        return Self.order.firstIndex(of: parts[1]).map { (module.name, $0) }
      })
    #expect(places.count > 50)
    for module in Module.all where !Self.asides.contains(module.name) {
      guard let own = places[module.name] else { continue }
      for other in module.imports {
        #expect(places[other].map { $0 <= own } == true, "\(module.name) imports \(other)")
      }
    }
  }

  @Test func `only the listed folders and files use unsafe pointers`() throws {
    let words = [
      "Unsafe", "withUnsafe", "unsafeUninitialized", "unsafeBitCast", "withUTF8Buffer",
      "unsafeArgv",
    ]
    var used: Set<String> = []
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      for file in try Self.swiftFiles(in: folder) {
        let text = try Self.text(file)
        guard let word = words.first(where: text.contains) else { continue }
        let place = placesWithPointers.first { file.hasPrefix($0) }
        #expect(place != nil, "\(file) uses \(word)")
        if let place { used.insert(place) }
      }
    }
    #expect(used == Set(placesWithPointers))
  }

  @Test func `no source file has a try! or a fatalError`() throws {
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      for file in try Self.swiftFiles(in: folder) {
        let text = try Self.text(file)
        #expect(!text.contains("try!"), "\(file)")
        #expect(!text.contains("fatalError("), "\(file)")
      }
    }
  }

  @Test func `rounded numbers are converted to integers only by clamping`() throws {
    // A plain conversion traps if the number is out of range. Only a call of `rounded` shows in the
    // text that a number is a float; other conversions cannot be found in this way.
    let conversion = /\bU?Int(?:8|16|32|64)?\((?!clamping:)[^\n]*\.rounded\(/
    let exceptions: Set<String> = [
      "Sources/Formats/PKDFormat/Coding/PriorTraining.swift",  // counts of a program for developers
      "Sources/Formats/PNGFormat/Encoding/ICCProfile.swift",  // constants
    ]
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      for file in try Self.swiftFiles(in: folder)
      where !exceptions.contains(file) {
        #expect(try Self.text(file).firstMatch(of: conversion) == nil, "\(file)")
      }
    }
  }

  @Test func `the top level has only the listed files and folders`() throws {
    let listed: Set<String> = [
      "Package.swift", "Sources", "Tests", "Samples", "Benchmarks", "docs", "README.md", "LICENSE",
    ]
    let found = try FileManager.default.contentsOfDirectory(atPath: Corpus.project.path)
    for name in found where !name.hasPrefix(".") {
      #expect(listed.contains(name), "\(name)")
    }
  }
}
