import Storage

/// Indexes of texts: the entries of a document in `places` have its terms, as hashes of collection
/// and letters. So a search reads lists of one collection only; the texts of the few documents with
/// equal hashes differ.
extension PostgresDocuments {
  /// The maximum number of a document's terms. One with more is a candidate in every search.
  private static let termLimit = 20_000

  /// The terms of a document, as an array of the server; empty in an index without texts.
  static func terms(
    of fields: Fields, _ pattern: IndexPattern, _ collection: CollectionPath
  ) -> PostgresConnection.Value {
    if pattern.texts.isEmpty { return .text("") }
    let hash = TermHash(collection)
    let terms = Set(pattern.terms(of: fields).flatMap(\.beginnings))
    guard terms.count <= termLimit else { return array([hash.ofAll]) }
    return array(terms.map { hash.of($0) }.sorted())
  }

  /// The terms to find, and those of documents that are always candidates.
  static func terms(
    of search: TextSearch, _ collection: CollectionPath
  ) -> [PostgresConnection.Value] {
    let hash = TermHash(collection)
    let terms = Set(search.words.flatMap { TextTerm.of($0) })
    return [array(terms.map { hash.of($0) }.sorted()), array([hash.ofAll])]
  }

  private static func array(_ numbers: [Int64]) -> PostgresConnection.Value {
    .text("{\(numbers.map { String($0) }.joined(separator: ","))}")
  }
}

/// Hashes of the terms in one collection.
private struct TermHash {
  private let seed: UInt64

  /// The seed is the 64-bit FNV-1a hash of the path.
  init(_ collection: CollectionPath) {
    seed = collection.description.utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
  }

  /// The finalizer of SplitMix64 over the seed and the letters.
  private func of(_ bits: UInt64) -> Int64 {
    var hash = seed &+ bits &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return Int64(bitPattern: hash ^ hash >> 31)
  }

  func of(_ term: TextTerm) -> Int64 { of(term.bits) }

  /// The hash of documents with any number of terms.
  var ofAll: Int64 { of(0) }
}
