import JSON
package import Storage

// Messages as fields, encoded as CBOR or JSON. Frequent items are lists instead of maps, whose
// names would be a third of all bytes. In CBOR, a document's fields are a byte string: they may be
// nested as deeply as in a document, and invalid fields do not make the message invalid. In JSON,
// the bytes of files are base64.

extension SyncRequest {
  package static let version: Int64 = 1
  /// The maximum number of changes, and of wanted files, in one request.
  package static let largestCount = 2000

  /// The request as fields. For JSON, documents' fields are maps.
  package func fields(forJSON isText: Bool = false) -> Fields {
    [
      "version": .integer(Self.version),
      "store": store.map { .text($0) },
      "cursor": cursor.map { .integer($0) },
      "limit": cursor == nil ? nil : .integer(Int64(limit)),
      "changes": changes.isEmpty ? nil : .list(changes.map { $0.value(forJSON: isText) }),
      "refusesUnseen": refusesUnseen ? true : nil,
      "wanted": wanted.isEmpty ? nil : .list(wanted.map(\.value)),
      "fileBytes": fileBytes == 0 ? nil : .integer(Int64(fileBytes)),
    ]
  }

  /// A request from its fields, with the kinds of documents that an app has.
  package init(_ fields: Fields, in application: Application) throws(ServiceError) {
    let reader = MessageReader(fields)
    guard try reader.number("version") == Self.version else {
      throw .badRequest("this version of sync is not spoken here")
    }
    store = reader.text("store")
    cursor = fields["cursor"] == nil ? nil : try reader.number("cursor")
    limit = Int(clamping: try reader.number("limit", else: 50))
    guard cursor ?? 0 >= 0 else { throw .badRequest("'cursor' must not be negative") }
    guard 1...1000 ~= limit else { throw .badRequest("'limit' must be 1 to 1000") }
    changes = try reader.list("changes") { (value) throws(ServiceError) in
      try SyncChange(value, in: application) { (bytes) throws(StorageError) in
        try Fields(message: bytes)
      }
    }
    refusesUnseen = fields["refusesUnseen"]?.boolValue ?? false
    wanted = try reader.list("wanted") { (value) throws(ServiceError) in try WantedFile(value) }
    guard changes.count <= Self.largestCount, wanted.count <= Self.largestCount else {
      throw .badRequest("a request has at most \(Self.largestCount) changes")
    }
    fileBytes = Int(clamping: max(try reader.number("fileBytes", else: 0), 0))
  }
}

extension SyncResponse {
  /// The response as fields.
  package func fields(forJSON isText: Bool = false) -> Fields {
    let results = results.sorted { $0.key < $1.key }.map { index, result in
      FieldValue.list([.integer(Int64(index))] + result.values)
    }
    return [
      "store": .text(store),
      "clock": .moment(clock),
      "isReset": isReset ? true : nil,
      "cursor": .integer(cursor),
      "hasMore": hasMore ? true : nil,
      "results": results.isEmpty ? nil : .list(results),
      "changes": changes.isEmpty ? nil : .list(changes.map { $0.value(forJSON: isText) }),
      "files": files.isEmpty ? nil : .list(files.map { $0.value(forJSON: isText) }),
    ]
  }

  /// A response from its fields, with the kinds of documents that an app has.
  package init(_ fields: Fields, in application: Application) throws(ServiceError) {
    let reader = MessageReader(fields)
    guard let store = reader.text("store"), let clock = fields["clock"]?.momentValue else {
      throw .badRequest("it is no answer of sync")
    }
    (self.store, self.clock) = (store, clock)
    isReset = fields["isReset"]?.boolValue ?? false
    cursor = try reader.number("cursor")
    hasMore = fields["hasMore"]?.boolValue ?? false
    for value in fields["results"]?.listValue ?? [] {
      guard let values = value.listValue, let index = values.first?.integerValue,
        let result = SyncResult(values.dropFirst())
      else { throw .badRequest("a result is not valid") }
      results[Int(clamping: index)] = result
    }
    // Kinds that only a newer server has are unknown here.
    changes = (fields["changes"]?.listValue ?? []).compactMap { value in
      do throws(ServiceError) {
        return try SyncChange(value, in: application) { (bytes) throws(StorageError) in
          try Fields(bytes: bytes)
        }
      } catch {
        return nil
      }
    }
    files = try reader.list("files") { (value) throws(ServiceError) in try FoundFile(value) }
  }
}

