import Glibc

/// A word of the command line or the name of a file, with the bytes it came as: they are UTF-8 by
/// habit only, and text would not lead back to a file whose name is none.
struct SystemString: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, none of which is zero.
  let bytes: [UInt8]

  /// The bytes as text, in which U+FFFD stands for what is no UTF-8.
  var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes as the system takes them, with a zero at the end.
  var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  /// The words behind the program's name. `CommandLine.arguments` holds them as text, too late.
  static var commandLine: [SystemString] {
    (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        SystemString(bytes: UnsafeRawBufferPointer(start: word, count: strlen(word)).map { $0 })
      }
    }
  }
}

extension SystemString: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { bytes = Array(text.utf8) }

  /// The name that stands for the standard input or output.
  static let standardStream: SystemString = "-"

  /// The folder of a path, to which a name can be added; empty for a name alone.
  var folder: SystemString {
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    return SystemString(bytes: Array(bytes[..<(slash.map { $0 + 1 } ?? 0)]))
  }

  static func + (folder: SystemString, name: some Sequence<UInt8>) -> SystemString {
    SystemString(bytes: folder.bytes + name)
  }
}
