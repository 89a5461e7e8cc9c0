import Foundation
import TestSupport
import Testing

/// What each folder of sources may import beside the standard library. A line that is added here is
/// a decision about the house, so `docs/architecture.md` tells the same.
private let allowedImports: [String: Set<String>] = [
  "Sources/Graphics": ["Glibc"],
  "Sources/Strokes": ["Glibc", "Graphics"],
  "Sources/PencilKitArchive": ["CZlib", "Graphics", "Strokes"],
  "Sources/Checksums": ["CChecksum"],
  "Sources/PKDFormat": ["Checksums", "Glibc", "Graphics", "Strokes"],
  "Sources/Interchange": ["Graphics", "PKDFormat", "PencilKitArchive", "Strokes"],
  "Sources/Rasterization": ["CRasterKernels", "Glibc", "Graphics", "Strokes", "Synchronization"],
  "Sources/PNGFormat": ["CPNGKernels", "CPNGShim", "Graphics", "Synchronization"],
  "Sources/Replay": ["Graphics", "Strokes"],
  "Sources/Animation": [
    "CMovingPictures", "Graphics", "PNGFormat", "Rasterization", "Replay", "Strokes",
  ],
  "Sources/Terminal": ["Animation", "Graphics"],
  "Sources/Storage": ["CFileSystem", "CSQLite", "Checksums", "Glibc"],
  "Sources/DrawingServices": [
    "Checksums", "Glibc", "Graphics", "Interchange", "PNGFormat", "Rasterization", "Storage",
    "Strokes",
  ],
  "Sources/pkd": [
    "Animation", "Glibc", "Graphics", "Interchange", "PKDFormat", "PNGFormat", "PencilKitArchive",
    "DrawingServices", "Rasterization", "Replay", "Storage", "Strokes", "Terminal",
  ],
  "Samples/Generator": ["Glibc", "Graphics", "PKDFormat", "Strokes"],
  "Benchmarks": [
    "Animation", "CRasterKernels", "CZlib", "Glibc", "Graphics", "Interchange", "PKDFormat",
    "DrawingServices", "PNGFormat", "PencilKitArchive", "Rasterization", "Replay", "Storage",
    "Strokes",
  ],
]

