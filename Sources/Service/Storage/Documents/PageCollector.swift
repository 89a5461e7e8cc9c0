/// Collects the page of a query from the rows of an index's range, in their order.
package struct PageCollector {
  private let query: Query
  private let plan: QueryPlan
  package private(set) var documents: [Document] = []
  /// The errors of rows that could not be read.
  package var damaged: [StorageError] = []
  private var isComplete = false
  private var comparisonCount = 0
  /// The last document of the page, also of those that do not match.
  private var last: Document?

  package init(_ query: Query, _ plan: QueryPlan) { (self.query, self.plan) = (query, plan) }

  /// Adds a row if its document matches. Returns false if the page was complete without it.
  package mutating func add(_ row: DocumentRow) -> Bool {
    guard let document = row.document else {
      damaged.append(
        StorageError(
          .damaged("an index contains it although it was deleted"), row.path.description))
      return true
    }
    isComplete = comparisonCount == query.comparisonLimit
    if isComplete { return false }
    comparisonCount += 1
    guard plan.matches(document) else {
      if documents.count != query.limit { last = document }
      return true
    }
    isComplete = documents.count == query.limit
    if isComplete { return false }
    last = document
    documents.append(document)
    return true
  }

  /// The collected page.
  package var page: Query.Page {
    // With a limit of zero the cursor does not advance.
    let end = last.map { Query.Cursor(key: query.key(of: $0)) } ?? query.cursor
    return Query.Page(
      documents: documents, cursor: isComplete ? end : nil, damaged: damaged)
  }
}
