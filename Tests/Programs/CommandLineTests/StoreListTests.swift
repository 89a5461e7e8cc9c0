import DrawingServices
import Foundation
import JSON
import Journal
import Storage
import TestSupport
import Testing

/// Lists that `pkd store list` prints while it reads them.
struct StoreListTests {
  /// A service in a temporary folder, with the documents of some drawings, a minute apart. Every
  /// second one belongs to a check-in, and the last one has no date.
  private func service(_ count: Int) throws -> (folder: TemporaryFolder, ServiceEnvironment) {
    let folder = try TemporaryFolder(inMemory: true)
    let environment = try LocalService.open(.journal, folder.file("service").path)
    let first = try #require(Moment(iso8601: "2026-11-01T00:00:00Z"))
    try environment.documents.change(at: environment.now()) { transaction in
      for number in 0..<count {
        let moment = FieldValue.moment(first + Int64(number) * 60)
        try transaction.set(
          DocumentPath("users/ann/drawings/d\(number)"),
          [
            "createdAt": number == count - 1 ? nil : moment, "updatedAt": moment,
            "checkinId": number % 2 == 0 ? "even" : nil, "promptUsed": .text("\"é\" \(number)"),
          ])
      }
    }
    return (folder, environment)
  }

  private func list(_ words: [String], in folder: TemporaryFolder) throws -> [UInt8] {
    let words = ["store", "list", "--root", folder.file("service").path, "--uid", "ann"] + words
    let result = try Program.run("pkd", words)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    return [UInt8](result.output)
  }

  /// The JSON of a list that is in memory as a whole.
  private func json(_ page: DrawingService.Page) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("drawings")
      json.list { json in
        for drawing in page.drawings {
          json.object { json in
            json.field("id", drawing.id)
            for (name, value) in drawing.document.fields.all {
              json.key(name)
              value.write(to: &json)
            }
          }
        }
      }
      json.field("cursor", page.cursor?.description)
    }
    json.finish()
    return json.bytes
  }

  @Test(arguments: [0, 1, 255, 256, 257, 600])
  func `a list has the bytes of one that is made in memory`(count: Int) throws {
    let (folder, environment) = try service(count)
    let service = DrawingService(environment, as: .operator)
    let all = try service.all(of: "ann")
    #expect(all.drawings.count == count)
    #expect(try list(["--json"], in: folder) == json(all))
    let lines = try list([], in: folder).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == count)
    let ofCheckIn = try service.page(ofCheckIn: "even", of: "ann")
    #expect(try list(["--json", "--checkin", "even"], in: folder) == json(ofCheckIn))
  }

  @Test(arguments: [1, 255, 256, 257, 512, 599, 600, 601])
  func `a limit ends a list with a cursor from which it goes on`(limit: Int) throws {
    let (folder, environment) = try service(600)
    let service = DrawingService(environment, as: .operator)
    let page = try service.all(of: "ann", limit: limit)
    #expect((page.cursor != nil) == (limit < 600))
    #expect(try list(["--json", "--limit", "\(limit)"], in: folder) == json(page))
    guard let cursor = page.cursor else { return }
    let rest = try service.all(of: "ann", after: cursor)
    #expect(rest.drawings.count == 600 - limit)
    #expect(try list(["--json", "--after", cursor.description], in: folder) == json(rest))
  }

  @Test func `a list ends without an error when nobody reads on`() throws {
    let (folder, _) = try service(600)
    for form in ["--json", ""] {
      let script =
        "{ pkd store list --root service --uid ann \(form); echo \"code $?\" >&2; } | head -c 10"
      let result = try Program.shell(script, in: folder.url)
      #expect(result.output.count == 10 && result.errors == "code 0\n", "\(result.errors)")
    }
  }
}
