import Foundation
public import PencilKit
import Testing

// Apps compare strokes in their own way, for example by their dates. In another package each of
// these conformances is marked `@retroactive`, which is not allowed here.

extension PKStroke: Equatable {
  /// Strokes that began together with one seed are the same.
  public static func == (a: PKStroke, b: PKStroke) -> Bool {
    a.path.creationDate == b.path.creationDate && a.randomSeed == b.randomSeed
  }
}

extension PKStroke: Hashable {
  /// Hashes the date.
  public func hash(into hasher: inout Hasher) { hasher.combine(path.creationDate) }
}

extension PKDrawing: Hashable {
  /// Hashes the number of strokes.
  public func hash(into hasher: inout Hasher) { hasher.combine(strokes.count) }
}

extension PKInkingTool.InkType: CaseIterable, Codable {
  /// All kinds.
  public static var allCases: [PKInkingTool.InkType] {
    [.pen, .pencil, .marker, .monoline, .fountainPen, .watercolor, .crayon, .reed]
  }
}

extension PKStrokePoint: Equatable {
  /// Points at one place are the same.
  public static func == (a: PKStrokePoint, b: PKStrokePoint) -> Bool { a.location == b.location }
}

extension PKInk: Equatable {
  /// Inks of one kind and colour are the same.
  public static func == (a: PKInk, b: PKInk) -> Bool {
    a.inkType == b.inkType && a.color == b.color
  }
}

extension PKStrokePath: Equatable {
  /// Paths with one identifier are the same.
  public static func == (a: PKStrokePath, b: PKStrokePath) -> Bool { a.id == b.id }
}

struct OwnConformanceTests {
  @Test func `an app's own equality decides in sets and arrays`() {
    let old = PKDrawing(strokes: [line(), line(from: .zero, at: Date(timeIntervalSince1970: 5))])
    var new = old
    // For this app, another colour makes no other stroke, but another date does.
    new.strokes[0].ink.color = .green
    new.strokes.append(line(at: Date(timeIntervalSince1970: 77)))
    let added = Set(new.strokes).subtracting(old.strokes)
    #expect(added.map(\.path.creationDate) == [Date(timeIntervalSince1970: 77)])
    #expect(old.strokes.contains(new.strokes[0]))
    #expect([new.strokes[0]] == [old.strokes[0]])
    #expect(new != old && Set([old, new, old]).count == 2)
  }

  @Test func `an app's own list of inks can be coded`() throws {
    let data = try JSONEncoder().encode(PKInkingTool.InkType.allCases)
    let read = try JSONDecoder().decode([PKInkingTool.InkType].self, from: data)
    #expect(read == PKInkingTool.InkType.allCases && Set(read).count == 8)
    #expect(String(decoding: data, as: UTF8.self).contains("com.apple.ink.monoline"))
  }

  @Test func `inks, points and paths compare by the app's own operators`() {
    #expect(PKInk(.pen, color: .red) == PKInk(.pen, color: .red))
    #expect(line().path[3] == line().path[3] && line().path != line().path)
  }
}
