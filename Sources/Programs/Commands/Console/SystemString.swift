import Glibc

/// A word of the command line or a path, as bytes: they are usually UTF-8, but need not be, and a
/// `String` would lose the name of a file that is not.
package struct SystemString: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, none of which is zero.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// The bytes as text, with U+FFFD for invalid UTF-8.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The word in quotes for the shell.
  package var inQuotes: SystemString {
    let quote = UInt8(ascii: "'")
    let inner = bytes.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] }
    return SystemString(bytes: [quote] + inner + [quote])
  }

  /// The zero-terminated bytes for system calls.
  package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  /// The arguments of the program. `CommandLine.arguments` has them only as text.
  package static var commandLine: [SystemString] {
    (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        SystemString(bytes: UnsafeRawBufferPointer(start: word, count: strlen(word)).map { $0 })
      }
    }
  }
}

extension SystemString: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { bytes = Array(text.utf8) }

  /// The name `-`, which stands for the standard input or output.
  package static let standardStream: SystemString = "-"

  /// The folder of a path with its final slash; empty for a name without a folder.
  package var folder: SystemString {
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    return SystemString(bytes: Array(bytes[..<(slash.map { $0 + 1 } ?? 0)]))
  }

  package static func + (folder: SystemString, name: some Sequence<UInt8>) -> SystemString {
    SystemString(bytes: folder.bytes + name)
  }
}
