import Foundation
import PencilKit
import Testing

/// Colours and outlines in the archives of `NSKeyedArchiver`.
struct StandInArchiveTests {
  private static let color = UIColor(red: 0.25, green: 0.5, blue: 1.125, alpha: 0.75)

  private static func outline() -> UIBezierPath {
    let path = UIBezierPath(ovalIn: CGRect(x: 3, y: 4, width: 50, height: 60))
    path.move(to: CGPoint(x: -1, y: 1e30))
    path.addQuadCurve(to: CGPoint(x: 7, y: 8), controlPoint: CGPoint(x: 0.1, y: .infinity))
    path.addLine(to: .zero)
    path.usesEvenOddFillRule = true
    path.lineWidth = 2.5
    path.flatness = 0.1
    path.miterLimit = 4
    path.lineCapStyle = .round
    path.lineJoinStyle = .bevel
    path.setLineDash([3, 1.5], count: 2, phase: 0.5)
    return path
  }

  private static func archive(_ object: Any) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  /// Changes the values in an archive.
  private static func changed(
    _ archive: Data, _ change: (inout [[String: Any]]) -> Void
  ) throws -> Data {
    var root = try #require(
      try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any])
    var objects = try #require(root["$objects"] as? [Any])
    let indices = objects.indices.filter { objects[$0] is [String: Any] }
    var values = indices.compactMap { objects[$0] as? [String: Any] }
    change(&values)
    for (index, value) in zip(indices, values) { objects[index] = value }
    root["$objects"] = objects
    return try PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)
  }

  /// An archive of a colour in the form that apps write.
  private static func appArchive(_ values: [String: Any]) throws -> Data {
    try changed(archive(color)) { objects in
      for index in objects.indices {
        if objects[index]["$classname"] != nil {
          objects[index] = ["$classname": "UIColor", "$classes": ["UIColor", "NSObject"]]
        } else if let reference = objects[index]["$class"] {
          objects[index] = values
          objects[index]["$class"] = reference
        }
      }
    }
  }

  @Test func `outlines are archived with all that belongs to them`() throws {
    let path = Self.outline()
    let data = try Self.archive(path)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: UIBezierPath.self, from: data))
    #expect(read == path && read.usesEvenOddFillRule && read.lineWidth == 2.5)
    #expect(read.flatness == 0.1 && read.miterLimit == 4)
    #expect(read.lineCapStyle == .round && read.lineJoinStyle == .bevel)
    var (count, phase, dashes) = (0, CGFloat(0), [CGFloat](repeating: 0, count: 2))
    read.getLineDash(&dashes, count: &count, phase: &phase)
    #expect(count == 2 && phase == 0.5 && dashes == [3, 1.5])
    let copy = try #require(path.copy() as? UIBezierPath)
    copy.getLineDash(nil, count: &count, phase: nil)
    #expect(count == 2 && copy.lineJoinStyle == .bevel)
    let empty = try Self.archive(UIBezierPath())
    let nothing = try NSKeyedUnarchiver.unarchivedObject(ofClass: UIBezierPath.self, from: empty)
    #expect(nothing?.isEmpty == true)
  }

  @Test func `colours of apps' archives are read`() throws {
    func read(_ values: [String: Any]) throws -> UIColor? {
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: UIColor.self, from: Self.appArchive(values))
    }
    let parts: [String: Any] = ["UIRed": 0.25, "UIGreen": 0.5, "UIBlue": 1.125, "UIAlpha": 0.75]
    #expect(try read(parts) == Self.color)
    let twice: [String: Any] = [
      "UIRed": Float(0.1), "UIRed-Double": 0.1, "UIGreen": 0, "UIBlue": 1, "UIAlpha": 1,
      "UIColorComponentCount": 4, "NSColorSpace": 2,
    ]
    let color = try #require(try read(twice))
    #expect(color.cgColor.components == [0.1, 0, 1, 1])
    #expect(try read(["UIWhite": 0.5, "UIAlpha": 1]) == .gray)
    #expect(throws: (any Error).self) { try read(["UIRed": 1, "UIAlpha": 1]) }
    #expect(throws: (any Error).self) { try read([:]) }
    _ = try? read(["UIRed": "red", "UIGreen": [1, 2], "UIBlue": Data(), "UIAlpha": 1])
  }

  private final class Theme: NSObject, NSSecureCoding {
    let ink: UIColor?
    let clip: UIBezierPath?

    init(ink: UIColor, clip: UIBezierPath) { (self.ink, self.clip) = (ink, clip) }

    init?(coder: NSCoder) {
      ink = coder.decodeObject(of: UIColor.self, forKey: "ink")
      clip = coder.decodeObject(of: UIBezierPath.self, forKey: "clip")
    }

    func encode(with coder: NSCoder) {
      coder.encode(ink, forKey: "ink")
      coder.encode(clip, forKey: "clip")
    }

    static var supportsSecureCoding: Bool { true }
  }

  @Test func `colours and outlines are parts of an app's own objects`() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    Theme(ink: Self.color, clip: Self.outline()).encode(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let theme = try #require(Theme(coder: unarchiver))
    #expect(theme.ink == Self.color && theme.clip == Self.outline())
  }

  @Test func `damaged archives of outlines are refused or read, and nothing traps`()
    throws
  {
    func read(_ data: Data) {
      if let path = try? NSKeyedUnarchiver.unarchivedObject(
        ofClass: UIBezierPath.self, from: data)
      {
        _ = (path.bounds, path.currentPoint)
      }
    }
    let good = try Self.archive(Self.outline())
    func changed(_ key: String, _ value: Any?) throws {
      let data = try Self.changed(good) { objects in
        for index in objects.indices where objects[index][key] != nil {
          objects[index][key] = value
        }
      }
      read(data)
    }
    for name in [
      "elements", "points", "usesEvenOddFillRule", "lineWidth", "flatness", "miterLimit",
      "lineCapStyle", "lineJoinStyle", "dashLengths", "dashPhase",
    ] {
      let values: [Any?] = [
        nil, 77, -1, 1e300, "text", [1, 2], ["a": 1], Data([1, 2, 3]), Data(),
      ]
      for value in values { try changed("PencilKit.\(name)", value) }
    }
    for kinds in [[1, 0], [0, 9], [4], [0, 4, 1], [255], [0, 0, 0]] as [[UInt8]] {
      try changed("PencilKit.elements", Data(kinds))
    }
    for size in stride(from: 0, to: good.count, by: 7) { read(good.prefix(size)) }
  }
}
