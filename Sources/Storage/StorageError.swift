import Glibc

/// Why something could not be stored or found.
public struct StorageError: Error, Hashable, Sendable {
  /// What is wrong.
  public let problem: Problem
  /// What it is about: a path, a field, a file.
  public let subject: String

  /// An error about something.
  public init(_ problem: Problem, _ subject: String) {
    self.problem = problem
    self.subject = subject
  }

  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// A name or path that nothing can have.
    case badPath(String)
    /// A value that no field can have.
    case badValue(String)
    /// There is nothing of this name.
    case notFound
    /// There is something of this name.
    case alreadyThere
    /// It is larger than may be.
    case tooLarge(limit: Int)
    /// Stored bytes are not those that were written.
    case damaged(String)
    /// Somebody else holds the lock.
    case locked
    /// There is no room on the disk.
    case full
    /// Nothing may be written there.
    case readOnly
    /// A newer program has written this.
    case newerVersion(Int)
    /// An older program has written this, and it was not brought up to date yet.
    case olderVersion(Int)
    /// A library that is needed is not installed.
    case missingLibrary
    /// The system's own reason, `EIO` for example.
    case system(Int32)
    /// The database's own reason.
    case database(String)
  }

  /// An error of the system's, by its number.
  package init(systemCode code: Int32, _ subject: String) {
    self.init(code: code, subject)
  }

  init(code: Int32 = errno, _ subject: String) {
    switch code {
    case ENOSPC, EDQUOT: self.init(.full, subject)
    case EROFS, EACCES, EPERM: self.init(.readOnly, subject)
    case ENOENT: self.init(.notFound, subject)
    default: self.init(.system(code), subject)
    }
  }
}

extension StorageError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch problem {
    case .badPath: "'\(subject)' \(reason)"
    case .missingLibrary: "\(subject) \(reason)"
    default: "\(subject): \(reason)"
    }
  }

  /// The same for those who know what it is about.
  package var reason: String {
    switch problem {
    case .badPath(let reason): "cannot be a name: \(reason)"
    case .badValue(let reason), .database(let reason): reason
    case .notFound: "there is none"
    case .alreadyThere: "there is one already"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    case .damaged(let how): "damaged: \(how)"
    case .locked: "locked by another program"
    case .full: "no room is left on the disk"
    case .readOnly: "cannot be written to"
    case .newerVersion(let version): "written by a newer program (version \(version))"
    case .olderVersion(let version): "written by an older program (version \(version))"
    case .missingLibrary: "is not installed"
    case .system(let code): String(cString: strerror(code))
    }
  }
}
