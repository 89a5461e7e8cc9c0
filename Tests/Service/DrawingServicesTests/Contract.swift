import Calendar
import Testing

@testable import DrawingServices
@testable import Storage

/// The contract of `service.md`, sections 2 and 3: a second, independent implementation of the
/// table and the schemas, for comparison.
enum Contract {
  /// Whether the table of section 3 allows a request.
  static func allows(_ wish: Wish) -> Bool {
    guard let uid = wish.uid else { return false }
    let names = wish.names
    let isOwn = names.count > 1 && names[0] == "users" && names[1] == uid
    func has(_ fields: [String]) -> Bool {
      fields.allSatisfy { wish.then?[$0] != nil && wish.then?[$0] != FieldValue.null }
    }
    if allowsMember(uid, wish) { return true }
    switch wish.kind {
    case .blob:
      guard isOwn, names.count == 5, names[2] == "drawings" else { return false }
      if wish.operation == .read || wish.operation == .delete { return true }
      let isNamed = ["image.png", "thumbnail.png", "recording.pkd"].contains(names[4])
      return isNamed && wish.size.map { $0 < 10_485_760 } == true
    case .query(let owner):
      guard wish.operation == .read else { return false }
      if names == ["growthMethods"] || names == ["educationalResources"] { return true }
      if names == ["sessionLogs"] { return owner == uid }
      return isOwn && names.count == 3
        && ["mood_checkins", "drawings", "moodEntries"].contains(names[2])
    case .document:
      if names.count == 2, ["growthMethods", "educationalResources"].contains(names[0]) {
        return wish.operation == .read
      }
      if names.count == 2, names[0] == "sessionLogs" {
        func says(_ fields: Fields?) -> Bool { fields?["userId"] == .text(uid) }
        switch wish.operation {
        case .read, .delete: return says(wish.now)
        case .create: return says(wish.then)
        case .update: return says(wish.now) && says(wish.then)
        }
      }
      guard isOwn, names.count == 2 || names.count == 4 else { return false }
      if names.count == 2 { return true }
      let isCreated = wish.operation == .create
      switch names[2] {
      case "mood_checkins":
        return !isCreated
          || has(["createdAt", "evaluation", "topic", "emotion", "colorIntensity", "colorHex"])
      case "drawings":
        return !isCreated || has(["createdAt", "isFromCheckIn", "recordingURL", "imageURL"])
      case "moodEntries":
        return !isCreated
          || wish.then?["moodType"]?.kind == .text && wish.then?["timestamp"]?.kind == .moment
      default: return false
      }
    }
  }

  /// The members of two drawings: cat may read them, and dan may change them.
  static func role(_ uid: String?, _ owner: String, _ drawing: String) -> AccessRule.Role? {
    guard owner == "ann", ["x1", "d1"].contains(drawing) else { return nil }
    return uid == "cat" ? .reader : uid == "dan" ? .writer : nil
  }

  /// The fields that members may change.
  static let fieldsOfMembers: Set = [
    "title", "recognizedText", "updatedAt", "describedAt", "deviceID", "imageIsRendered",
    "rendersImageLater", "recordingSHA256", "nextRecordingSHA256", "imageSHA256",
    "formerRecordings",
  ]

  private static func allowsMember(_ uid: String, _ wish: Wish) -> Bool {
    let names = wish.names
    guard names.count == 4 || names.count == 5, names[0] == "users", names[2] == "drawings",
      let role = role(uid, names[1], names[3])
    else { return false }
    switch (wish.kind, wish.operation) {
    case (.blob, .read): return names.count == 5
    case (.document, .read): return names.count == 4
    case (.blob, .update):
      return role == .writer && names.count == 5 && names[4] == "recording.pkd"
        && wish.size.map { $0 < 10_485_760 } == true
    case (.document, .update):
      let changed = Set((wish.now ?? [:]).all.map(\.0) + (wish.then ?? [:]).all.map(\.0)).filter {
        wish.now?[$0] ?? .null != wish.then?[$0] ?? .null
      }
      return role == .writer && names.count == 4 && changed.isSubset(of: fieldsOfMembers)
    default: return false
    }
  }

