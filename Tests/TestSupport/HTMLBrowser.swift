public import Foundation

/// A headless browser for pages: those of `HTMLPlayer`, and those that a server serves.
public enum HTMLBrowser {
  /// Whether there is a Chromium.
  public static let isPresent = succeeds(
    "python3 --version && (command -v chromium || command -v chromium-browser || "
      + "command -v google-chrome || command -v chrome)")
  /// Why tests with it are skipped.
  public static let absence = "skipped: there is no python3 with a chromium on this machine"

  /// Whether there is a Firefox.
  public static let isFirefoxPresent = succeeds(
    "python3 --version && (command -v firefox-esr || command -v firefox)")
  /// Why tests with it are skipped.
  public static let firefoxAbsence = "skipped: there is no python3 with a firefox on this machine"

  private static func succeeds(_ script: String) -> Bool {
    (try? Program.shell(script, in: Corpus.project).code == 0) ?? false
  }

  /// The script of axe-core, which examines pages, if a Python package brings it.
  public static let axe: String? = {
    let search = """
      import importlib.util as util, os
      for name in ['axe_playwright_python', 'axe_core_python']:
        package = util.find_spec(name)
        if package:
          print(open(os.path.join(os.path.dirname(package.origin), 'axe.min.js'), encoding='utf-8').read())
          break
      """
    let result = try? Program.shell("python3 -c \"$1\"", search, in: Corpus.project)
    return result.flatMap { $0.code == 0 && !$0.text.isEmpty ? $0.text : nil }
  }()

  /// The folder that keeps pictures of the pages for people to look at.
  public static let pictures = FileManager.default.temporaryDirectory
    .appendingPathComponent("pentimento-player")

  private static let script = Corpus.project
    .appendingPathComponent("Tests/TestSupport/html_browser.py")

  /// Commands for pages, in order.
  public struct Visit {
    private var commands: [[String: Any]] = []
    private let folder: TemporaryFolder
    private let isFirefox: Bool

    /// A visit without commands.
    public init(inFirefox: Bool = false) throws {
      isFirefox = inFirefox
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    }

    /// Opens a page; the answer is the state of its player.
    public mutating func open(
      _ page: [UInt8], width: Int = 1000, height: Int = 800, ratio: Double = 1,
      isDark: Bool = false, hasForcedColors: Bool = false, hash: String = ""
    ) throws {
      let file = folder.file("\(commands.count).html")
      try Data(page).write(to: file)
      commands.append([
        "open": "file://\(file.path)\(hash)", "width": width, "height": height, "ratio": ratio,
        "dark": isDark, "forced": hasForcedColors,
      ])
    }

    /// Serves a folder to the pages that follow.
    public mutating func serve(_ folder: URL) { commands.append(["serve": folder.path]) }

    /// Opens a page of the server, and waits until an expression is true.
    public mutating func open(
      _ path: String, width: Int = 1000, height: Int = 800, isDark: Bool = false, ready: String
    ) {
      commands.append([
        "open": path, "width": width, "height": height, "dark": isDark, "ready": ready,
      ])
    }

    /// The number of the next answer.
    public var count: Int { commands.count }

    /// Evaluates an expression; a promise is awaited.
    public mutating func evaluate(_ script: String) { commands.append(["evaluate": script]) }

    /// Presses keys.
    public mutating func press(_ keys: String...) { commands += keys.map { ["key": $0] } }

    /// Runs a script before those of the pages that follow.
    public mutating func before(_ script: String) { commands.append(["before": script]) }

    /// Clicks the centre of an element, which lies in a shadow tree behind `>>>`.
    public mutating func click(_ selector: String) { commands.append(["click": selector]) }

    /// Presses the mouse at the first point, moves it, and releases it at the last. Only Chromium does.
    public mutating func drag(_ points: [Int]...) { commands.append(["drag": points]) }

    /// Saves a screenshot of the page.
    public mutating func keepPicture(_ name: String) {
      commands.append(["shot": pictures.appendingPathComponent(name).path])
    }

    /// Runs the commands and returns one value for each.
    public func answers() throws -> Answers {
      let lines = try commands.map {
        String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
      }
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.file("commands"))
      let result = try Program.shell(
        "python3 \"$1\" $2 < commands", script.path, isFirefox ? "--firefox" : "",
        in: folder.url)
      let values = result.text.split(separator: "\n").map {
        (try? JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed))
          ?? NSNull()
      }
      guard result.code == 0, values.count == commands.count + 1 else {
        throw Failure(description: "the browser failed: \(result.errors.suffix(600))")
      }
      let last = values.last as? [String: [String]]
      return Answers(
        values: values.dropLast(), troubles: last?["troubles"] ?? ["?"],
        requests: last?["requests"] ?? [])
    }
  }

  /// What the commands of a visit returned.
  public struct Answers {
    /// A value for each command.
    public let values: [Any]
    /// The messages and exceptions of the pages.
    public let troubles: [String]
    /// The addresses that the last page requested.
    public let requests: [String]

    /// An answer as text.
    public func text(_ number: Int) -> String { values[number] as? String ?? "\(values[number])" }
    /// An answer as a number.
    public func number(_ number: Int) -> Double { values[number] as? Double ?? .nan }
  }

  /// Why a browser did not do what it was asked for.
  public struct Failure: Error, CustomStringConvertible { public let description: String }
}
