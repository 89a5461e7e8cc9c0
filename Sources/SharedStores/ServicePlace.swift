package import DrawingServices
import Files
import Glibc
import Storage

/// Where a service is: `DIR`, or `DIR,postgres://…,s3://…` with what is not in its folder.
package struct ServicePlace: Hashable, Sendable {
  package let root: String
  package let stores: SharedStores

  /// A place from its text. Throws with a reason for people.
  package init(_ text: String) throws(ServicePlaceError) {
    var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    root = parts.removeFirst()
    var stores = SharedStores()
    for part in parts {
      if part.hasPrefix("postgres://") || part.hasPrefix("postgresql://"), stores.documents.isEmpty
      {
        stores.documents = part
      } else if part.hasPrefix("s3://"), stores.blobs.isEmpty {
        stores.blobs = part
      } else {
        throw ServicePlaceError("behind the folder only postgres://… and s3://… may follow")
      }
    }
    guard !root.isEmpty, !root.contains("://") else {
      throw ServicePlaceError("a place begins with a folder")
    }
    self.stores = stores
  }

  package func open(for purpose: LocalService.Purpose) throws -> ServiceEnvironment {
    try stores.open(root, for: purpose)
  }

  /// Gives the folder the settings and the key of another place, unless it has its own.
  package func takeSettings(from other: ServicePlace) throws {
    for name in LocalService.ownFiles {
      let (there, here) = ("\(other.root)/\(name)", "\(root)/\(name)")
      guard access(here, F_OK) != 0, access(there, F_OK) == 0 else { continue }
      let file = Glibc.open(there, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw StorageError(systemCode: errno, there) }
      defer { close(file) }
      let bytes = try OpenFile.readAll(file, limit: 1 << 20)
      try FileBlobStore.replaceFile(name, in: root, bytes)
    }
  }
}

/// Why a text is no place of a service.
package struct ServicePlaceError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
