// swift-tools-version: 6.2
import PackageDescription

/// One row per module: its name, its allowed imports, its kind. `Tests/Proofs/ArchitectureTests`
/// checks the sources against this table; `docs/architecture.md` explains it.
struct Module {
  enum Kind {
    case library, c(libraries: [String] = []), sharedLibrary, tests, support
    case program(path: String? = nil, linking: Linking = .allStatic())
    case system(package: String, apt: String)
  }

  /// How a program is linked.
  enum Linking {
    /// Static linking of all libraries, for the fastest start. `without` omits libraries that every
    /// compiled module references: the program still links if it calls none of their functions.
    case allStatic(without: [String] = [])
    /// Static linking of all libraries except the system's and those for HTTP, TLS and databases:
    /// these exist only as shared libraries, and are loaded when they are needed.
    case dynamicLibraries
  }

  let name: String
  let imports: [String]
  let kind: Kind
  /// The folder of its files.
  var path = ""

  init(_ name: String, _ imports: [String] = [], _ kind: Kind = .library) {
    self.name = name
    self.imports = imports
    self.kind = kind
  }
}

/// The modules by their folder; each follows the modules that it imports, as far as possible.
let folders: [(name: String, modules: [Module])] = [
  (
    "Sources/System",
    [
      Module("CSQLite", [], .system(package: "sqlite3", apt: "libsqlite3-dev")),
      Module("CSystem", [], .c()),
      Module("Checksums", ["CSystem"]),
      Module("Threads", ["CSystem"]),
      Module("Calendar"),
      Module("System"),
    ]
  ),
  (
    "Sources/Engine",
    [
      Module("CRasterKernels", ["CSystem"], .c()),
      Module("CMath", [], .c()),
      Module("Graphics", ["CMath", "CSystem"]),
      Module("Strokes", ["Calendar", "Graphics", "CMath"]),
      Module("Rasterization", ["Threads", "Graphics", "Strokes", "CRasterKernels"]),
      Module("Replay", ["Graphics", "Strokes", "Rasterization"]),
    ]
  ),
  (
    "Sources/Formats",
    [
      Module("CZlib", [], .system(package: "zlib", apt: "zlib1g-dev")),
      Module("CExpat", [], .system(package: "expat", apt: "libexpat1-dev")),
      // A static libpng does not contain zlib.
      Module("CPNG", [], .c(libraries: ["png16", "z"])),
      Module("CPNGKernels", ["CSystem"], .c()),
      Module("CMovingPictures", [], .c(libraries: ["gif", "webpmux", "webp"])),
      Module("CWebFiles", [], .c()),
      Module("Compression", ["Checksums"]),
      Module("PencilKitArchive", ["Graphics", "Strokes", "Compression"]),
      Module("PKDFormat", ["Threads", "Graphics", "Strokes", "Checksums", "CMath"]),
      Module("JSON"),
      Module(
        "InkFiles", ["System", "Graphics", "JSON", "Strokes", "PencilKitArchive", "PKDFormat"]),
      Module("PNGFormat", ["Threads", "Graphics", "CPNGKernels", "CPNG"]),
      Module("Pictures", ["Graphics", "Strokes", "Rasterization", "Replay", "PNGFormat"]),
      Module("XML", ["CExpat"]),
      Module(
        "ForeignInk",
        [
          "Compression", "CMath", "CSQLite", "CZlib", "Graphics", "InkFiles", "JSON", "System",
          "XML",
          "Strokes", "PencilKitArchive", "PKDFormat", "PNGFormat",
        ]),
      Module(
        "VectorExport",
        [
          "Checksums", "Graphics", "JSON", "PNGFormat", "Rasterization", "Strokes", "Threads",
          "XML",
        ]),
      Module(
        "Animation",
        [
          "Checksums", "Compression", "Graphics", "JSON", "Strokes", "Replay", "Rasterization",
          "PNGFormat", "Threads", "VectorExport", "CMovingPictures", "CWebFiles",
        ]),
    ]
  ),
  (
    "Sources/Service",
    [
      Module("CPostgreSQL", ["CSystem"], .c()),
      Module("Storage", ["Checksums", "System", "Threads", "CSystem", "CSQLite"]),
      Module(
        "SharedStorage",
        [
          "Checksums", "Storage", "Threads", "CPostgreSQL", "Calendar", "System", "HTTP", "JSON",
          "WebClient", "XML", "DrawingServices",
        ]),
      Module(
        "Sync",
        [
          "DrawingServices", "System", "Graphics", "InkFiles", "JSON", "Storage", "Threads",
          "WebClient",
        ]),
      Module(
        "DrawingServices",
        [
          "Calendar", "Checksums", "System", "Graphics", "JSON", "Strokes", "PKDFormat", "InkFiles",
          "Rasterization", "Replay", "PNGFormat", "Pictures", "Storage", "Threads",
        ]),
      Module("Journal", ["DrawingServices", "Graphics", "JSON", "Storage"]),
    ]
  ),
  (
    "Sources/Server",
    [
      Module("CNetwork", ["CSystem"], .c()),
      Module("HTTP", ["JSON"]),
      Module("Tokens", ["Checksums", "JSON", "CNetwork"]),
      Module("Passkeys", ["Checksums", "JSON", "Tokens"]),
      Module("HTTPServing", ["Threads", "HTTP", "CNetwork"]),
      Module("WebClient", ["CNetwork"]),
      Module(
        "DrawingServer",
        [
          "Threads", "System", "Graphics", "JSON", "HTTP", "Tokens", "Passkeys", "Checksums",
          "HTTPServing", "WebClient", "Strokes", "PencilKitArchive", "PKDFormat", "InkFiles",
          "ForeignInk", "Rasterization",
          "PNGFormat", "Pictures",
          "Replay", "Animation", "WebPages", "Storage", "DrawingServices", "Journal",
          "SharedStorage",
        ]),
    ]
  ),
  (
    "Sources/Web",
    [
      Module(
        "WebEngine",
        [
          "Checksums", "Threads", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat",
          "Rasterization", "Replay", "VectorExport", "CMath", "CSystem",
        ]),
      Module("WebPages", ["Animation", "Checksums", "PNGFormat"]),
    ]
  ),
  (
    "Sources/Clients",
    [
      Module("CPentimento", [], .c()),
      Module(
        "CInterface",
        [
          "CMath", "CSystem", "CPentimento", "Graphics", "InkFiles", "ForeignInk", "PKDFormat",
          "Rasterization", "Replay", "Strokes", "Threads", "VectorExport",
        ]),
      Module("libpentimento", ["CInterface"], .sharedLibrary),
      Module("PentimentoClient"),
      Module(
        "PencilKit",
        ["Graphics", "Strokes", "PencilKitArchive", "Rasterization", "PNGFormat", "Pictures"]),
    ]
  ),
  (
    "Sources/Programs",
    [
      Module(
        "Measurement", ["CSystem", "JSON", "System", "Threads", "Graphics", "Strokes", "CMath"]),
      Module(
        "Commands",
        [
          "CSystem", "Checksums", "System", "Threads", "Graphics", "JSON", "Strokes",
          "PencilKitArchive", "PKDFormat", "InkFiles", "ForeignInk", "Rasterization", "PNGFormat",
          "Pictures", "Replay", "Animation", "Measurement", "VectorExport",
        ]),
      Module(
        "ServiceCommands",
        [
          "Commands", "Threads", "JSON", "Strokes", "PKDFormat", "InkFiles", "ForeignInk",
          "Graphics", "Rasterization", "Storage", "DrawingServices", "Journal", "SharedStorage",
          "Sync",
          "WebClient", "Tokens", "DrawingServer",
        ]),
      Module(
        "pkd", ["Commands"],
        .program(linking: .allStatic(without: ["swift_StringProcessing", "swift_RegexParser"]))),
      Module(
        "pkd-service", ["Commands", "ServiceCommands"], .program(linking: .dynamicLibraries)),
    ]
  ),
  (
    ".",
    [
      Module(
        "SampleDrawings", ["Graphics", "Strokes", "PKDFormat"],
        .program(path: "Samples/Generator")),
      Module(
        "PictureSheets",
        ["Graphics", "Strokes", "PKDFormat", "Rasterization", "PNGFormat", "ForeignSamples"],
        .program(path: "Samples/Sheets")),
      Module(
        "Benchmarks",
        [
          "Threads", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat", "InkFiles",
          "Rasterization", "PNGFormat", "Replay", "Animation", "Storage", "DrawingServices",
          "Journal",
          "System", "Measurement", "JSON", "CRasterKernels", "CZlib", "ForeignInk", "VectorExport",
        ], .program(path: "Benchmarks")),
    ]
  ),
  (
    "Tests/Support",
    [
      // Writes PNG files by libpng, for comparison with our own encoder.
      Module("CPNGWriter", ["CPNG"], .c(libraries: ["png16", "z"])),
      Module("TestSupport", ["Graphics", "Strokes"], .support),
      Module(
        "ForeignSamples",
        [
          "CSQLite", "Graphics", "InkFiles", "ForeignInk", "PencilKitArchive", "Strokes",
          "VectorExport",
        ],
        .support),
      Module("StorageTestSupport", ["SharedStorage", "Storage", "TestSupport"], .support),
    ]
  ),
  (
    "Tests/System",
    [
      Module("ChecksumsTests", ["Checksums", "TestSupport"], .tests),
      Module("ThreadsTests", ["Threads"], .tests),
      Module("SystemTests", ["System"], .tests),
      Module("CalendarTests", ["Calendar", "TestSupport"], .tests),
    ]
  ),
  (
    "Tests/Engine",
    [
      Module("GraphicsTests", ["Graphics", "TestSupport"], .tests),
      Module("StrokesTests", ["Graphics", "Strokes", "TestSupport"], .tests),
      Module(
        "RasterizationTests",
        ["Graphics", "Strokes", "CRasterKernels", "Rasterization", "PNGFormat", "TestSupport"],
        .tests),
      Module("ReplayTests", ["Graphics", "Strokes", "Replay", "TestSupport"], .tests),
      Module("CMathTests", ["CMath"], .tests),
    ]
  ),
  (
    "Tests/Formats",
    [
      Module("CompressionTests", ["CZlib", "Compression", "TestSupport"], .tests),
      Module(
        "PencilKitArchiveTests",
        ["Compression", "Graphics", "Strokes", "PencilKitArchive", "TestSupport"], .tests),
      Module(
        "PKDFormatTests",
        [
          "System", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat", "InkFiles",
          "TestSupport",
        ], .tests),
      Module(
        "ForeignInkTests",
        [
          "Compression", "Graphics", "JSON", "XML", "Strokes", "PencilKitArchive", "PKDFormat",
          "Rasterization", "PNGFormat", "ForeignInk", "ForeignSamples", "TestSupport",
          "VectorExport",
        ], .tests),
      Module(
        "PNGFormatTests",
        ["Graphics", "CPNG", "CPNGKernels", "CPNGWriter", "PNGFormat", "TestSupport"], .tests),
      Module(
        "VectorExportTests",
        [
          "Compression", "Graphics", "PNGFormat", "Rasterization", "Strokes", "TestSupport",
          "Threads",
          "VectorExport", "XML",
        ], .tests),
      Module(
        "AnimationTests",
        [
          "Graphics", "Strokes", "PKDFormat", "ForeignInk", "Rasterization", "PNGFormat", "Replay",
          "CMovingPictures", "Animation", "TestSupport", "VectorExport",
        ], .tests),
    ]
  ),
  (
    "Tests/Service",
    [
      Module(
        "StorageTests",
        ["Checksums", "SharedStorage", "Threads", "Storage", "StorageTestSupport", "TestSupport"],
        .tests),
      Module(
        "ObjectStorageTests",
        ["Checksums", "HTTP", "HTTPServing", "SharedStorage", "Storage", "Threads", "WebClient"],
        .tests
      ),
      Module(
        "PostgresStorageTests",
        ["SharedStorage", "Storage", "StorageTestSupport", "TestSupport", "Threads"], .tests),
      Module(
        "DrawingServicesTests",
        [
          "Calendar", "Threads", "Graphics", "Strokes", "PKDFormat", "PencilKitArchive",
          "InkFiles", "Rasterization", "PNGFormat", "Storage", "DrawingServices", "Journal",
          "TestSupport",
        ], .tests),
      Module(
        "SyncTests",
        [
          "DrawingServices", "Graphics", "ForeignInk", "Journal", "PKDFormat", "Storage", "Strokes",
          "Sync",
          "TestSupport",
        ], .tests),
      Module(
        "SyncProcessTests",
        [
          "DrawingServices", "Graphics", "ForeignInk", "JSON", "Journal", "PKDFormat", "Storage",
          "Strokes",
          "Sync", "TestSupport", "Threads", "WebClient",
        ], .tests),
      Module(
        "SharedServiceTests",
        [
          "DrawingServices", "Journal", "Graphics", "SharedStorage", "PKDFormat", "PNGFormat",
          "Storage",
          "StorageTestSupport", "Strokes", "TestSupport", "Threads", "WebClient",
        ], .tests),
    ]
  ),
  (
    "Tests/Server",
    [
      Module("WebClientTests", ["WebClient", "HTTP", "HTTPServing", "TestSupport"], .tests),
      Module("TokensTests", ["Checksums", "JSON", "Tokens"], .tests),
      Module("PasskeysTests", ["Checksums", "JSON", "Passkeys", "TestSupport"], .tests),
      Module("HTTPTests", ["HTTP", "TestSupport"], .tests),
      Module(
        "DrawingServerTests",
        [
          "Animation",
          "Threads", "Graphics", "JSON", "HTTP", "Tokens", "Checksums", "HTTPServing", "PKDFormat",
          "PNGFormat", "Storage", "Strokes",
          "DrawingServices", "Journal", "WebPages", "DrawingServer", "PentimentoClient",
          "TestSupport",
        ], .tests),
    ]
  ),
  (
    "Tests/Web",
    [
      Module(
        "WebEngineTests",
        [
          "Checksums", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat", "ForeignInk",
          "Rasterization", "VectorExport", "WebEngine", "TestSupport",
        ], .tests)
    ]
  ),
  (
    "Tests/Clients",
    [
      Module("PencilKitTests", ["PencilKit"], .tests),
      Module(
        "CInterfaceTests",
        [
          "CInterface", "CPentimento", "ForeignSamples", "Graphics", "ForeignInk",
          "PencilKitArchive", "Rasterization", "Strokes", "TestSupport",
        ], .tests),
    ]
  ),
  (
    "Tests/Programs",
    [
      Module("MeasurementTests", ["JSON", "Measurement", "TestSupport"], .tests),
      Module("TerminalTests", ["Graphics", "Commands", "TestSupport"], .tests),
      Module(
        "CommandLineTests",
        [
          "DrawingServices", "ForeignSamples", "Graphics", "JSON", "Journal", "Measurement",
          "PNGFormat", "Storage", "TestSupport",
        ], .tests),
    ]
  ),
  (
    "Tests/Proofs",
    [
      Module("ArchitectureTests", ["TestSupport"], .tests),
      Module(
        "ConsumerTests",
        [
          "Checksums", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat", "ForeignInk",
          "Rasterization", "PNGFormat", "Replay", "Animation", "Storage", "DrawingServices",
          "Journal", "TestSupport",
        ], .tests),
    ]
  ),
]

