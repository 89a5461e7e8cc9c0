import InkFiles
import CPentimento
import ForeignInk
import PKDFormat
import Rasterization

// The functions that `pentimento.h` declares, in files of the same topics. The header documents the
// arguments, results and errors of each. Everything that crosses the border is checked here: no
// argument of a caller traps, except addresses without memory.

/// The reason why a call failed.
struct InterfaceError: Error {
  let code: Code
  let message: String

  /// The codes of the header.
  enum Code: Int32 {
    case invalid = 1
    case unknown, unreadable, tooLarge, empty, unwritable, noMemory
  }

  init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }

  init(_ error: DrawingFileError) {
    if case .noPage = error {
      self.init(.invalid, error.description)
    } else {
      self.init(.unreadable, error.description)
    }
  }

  init(_ error: RenderError) {
    let code: Code =
      switch error.problem {
      case .notANumber: .invalid
      case .empty, .noPage: .empty
      case .tooLarge, .tooMuchWork: .tooLarge
      case .unreadable: .unreadable
      }
    self.init(code, error.description)
  }
}

/// The caller's variable for an error.
typealias ErrorPointer = UnsafeMutablePointer<pentimento_error>?

/// The result of a body; after an error nil, with the error stored for the caller.
func attempt<Result>(
  _ error: ErrorPointer, _ body: () throws(InterfaceError) -> Result
) -> Result? {
  callBegin()
  defer { callEnd() }
  do throws(InterfaceError) {
    let result = try body()
    error?.pointee.code = 0
    return result
  } catch let failure {
    error?.pointee.set(failure)
    return nil
  }
}

/// `PENTIMENTO_OK`, or the code of a body's error.
func status(_ error: ErrorPointer, _ body: () throws(InterfaceError) -> Void) -> Int32 {
  callBegin()
  defer { callEnd() }
  do throws(InterfaceError) {
    try body()
    error?.pointee.code = 0
    return 0
  } catch let failure {
    error?.pointee.set(failure)
    return failure.code.rawValue
  }
}

extension pentimento_error {
  mutating func set(_ failure: InterfaceError) {
    code = failure.code.rawValue
    withUnsafeMutableBytes(of: &message) { message in
      var text = Array(failure.message.utf8.prefix(message.count - 1))
      if text.count < failure.message.utf8.count {
        // A truncated character is removed.
        while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
        if let last = text.last, last & 0x80 != 0 { text.removeLast() }
      }
      message.initializeMemory(as: UInt8.self, repeating: 0)
      message.copyBytes(from: text)
    }
  }
}

/// Throws an error that begins with an argument's name unless the argument is in its range. If the
/// range starts at the least positive number, the message says "above 0".
func require<Number: BinaryFloatingPoint & CustomStringConvertible>(
  _ value: Number, _ range: ClosedRange<Number>, _ name: String
) throws(InterfaceError) {
  func text(_ number: Number) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
  guard !range.contains(value) else { return }
  let limits =
    range.lowerBound == .leastNormalMagnitude
    ? "above 0 and at most" : "from \(text(range.lowerBound)) to"
  throw InterfaceError(
    .invalid, "\(name) is \(text(value)); it must be \(limits) \(text(range.upperBound))")
}

/// A copy of a caller's structure; its `size` determines how many fields the caller knows.
func value<Structure>(
  _ pointer: UnsafePointer<Structure>?, size: UInt32?, _ name: String
) throws(InterfaceError) -> Structure {
  guard let pointer, let size else { throw InterfaceError(.invalid, "\(name) is null") }
  guard Int(size) == MemoryLayout<Structure>.size else {
    throw InterfaceError(
      .invalid,
      "\(name).size is \(size); it must be sizeof \(Structure.self), \(MemoryLayout<Structure>.size)"
    )
  }
  return pointer.pointee
}

/// Returns the version of the interface.
@_cdecl("pentimento_version")
public func pentimentoVersion() -> Int32 { PENTIMENTO_VERSION }
