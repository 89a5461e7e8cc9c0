import Foundation
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

/// Other decoders, if they are installed.
struct OtherReaderTests {
  /// A thousand pictures of all odd kinds and of random sizes.
  private func pictures() -> [(name: String, picture: Pixmap)] {
    var random = SplitMix64(seed: 17)
    return (0..<1000).map { number in
      let kind = OddPicture.allCases[number % OddPicture.allCases.count]
      let side = [1, 2, 7, 40, 130].randomElement(using: &random) ?? 1
      let (width, height) = (
        Int.random(in: 1...side * 2, using: &random), Int.random(in: 1...side, using: &random)
      )
      return (
        "\(kind) \(width)×\(height)",
        kind.pixmap(width, height, seed: UInt64(number), isDark: number % 3 == 0)
      )
    }
  }

  @Test(.enabled(if: LibSPNG() != nil, "libspng is not installed"))
  func `libspng and libpng decode a thousand pictures equally`() throws {
    let reader = try #require(LibSPNG())
    for (name, picture) in pictures() {
      let bytes = try PNGEncoder().encode(picture)
      let pixels = try #require(reader.pixels(of: bytes), "\(name)")
      #expect(pixels == (try PNGDecoder().decode(bytes)).components, "\(name)")
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pngcheck"),
      "pngcheck is not installed"))
  func `pngcheck accepts a thousand pictures`() throws {
    let folder = try TemporaryFolder()
    var files: [String] = []
    for (index, (_, picture)) in pictures().enumerated() {
      let file = folder.file("\(index).png")
      let texts = index % 2 == 0 ? [PNGText("Title", "Nº \(index)")] : []
      let bytes = try PNGEncoder().encode(picture, scale: 2, texts: texts)
      try Data(bytes).write(to: file)
      files.append(file.path)
    }
    let check = Process()
    check.executableURL = URL(fileURLWithPath: "/usr/bin/pngcheck")
    check.arguments = ["-q"] + files
    let output = Pipe()
    check.standardOutput = output
    check.standardError = output
    try check.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    check.waitUntilExit()
    #expect(check.terminationStatus == 0 && said.isEmpty, "\(said.prefix(2000))")
  }
}

/// The library libspng, loaded at run time.
private final class LibSPNG {
  private typealias New = @convention(c) (Int32) -> OpaquePointer?
  private typealias Free = @convention(c) (OpaquePointer?) -> Void
  private typealias SetBuffer = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int32
  private typealias Size =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<Int>?
    ) -> Int32
  private typealias Decode =
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, Int, Int32, Int32
    ) -> Int32

  private let new: New
  private let free: Free
  private let setBuffer: SetBuffer
  private let size: Size
  private let decode: Decode

  init?() {
    guard let library = dlopen("libspng.so.0", RTLD_NOW) else { return nil }
    func find<Function>(_ name: String, _: Function.Type) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let new = find("spng_ctx_new", New.self), let free = find("spng_ctx_free", Free.self),
      let setBuffer = find("spng_set_png_buffer", SetBuffer.self),
      let size = find("spng_decoded_image_size", Size.self),
      let decode = find("spng_decode_image", Decode.self)
    else { return nil }
    (self.new, self.free, self.setBuffer, self.size, self.decode) = (
      new, free, setBuffer, size, decode
    )
  }

  /// Red, green, blue and alpha of all pixels; nil if the library reports an error.
  func pixels(of bytes: [UInt8]) -> [UInt8]? {
    // RGBA of 8 bits; transparency of palettes is applied.
    let (format, flags) = (Int32(1), Int32(1))
    guard let context = new(0) else { return nil }
    defer { free(context) }
    return bytes.withUnsafeBytes { bytes in
      var count = 0
      guard setBuffer(context, bytes.baseAddress, bytes.count) == 0,
        size(context, format, &count) == 0
      else { return nil }
      var pixels = [UInt8](repeating: 0, count: count)
      return decode(context, &pixels, count, format, flags) == 0 ? pixels : nil
    }
  }
}