let modules = folders.flatMap { folder in
  folder.modules.map { module in
    var module = module
    module.path = "\(folder.name)/\(module.name)"
    if case .program(let path?, _) = module.kind { module.path = path }
    return module
  }
}

/// Files in the modules' folders that are not sources.
let otherFiles = [
  // The files for browsers: `CWebFiles` embeds them in the programs.
  "Animation": ["Player"],
  "WebPages": ["Site", "marks"],
  // The replacements of system functions in web pages, and the script that compiles for them.
  "WebEngine": ["Page", "build"],
  "CMath": ["Tables.inc", "tables.py"],
  "PencilKit": ["document"],
  "libpentimento": ["exports.map"],
  // The scripts that build packages of the programs.
  "pkd": ["release", "spdx.py"],
  "Benchmarks": [
    "Results", "web.mjs", "pages.js", "pages.py", "researchers.py", "scale-costs.py",
    "builds.py", "house.py", "side_by_side.py", "side_by_side",
  ],
  "AnimationTests": ["engine_test.mjs"], "PKDFormatTests": ["Fixtures"],
  "WebEngineTests": ["run.mjs", "package.mjs"], "TestSupport": ["html_browser.py"],
  "DrawingServerTests": ["page_tools.js"],
]

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// With `BUILD_PLAIN_TESTS=1`, test code is not optimized where everything else is: compiling it
/// with optimization takes longer than running it without.
let testSettings: [SwiftSetting] =
  Context.environment["BUILD_PLAIN_TESTS"] == nil ? [] : [.unsafeFlags(["-Onone"])]

