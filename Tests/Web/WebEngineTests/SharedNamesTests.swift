import Foundation
import Rasterization
import Strokes
import TestSupport
import Testing
import WebEngine

/// The names that scripts of pages and the Python package share with the engine.
struct SharedNamesTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Corpus.project.appendingPathComponent(path), encoding: .utf8)
  }

  private static let engine = "Sources/Formats/Animation/Player/engine.mjs"

  /// The words in quotation marks in the list behind a beginning.
  private static func words(after beginning: String, in path: String) throws -> [String] {
    let text = try text(path)
    let start = try #require(text.range(of: beginning), "\(path) has no \(beginning)").upperBound
    let end = try #require(text[start...].firstIndex { "])}".contains($0) })
    return text[start..<end].matches(of: /['"](\w+)['"]/).map { String($0.output.1) }
  }

  @Test func `the errors of the script for the engine have the engine's numbers`() throws {
    let text = try Self.text(Self.engine)
    let start = try #require(text.range(of: "const problems = {")).upperBound
    let end = try #require(text[start...].firstIndex(of: "}"))
    let names = text[start..<end].matches(of: /\n  (\w+): '/).map { String($0.output.1) }
    #expect(names.first == "stopped" && names.count == 9)
    for (number, name) in names.enumerated().dropFirst() {
      let error = try #require(EngineError(rawValue: Int32(-number)))
      #expect("\(error)" == name)
    }
    #expect(EngineError(rawValue: Int32(-names.count)) == nil)
  }

  @Test func `scripts and Python list the papers in the order of the engine`() throws {
    let papers = RenderOptions.Paper.allCases.map(\.rawValue)
    #expect(try Self.words(after: "const papers = [", in: Self.engine) == papers)
    let patterns = try Self.text("Sources/Web/Canvas/paper.mjs")
      .matches(of: /\n  (\w+): \[/).map { String($0.output.1) }
    #expect(patterns == papers)
    #expect(
      try Self.words(after: "paper: [", in: "Sources/Formats/Animation/Player/element.mjs")
        == ["page"] + papers)
    let python = try Self.words(
      after: "_papers = {", in: "Sources/Clients/Python/pentimento/_drawing.py")
    #expect(python == ["own"] + papers)
  }

  @Test func `pages offer the inks that the engine draws`() throws {
    let inks = try Self.words(after: "const inks = [", in: Self.engine)
    #expect(inks.count == 8 && Set(inks).count == 8)
    #expect(
      try Set(
        Self.words(
          after: "export const inks = [", in: "Sources/Web/Canvas/nibs.mjs"))
        == Set(inks))
    // Pages pass an ink by its index.
    #expect(PKInk.InkType.known.map(\.name) == inks)
  }
}
