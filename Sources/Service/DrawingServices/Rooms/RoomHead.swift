import Graphics
import Storage
import Strokes

/// The state of a drawing's room: what its log holds, which part of that the recording contains, and
/// who takes part.
struct RoomHead {
  /// When the drawing was first stored. A later drawing with the same name has another room.
  let drawingCreated: Moment
  /// The number of the next entry.
  var next = 0
  /// The number of the first entry that the log still has.
  var start = 0
  /// The number of the first entry that the recording does not contain.
  private(set) var mark = 0
  /// The last recording that the room has made, and the one with which the room began: it came from
  /// elsewhere.
  private var made, origin: String?
  /// The recording that is being stored, and the number of its first missing entry; nil for none.
  private(set) var taking: (sha256: String, mark: Int)?
  /// The bytes of the entries that the recording does not contain.
  var waitingBytes = 0
  /// Those who draw, in the order of their numbers.
  private(set) var people: [Person] = []
  /// The members' pages, by their secret names.
  private var pages: [String: Page] = [:]

  /// Somebody who draws.
  struct Person: Hashable {
    let uid: String
    let name: String
  }

  /// An open page of a member.
  private struct Page {
    let uid: String
    /// The page's number of its last entry here.
    let last: Int
    let used: Moment
  }

  /// The maximum number of pages whose repeated entries are recognized, and of people.
  private static let pageLimit = 512
  static let personLimit = 1_000

  /// The state of a new room; the owner is its first person.
  init(of drawing: Document, owner: Person) {
    drawingCreated = drawing.created
    people = [owner]
  }

  /// The stored state; nil if there is none for this drawing.
  init?(_ stored: Document?, of drawing: Document) {
    guard let stored, stored["drawingCreated"]?.momentValue == drawing.created else { return nil }
    func number(_ fields: Fields, _ name: String) -> Int {
      fields[name]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
    }
    drawingCreated = drawing.created
    (next, start) = (number(stored.fields, "next"), number(stored.fields, "start"))
    (mark, waitingBytes) = (number(stored.fields, "mark"), number(stored.fields, "waitingBytes"))
    (made, origin) = (stored["made"]?.textValue, stored["origin"]?.textValue)
    if let sha256 = stored["taking"]?.textValue {
      taking = (sha256, number(stored.fields, "takingMark"))
    }
    for case .map(let fields) in stored["people"]?.listValue ?? [] {
      people.append(
        Person(uid: fields["uid"]?.textValue ?? "", name: fields["name"]?.textValue ?? ""))
    }
    for case .map(let fields) in stored["pages"]?.listValue ?? [] {
      guard let name = fields["name"]?.textValue, let uid = fields["uid"]?.textValue,
        let used = fields["used"]?.momentValue
      else { continue }
      pages[name] = Page(uid: uid, last: number(fields, "last"), used: used)
    }
  }

  var fields: Fields {
    [
      "drawingCreated": .moment(drawingCreated), "next": .integer(Int64(next)),
      "start": .integer(Int64(start)), "mark": .integer(Int64(mark)),
      "made": made.map { .text($0) },
      "origin": origin.map { .text($0) }, "waitingBytes": .integer(Int64(waitingBytes)),
      "taking": taking.map { .text($0.sha256) },
      "takingMark": taking.map { .integer(Int64($0.mark)) },
      "people": .list(people.map { .map(["uid": .text($0.uid), "name": .text($0.name)]) }),
      "pages": .list(
        pages.sorted { $0.key < $1.key }.map { name, page in
          .map([
            "name": .text(name), "uid": .text(page.uid), "last": .integer(Int64(page.last)),
            "used": .moment(page.used),
          ])
        }),
    ]
  }

  /// The number of the first entry that a recording does not contain. After a crash the room may
  /// not know yet that its new recording was stored.
  func mark(of sha256: String) -> Int {
    if let taking, taking.sha256 == sha256 { return taking.mark }
    return mark
  }

  /// Notes that a recording contains all entries before a number.
  mutating func setMark(_ number: Int, of sha256: String) {
    (mark, made) = (number, sha256)
    taking = nil
  }

  /// Notes that a recording is about to take the place of another one.
  mutating func take(_ sha256: String, mark: Int, from former: String) {
    origin = origin(of: former)
    taking = (sha256, mark)
  }

  /// The recording with which the room began, if it now has another one: either it has made that, or
  /// begins again with it.
  func origin(of sha256: String) -> String {
    (sha256 == made || sha256 == taking?.sha256 ? origin : nil) ?? sha256
  }

  /// The number of a person; nil for nobody who has drawn.
  func number(of uid: String) -> UInt16? {
    people.firstIndex { $0.uid == uid }.map { UInt16(clamping: $0) }
  }

  /// The number of a person, who gets one unless there are too many people.
  mutating func number(of person: Person) -> UInt16? {
    if let number = number(of: person.uid) { return number }
    guard people.count < Self.personLimit else { return nil }
    people.append(person)
    return UInt16(people.count - 1)
  }

  /// The number of the last entry of a page; 0 for none. Nil if the page is another user's.
  func lastEntry(of page: String, _ uid: String) -> Int? {
    guard let known = pages[page] else { return 0 }
    return known.uid == uid ? known.last : nil
  }

  mutating func note(_ last: Int, of page: String, _ uid: String, at now: Moment) {
    pages[page] = Page(uid: uid, last: last, used: now)
    guard pages.count > Self.pageLimit else { return }
    // The pages that were used longest ago.
    for (name, _) in pages.sorted(by: { $0.value.used < $1.value.used }).prefix(pages.count / 4) {
      pages[name] = nil
    }
  }
}

extension Recording.Person {
  /// Colours of people, told apart on light and dark paper.
  private static let colors = [
    "#2F6DB5", "#C2452D", "#2E8B57", "#8A4FBF", "#B8860B", "#1B8A9E", "#C23B7A", "#6B7A1E",
    "#A0522D", "#4A56C9", "#9C2F2F", "#3D7F3A",
  ]

  /// A person of a room.
  init(_ number: UInt16, _ name: String) {
    self.init(
      number: number, name: name,
      color: Color(hex: Self.colors[Int(number) % Self.colors.count])
        ?? Color(red: 0, green: 0, blue: 0, alpha: 1))
  }
}