/// Starting fast is a feature, so programs are linked statically, with all libraries: relocating
/// and binding shared libraries takes longer than all other work of `pkd --version`. Only programs
/// may do this, so that other packages can still depend on the libraries. Sanitizers and programs
/// that preload a library need shared libraries: set `BUILD_SHARED_RUNTIME=1`.
let isShared = Context.environment["BUILD_SHARED_RUNTIME"] != nil
func linking(_ kind: Module.Linking) -> [LinkerSetting] {
  if isShared { return [] }
  let flags =
    switch kind {
    case .allStatic(let others):
      ["-static-executable"]
        + others.flatMap { ["-Xlinker", "--remap-inputs=*/lib\($0).a=/dev/null"] }
    case .dynamicLibraries:
      ["-static-stdlib"] + inside(["sqlite3", "expat", "png16", "z", "gif", "webpmux", "webp"])
    }
  return [.unsafeFlags(flags + ["-use-ld=lld", "-Xlinker", "--gc-sections"])]
}

/// Links static libraries into a product that is not static itself. The linker prefers shared
/// libraries where they exist, so these are replaced by empty files.
func inside(_ libraries: [String]) -> [String] {
  ["-Xclang-linker", "-static-libgcc"]
    + (libraries + ["stdc++"]).flatMap {
      ["-Xlinker", "--remap-inputs=*/lib\($0).so=/dev/null", "-Xlinker", "-l:lib\($0).a"]
    }
}