  /// Whether fields are valid by section 2. `isNew` if the server fills in missing fields.
  static func isIntact(_ names: [String], _ fields: Fields, isNew: Bool) -> Bool {
    let kind = names.count == 4 ? names[2] : names[0]
    // A profile belongs to its owner.
    if kind == "users", let uid = fields["userId"], uid != .null, uid != .text(names[1]) {
      return false
    }
    return (models[kind] ?? []).allSatisfy { field in
      switch (fields[field.name] ?? .null, field.need) {
      case (.null, .always): return false
      case (.null, .filledIn): return isNew
      case (.null, .never): return true
      case (let value, _): return field.isIntact(value)
      }
    }
  }

  enum Need: Sendable { case always, filledIn, never }

  struct Field: Sendable {
    let name: String
    let need: Need
    let isIntact: @Sendable (FieldValue) -> Bool
  }

  private static func field(
    _ names: String, _ need: Need, _ isIntact: @escaping @Sendable (FieldValue) -> Bool
  ) -> [Field] {
    names.split(separator: " ").map { Field(name: String($0), need: need, isIntact: isIntact) }
  }

  @Sendable private static func isText(_ value: FieldValue) -> Bool { value.kind == .text }
  @Sendable private static func isTime(_ value: FieldValue) -> Bool { value.kind == .moment }
  @Sendable private static func isTruth(_ value: FieldValue) -> Bool { value.kind == .bool }
  @Sendable private static func isTexts(_ value: FieldValue) -> Bool {
    if case .list(let values) = value { values.allSatisfy(isText) } else { false }
  }
  @Sendable private static func isID(_ value: FieldValue) -> Bool {
    guard case .text(let text) = value else { return false }
    let letters = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".unicodeScalars)
    let scalars = text.unicodeScalars
    return 1...128 ~= scalars.count && scalars.first.map(letters.contains) == true
      && scalars.allSatisfy { letters.contains($0) || ".-_".unicodeScalars.contains($0) }
  }
  private static func isOne(of words: String) -> @Sendable (FieldValue) -> Bool {
    let words = words.split(separator: " ").map { FieldValue.text(String($0)) }
    return { words.contains($0) }
  }
  private static func isWhole(_ range: ClosedRange<Double>) -> @Sendable (FieldValue) -> Bool {
    { value in
      switch value {
      case .integer(let number): range.contains(Double(number))
      case .number(let number): range.contains(number) && number == number.rounded()
      default: false
      }
    }
  }
  private static func isNumber(_ range: ClosedRange<Double>) -> @Sendable (FieldValue) -> Bool {
    { value in
      switch value {
      case .integer(let number): range.contains(Double(number))
      case .number(let number): range.contains(number)
      default: false
      }
    }
  }
  @Sendable private static func isColor(_ value: FieldValue) -> Bool {
    guard case .text(let text) = value else { return false }
    let digits = "0123456789ABCDEFabcdef".unicodeScalars
    let scalars = text.unicodeScalars
    return text.isEmpty
      || scalars.count == 7 && scalars.first == "#"
        && scalars.dropFirst().allSatisfy(digits.contains)
  }
  @Sendable private static func isQuote(_ value: FieldValue) -> Bool {
    guard case .map(let quote) = value, quote["text"].map(isText) == true else { return false }
    return (quote["author"].map(isText) ?? true)
      && (quote["source"].map(isOne(of: "local remote_config ai_generated")) ?? true)
      && (quote["categories"].map(isTexts) ?? true)
  }
  @Sendable private static func isSettings(_ value: FieldValue) -> Bool {
    guard case .map(let settings) = value else { return false }
    return (settings["notificationsEnabled"].map(isTruth) ?? true)
      && (settings["privacyLevel"].map(isOne(of: "high medium low")) ?? true)
      && (settings["reminderTime"].map(isReminder) ?? true)
  }
  @Sendable private static func isReminder(_ value: FieldValue) -> Bool {
    guard case .text(let text) = value else { return value.kind == .moment }
    return (0..<1440).contains { minute in
      text == "\(padded(minute / 60, 2)):\(padded(minute % 60, 2))"
    }
  }
  private static let offset = field("timezoneOffsetMinutes", .filledIn, isWhole(-720...840))
  private static let moods = "veryNegative negative neutral positive veryPositive"

