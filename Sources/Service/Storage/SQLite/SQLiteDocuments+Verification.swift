/// Verification of the file, its documents and its indexes.
extension SQLiteDocuments {
  /// Checks the file, its documents and its indexes, and returns the problems.
  func problems() throws(StorageError) -> [StorageError] {
    var problems: [StorageError] = []
    let check = try connection.statement("PRAGMA integrity_check(20)")
    while try check.step() {
      guard check.text(0) != "ok" else { continue }
      problems.append(StorageError(.damaged(check.text(0)), path))
    }
    check.reset()
    let statement = try connection.statement(
      "SELECT \(Self.columns), c.path, d.number, c.number FROM documents d"
        + " JOIN collections c ON c.number = d.collection")
    var expectedEntryCount = 0
    var expectedTerms: [Int64: TermSum] = [:]
    var counts: [Int64: Int64] = [:]
    while try statement.step() {
      if !statement.isNull(1) { counts[statement.integer(8), default: 0] += 1 }
      do throws(StorageError) {
        let collection = CollectionPath(trusted: statement.text(6))
        guard let document = try row(statement, collection).document else { continue }
        for pattern in patterns[collection.name] ?? [] {
          expectedEntryCount += 1
          let (number, place) = (statement.integer(7), statement.integer(8))
          for term in pattern.texts.isEmpty ? [] : pattern.terms(of: document.fields) {
            expectedTerms[pattern.number, default: TermSum()].add(
              Self.token(term, in: place), number)
          }
          let key = pattern.key(of: document.fields, id: document.id)
          let found = try connection.integer(
            "SELECT document FROM places WHERE pattern = ?1 AND collection = ?2 AND key = ?3",
            .integer(pattern.number), .integer(statement.integer(8)), .bytes(key.bytes))
          if found != statement.integer(7) {
            throw StorageError(.damaged("it is missing in an index"), document.path.description)
          }
        }
      } catch {
        problems.append(error)
      }
    }
    let entryCount = try connection.integer("SELECT count(*) FROM places") ?? 0
    if entryCount != Int64(expectedEntryCount), problems.isEmpty {
      problems.append(StorageError(.damaged("indexes contain documents that do not exist"), path))
    }
    if problems.isEmpty {
      for pattern in patterns.values.joined() where !pattern.texts.isEmpty {
        do throws(StorageError) {
          guard try termSum(pattern) != expectedTerms[pattern.number] ?? TermSum() else { continue }
          throw StorageError(.damaged("an index has other texts than the documents"), path)
        } catch {
          problems.append(error)
        }
      }
    }
    let numbers = try connection.statement("SELECT number, count, path FROM collections")
    while try numbers.step() {
      guard numbers.integer(1) != counts[numbers.integer(0), default: 0] else { continue }
      problems.append(
        StorageError(.damaged("its document count is wrong"), numbers.text(2).printableASCII))
    }
    for (_, path, name) in try collectionNames() where !path.name.isIdentical(to: name) {
      problems.append(
        StorageError(
          .damaged("its name in the indexes is different"), path.description.printableASCII))
    }
    let strayCount = try connection.integer(
      "SELECT count(*) FROM documents WHERE collection NOT IN (SELECT number FROM collections)")
    if let strayCount, strayCount > 0 {
      problems.append(StorageError(.damaged("\(strayCount) documents are in no collection"), path))
    }
    let last = try connection.integer("SELECT max(sequence) FROM documents") ?? 0
    if try lastSequence() < last {
      problems.append(StorageError(.damaged("its last sequence number is too low"), path))
    }
    return problems
  }
}
