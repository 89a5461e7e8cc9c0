/// Collects the page of a query from the rows of an index's range, in their order.
package struct PageCollector {
  private let query: Query
  private let plan: QueryPlan
  private var documents: [Document] = []
  /// The errors of rows that could not be read.
  package var damaged: [StorageError] = []
  private var isComplete = false

  package init(_ query: Query, _ plan: QueryPlan) { (self.query, self.plan) = (query, plan) }

  /// Adds a row if its document matches. Returns false if the page was complete without it.
  package mutating func add(_ row: DocumentRow) -> Bool {
    guard let document = row.document else {
      damaged.append(
        StorageError(
          .damaged("an index contains it although it was deleted"), row.path.description))
      return true
    }
    guard plan.matches(document) else { return true }
    isComplete = documents.count == query.limit
    if !isComplete { documents.append(document) }
    return !isComplete
  }

  /// The collected page.
  package var page: Query.Page {
    // With a limit of zero the cursor does not advance.
    let end = documents.last.map { Query.Cursor(key: query.key(of: $0)) } ?? query.cursor
    return Query.Page(
      documents: documents, cursor: isComplete ? end : nil, damaged: damaged)
  }
}
