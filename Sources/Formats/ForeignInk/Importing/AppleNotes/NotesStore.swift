import InkFiles
import Strokes

/// A drawing in a note.
struct NotesDrawing: Sendable {
  /// The folders and the title of its note, and its number there if the note has several.
  let name: String
  /// The title of its note.
  let title: String
  /// The archive of PencilKit, or of Notes before 2019; nil for a drawing in a private format.
  let archive: [UInt8]?
  /// Whether the note also has a drawing in a private format, which Notes shows in place of this
  /// one.
  let isOlderCopy: Bool
  /// The possible paths of the picture made by Notes, relative to the database's folder.
  let picturePaths: [String]
}

/// The tables of Notes. The names of columns and the numbers of entities change between versions of
/// Notes, so both are looked up.
struct NotesStore {
  /// The drawings that can be read, in the order of their notes.
  private(set) var drawings: [NotesDrawing] = []
  /// Notes about drawings that cannot be read.
  private(set) var notes = ImportNotes()

  private static let table = "ZICCLOUDSYNCINGOBJECT"
  private let reader: ImageReader
  private let columns: Set<String>
  private let readsDeleted: Bool

  init(_ reader: ImageReader, readsDeleted: Bool) throws(ImportError) {
    self.reader = reader
    self.readsDeleted = readsDeleted
    columns = try reader.columns(of: Self.table)
    guard columns.contains("ZTYPEUTI") else {
      throw ImportError(
        .expected("a database of Notes (a table \(Self.table) with attachments)"), at: 0)
    }
    let entities = try entityNumbers()
    let accounts = try accounts(entities)
    let folders = try folders(entities)
    let attachments = try attachments(entities)
    for note in try noteRows(entities) {
      let own = ordered(attachments[note.key] ?? [], in: note)
      guard !own.isEmpty else { continue }
      add(own, of: note, folders, accounts)
    }
  }

  // MARK: - Rows

  private struct Account {
    let name, identifier: String
  }

  private struct Folder {
    let name: String
    let parent: Int?
    /// Whether the folder holds recently deleted notes.
    let isTrash: Bool
  }

  private struct Note {
    let key: Int
    let title: String
    let folder: Int?
    /// The keys in the columns that may refer to the account.
    let accounts: [Int]
    let isLocked, isDeleted: Bool
    /// Identifiers of attachments in the order of the text; empty if that is unknown.
    let order: [String]
  }

  private struct Attachment {
    let key: Int
    let identifier, type: String
    let archive: [UInt8]
    let generation: String
    let isDeleted: Bool
  }

  /// The existing ones of some columns, and NULL in place of the others.
  private func selection(_ names: [String]) -> String {
    names.map { columns.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
  }

  private func entityNumbers() throws(ImportError) -> [String: Int] {
    var numbers: [String: Int] = [:]
    try reader.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") { row throws(ImportError) in
      numbers[row.text(1)] = row.integer(0)
    }
    guard numbers["ICNote"] != nil, numbers["ICAttachment"] != nil else {
      throw ImportError(.missing("the entity ICNote or ICAttachment"), at: 0)
    }
    return numbers
  }

  private func rows(
    of entity: String, _ entities: [String: Int], _ names: [String],
    _ body: (ImageRow) throws(ImportError) -> Void
  ) throws(ImportError) {
    guard let number = entities[entity] else { return }
    try reader.rows(
      "SELECT \(selection(names)) FROM \(Self.table) WHERE Z_ENT = \(number) ORDER BY Z_PK", body)
  }

  private func accounts(_ entities: [String: Int]) throws(ImportError) -> [Int: Account] {
    var accounts: [Int: Account] = [:]
    try rows(of: "ICAccount", entities, ["Z_PK", "ZNAME", "ZIDENTIFIER"]) { row in
      accounts[row.integer(0)] = Account(name: Self.name(row.text(1)), identifier: row.text(2))
    }
    return accounts
  }

  /// A name or title, cut to a maximum length. A damaged database may contain a name as long as
  /// itself, which would be repeated for each drawing.
  private static func name(_ text: String) -> String { String(text.prefix(200)) }

  private func folders(_ entities: [String: Int]) throws(ImportError) -> [Int: Folder] {
    var folders: [Int: Folder] = [:]
    try rows(of: "ICFolder", entities, ["Z_PK", "ZTITLE2", "ZPARENT", "ZFOLDERTYPE"]) { row in
      folders[row.integer(0)] = Folder(
        name: Self.name(row.text(1)), parent: row.isNull(2) ? nil : row.integer(2),
        isTrash: row.integer(3) == 1)
    }
    return folders
  }

  private func noteRows(_ entities: [String: Int]) throws(ImportError) -> [Note] {
    let orders = try orders()
    var notes: [Note] = []
    let accounts = (2...9).map { "ZACCOUNT\($0)" } + ["ZACCOUNT"]
    let names = [
      "Z_PK", "ZTITLE1", "ZFOLDER", "ZISPASSWORDPROTECTED", "ZMARKEDFORDELETION",
    ]
    try rows(of: "ICNote", entities, names + accounts) { row in
      notes.append(
        Note(
          key: row.integer(0), title: Self.name(row.text(1)),
          folder: row.isNull(2) ? nil : row.integer(2),
          accounts: accounts.indices.compactMap { index in
            let column = Int32(names.count + index)
            return row.isNull(column) ? nil : row.integer(column)
          }, isLocked: row.integer(3) == 1, isDeleted: row.integer(4) == 1,
          order: orders[row.integer(0)] ?? []))
    }
    return notes
  }

