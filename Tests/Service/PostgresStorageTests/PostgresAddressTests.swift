import Storage
import StorageTestSupport
import Testing

@testable import SharedStorage

/// URLs of databases.
struct PostgresAddressTests {
  @Test func `no description of a PostgreSQL address contains the password`() throws {
    for (url, description) in [
      ("postgres://ann:s3cret@db.example:5433/ink", "postgres://ann@db.example:5433/ink"),
      ("postgresql://ann@db.example/ink?password=s3cret", "postgres://ann@db.example/ink"),
      ("postgres://ann:s3%20cret@[::1]/ink?sslmode=require", "postgres://ann@::1/ink"),
      ("postgres:///ink?host=/run/db&password=s3cret", "postgres:///run/db/ink"),
    ] {
      let address = try PostgresAddress(url)
      #expect(address.description == description && "\(address)" == description)
      var dumped = ""
      dump(address, to: &dumped)
      #expect(!dumped.contains("cret"))
    }
  }

  @Test(arguments: [
    "", "s3cret", "mysql://ann:s3cret@h/d", "postgres://ann:s3%zzcret@h/d",
    "postgres://ann:s3cret@h/d?s3cret=1", "postgres://ann:s3cret@[::1/d",
    "host=h password=s3cret", "postgres://ann:s3@cret@h/d", "postgres://ann:s3/cret@h/d",
    "postgres://ann:33/cret@h/d", "postgres://ann:s3cret@h/d\0",
  ])
  func `an invalid PostgreSQL URL is refused without quoting it`(_ url: String) {
    do {
      _ = try PostgresAddress(url)
      Issue.record("'\(url)' was taken")
    } catch {
      #expect(!"\(error)".contains("cret"))
      guard case .badValue = error.problem else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test(arguments: ["", "Big", "a-b", "a b", "a\"b", "1a", "pg_own", "é"])
  func `a PostgreSQL schema needs a plain name`(_ name: String) {
    #expect(
      problem { try PostgresDocumentStore("postgres://h/d", schema: name) }
        == .badValue("a schema has 1 to 48 small letters, digits and '_'"))
  }
}