  static let models: [String: [Field]] = [
    "mood_checkins": field("colorHex", .always, isColor)
      + field("colorIntensity", .always, isNumber(0...1))
      + field("emotion topic evaluation", .always, isText) + field("journal", .never, isText)
      + offset + field("createdAt", .always, isTime) + field("updatedAt", .filledIn, isTime),
    "drawings": field("checkinId", .never, isID) + field("isFromCheckIn", .always, isTruth)
      + field("imageURL recordingURL", .always, isText)
      + field("thumbnailURL promptUsed", .never, isText) + offset
      // Section 6 allows drawings without a date.
      + field("createdAt", .never, isTime) + field("updatedAt", .filledIn, isTime),
    "moodEntries": field("moodType", .always, isText) + field("note deviceID", .never, isText)
      + field("timestamp", .always, isTime) + field("quoteShown", .never, isQuote)
      + field("expectations", .never, isTexts) + field("synced", .never, isTruth)
      + field("createdAt updatedAt", .filledIn, isTime),
    "sessionLogs": field("logId userId methodId", .always, isID)
      + field("startTime", .always, isTime) + field("duration", .always, isNumber(0...604_800))
      + field("userNotes", .never, isText)
      + field("moodBefore moodAfter", .always, isOne(of: moods)),
    "users": field("userName fcmToken", .never, isText)
      + field("selectedExpectations", .never, isTexts)
      + field("notificationHour", .never, isWhole(0...23))
      + field("notificationMinute", .never, isWhole(0...59))
      + field("createdAt lastActive creationDate lastLogin", .never, isTime)
      + field("userId", .never, isID)
      + field("linkedProgressData", .never) { $0.kind == .map }
      + field("settings", .never, isSettings),
  ]
}

/// A request: caller, operation, and path.
struct Wish {
  enum Kind {
    case document, blob
    /// For all documents of a collection, or for those with a given `userId`.
    case query(owner: String?)
  }

  var uid: String?
  var operation: AccessRequest.Operation
  var kind: Kind
  var names: [String]
  var now: Fields?
  var then: Fields?
  var size: Int?

  var path: String { names.joined(separator: "/") }

  /// The request in the form for the rules.
  func request() throws -> AccessRequest {
    let resource: AccessRequest.Resource =
      switch kind {
      case .document: .document(try DocumentPath(path), now: now, then: then)
      case .blob: .blob(try BlobPath(path), size: size)
      case .query: .query(try query())
      }
    return AccessRequest(uid.map { .user($0) } ?? .anonymous, operation, resource)
  }

  func query() throws -> Query {
    let query = Query(try CollectionPath(path))
    guard case .query(let owner?) = kind else { return query }
    return query.filtered("userId", .equal(.text(owner)))
  }

  /// Whether a table allows this request.
  func isAllowed(by rules: AccessRules) throws -> Bool {
    try refusal(by: rules) { Contract.role(uid, String($0.owner), String($0.shared)) } == nil
  }

  /// The error of a table, with the roles that a function gives; nil if it allows this request.
  func refusal(
    by rules: AccessRules, role: (AccessRule.Membership) -> AccessRule.Role? = { _ in nil }
  ) throws -> AccessRefusal? {
    let request = try request()
    do {
      try rules.check(request, role: role)
      return nil
    } catch let error as AccessRefusal {
      return error
    }
  }

  /// Whether a service allows this request, by rules and schemas.
  func isLetThrough(_ environment: ServiceEnvironment) throws -> Bool {
    let gate = AccessGate(environment, as: uid.map { .user($0) } ?? .anonymous)
    do {
      switch kind {
      case .blob: try gate.check(operation, request().resource)
      case .query: _ = try gate.read { try $0.page(query()) }
      case .document:
        let path = try DocumentPath(path)
        try gate.change { transaction in
          if let now { try transaction.ofService.set(path, now) }
          switch operation {
          case .read:
            let reader = GatedReader(gate: gate, reader: transaction.ofService)
            _ = try reader.document(path)
          case .create: try transaction.create(path, then ?? Fields())
          case .update: try transaction.update(path, then ?? Fields())
          case .delete: try transaction.delete(path)
          }
          // The transaction is rolled back.
          throw Done()
        }
      }
      return true
    } catch is Done {
      return true
    } catch is AccessRefusal {
      return false
    } catch is FieldError {
      return false
    } catch let error as StorageError where error.problem == .notFound {
      return true
    }
  }

  /// Whether the request must be allowed.
  var isRight: Bool {
    guard Contract.allows(self) else { return false }
    guard case .document = kind, let then, operation == .create || operation == .update else {
      return true
    }
    return operation == .update && now == nil
      || Contract.isIntact(names, then, isNew: operation == .create)
  }

  private struct Done: Error {}
}
