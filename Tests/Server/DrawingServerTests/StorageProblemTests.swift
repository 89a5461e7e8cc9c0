import Foundation
import HTTP
import Storage
import TestSupport
import Testing

@testable import DrawingServer

/// The answers to errors of a store.
struct StorageProblemTests {
  @Test func `passing storage problems are answered with 503, without details`() {
    for problem: StorageError.Problem in [.locked, .unavailable("no connection to db.example")] {
      let refusal = Refusal(StorageError(problem, "postgres://ann@db.example/ink"))
      #expect(refusal.status == 503 && refusal.code == "busy")
      #expect(!"\(refusal)".contains("db.example"))
    }
    for problem: StorageError.Problem in [.database("no database"), .damaged("a page")] {
      #expect(Refusal(StorageError(problem, "postgres://ann@db.example/ink")).status == 500)
    }
  }

  @Test func `the log says once why requests fail while a store is away`() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.file("log"))
    let file = try FileHandle(forWritingTo: folder.file("log"))
    let log = AccessLog(file.fileDescriptor)
    for number in 0..<100 as Range<UInt64> {
      log.write(passing: StorageError(.unavailable("no connection"), "s3://ink/\(number)"), number)
    }
    log.write(passing: StorageError(.readOnly, "db.example"), 100)
    log.close()
    let text = try String(contentsOf: folder.file("log"), encoding: .utf8)
    #expect(text.split(separator: "\n").count == 2)
    #expect(text.contains("s3://ink/0: no connection") && text.contains("db.example"))
  }
}
