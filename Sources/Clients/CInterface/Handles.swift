import CPentimento
import Threads

/// Objects that callers know by opaque pointers. These are numbers that are looked up, so that a
/// closed or invented one is an error. A number consists of an index in a list, a count of the
/// previous objects at that index, and the kind of object.
final class Handles<Object: AnyObject & SendableMetatype>: Sendable {
  private let kind: UInt
  private let name: String
  private let state = ConditionMutex(State())

  private struct State {
    var objects: [Object?] = []
    var generations: [UInt] = []
    var free: [Int] = []
  }

  /// Objects of a kind, whose number differs from that of other kinds.
  init(kind: UInt, _ name: String) {
    self.kind = kind
    self.name = name
  }

  private static var indexBits: UInt { 32 }
  private static var generationBits: UInt { 24 }

  /// Keeps an object and returns its number.
  func add(_ object: Object) throws(InterfaceError) -> OpaquePointer {
    let number = state.withLock { state -> UInt? in
      let index = state.free.popLast() ?? state.objects.count
      guard index < 1 << 30 else { return nil }
      if index == state.objects.count {
        state.objects.append(nil)
        state.generations.append(0)
      }
      state.objects[index] = object
      return UInt(index) | state.generations[index] << Self.indexBits
        | kind << (Self.indexBits + Self.generationBits)
    }
    guard let pointer = number.flatMap({ OpaquePointer(bitPattern: $0) }) else {
      throw InterfaceError(.tooLarge, "there are too many open objects")
    }
    return pointer
  }

  func find(_ pointer: OpaquePointer?) throws(InterfaceError) -> Object {
    guard let pointer else { throw InterfaceError(.invalid, "the \(name) is null") }
    let found = state.withLock { state in
      index(of: pointer, in: state).flatMap { state.objects[$0] }
    }
    guard let found else { throw InterfaceError(.unknown, "no \(name) of this number is open") }
    return found
  }

  /// Closes an object; does nothing if it is not open.
  func remove(_ pointer: OpaquePointer?) {
    guard let pointer else { return }
    callBegin()
    defer { callEnd() }
    // The object is freed after the lock is released, because that can take a while.
    let removed = state.withLock { state -> Object? in
      guard let index = index(of: pointer, in: state), let object = state.objects[index] else {
        return nil
      }
      state.objects[index] = nil
      state.generations[index] = (state.generations[index] + 1) & ((1 << Self.generationBits) - 1)
      state.free.append(index)
      return object
    }
    withExtendedLifetime(removed) {}
  }

  private func index(of pointer: OpaquePointer, in state: State) -> Int? {
    let number = UInt(bitPattern: pointer)
    let index = Int(number & ((1 << Self.indexBits) - 1))
    guard index < state.objects.count else { return nil }
    let generation = number >> Self.indexBits & ((1 << Self.generationBits) - 1)
    return generation == state.generations[index]
      && number >> (Self.indexBits + Self.generationBits) == kind ? index : nil
  }
}