/// Reads the fields of a message.
private struct MessageReader {
  let fields: Fields

  init(_ fields: Fields) { self.fields = fields }

  func text(_ name: String) -> String? { fields[name]?.textValue }

  func number(_ name: String, else standard: Int64? = nil) throws(ServiceError) -> Int64 {
    guard let number = fields[name].map({ $0.integerValue }) ?? standard else {
      throw .badRequest("'\(name)' must be a whole number")
    }
    return number
  }

  func list<Item>(
    _ name: String, _ read: (FieldValue) throws(ServiceError) -> Item
  ) throws(ServiceError) -> [Item] {
    guard let value = fields[name] else { return [] }
    guard let values = value.listValue else { throw .badRequest("'\(name)' must be a list") }
    var items: [Item] = []
    items.reserveCapacity(values.count)
    for value in values { items.append(try read(value)) }
    return items
  }
}

extension SyncChange {
  fileprivate func value(forJSON isText: Bool) -> FieldValue {
    var values: [FieldValue] = [.text(name.description), .integer(sequence)]
    switch content {
    case .document(let fields): values.append(isText ? .map(fields) : .bytes(fields.bytes))
    case .deleted(let moment): values.append(.moment(moment))
    }
    if ancestors != [] || !files.isEmpty {
      values.append(ancestors.map { .list($0.map { .text($0) }) } ?? .null)
    }
    if !files.isEmpty { values.append(.list(files.map { $0.value(forJSON: isText) })) }
    return .list(values)
  }

  /// A change from its value, with the fields of a document from their bytes.
  fileprivate init(
    _ value: FieldValue, in application: Application,
    fields: ([UInt8]) throws(StorageError) -> Fields
  ) throws(ServiceError) {
    guard let values = value.listValue, 3...5 ~= values.count,
      let name = values[0].textValue.flatMap({ SyncName($0, in: application) }),
      let sequence = values[1].integerValue
    else { throw .badRequest("a change is not valid") }
    let content: Content
    switch values[2] {
    case .bytes(let bytes):
      guard let fields = try? fields(bytes) else {
        throw .badRequest("the fields of '\(name)' are not valid")
      }
      content = .document(fields)
    case .map(let fields):
      // JSON has no type for moments.
      content = .document(name.kind.schema?.withMoments(fields) ?? fields)
    case .moment(let moment) where Moment.supported.contains(moment): content = .deleted(moment)
    case .text(let text):
      guard let moment = Moment(iso8601: text) else {
        throw .badRequest("the deletion of '\(name)' has no time")
      }
      content = .deleted(moment)
    default: throw .badRequest("a change is not valid")
    }
    self.init(name, content, sequence: sequence)
    if values.count > 3 {
      ancestors = values[3].listValue.map { $0.compactMap(\.textValue) }
    }
    if values.count > 4 {
      for value in values[4].listValue ?? [] { files.append(try SyncFile(value)) }
    }
  }
}

extension FieldValue {
  fileprivate init(file bytes: [UInt8], forJSON isText: Bool) {
    self = isText ? .text(Base64.encode(bytes)) : .bytes(bytes)
  }

  fileprivate var fileBytes: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .text(let text): Base64.decode(text)
    default: nil
    }
  }
}

extension SyncFile {
  fileprivate func value(forJSON isText: Bool) -> FieldValue {
    .list(
      [.text(name), .text(sha256), FieldValue(file: bytes, forJSON: isText)]
        + (base?.values ?? []))
  }

  fileprivate init(_ value: FieldValue) throws(ServiceError) {
    guard let values = value.listValue, values.count == 3 || values.count == 5,
      let name = values[0].textValue, let sha256 = values[1].textValue,
      let bytes = values[2].fileBytes
    else { throw .badRequest("a file is not valid") }
    self.init(name, sha256: sha256, bytes)
    if values.count > 3 { base = try Base(values.dropFirst(3)) }
  }
}