/// The linking of the library for C and Python. It contains Swift's own libraries and all others
/// but the C library, and exports only the functions of its header. So it needs no other library in
/// its process and collides with none.
let sharedLibraryLinking: [LinkerSetting] = {
  if isShared { return [] }
  let options = [
    "--gc-sections", "--wrap=stderr", "--wrap=arc4random_buf",
    "--version-script=\(Context.packageDirectory)/Sources/Clients/libpentimento/exports.map",
  ]
  return [
    .unsafeFlags(
      ["-static-stdlib", "-use-ld=lld"] + inside(["sqlite3", "expat", "png16", "z"])
        + options.flatMap { ["-Xlinker", $0] })
  ]
}()

/// The commit in the programs' version text; packages of releases are built with it.
let commit = Context.environment["BUILD_COMMIT"]

/// The modules to build: all, or with `ONLY="StrokesTests pkd"` those and their imports. Sanitizer
/// builds use such a subset; so can a developer who works on one module.
let chosen: [Module] = {
  guard let names = Context.environment["ONLY"]?.split(separator: " ").map(String.init) else {
    return modules
  }
  for name in names where !modules.contains(where: { $0.name == name }) {
    fatalError("ONLY names '\(name)', which is no module")
  }
  var (wanted, added) = (Set<String>(), names)
  while !wanted.isSuperset(of: added) {
    wanted.formUnion(added)
    added = modules.filter { wanted.contains($0.name) }.flatMap(\.imports)
  }
  return modules.filter { wanted.contains($0.name) }
}()

