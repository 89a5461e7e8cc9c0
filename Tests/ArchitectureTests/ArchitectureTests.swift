import Foundation
import TestSupport
import Testing

/// A row of the table in `Package.swift`.
private struct Module {
  let name: String
  let imports: Set<String>
  /// Where its files lie.
  let place: String?
  /// Where its Swift sources lie; nil for C, tests and libraries of the system.
  let folder: String?

  /// All rows of the table.
  static let all: [Module] = {
    guard let text = try? ArchitectureTests.text("Package.swift") else { return [] }
    let row =
      /Module\(\s*"([\w-]+)"(?:,\s*\[([^\]]*)\])?(?:,\s*\.(\w+)(?:\((?:path: "([^"]+)")?[^)]*\))?)?/
    // Each folder begins with its name on a line of its own.
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

/// The modules of the system that our modules import, besides those in `Package.swift`. A new line is a
/// decision about the architecture, so `docs/architecture.md` gives its reason.
private let systemImports: [String: Set<String>] = [
  "Threads": ["Glibc", "Synchronization"], "Files": ["Glibc"], "PKDFiles": ["Glibc"],
  // Child processes, clocks and facts about the machine.
  "Processes": ["Glibc"], "Measurement": ["Glibc"],
  "Rasterization": ["Synchronization"], "PNGFormat": ["Synchronization"],
  "Storage": ["Glibc"], "PostgresStorage": ["Glibc"], "DrawingServices": ["Glibc"],
  "Commands": ["Glibc", "Synchronization"],
  "HTTPServing": ["Glibc", "Synchronization"], "DrawingServer": ["Glibc"],
  "pkd-server": ["Glibc"], "pkd-sync": ["Glibc"], "Sync": ["Glibc"],
  // Whether an address is one.
  "ServerConfiguration": ["Glibc"],
  // Files of credentials, and pauses between attempts.
  "ObjectStorage": ["Glibc"],
  // For apps, whose other libraries stand on it.
  "PentimentoClient": ["Foundation", "FoundationNetworking"],
  // The types of its interface.
  "PencilKit": ["Foundation"],
  "SampleDrawings": ["Glibc"], "PictureSheets": ["Glibc"], "Benchmarks": ["Glibc"],
]

/// Files that may use unsafe pointers, with the reason for each.
private let filesWithPointers: Set<String> = [
  "Sources/Engine/Rasterization/LinePainter.swift",  // rows of coverages that kernels write
  "Sources/Formats/VectorExport/OpacityPNG.swift",  // passes memory to a checksum
  "Sources/Formats/Compression/ZipArchive.swift",  // passes memory to a checksum
  "Sources/Service/ObjectStorage/ObjectXML.swift",  // text that expat passes
  "Sources/Formats/XML/XMLReader.swift",  // what expat passes, and the state of its calls
  "Sources/Programs/Commands/TarArchive.swift",  // the finished bytes of a picture
  "Sources/Programs/Commands/Pictures/PictureForm.swift",  // rows of pixels, converted in place
  "Sources/Programs/Commands/Pictures/LineBlocks.swift",  // passes memory to read
  "Sources/Programs/Commands/Pictures/LinePictures.swift",  // finds lines in megabytes of text
  "Sources/Programs/Commands/Pictures/ThumbnailPainter.swift",  // points, and finished bytes
  "Sources/Engine/Strokes/Paths/PointColumns.swift",  // the bits of a vector of numbers
  "Sources/Engine/Strokes/Paths/PieceFit.swift",  // columns of samples, walked several times
  "Sources/Engine/Strokes/Paths/FitSamples.swift",  // the same columns
  "Sources/Engine/Strokes/Paths/SplineEquations.swift",  // rows of equations, solved in place
  "Sources/Formats/Interchange/Importing/TextScanner.swift",  // text, its bounds checked for each token
  "Sources/Formats/Interchange/Importing/NumberText.swift",  // the same
  "Sources/Formats/Interchange/Importing/Importers/IAMOnDB.swift",  // text that expat passes
  "Sources/Formats/Interchange/Importing/Importers/InkML/InkMLDocument.swift",  // the same
  "Sources/Formats/Interchange/Importing/Importers/InkML/OfficeDocument.swift",  // the same
  "Sources/Formats/Interchange/Importing/Importers/Xournal/XournalStroke.swift",  // the same
  "Sources/Formats/Interchange/Importing/Importers/Xournal/XournalDocument.swift",  // the same
  "Sources/Formats/Interchange/Importing/Importers/QuickDraw.swift",  // finds lines in megabytes of text
  "Sources/Formats/Interchange/Importing/Importers/Omniglot.swift",  // the same
  "Sources/Formats/Interchange/QuickDraw/QuickDrawLine.swift",  // the text of a line
  "Sources/Formats/Interchange/Columns/InkCollection.swift",  // finds lines in gigabytes of text
  "Sources/Formats/Interchange/Columns/QuickDraw+Columns.swift",  // the text of lines, and records
  "Sources/Formats/Interchange/Columns/Omniglot+Columns.swift",  // the text of a drawing
  "Sources/Formats/Interchange/Columns/InkML+Columns.swift",  // the same
  "Sources/Formats/Interchange/Importing/AppleNotes/DatabaseImage.swift",  // words of a log's checksum
  "Sources/Formats/Interchange/Importing/AppleNotes/ImageReader.swift",  // memory of and for SQLite
  "Sources/Formats/Interchange/Exporting/Gzip.swift",  // passes memory to zlib
  "Sources/Formats/JSON/DecimalNumber.swift",  // bytes of text, bounds checked for each digit
  "Sources/Formats/JSON/Base64.swift",  // writes into bytes that were never initialized
  "Sources/Formats/JSON/JSONReader.swift",  // passes text to the reader of numbers
  "Sources/Formats/PNGFormat/Deflate/ZlibStream.swift",  // bytes that kernels read
  "Sources/Formats/PNGFormat/Encoding/GreyEncoder.swift",  // rows of a picture
  "Sources/Formats/PencilKitArchive/PointRecords.swift",  // loads and stores within checked sizes
  "Sources/Formats/PencilKitArchive/WireWriter.swift",  // the buffer into which point records are stored
  "Sources/Formats/Compression/BitInput.swift",  // loads eight bytes at a time, far from the end
  "Sources/Formats/Compression/Inflate.swift",  // checks bounds once per symbol, and copies matches wide
  "Sources/Formats/Compression/Frame.swift",  // passes memory to checksums
  "Sources/Engine/Strokes/Drawings/Identifier.swift",  // the bytes of a literal
  "Sources/Formats/PKDFormat/Coding/SegmentDecoder.swift",  // checks bounds once per round
  "Sources/Formats/PKDFormat/Coding/SegmentEncoder.swift",  // words as bytes
  "Sources/Formats/PKDFormat/Coding/PriorTables.swift",  // its tables
  "Sources/Formats/PKDFormat/Points/PointBuilder.swift",  // fills columns that were never initialized
  "Sources/Formats/PKDFormat/Points/PlainPoints.swift",  // loads values at any alignment
  "Sources/Formats/PKDFormat/Points/ValueSteps.swift",  // the range of an array with a column
  "Sources/Formats/PKDFormat/Points/GridSearch.swift",  // the same
  "Sources/Formats/PKDFormat/Points/PathNumbers.swift",  // the same
  "Sources/Formats/PKDFormat/Points/ValuePredictor.swift",  // the same
  "Sources/Formats/PKDFormat/Profile.swift",  // the same
  "Sources/Formats/PKDFormat/Strokes/StrokeRecord.swift",  // whether two columns share their memory
  "Sources/Formats/PKDFormat/Container/Chunk.swift",  // the bytes of a literal
  "Sources/System/Checksums/Checksum.swift",  // passes memory to C
  "Sources/System/Checksums/CRC32.swift",  // the same
  "Sources/System/Checksums/ChecksumTables.swift",  // loads eight bytes at a time
  "Sources/System/Checksums/SHA256.swift",  // passes memory to C
  "Sources/System/Files/FileSystem.swift",  // passes memory to read and write
  "Sources/System/Files/OpenFile.swift",  // the same
  "Sources/Formats/PKDFormat/Journal/LivePoints.swift",  // stores points that were never initialized
  "Sources/Clients/CInterface/Errors.swift",  // structures of a program in C
  "Sources/Clients/CInterface/Block.swift",  // memory that is lent to it
  "Sources/Clients/CInterface/BytesExports.swift",  // addresses that it gets, and memory that it writes
  "Sources/Clients/CInterface/DrawingExports.swift",  // the same
  "Sources/Clients/CInterface/PictureExports.swift",  // the same, and rows of pixels
  "Sources/Clients/CInterface/FrameExports.swift",  // the same
  "Sources/Clients/CInterface/CollectionExports.swift",  // the same
  "Sources/Clients/CInterface/BatchExports.swift",  // the same
  "Sources/Clients/CInterface/BatchOptions.swift",  // its options
  "Sources/Clients/CInterface/LineBatch.swift",  // its columns, whose ends are checked
  "Sources/Clients/CInterface/TimeBins.swift",  // one of these columns
  "Sources/Clients/CInterface/BatchPainter.swift",  // pictures in its memory
  "Sources/Clients/CInterface/OpenCollection.swift",  // texts in its memory, and columns that are lent
  "Sources/Web/WebEngine/Exports.swift",  // memory that a page writes
  "Sources/Web/WebEngine/ViewExports.swift",  // the same
  "Sources/Web/WebEngine/PenExports.swift",  // the same
  "Sources/Web/WebEngine/SelectionExports.swift",  // the same
  "Sources/Web/WebEngine/WriteExports.swift",  // the same
  "Sources/Web/WebEngine/MergeExports.swift",  // the same
  "Sources/Web/WebEngine/Block.swift",  // memory at an address that a page reads
  "Sources/Engine/Graphics/Pixmap.swift",  // memory for pixels that the system sets to zero
  "Sources/Engine/Graphics/Band.swift",  // rows of such memory, and flags of its groups
  "Sources/Server/WebClient/WebTransfer.swift",  // pieces of answers that the library lends
  "Sources/System/Threads/Lanes.swift",  // the argument of a thread
  "Sources/System/Threads/ConditionMutex.swift",  // a pthread mutex
  "Sources/Engine/Rasterization/Column.swift",  // numbers that kernels and threads read
  "Sources/Engine/Rasterization/SampleSpace.swift",  // the kernels' memory
  "Sources/Engine/Rasterization/TileBins.swift",  // numbers that kernels and threads read
  "Sources/Engine/Rasterization/LayerTile.swift",  // the stored pixels of a tile
  "Sources/Engine/Rasterization/PaintedPage.swift",  // tiles that are copied into the picture
  "Sources/Engine/Rasterization/Reduction.swift",  // tiles that are averaged into the picture
  "Sources/Formats/Animation/PlainVideo.swift",  // rows of a picture, and the frame they are converted into
  "Sources/Engine/Graphics/GrowingMemory.swift",  // memory of kernels that must grow
  "Sources/Engine/Graphics/ColorPalette.swift",  // rows of a picture
  "Sources/Formats/Animation/GIFVideo.swift",  // bytes that giflib wrote
  "Sources/Formats/Animation/WebPVideo.swift",  // bytes that libwebp wrote
  "Sources/Engine/Rasterization/TilePainter.swift",  // pixels that kernels blend into
  "Sources/Engine/Rasterization/Renderer.swift",  // the same pixels
  "Sources/Engine/Rasterization/PictureSetup.swift",  // the same pixels
  "Sources/Engine/Rasterization/InkFields.swift",  // the memory of other kernels
  "Sources/Engine/Rasterization/Texture.swift",  // grain that kernels read
  "Sources/Engine/Rasterization/DeepTile.swift",  // pixels that are converted for a picture
  "Sources/Engine/Rasterization/MaskShape.swift",  // lists of coverages that kernels read
  "Sources/Formats/PNGFormat/Encoding/LibPNGEncoder.swift",  // rows and texts for libpng
  "Sources/Formats/PNGFormat/Decoding/PNGDecoder.swift",  // bytes for libpng, and its texts
  "Sources/Formats/PNGFormat/Encoding/PNGEncoder.swift",  // finished bytes for the caller
  "Sources/Formats/PNGFormat/Encoding/PictureWriter.swift",  // the kernels, and their palette
  "Sources/Formats/PNGFormat/PixelForms/FormChoice.swift",  // the same palette
  "Sources/Formats/PNGFormat/Tokens/BandTokenizer.swift",  // rows that kernels read and write
  "Sources/Formats/PNGFormat/PixelForms/RowPacker.swift",  // the same rows
  "Sources/Formats/PNGFormat/Frames/APNGEncoder.swift",  // the kernels' palette
  "Sources/Formats/PNGFormat/Frames/FrameCanvas.swift",  // pixels that kernels compare
  "Sources/Formats/PNGFormat/Frames/FrameTokenizer.swift",  // rows that kernels tokenize
  "Sources/Formats/PNGFormat/Frames/FrameColors.swift",  // pixels, four at a time
  "Sources/Formats/PNGFormat/Deflate/FixedCodes.swift",  // a table that kernels read
  "Sources/Formats/PNGFormat/Decoding/ChunkReader.swift",  // bytes that a kernel checks
  "Sources/Formats/PNGFormat/PixelForms/FormDecoder.swift",  // bytes that tokens encode
  "Sources/Formats/PNGFormat/Tokens/PartTokens.swift",  // tokens that kernels write
  "Sources/Formats/PNGFormat/EffortSearch/StretchParser.swift",  // the bytes that tokens encode
  "Sources/Formats/PNGFormat/EffortSearch/Thoroughness.swift",  // the same bytes, for the search
  "Sources/Formats/PNGFormat/EffortSearch/ParsedPiece.swift",  // steps, paths and tokens that kernels write
  "Sources/Formats/PNGFormat/EffortSearch/BlockSplit.swift",  // counts of symbols, updated in place
  "Sources/Formats/PNGFormat/EffortSearch/TokenCosts.swift",  // tables that kernels read
  "Sources/Formats/PNGFormat/Deflate/PrefixCode.swift",  // lengths and codes, computed within microseconds
  "Sources/Formats/PNGFormat/Deflate/DeflateBlock.swift",  // tables that kernels read
  "Sources/Formats/PNGFormat/Encoding/StreamWriter.swift",  // bytes that kernels write
  "Sources/Formats/PNGFormat/Encoding/ChunkWriter.swift",  // names of chunks as literals
  "Sources/Formats/PNGFormat/Encoding/ByteBuffer.swift",  // memory that kernels write into
  "Sources/Formats/PNGFormat/PixelForms/Unpremultiplying.swift",  // rows of a picture
  "Sources/Programs/Terminal/TerminalPainter.swift",  // rows of a picture
  "Sources/Clients/PencilKit/Drawings/StrokeNames.swift",  // the addresses of the strokes in two lists
  "Sources/Clients/PencilKit/StandIns/CGPath.swift",  // what CoreGraphics passes by pointers
  "Sources/Clients/PencilKit/StandIns/UIBezierPath.swift",  // the same of UIKit
  "Sources/Clients/PencilKit/StandIns/UIColor.swift",  // the same
  "Sources/Service/Storage/Documents/FieldCoding.swift",  // bytes of texts, and of fields
  "Sources/Service/Storage/SQLite/SQLiteConnection.swift",  // values that SQLite takes and returns
  "Sources/Service/PostgresStorage/PostgresAddress.swift",  // texts for libpq
  "Sources/Service/PostgresStorage/PostgresConnection.swift",  // values that libpq takes and returns
  "Sources/Service/Storage/Blobs/Folder.swift",  // passes memory to read and write
  "Sources/Service/DrawingServices/Upkeep/Backup.swift",  // passes memory to write
  "Sources/Server/HTTPServing/ClientAddress.swift",  // addresses of sockets
  "Sources/Server/HTTPServing/ListeningSocket.swift",  // the same
  "Sources/Server/HTTPServing/Exchange.swift",  // texts and bodies that the library reads
  "Sources/Server/HTTPServing/Response.swift",  // bodies and files that the library writes
  "Sources/Server/HTTPServing/EventStream.swift",  // the same
  "Sources/Server/HTTPServing/HTTPListener.swift",  // what the library calls us with
  "Sources/Server/DrawingServer/ServerProblem.swift",  // passes memory to read
  "Sources/Server/DrawingServer/ServerRun.swift",  // a text for the last write
  "Sources/Programs/Commands/SecondProgram.swift",  // passes words to exec
  "Sources/Programs/Commands/ServeCommand.swift",  // the words of a program
  "Sources/Programs/Commands/Console.swift",  // passes memory to read and write
  "Sources/Programs/Commands/Interruption.swift",  // a name that a signal handler may read
  "Sources/Programs/Commands/SystemString.swift",  // the arguments of the command line as C strings
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
      // Only few lines can import: the expression alone would take longer than all other tests here.
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

  /// The modules that are also compiled for web pages: they read bytes and draw, without any calls of the system.
  private static let portable = [
    "Calendar", "Checksums", "Compression", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat",
    "Rasterization", "Replay", "Frames", "VectorExport", "WebEngine",
  ]
  /// Modules of which pages have a part, and its files.
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

  @Test func `the portable modules are those that are compiled for pages, and import no others`()
    throws
  {
    let script = try Self.text("Sources/Web/WebEngine/build")
    let list = try #require(script.firstMatch(of: /(?m)^modules=\(([^)]*)\)/)).output.1
    // Pages have threads of their own kind.
    #expect(
      Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
        == Set(Self.portable + ["Threads"]))
    let parts = try #require(script.firstMatch(of: /(?m)^parts=\(([^)]*)\)/)).output.1
    #expect(Set(parts.split(separator: " ").map(String.init)) == Set(Self.partlyPortable.keys))
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
    // Code that Embedded Swift refuses, and imports of the system.
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
      // The package for Python has no sources of Swift.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where name != "Python" {
        #expect(Module.all.contains { $0.name == name }, "Sources/\(group)/\(name)")
      }
    }
  }

  @Test func `no module has a name without a meaning`() {
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

  /// From below to above.
  private static let order = [
    "System", "Engine", "Formats", "Service", "Server", "Web", "Clients", "Programs",
  ]
  /// Modules that import one of a folder above their own, with the reason.
  private static let asides: Set<String> = [
    "ObjectStorage", "SyncOverHTTP",  // speak HTTP, as clients
    "DrawingServer",  // serves the pages
  ]

  @Test func `folders import each other from below to above`() throws {
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

  @Test func `only the listed files use unsafe pointers`() throws {
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      for file in try Self.swiftFiles(in: folder) where !filesWithPointers.contains(file) {
        let text = try Self.text(file)
        for word in [
          "Unsafe", "withUnsafe", "unsafeUninitialized", "unsafeBitCast", "withUTF8Buffer",
          "unsafeArgv",
        ] {
          #expect(!text.contains(word), "\(file) uses \(word)")
        }
      }
    }
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
    // A plain conversion traps if the number does not fit. Rounding shows in the text that a number is a
    // float; other conversions cannot be found in this way.
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
