import Foundation
import TestSupport
import Testing

/// A row of the table in `Package.swift`.
private struct Module {
  let name: String
  let imports: Set<String>
  /// Where its Swift sources lie; nil for C, tests and libraries of the system.
  let folder: String?

  /// All rows of the table.
  static let all: [Module] = {
    guard let text = try? ArchitectureTests.text("Package.swift") else { return [] }
    let row =
      /Module\(\s*"([\w-]+)"(?:,\s*\[([^\]]*)\])?(?:,\s*\.(\w+)(?:\(path: "([^"]+)"[^)]*\))?)?/
    return text.matches(of: row).map { match in
      let (_, name, imports, kind, path) = match.output
      let names = (imports ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }
      let folder = path.map(String.init) ?? (kind == nil ? "Sources/\(name)" : nil)
      return Module(name: String(name), imports: Set(names), folder: folder)
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
  "Sources/Rasterization/LinePainter.swift",  // rows of coverages that kernels write
  "Sources/VectorExport/OpacityPNG.swift",  // passes memory to a checksum
  "Sources/Compression/ZipArchive.swift",  // passes memory to a checksum
  "Sources/ObjectStorage/ObjectXML.swift",  // text that expat passes
  "Sources/XML/XMLReader.swift",  // what expat passes, and the state of its calls
  "Sources/Commands/TarArchive.swift",  // the finished bytes of a picture
  "Sources/Commands/Pictures/PictureForm.swift",  // rows of pixels, converted in place
  "Sources/Commands/Pictures/LineBlocks.swift",  // passes memory to read
  "Sources/Commands/Pictures/LinePictures.swift",  // finds lines in megabytes of text
  "Sources/Commands/Pictures/ThumbnailPainter.swift",  // points, and finished bytes
  "Sources/Strokes/Paths/PointColumns.swift",  // the bits of a vector of numbers
  "Sources/Strokes/Paths/PieceFit.swift",  // columns of samples, walked several times
  "Sources/Strokes/Paths/FitSamples.swift",  // the same columns
  "Sources/Strokes/Paths/SplineEquations.swift",  // rows of equations, solved in place
  "Sources/Interchange/Importing/TextScanner.swift",  // text, its bounds checked for each token
  "Sources/Interchange/Importing/NumberText.swift",  // the same
  "Sources/Interchange/Importing/Importers/IAMOnDB.swift",  // text that expat passes
  "Sources/Interchange/Importing/Importers/InkML/InkMLDocument.swift",  // the same
  "Sources/Interchange/Importing/Importers/InkML/OfficeDocument.swift",  // the same
  "Sources/Interchange/Importing/Importers/Xournal/XournalStroke.swift",  // the same
  "Sources/Interchange/Importing/Importers/Xournal/XournalDocument.swift",  // the same
  "Sources/Interchange/Importing/Importers/QuickDraw.swift",  // finds lines in megabytes of text
  "Sources/Interchange/Importing/Importers/Omniglot.swift",  // the same
  "Sources/Interchange/QuickDraw/QuickDrawLine.swift",  // the text of a line
  "Sources/Interchange/Columns/InkCollection.swift",  // finds lines in gigabytes of text
  "Sources/Interchange/Columns/QuickDraw+Columns.swift",  // the text of lines, and records
  "Sources/Interchange/Columns/Omniglot+Columns.swift",  // the text of a drawing
  "Sources/Interchange/Columns/InkML+Columns.swift",  // the same
  "Sources/Interchange/Importing/AppleNotes/DatabaseImage.swift",  // words of a log's checksum
  "Sources/Interchange/Importing/AppleNotes/ImageReader.swift",  // memory of and for SQLite
  "Sources/Interchange/Exporting/Gzip.swift",  // passes memory to zlib
  "Sources/Interchange/GzipReader.swift",  // the same
  "Sources/JSON/DecimalNumber.swift",  // bytes of text, bounds checked for each digit
  "Sources/JSON/Base64.swift",  // writes into bytes that were never initialized
  "Sources/JSON/JSONReader.swift",  // passes text to the reader of numbers
  "Sources/PNGFormat/Deflate/ZlibStream.swift",  // bytes that kernels read
  "Sources/PNGFormat/Encoding/GreyEncoder.swift",  // rows of a picture
  "Sources/PencilKitArchive/PointRecords.swift",  // loads and stores within checked sizes
  "Sources/PencilKitArchive/WireWriter.swift",  // the buffer into which point records are stored
  "Sources/Compression/BitInput.swift",  // loads eight bytes at a time, far from the end
  "Sources/Compression/Inflate.swift",  // checks bounds once per symbol, and copies matches wide
  "Sources/Compression/Frame.swift",  // passes memory to checksums
  "Sources/Strokes/Drawings/Identifier.swift",  // the bytes of a literal
  "Sources/PKDFormat/Coding/SegmentDecoder.swift",  // checks bounds once per round
  "Sources/PKDFormat/Coding/SegmentEncoder.swift",  // words as bytes
  "Sources/PKDFormat/Coding/PriorTables.swift",  // its tables
  "Sources/PKDFormat/Points/PointBuilder.swift",  // fills columns that were never initialized
  "Sources/PKDFormat/Points/PlainPoints.swift",  // loads values at any alignment
  "Sources/PKDFormat/Points/ValueSteps.swift",  // the range of an array with a column
  "Sources/PKDFormat/Points/GridSearch.swift",  // the same
  "Sources/PKDFormat/Points/PathNumbers.swift",  // the same
  "Sources/PKDFormat/Points/ValuePredictor.swift",  // the same
  "Sources/PKDFormat/Profile.swift",  // the same
  "Sources/PKDFormat/Strokes/StrokeRecord.swift",  // whether two columns share their memory
  "Sources/PKDFormat/Container/Chunk.swift",  // the bytes of a literal
  "Sources/Checksums/Checksum.swift",  // passes memory to C
  "Sources/Checksums/CRC32.swift",  // the same
  "Sources/Checksums/ChecksumTables.swift",  // loads eight bytes at a time
  "Sources/Checksums/SHA256.swift",  // passes memory to C
  "Sources/Files/FileSystem.swift",  // passes memory to read and write
  "Sources/Files/OpenFile.swift",  // the same
  "Sources/PKDFormat/Journal/LivePoints.swift",  // stores points that were never initialized
  "Sources/CInterface/Errors.swift",  // structures of a program in C
  "Sources/CInterface/Block.swift",  // memory that is lent to it
  "Sources/CInterface/BytesExports.swift",  // addresses that it gets, and memory that it writes
  "Sources/CInterface/DrawingExports.swift",  // the same
  "Sources/CInterface/PictureExports.swift",  // the same, and rows of pixels
  "Sources/CInterface/FrameExports.swift",  // the same
  "Sources/CInterface/CollectionExports.swift",  // the same
  "Sources/CInterface/BatchExports.swift",  // the same
  "Sources/CInterface/BatchOptions.swift",  // its options
  "Sources/CInterface/LineBatch.swift",  // its columns, whose ends are checked
  "Sources/CInterface/TimeBins.swift",  // one of these columns
  "Sources/CInterface/BatchPainter.swift",  // pictures in its memory
  "Sources/CInterface/OpenCollection.swift",  // texts in its memory, and columns that are lent
  "Sources/WebEngine/Exports.swift",  // memory that a page writes
  "Sources/WebEngine/ViewExports.swift",  // the same
  "Sources/WebEngine/PenExports.swift",  // the same
  "Sources/WebEngine/SelectionExports.swift",  // the same
  "Sources/WebEngine/WriteExports.swift",  // the same
  "Sources/WebEngine/MergeExports.swift",  // the same
  "Sources/WebEngine/Block.swift",  // memory at an address that a page reads
  "Sources/Graphics/Pixmap.swift",  // memory for pixels that the system sets to zero
  "Sources/Graphics/Band.swift",  // rows of such memory, and flags of its groups
  "Sources/WebClient/WebTransfer.swift",  // pieces of answers that the library lends
  "Sources/Threads/Lanes.swift",  // the argument of a thread
  "Sources/Threads/ConditionMutex.swift",  // a pthread mutex
  "Sources/Rasterization/Column.swift",  // numbers that kernels and threads read
  "Sources/Rasterization/SampleSpace.swift",  // the kernels' memory
  "Sources/Rasterization/TileBins.swift",  // numbers that kernels and threads read
  "Sources/Rasterization/LayerTile.swift",  // the stored pixels of a tile
  "Sources/Rasterization/PaintedPage.swift",  // tiles that are copied into the picture
  "Sources/Rasterization/Reduction.swift",  // tiles that are averaged into the picture
  "Sources/Animation/PlainVideo.swift",  // rows of a picture, and the frame they are converted into
  "Sources/Graphics/GrowingMemory.swift",  // memory of kernels that must grow
  "Sources/Graphics/ColorPalette.swift",  // rows of a picture
  "Sources/Animation/GIFVideo.swift",  // bytes that giflib wrote
  "Sources/Animation/WebPVideo.swift",  // bytes that libwebp wrote
  "Sources/Rasterization/TilePainter.swift",  // pixels that kernels blend into
  "Sources/Rasterization/Renderer.swift",  // the same pixels
  "Sources/Rasterization/PictureSetup.swift",  // the same pixels
  "Sources/Rasterization/InkFields.swift",  // the memory of other kernels
  "Sources/Rasterization/Texture.swift",  // grain that kernels read
  "Sources/Rasterization/DeepTile.swift",  // pixels that are converted for a picture
  "Sources/Rasterization/MaskShape.swift",  // lists of coverages that kernels read
  "Sources/PNGFormat/Encoding/LibPNGEncoder.swift",  // rows and texts for libpng
  "Sources/PNGFormat/Decoding/PNGDecoder.swift",  // bytes for libpng, and its texts
  "Sources/PNGFormat/Encoding/PNGEncoder.swift",  // finished bytes for the caller
  "Sources/PNGFormat/Encoding/PictureWriter.swift",  // the kernels, and their palette
  "Sources/PNGFormat/PixelForms/FormChoice.swift",  // the same palette
  "Sources/PNGFormat/Tokens/BandTokenizer.swift",  // rows that kernels read and write
  "Sources/PNGFormat/PixelForms/RowPacker.swift",  // the same rows
  "Sources/PNGFormat/Frames/APNGEncoder.swift",  // the kernels' palette
  "Sources/PNGFormat/Frames/FrameCanvas.swift",  // pixels that kernels compare
  "Sources/PNGFormat/Frames/FrameTokenizer.swift",  // rows that kernels tokenize
  "Sources/PNGFormat/Frames/FrameColors.swift",  // pixels, four at a time
  "Sources/PNGFormat/Deflate/FixedCodes.swift",  // a table that kernels read
  "Sources/PNGFormat/Decoding/ChunkReader.swift",  // bytes that a kernel checks
  "Sources/PNGFormat/PixelForms/FormDecoder.swift",  // bytes that tokens encode
  "Sources/PNGFormat/Tokens/PartTokens.swift",  // tokens that kernels write
  "Sources/PNGFormat/EffortSearch/StretchParser.swift",  // the bytes that tokens encode
  "Sources/PNGFormat/EffortSearch/Thoroughness.swift",  // the same bytes, for the search
  "Sources/PNGFormat/EffortSearch/ParsedPiece.swift",  // steps, paths and tokens that kernels write
  "Sources/PNGFormat/EffortSearch/BlockSplit.swift",  // counts of symbols, updated in place
  "Sources/PNGFormat/EffortSearch/TokenCosts.swift",  // tables that kernels read
  "Sources/PNGFormat/Deflate/PrefixCode.swift",  // lengths and codes, computed within microseconds
  "Sources/PNGFormat/Deflate/DeflateBlock.swift",  // tables that kernels read
  "Sources/PNGFormat/Encoding/StreamWriter.swift",  // bytes that kernels write
  "Sources/PNGFormat/Encoding/ChunkWriter.swift",  // names of chunks as literals
  "Sources/PNGFormat/Encoding/ByteBuffer.swift",  // memory that kernels write into
  "Sources/PNGFormat/PixelForms/Unpremultiplying.swift",  // rows of a picture
  "Sources/Terminal/TerminalPainter.swift",  // rows of a picture
  "Sources/PencilKit/Drawings/StrokeNames.swift",  // the addresses of the strokes in two lists
  "Sources/PencilKit/StandIns/CGPath.swift",  // what CoreGraphics passes by pointers
  "Sources/PencilKit/StandIns/UIBezierPath.swift",  // the same of UIKit
  "Sources/PencilKit/StandIns/UIColor.swift",  // the same
  "Sources/Storage/Documents/FieldCoding.swift",  // bytes of texts, and of fields
  "Sources/Storage/SQLite/SQLiteConnection.swift",  // values that SQLite takes and returns
  "Sources/PostgresStorage/PostgresAddress.swift",  // texts for libpq
  "Sources/PostgresStorage/PostgresConnection.swift",  // values that libpq takes and returns
  "Sources/Storage/Blobs/Folder.swift",  // passes memory to read and write
  "Sources/DrawingServices/Upkeep/Backup.swift",  // passes memory to write
  "Sources/HTTPServing/ClientAddress.swift",  // addresses of sockets
  "Sources/HTTPServing/ListeningSocket.swift",  // the same
  "Sources/HTTPServing/Exchange.swift",  // texts and bodies that the library reads
  "Sources/HTTPServing/Response.swift",  // bodies and files that the library writes
  "Sources/HTTPServing/EventStream.swift",  // the same
  "Sources/HTTPServing/HTTPListener.swift",  // what the library calls us with
  "Sources/DrawingServer/ServerProblem.swift",  // passes memory to read
  "Sources/DrawingServer/ServerRun.swift",  // a text for the last write
  "Sources/Commands/SecondProgram.swift",  // passes words to exec
  "Sources/Commands/ServeCommand.swift",  // the words of a program
  "Sources/Commands/Console.swift",  // passes memory to read and write
  "Sources/Commands/Interruption.swift",  // a name that a signal handler may read
  "Sources/Commands/SystemString.swift",  // the arguments of the command line as C strings
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

  private static func coreFiles() throws -> [String] {
    let parts = try partlyPortable.flatMap { name, parts in
      try swiftFiles(in: "Sources/\(name)").filter { file in
        parts.contains { file.hasPrefix("Sources/\(name)/\($0)") }
      }
    }
    return try portable.flatMap { try swiftFiles(in: "Sources/\($0)") } + parts
  }

  @Test func `the portable modules are those that are compiled for pages, and import no others`()
    throws
  {
    let script = try Self.text("Sources/WebEngine/build")
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
    // The package for Python has no sources of Swift.
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path)
    where name != "Python" {
      #expect(Module.all.contains { $0.name == name }, "Sources/\(name)")
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
      let name = folder.dropFirst("Sources/".count)
      let declaration = try Regex(
        "(?m)^\\s*public (?:final )?(?:struct|enum|class|actor|protocol) \(name)\\b")
      for file in try Self.swiftFiles(in: folder) {
        #expect(try Self.text(file).firstMatch(of: declaration) == nil, "\(file)")
      }
    }
  }

  @Test(arguments: Module.swift.filter { $0.folder == "Sources/\($0.name)" }.map(\.name))
  func `the architecture page has a row for every module, with what it imports`(
    _ name: String
  ) throws {
    let module = try #require(Module.swift.first { $0.name == name })
    let lines = try Self.text("docs/architecture.md").split(separator: "\n")
    let row = try #require(lines.first { $0.hasPrefix("| `\(name)` |") }, "no row for \(name)")
    let imports = row.split(separator: "|").last ?? ""
    let named = imports.matches(of: /\w+/).map { String($0.output) }
    let modules = Set(Module.all.map(\.name))
    #expect(module.imports == Set(named).intersection(modules), "\(row)")
  }

  @Test func `the diagram of the architecture page shows every module`() throws {
    let page = try Self.text("docs/architecture.md")
    let diagram = try #require(page.split(separator: "```").dropFirst().first)
    let shown = Set(diagram.matches(of: /[\w-]+/).map { String($0.output) })
    let programs: Set = ["Benchmarks", "SampleDrawings", "PictureSheets", "Fuzz"]
    for module in Module.all where !programs.contains(module.name) && module.folder != nil {
      #expect(shown.contains(module.name), "\(module.name)")
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
      "Sources/PKDFormat/Coding/PriorTraining.swift",  // counts of a program for developers
      "Sources/PNGFormat/Encoding/ICCProfile.swift",  // constants
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