let libraries = [
  "System", "Graphics", "Strokes", "PencilKitArchive", "PKDFormat", "InkFiles", "JSON",
  "ForeignInk", "Rasterization", "PNGFormat", "VectorExport", "Replay", "Animation", "Storage",
  "DrawingServices", "Journal", "Sync", "PentimentoClient", "PencilKit",
]
let programs = ["pkd", "pkd-service"]

/// Products with the given names, limited to chosen modules.
func products(_ names: [String], _ make: (String) -> Product) -> [Product] {
  names.filter { name in chosen.contains { $0.name == name } }.map(make)
}

let package = Package(
  name: "Pentimento",
  products: products(libraries) { .library(name: $0, targets: [$0]) }
    + products(["libpentimento"]) {
      .library(name: "pentimento", type: .dynamic, targets: [$0])
    }
    + products(programs) { .executable(name: $0, targets: [$0]) },
  targets: chosen.map { module in
    let imports = module.imports.map { Target.Dependency(stringLiteral: $0) }
    switch module.kind {
    case .library:
      return .target(
        name: module.name, dependencies: imports, path: module.path,
        exclude: otherFiles[module.name] ?? [], swiftSettings: settings)
    case .c(let libraries):
      return .target(
        name: module.name, dependencies: imports, path: module.path,
        exclude: otherFiles[module.name] ?? [],
        cSettings: module.name == "CSystem"
          ? commit.map { [.define("BUILD_COMMIT", to: "\"\($0)\"")] } : nil,
        linkerSettings: libraries.map { .linkedLibrary($0) })
    case .sharedLibrary:
      return .target(
        name: module.name, dependencies: imports, path: module.path,
        exclude: otherFiles[module.name] ?? [],
        swiftSettings: settings, linkerSettings: sharedLibraryLinking)
    case .program(_, let kind):
      return .executableTarget(
        name: module.name, dependencies: imports, path: module.path,
        exclude: otherFiles[module.name] ?? [],
        swiftSettings: settings, linkerSettings: linking(kind))
    case .tests:
      return .testTarget(
        name: module.name, dependencies: imports, path: module.path,
        exclude: otherFiles[module.name] ?? [],
        swiftSettings: settings + testSettings)
    case .support:
      return .target(
        name: module.name, dependencies: imports, path: module.path,
        exclude: otherFiles[module.name] ?? [], swiftSettings: settings)
    case .system(let package, let apt):
      return .systemLibrary(
        name: module.name, path: module.path, pkgConfig: package, providers: [.apt([apt])])
    }
  }
)
