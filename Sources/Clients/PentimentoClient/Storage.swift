public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The files of a server, with the calls of Firebase Storage. An app that used Firebase changes
/// only the creation of its references:
///
///     let storage = Storage(URL(string: "https://ink.example")!, bucket: "app") {
///       try await user.idToken()
///     }
///     let image = storage.reference(withPath: "users/\(uid)/drawings/\(id)/image.png")
///     try await image.putData(png, metadata: StorageMetadata(contentType: "image/png"))
///     let link = try await image.downloadURL()
///
/// Firebase's own library for Apple's systems cannot be used: it sends no token to other servers.
public struct Storage: Sendable {
  let server: URL
  let bucket: String
  let token: @Sendable () async throws -> String?
  let session: URLSession

  /// The files of a server. `token` is called before every request and returns the user's token, or
  /// nil for none.
  public init(
    _ server: URL, bucket: String = "default", session: URLSession = .shared,
    token: @escaping @Sendable () async throws -> String?
  ) {
    (self.server, self.bucket, self.session, self.token) = (server, bucket, session, token)
  }

  /// The root of all files.
  public func reference() -> StorageReference { StorageReference(self, "") }

  /// A file or a folder by its path.
  public func reference(withPath path: String) -> StorageReference {
    StorageReference(self, path.split(separator: "/").joined(separator: "/"))
  }
}

/// A file's metadata.
public struct StorageMetadata: Codable, Hashable, Sendable {
  /// The path.
  public var name: String?
  /// The type: `image/png`.
  public var contentType: String?
  /// The Cache-Control header of responses, which limits caching.
  public var cacheControl: String?
  /// The Content-Disposition header, which contains the file name for saving.
  public var contentDisposition: String?
  /// The language of its content.
  public var contentLanguage: String?
  /// Custom fields of the app.
  public var metadata: [String: String]?
  /// The size in bytes, as text.
  public private(set) var size: String?
  /// The MD5 of the bytes in Base64.
  public private(set) var md5Hash: String?
  /// The time of creation, in ISO 8601.
  public private(set) var timeCreated: String?
  /// The time of the last change, in ISO 8601.
  public private(set) var updated: String?
  /// The version of the bytes, which increases with each change.
  public private(set) var generation: String?
  /// The tokens of its download links, separated by commas.
  var downloadTokens: String?

  /// Metadata for storing a file.
  public init(contentType: String? = nil, metadata: [String: String]? = nil) {
    (self.contentType, self.metadata) = (contentType, metadata)
  }
}

/// The files and folders below a folder.
public struct StorageListResult: Sendable {
  /// The folders.
  public let prefixes: [StorageReference]
  /// The files.
  public let items: [StorageReference]
  /// The token of the next page; nil on the last one.
  public let pageToken: String?
}

/// A failed request.
public struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failures, as Firebase names them.
  public enum Code: Hashable, Sendable {
    case objectNotFound, unauthenticated, unauthorized, quotaExceeded, downloadSizeExceeded
    /// Any other failure, such as an invalid path, a changed file, or no valid response.
    case unknown
  }

  /// The kind.
  public let code: Code
  /// The status of the response; 0 if there was none.
  public let status: Int
  /// The reason, for people.
  public let description: String

  init(_ code: Code, _ status: Int, _ description: String) {
    (self.code, self.status, self.description) = (code, status, description)
  }

  init(status: Int, _ body: Data) {
    struct Answer: Decodable {
      struct Problem: Decodable { let message: String }
      let error: Problem
    }
    let code: Code =
      switch status {
      case 401: .unauthenticated
      case 402: .quotaExceeded
      case 403: .unauthorized
      case 404: .objectNotFound
      default: .unknown
      }
    let answer = try? JSONDecoder().decode(Answer.self, from: body)
    self.init(code, status, answer?.error.message ?? "the server answered with \(status)")
  }
}
