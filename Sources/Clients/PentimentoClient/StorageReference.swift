public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A file or a folder of a server.
public struct StorageReference: Sendable {
  /// The path, without slashes at its ends.
  public let fullPath: String
  private let storage: Storage

  init(_ storage: Storage, _ path: String) { (self.storage, fullPath) = (storage, path) }

  /// The last name of the path.
  public var name: String { fullPath.split(separator: "/").last.map(String.init) ?? "" }

  /// A file or a folder below this one.
  public func child(_ path: String) -> StorageReference {
    storage.reference(withPath: "\(fullPath)/\(path)")
  }

  /// The parent folder of this file or folder; nil for the root.
  public func parent() -> StorageReference? {
    let names = fullPath.split(separator: "/")
    return names.isEmpty
      ? nil : StorageReference(storage, names.dropLast().joined(separator: "/"))
  }

  // MARK: - Files

  /// Stores a file, or replaces it. Starts an upload, then sends the bytes in one piece, so that a
  /// lost connection leaves the previous file unchanged.
  @discardableResult
  public func putData(_ data: Data, metadata: StorageMetadata? = nil) async throws
    -> StorageMetadata
  {
    var start = try await request("POST", query: [("name", fullPath)], isList: true)
    start.setValue("resumable", forHTTPHeaderField: "X-Goog-Upload-Protocol")
    start.setValue("start", forHTTPHeaderField: "X-Goog-Upload-Command")
    start.setValue("\(data.count)", forHTTPHeaderField: "X-Goog-Upload-Header-Content-Length")
    let type = metadata?.contentType ?? "application/octet-stream"
    start.setValue(type, forHTTPHeaderField: "X-Goog-Upload-Header-Content-Type")
    start.setValue("application/json", forHTTPHeaderField: "Content-Type")
    var described = metadata ?? StorageMetadata()
    described.name = fullPath
    start.httpBody = try JSONEncoder().encode(described)
    let (_, answer) = try await send(start)
    guard let text = answer.value(forHTTPHeaderField: "X-Goog-Upload-URL"),
      let address = URL(string: text)
    else { throw StorageFailure(.unknown, answer.statusCode, "the server gave no upload") }
    var upload = URLRequest(url: address)
    upload.httpMethod = "POST"
    upload.setValue("upload, finalize", forHTTPHeaderField: "X-Goog-Upload-Command")
    upload.setValue("0", forHTTPHeaderField: "X-Goog-Upload-Offset")
    upload.httpBody = data
    return try Self.metadata(try await send(upload).0)
  }

  /// The bytes of the file; throws if there are more than `maxSize`.
  public func data(maxSize: Int64) async throws -> Data {
    let data = try await send(try await request("GET", query: [("alt", "media")])).0
    guard data.count <= maxSize else {
      throw StorageFailure(.downloadSizeExceeded, 200, "the file has more than \(maxSize) bytes")
    }
    return data
  }

  /// A link that opens the file without a token of a user, until it is revoked.
  public func downloadURL() async throws -> URL {
    let metadata = try await getMetadata()
    guard let token = metadata.downloadTokens?.split(separator: ",").first,
      let url = address(query: [("alt", "media"), ("token", String(token))])
    else { throw StorageFailure(.unknown, 200, "the server gives no links to files") }
    return url
  }

  /// The file's metadata.
  public func getMetadata() async throws -> StorageMetadata {
    try Self.metadata(try await send(try await request("GET")).0)
  }

  /// Changes the file's metadata.
  @discardableResult
  public func updateMetadata(_ metadata: StorageMetadata) async throws -> StorageMetadata {
    var change = try await request("PATCH")
    change.setValue("application/json", forHTTPHeaderField: "Content-Type")
    change.httpBody = try JSONEncoder().encode(metadata)
    return try Self.metadata(try await send(change).0)
  }

  /// Deletes the file. Throws `.objectNotFound` if there is none.
  public func delete() async throws { _ = try await send(try await request("DELETE")) }

  // MARK: - Folders

  /// One page of the files and folders below this folder.
  public func list(maxResults: Int, pageToken: String? = nil) async throws -> StorageListResult {
    struct Page: Decodable {
      struct Item: Decodable { let name: String }
      let prefixes: [String]?
      let items: [Item]?
      let nextPageToken: String?
    }
    let prefix = fullPath.isEmpty ? "" : fullPath + "/"
    let query =
      [("prefix", prefix), ("delimiter", "/"), ("maxResults", "\(maxResults)")]
      + (pageToken.map { [("pageToken", $0)] } ?? [])
    let data = try await send(try await request("GET", query: query, isList: true)).0
    let page = try JSONDecoder().decode(Page.self, from: data)
    return StorageListResult(
      prefixes: (page.prefixes ?? []).map { storage.reference(withPath: $0) },
      items: (page.items ?? []).map { storage.reference(withPath: $0.name) },
      pageToken: page.nextPageToken)
  }

  /// All files and folders below this folder.
  public func listAll() async throws -> StorageListResult {
    var (prefixes, items, next) = ([StorageReference](), [StorageReference](), String?.none)
    repeat {
      let page = try await list(maxResults: 1000, pageToken: next)
      prefixes += page.prefixes
      items += page.items
      next = page.pageToken
    } while next != nil
    return StorageListResult(prefixes: prefixes, items: items, pageToken: nil)
  }

  // MARK: - Requests

  private static func metadata(_ data: Data) throws -> StorageMetadata {
    try JSONDecoder().decode(StorageMetadata.self, from: data)
  }

  /// The URL of the file, or of the list of all files.
  private func address(query: [(String, String)], isList: Bool = false) -> URL? {
    let path =
      "/v0/b/\(Self.encoded(storage.bucket))/o" + (isList ? "" : "/\(Self.encoded(fullPath))")
    let items = query.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    return URL(string: storage.server.absoluteString + path + (items.isEmpty ? "" : "?\(items)"))
  }

  private static func encoded(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
  }

  private func request(
    _ method: String, query: [(String, String)] = [], isList: Bool = false
  ) async throws -> URLRequest {
    guard let url = address(query: query, isList: isList) else {
      throw StorageFailure(.unknown, 0, "the path is not valid")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let token = try await storage.token() {
      request.setValue("Firebase \(token)", forHTTPHeaderField: "Authorization")
    }
    return request
  }

  private func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let (data, response) = try await storage.session.data(for: request)
    guard let answer = response as? HTTPURLResponse else {
      throw StorageFailure(.unknown, 0, "the server did not answer")
    }
    guard 200..<300 ~= answer.statusCode else {
      throw StorageFailure(status: answer.statusCode, data)
    }
    return (data, answer)
  }
}
