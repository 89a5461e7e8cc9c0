public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The files of a server, with the calls of Firebase Storage. An app that used that changes where its references come
/// from, and nothing else:
///
///     let storage = Storage(URL(string: "https://ink.example")!, bucket: "app") { try await user.idToken() }
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

  /// The files of a server. `token` is asked before every request for the token of the user, or nil for none.
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

/// What is known about a file besides its bytes.
public struct StorageMetadata: Codable, Hashable, Sendable {
  /// The path.
  public var name: String?
  /// The type: `image/png`.
  public var contentType: String?
  /// How long others may keep it.
  public var cacheControl: String?
  /// Under which name it is saved.
  public var contentDisposition: String?
  /// The language of its content.
  public var contentLanguage: String?
  /// Fields of the app.
  public var metadata: [String: String]?
  /// The size in bytes, as text.
  public private(set) var size: String?
  /// The MD5 of the bytes in Base64.
  public private(set) var md5Hash: String?
  /// When it was first stored, in ISO 8601.
  public private(set) var timeCreated: String?
  /// When it was last changed, in ISO 8601.
  public private(set) var updated: String?
  /// The version of the bytes, which grows.
  public private(set) var generation: String?
  /// The tokens with which links open it, separated by commas.
  var downloadTokens: String?

  /// Metadata of a file to store.
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
  /// Where the next page begins; nil on the last one.
  public let pageToken: String?
}

/// Why a request failed.
public struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failures, as Firebase names them.
  public enum Code: Hashable, Sendable {
    case objectNotFound, unauthenticated, unauthorized, quotaExceeded, downloadSizeExceeded
    /// The file was changed, or the answer was none.
    case unknown
  }

  /// The kind.
  public let code: Code
  /// The status of the answer; 0 if there was none.
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
