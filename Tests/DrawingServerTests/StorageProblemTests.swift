import HTTP
import Storage
import Testing

@testable import DrawingServer

/// The answers to errors of a store.
struct StorageProblemTests {
  @Test func `what passes is answered with 503, and details stay with the operator`() {
    for problem: StorageError.Problem in [.locked, .unavailable("no connection to db.example")] {
      let refusal = Refusal(StorageError(problem, "postgres://ann@db.example/ink"))
      #expect(refusal.status == 503 && refusal.code == "busy")
      #expect(!"\(refusal)".contains("db.example"))
    }
    for problem: StorageError.Problem in [.database("no database"), .damaged("a page")] {
      #expect(Refusal(StorageError(problem, "postgres://ann@db.example/ink")).status == 500)
    }
  }
}