  /// The attachments with drawings, by the key of their note.
  private func attachments(_ entities: [String: Int]) throws(ImportError) -> [Int: [Attachment]] {
    guard let noteEntity = entities["ICNote"] else { return [:] }
    var keys: Set<Int> = []
    try reader.rows("SELECT Z_PK FROM \(Self.table) WHERE Z_ENT = \(noteEntity)") { row in
      keys.insert(row.integer(0))
    }
    var attachments: [Int: [Attachment]] = [:]
    let names = [
      "Z_PK", "ZIDENTIFIER", "ZTYPEUTI", "ZMERGEABLEDATA1", "ZMERGEABLEDATA", "ZNOTE", "ZNOTE1",
      "ZFALLBACKIMAGEGENERATION", "ZMARKEDFORDELETION",
    ]
    try rows(of: "ICAttachment", entities, names) { row in
      let type = row.text(2)
      guard type.hasPrefix("com.apple.drawing") || type == "com.apple.paper" else { return }
      // The column with an attachment's note depends on the version of Notes.
      let note = [5, 6].map { row.integer($0) }.first { keys.contains($0) }
      guard let note else { return }
      attachments[note, default: []].append(
        Attachment(
          key: row.integer(0), identifier: row.text(1), type: type,
          archive: row.isNull(3) ? row.bytes(4) : row.bytes(3), generation: row.text(7),
          isDeleted: row.integer(8) == 1))
    }
    return attachments
  }

  /// The order of the attachments in the text of each note.
  private func orders() throws(ImportError) -> [Int: [String]] {
    let names = try reader.columns(of: "ZICNOTEDATA")
    guard names.isSuperset(of: ["ZNOTE", "ZDATA"]) else { return [:] }
    var orders: [Int: [String]] = [:]
    try reader.rows("SELECT ZNOTE, ZDATA FROM ZICNOTEDATA WHERE ZDATA IS NOT NULL") { row in
      orders[row.integer(0)] = NoteText.attachments(in: row.bytes(1))
    }
    return orders
  }

  // MARK: - Drawings

  private func ordered(_ attachments: [Attachment], in note: Note) -> [Attachment] {
    let places = Dictionary(
      note.order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    // Attachments that the text does not name were removed from it. If the text names none, it was
    // not understood.
    guard attachments.contains(where: { places[$0.identifier] != nil }) else { return attachments }
    return attachments.filter { places[$0.identifier] != nil || readsDeleted }
      .sorted {
        (places[$0.identifier] ?? .max, $0.key) < (places[$1.identifier] ?? .max, $1.key)
      }
  }

  private mutating func add(
    _ attachments: [Attachment], of note: Note, _ folders: [Int: Folder],
    _ accounts: [Int: Account]
  ) {
    let path = path(of: note, folders)
    let present = attachments.filter { !$0.isDeleted || readsDeleted }
    let isDeleted = note.isDeleted || path.isTrash
    guard !isDeleted || readsDeleted else {
      return notes.add("deleted drawings are left out", count: attachments.count)
    }
    guard !note.isLocked else {
      return notes.add("drawings in locked notes cannot be read", count: attachments.count)
    }
    if present.count < attachments.count {
      notes.add("deleted drawings are left out", count: attachments.count - present.count)
    }
    let account = note.accounts.lazy.compactMap { accounts[$0] }.first
    let hasPaper = present.contains { $0.type == "com.apple.paper" }
    for (index, attachment) in present.enumerated() {
      let isPaper = attachment.type == "com.apple.paper"
      if isPaper {
        notes.add("newer drawings are in a private format: only pictures of them can be given")
      } else if attachment.archive.isEmpty {
        notes.add("drawings were never loaded from iCloud")
        continue
      }
      let title = note.title.isEmpty ? "untitled" : note.title
      let number = present.count > 1 ? " \(index + 1)" : ""
      drawings.append(
        NotesDrawing(
          name: (([account?.name ?? ""] + path.names).filter { !$0.isEmpty } + [title + number])
            .joined(separator: "/"),
          title: note.title, archive: isPaper ? nil : attachment.archive,
          isOlderCopy: hasPaper && !isPaper,
          picturePaths: isPaper ? picturePaths(attachment, account) : []))
    }
  }

  /// The names of a note's folders, the outermost first.
  private func path(of note: Note, _ folders: [Int: Folder]) -> (names: [String], isTrash: Bool) {
    var names: [String] = []
    var isTrash = false
    var next = note.folder
    var passed: Set<Int> = []
    // A damaged database may hold folders in a circle.
    while let key = next, let folder = folders[key], names.count < 32, passed.insert(key).inserted {
      names.insert(folder.name, at: 0)
      isTrash = isTrash || folder.isTrash
      next = folder.parent
    }
    return (names, isTrash)
  }

  /// The paths at which Notes keeps the picture of an attachment. Only names that cannot leave the
  /// folder are used.
  private func picturePaths(_ attachment: Attachment, _ account: Account?) -> [String] {
    func isName(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.count < 80
        && text.utf8.allSatisfy { byte in
          switch byte {
          case 48...57, 65...90, 97...122, 45, 95: true
          default: false
          }
        }
    }
    guard isName(attachment.identifier) else { return [] }
    let identifier = attachment.identifier
    var folders = [""]
    if let account, isName(account.identifier) {
      folders.insert("Accounts/\(account.identifier)/", at: 0)
    }
    var names = ["png", "jpg", "jpeg"].map { "FallbackImages/\(identifier).\($0)" }
    if isName(attachment.generation) {
      names.insert(
        "FallbackImages/\(identifier)/\(attachment.generation)/FallbackImage.png", at: 0)
    }
    names += ["", "0"].map { page in
      "Previews/\(identifier)-1-768x768-\(page.isEmpty ? "1" : page)/Preview.png"
    }
    return folders.flatMap { folder in names.map { folder + $0 } }
  }
}
