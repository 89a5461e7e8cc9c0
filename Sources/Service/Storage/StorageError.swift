import Glibc

/// An error of a store: its kind and its subject.
public struct StorageError: Error, Hashable, Sendable {
  /// The kind of the problem.
  public let problem: Problem
  /// The path, field or file that has the problem.
  public let subject: String

  /// An error with its problem and its subject.
  public init(_ problem: Problem, _ subject: String) {
    self.problem = problem
    self.subject = subject
  }

  /// The kinds of problems.
  public enum Problem: Hashable, Sendable {
    /// A name or path that is not valid, with the reason.
    case badPath(String)
    /// A value that cannot be stored, with the reason.
    case badValue(String)
    /// Nothing with this name exists.
    case notFound
    /// Something with this name exists.
    case alreadyExists
    /// More bytes than the limit.
    case tooLarge(limit: Int)
    /// Stored bytes differ from the written ones, with details.
    case damaged(String)
    /// The store cannot be reached or is overloaded, with the reason. The same call may succeed a
    /// moment later. If a transaction was being committed, it may or may not be stored.
    case unavailable(String)
    /// Another program holds the lock.
    case locked
    /// The disk is full.
    case full
    /// A user would exceed the quota.
    case overQuota(limit: Int)
    /// No permission to write, or a read-only disk.
    case readOnly
    /// Written by a newer program, with its version.
    case newerVersion(Int)
    /// Written by an older program, with its version, and not migrated yet.
    case olderVersion(Int)
    /// An error number of the system, `EIO` for example.
    case system(Int32)
    /// An error message of the database.
    case database(String)
  }

  /// An error from a system error number. `ENOSPC`, `EROFS`, `ENOENT` and similar numbers get their
  /// own problem.
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
  /// The subject and the reason, as one sentence for people.
  public var description: String {
    switch problem {
    case .badPath: "'\(subject)' \(reason)"
    default: "\(subject): \(reason)"
    }
  }

  /// The description without the subject.
  package var reason: String {
    switch problem {
    case .badPath(let reason): "cannot be a name: \(reason)"
    case .badValue(let reason), .database(let reason), .unavailable(let reason): reason
    case .notFound: "not found"
    case .alreadyExists: "already exists"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    case .damaged(let how): "damaged: \(how)"
    case .locked: "locked by another program"
    case .full: "no space is left on the disk"
    case .overQuota(let limit): "all data of a user may have at most \(limit >> 20) MiB"
    case .readOnly: "cannot be written to"
    case .newerVersion(let version): "written by a newer program (version \(version))"
    case .olderVersion(let version): "written by an older program (version \(version))"
    case .system(let code): String(cString: strerror(code))
    }
  }
}