/// Files that may hold unsafe pointers, each for one small reason.
private let filesWithPointers: Set<String> = [
  "Sources/PencilKitArchive/PointRecords.swift",  // loads and stores without checks, sizes compared
  "Sources/PencilKitArchive/Wire.swift",  // room that point records are stored into
  "Sources/PencilKitArchive/Inflate.swift",  // hands memory to zlib
  "Sources/Strokes/Identifier.swift",  // the bytes of a literal
  "Sources/PKDFormat/SegmentDecoder.swift",  // the loop that reads numbers, bounds checked a round
  "Sources/PKDFormat/SegmentEncoder.swift",  // words as bytes
  "Sources/PKDFormat/PriorTables.swift",  // its tables
  "Sources/PKDFormat/PointBuilder.swift",  // fills columns that were never initialized
  "Sources/PKDFormat/PlainPoints.swift",  // loads values wherever they lie
  "Sources/PKDFormat/ValueSteps.swift",  // a column's part of an array
  "Sources/PKDFormat/GridSearch.swift",  // the same
  "Sources/PKDFormat/PathNumbers.swift",  // the same
  "Sources/PKDFormat/Profile.swift",  // the same
  "Sources/PKDFormat/StrokeRecord.swift",  // whether two columns share their memory
  "Sources/PKDFormat/Chunk.swift",  // the bytes of a literal
  "Sources/Checksums/Checksum.swift",  // hands memory to C, or loads eight bytes at a time
  "Sources/Checksums/SHA256.swift",  // hands memory to C
  "Sources/PKDFormat/DurableFile.swift",  // hands memory to read and write
  "Sources/PKDFormat/LivePoints.swift",  // stores points that were never initialized
  "Sources/Graphics/Pixmap.swift",  // memory for pixels that is blank before it is touched
  "Sources/Graphics/Band.swift",  // rows of such memory, and flags of what was drawn in
  "Sources/Graphics/Lanes.swift",  // what a thread is given
  "Sources/Graphics/Guarded.swift",  // the system's lock
  "Sources/Rasterization/Column.swift",  // numbers that kernels and threads read
  "Sources/Rasterization/SampleSpace.swift",  // the kernels' memory
  "Sources/Rasterization/TileBins.swift",  // the same numbers, once more
  "Sources/Rasterization/LayerTile.swift",  // a tile's pixels, kept
  "Sources/Rasterization/PaintedPage.swift",  // tiles on their way to the picture
  "Sources/Animation/PlainVideo.swift",  // rows of a picture, and numbers that become others
  "Sources/Animation/ColorPalette.swift",  // rows of a picture
  "Sources/Animation/GIFVideo.swift",  // bytes that giflib wrote
  "Sources/Animation/WebPVideo.swift",  // bytes that libwebp wrote
  "Sources/Rasterization/TilePainter.swift",  // pixels that kernels blend into
  "Sources/Rasterization/Renderer.swift",  // the same pixels
  "Sources/Rasterization/InkFields.swift",  // the memory of other kernels
  "Sources/Rasterization/Texture.swift",  // grain that kernels read
  "Sources/Rasterization/DeepTile.swift",  // pixels on their way to a picture
  "Sources/Rasterization/MaskShape.swift",  // lists of coverages that kernels read
  "Sources/PNGFormat/LibPNGEncoder.swift",  // rows and texts for libpng
  "Sources/PNGFormat/PNGDecoder.swift",  // bytes for libpng, and its texts
  "Sources/PNGFormat/PNGEncoder.swift",  // finished bytes on their way to whoever takes them
  "Sources/PNGFormat/PictureWriter.swift",  // the kernels, and their palette
  "Sources/PNGFormat/FormChoice.swift",  // the same palette
  "Sources/PNGFormat/BandTeller.swift",  // rows that kernels read and write
  "Sources/PNGFormat/RowPacker.swift",  // the same rows
  "Sources/PNGFormat/APNGEncoder.swift",  // the kernels' palette
  "Sources/PNGFormat/FrameCanvas.swift",  // pixels that kernels compare
  "Sources/PNGFormat/FrameTeller.swift",  // rows on their way to tokens
  "Sources/PNGFormat/FrameColors.swift",  // pixels, four at a time
  "Sources/PNGFormat/FixedCodes.swift",  // a table that kernels read
  "Sources/PNGFormat/ChunkReader.swift",  // bytes that a kernel checks
  "Sources/PNGFormat/ToldForm.swift",  // bytes that were told
  "Sources/PNGFormat/PartTokens.swift",  // tokens that kernels write
  "Sources/PNGFormat/StretchParser.swift",  // the bytes that tokens stand for
  "Sources/PNGFormat/Thoroughness.swift",  // the same bytes, for whoever searches them
  "Sources/PNGFormat/ParsedPiece.swift",  // steps, ways and tokens that kernels write
  "Sources/PNGFormat/BlockSplit.swift",  // how often symbols occur, added up in place
  "Sources/PNGFormat/TokenCosts.swift",  // tables that kernels read
  "Sources/PNGFormat/PrefixCode.swift",  // lengths and codes, made within microseconds
  "Sources/PNGFormat/DeflateBlock.swift",  // tables that kernels read
  "Sources/PNGFormat/StreamWriter.swift",  // bytes that kernels write
  "Sources/PNGFormat/ChunkWriter.swift",  // names of chunks as literals
  "Sources/PNGFormat/ByteRoom.swift",  // memory that kernels write into
  "Sources/PNGFormat/Unpremultiplying.swift",  // rows as they lie in pictures
  "Sources/Terminal/TerminalPainter.swift",  // rows of a picture
  "Sources/Storage/ConditionMutex.swift",  // the system's lock
  "Sources/Storage/Documents/FieldCoding.swift",  // bytes of texts, and of fields
  "Sources/Storage/SQLite/SQLiteConnection.swift",  // values that SQLite takes and gives
  "Sources/Storage/Blobs/Folder.swift",  // hands memory to read and write
  "Sources/DrawingServices/Upkeep/Backup.swift",  // hands memory to write
  "Sources/pkd/Console.swift",  // hands memory to read and write
  "Sources/pkd/Interruption.swift",  // a name that a signal's handler may read
  "Sources/pkd/SystemString.swift",  // the words of the command line as C keeps them
]