extension SyncFile.Base {
  fileprivate var values: [FieldValue] { [.text(sha256), .integer(Int64(count))] }

  fileprivate init(_ values: ArraySlice<FieldValue>) throws(ServiceError) {
    guard let sha256 = values.first?.textValue, let count = values.last?.integerValue,
      0...Int64(DrawingFiles.sizeLimit) ~= count
    else { throw .badRequest("the beginning of a file is not valid") }
    self.init(sha256: sha256, count: Int(clamping: count))
  }
}

extension WantedFile {
  fileprivate var value: FieldValue {
    .list(
      [.text(drawing), .text(name), .text(sha256), .integer(Int64(offset))] + (base?.values ?? []))
  }

  fileprivate init(_ value: FieldValue) throws(ServiceError) {
    guard let values = value.listValue, values.count == 4 || values.count == 6,
      let drawing = values[0].textValue, let name = values[1].textValue,
      let sha256 = values[2].textValue, let offset = values[3].integerValue,
      0...Int64(DrawingFiles.sizeLimit) ~= offset
    else { throw .badRequest("a wanted file is not valid") }
    self.init(drawing: drawing, name: name, sha256: sha256, offset: Int(clamping: offset))
    if values.count > 4 { base = try SyncFile.Base(values.dropFirst(4)) }
  }
}

extension FoundFile {
  fileprivate func value(forJSON isText: Bool) -> FieldValue {
    .list([
      .integer(Int64(index)), .integer(Int64(count)), .bool(followsBase),
      FieldValue(file: bytes, forJSON: isText),
    ])
  }

  fileprivate init(_ value: FieldValue) throws(ServiceError) {
    guard let values = value.listValue, values.count == 4, let index = values[0].integerValue,
      let count = values[1].integerValue, 0...Int64(DrawingFiles.sizeLimit) ~= count,
      let followsBase = values[2].boolValue, let bytes = values[3].fileBytes
    else { throw .badRequest("a file is not valid") }
    self.init(
      index: Int(clamping: index), count: Int(clamping: count), followsBase: followsBase,
      bytes: bytes)
  }
}

extension SyncResult {
  fileprivate var values: [FieldValue] {
    switch self {
    case .superseded: ["superseded"]
    case .unseen: ["unseen"]
    case .needs(let names, let has):
      ["needs", .list(names.map { .text($0) })] + (has.map { [.text($0)] } ?? [])
    case .conflict(let has): ["conflict", .text(has)]
    case .ahead(let moment): ["ahead"] + (moment.map { [.moment($0)] } ?? [])
    case .refused(let code, let text): ["refused", .text(code), .text(text)]
    case .failed(let code, let text): ["failed", .text(code), .text(text)]
    }
  }

  fileprivate init?(_ values: ArraySlice<FieldValue>) {
    let rest = Array(values.dropFirst())
    switch (values.first?.textValue, rest.count) {
    case ("superseded", 0): self = .superseded
    case ("unseen", 0): self = .unseen
    case ("needs", 1...2):
      guard let names = rest[0].listValue else { return nil }
      self = .needs(names.compactMap(\.textValue), has: rest.count > 1 ? rest[1].textValue : nil)
    case ("conflict", 1):
      guard let has = rest[0].textValue else { return nil }
      self = .conflict(has: has)
    case ("ahead", 0): self = .ahead(of: nil)
    case ("ahead", 1):
      // JSON has no type for moments.
      guard let moment = rest[0].momentValue ?? rest[0].textValue.flatMap(Moment.init(iso8601:))
      else { return nil }
      self = .ahead(of: moment)
    case ("refused", 2): self = .refused(code: rest[0].textValue ?? "", rest[1].textValue ?? "")
    case ("failed", 2): self = .failed(code: rest[0].textValue ?? "", rest[1].textValue ?? "")
    default: return nil
    }
  }
}