struct ArchitectureTests {
  static let folders = allowedImports.keys.sorted()

  static func swiftFiles(in folder: String) throws -> [String] {
    let root = Corpus.project.appendingPathComponent(folder)
    let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: Corpus.project.appendingPathComponent(path), encoding: .utf8)
  }

  @Test(arguments: folders)
  func `a module imports only what the table allows`(_ folder: String) throws {
    let allowed = try #require(allowedImports[folder])
    let files = try Self.swiftFiles(in: folder)
    #expect(!files.isEmpty)
    for file in files {
      for line in try Self.text(file).split(separator: "\n") {
        let match = line.firstMatch(
          of: /^\s*(?:@\w+ )*(?:public |package |internal )?import (?:\w+ )??(\w+)/)
        guard let name = match?.output.1 else { continue }
        #expect(allowed.contains(String(name)), "\(file) imports \(name)")
      }
    }
  }

  @Test func `every folder of sources has its line in the table`() throws {
    let sources = Corpus.project.appendingPathComponent("Sources")
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path)
    where !name.hasPrefix("C") {
      #expect(allowedImports["Sources/\(name)"] != nil, "Sources/\(name)")
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

  @Test func `the architecture page has a row for every module`() throws {
    let page = try Self.text("docs/architecture.md")
    for folder in Self.folders {
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      #expect(page.contains("`\(name)`"), "docs/architecture.md does not name \(name)")
    }
  }

  @Test func `unsafe pointers stay in the files that are named`() throws {
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

  @Test func `engine and commands trust no data blindly`() throws {
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      for file in try Self.swiftFiles(in: folder) {
        let text = try Self.text(file)
        #expect(!text.contains("try!"), "\(file)")
        #expect(!text.contains("fatalError("), "\(file)")
      }
    }
  }

  @Test func `rounded numbers become whole ones by clamping alone`() throws {
    // A plain conversion ends the program where the number does not fit. Only rounding tells from the
    // text that a number is no whole one.
    let conversion = /\bU?Int(?:8|16|32|64)?\((?!clamping:)[^\n]*\.rounded\(/
    let exceptions: Set<String> = [
      "Sources/PKDFormat/PriorTraining.swift",  // counts of a program for those who build it
      "Sources/PNGFormat/ICCProfile.swift",  // constants
      "Sources/DrawingServices/Calendar/LocalDay.swift",  // a fraction of a second
    ]
    for folder in Self.folders where folder.hasPrefix("Sources/") {
      for file in try Self.swiftFiles(in: folder)
      where !exceptions.contains(file) && !file.contains("/Kernels/Plain") {
        #expect(try Self.text(file).firstMatch(of: conversion) == nil, "\(file)")
      }
    }
  }

  @Test func `the top level holds only what was agreed`() throws {
    let agreed: Set<String> = [
      "Package.swift", "Sources", "Tests", "Samples", "Benchmarks", "docs", "README.md", "LICENSE",
    ]
    let found = try FileManager.default.contentsOfDirectory(atPath: Corpus.project.path)
    for name in found where !name.hasPrefix(".") {
      #expect(agreed.contains(name), "\(name)")
    }
  }
}
