public import Foundation

/// A headless browser for pages: those of `HTMLPlayer`, and those of a server.
public enum HTMLBrowser {
  /// Whether Chromium is installed.
  public static let isPresent = succeeds(
    "python3 --version && (command -v chromium || command -v chromium-browser || "
      + "command -v google-chrome || command -v chrome)")
  /// The reason for skipping tests that need it.
  public static let absence = "skipped: there is no python3 with a chromium on this machine"

  /// The browsers that share no code.
  public enum Kind: String, Sendable {
    case chromium, firefox
    /// Safari's engine.
    case webKit = "webkit"

    /// The browsers of this machine.
    public static let present: [Kind] =
      (HTMLBrowser.isPresent ? [.chromium] : []) + (isFirefoxPresent ? [.firefox] : [])
      + (isWebKitPresent ? [.webKit] : [])
  }

  /// Whether Firefox is installed.
  public static let isFirefoxPresent = succeeds(
    "python3 --version && (command -v firefox-esr || command -v firefox)")
  /// The reason for skipping tests that need it.
  public static let firefoxAbsence = "skipped: there is no python3 with a firefox on this machine"

  /// Whether WebKit, its driver and a screen for it are installed.
  public static let isWebKitPresent = succeeds(
    "python3 --version && command -v WebKitWebDriver && command -v Xvfb && "
      + "ls /usr/lib/*/webkit2gtk-4.*/MiniBrowser")
  /// The reason for skipping tests that need it.
  public static let webKitAbsence = "skipped: there is no python3 with a webkit on this machine"

  private static func succeeds(_ script: String) -> Bool {
    (try? Program.shell(script, in: Corpus.project).code == 0) ?? false
  }

  /// The script of axe-core, which examines pages, if a Python package contains it.
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

  /// A script for a page with `axe`: the violations of its rules, except those of WCAG's highest
  /// level; empty if there are none. It first waits some milliseconds for transitions.
  public static func faults(after pause: Int = 350) -> String {
    """
    (async () => {
      await new Promise((done) => setTimeout(done, \(pause)));
      const rules = axe.getRules().filter(({ tags }) => !tags.includes('wcag2aaa'));
      const { passes, violations } = await axe.run(document, {
        rules: Object.fromEntries(rules.map(({ ruleId }) => [ruleId, { enabled: true }])),
        resultTypes: ['violations'],
      });
      const faults = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`));
      return passes.length < 15 ? 'nothing was examined' : faults.join('; ');
    })()
    """
  }

  /// The folder with pictures of the pages, for people to look at.
  public static let pictures = FileManager.default.temporaryDirectory
    .appendingPathComponent("pentimento-player")

  private static let script = Corpus.project
    .appendingPathComponent("Tests/Support/TestSupport/html_browser.py")

  /// Commands for pages, in order.
  public struct Visit {
    private var commands: [[String: Any]] = []
    private let folder: TemporaryFolder
    private let kind: Kind

    /// A visit without commands.
    public init(in kind: Kind = .chromium) throws {
      self.kind = kind
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

    /// Serves a folder to later pages.
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

    /// Runs a script before those of later pages.
    public mutating func before(_ script: String) { commands.append(["before": script]) }

    /// Clicks the centre of an element; `>>>` enters a shadow tree.
    public mutating func click(_ selector: String) { commands.append(["click": selector]) }

    /// Presses the mouse at the first point, moves it, and releases it at the last. Only in
    /// Chromium.
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
        "python3 \"$1\" $2 < commands", script.path, "--\(kind.rawValue)",
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

  /// A browser that runs single commands and answers at once.
  public final class Session {
    private let process = Process()
    private let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    private var buffer = Data()
    /// The window of pages that are opened later.
    public var window = (width: 1000, height: 800, ratio: 1.0, isDark: false)
    /// Whether pages see the preference for reduced motion.
    public var isStill = false
    /// The messages and exceptions of the pages, after `end`.
    public private(set) var troubles: [String] = []

    /// Starts a browser with its own profile.
    public init(_ kind: Kind = .chromium) throws {
      try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", script.path, "--\(kind.rawValue)"]
      (process.standardInput, process.standardOutput, process.standardError) = (
        input, output, errors
      )
      try process.run()
    }

    deinit {
      guard process.isRunning else { return }
      // The script ends the browser when its input ends.
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    /// Runs a command of `html_browser.py`.
    @discardableResult
    public func perform(_ command: [String: Any]) throws -> Any {
      input.fileHandleForWriting.write(try JSONSerialization.data(withJSONObject: command) + [10])
      return try answer()
    }

    private func answer() throws -> Any {
      while true {
        if let end = buffer.firstIndex(of: 10) {
          let line = buffer[..<end]
          buffer = Data(buffer[(end + 1)...])
          return try JSONSerialization.jsonObject(with: line, options: .fragmentsAllowed)
        }
        let piece = output.fileHandleForReading.availableData
        guard !piece.isEmpty else {
          let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
          throw Failure(description: "the browser failed: \(text.suffix(600))")
        }
        buffer += piece
      }
    }

    /// Ends the browser.
    public func end() throws {
      try input.fileHandleForWriting.close()
      let last = try answer() as? [String: [String]]
      troubles = last?["troubles"] ?? ["?"]
      process.waitUntilExit()
    }

    /// Opens an address, and waits until an expression is true.
    public func open(_ address: String, ready: String) throws {
      let answer = try perform([
        "open": address, "width": window.width, "height": window.height, "ratio": window.ratio,
        "dark": window.isDark, "still": isStill, "ready": ready,
      ])
      if answer as? String == "nothing" {
        let text = try text("document.body?.innerText ?? ''")
        throw Failure(description: "\(address) did not become ready: \(text.prefix(600))")
      }
    }

    /// Evaluates an expression; a promise is awaited.
    @discardableResult
    public func evaluate(_ script: String) throws -> Any {
      let value = try perform(["evaluate": script])
      if let error = (value as? [String: Any])?["error"], (value as? [String: Any])?.count == 1 {
        throw Failure(description: "\(error) in \(script.prefix(200))")
      }
      return value
    }

    /// The value of an expression as text.
    public func text(_ script: String) throws -> String {
      let value = try evaluate(script)
      return value as? String ?? "\(value)"
    }

    /// The value of an expression as a number.
    public func number(_ script: String) throws -> Double {
      try evaluate(script) as? Double ?? .nan
    }

    /// Whether an expression is true.
    public func isTrue(_ script: String) throws -> Bool { try evaluate(script) as? Bool ?? false }

    /// Waits until an expression is true.
    public func wait(_ script: String, seconds: Double = 20) throws {
      let answer = try perform(["wait": script, "seconds": seconds])
      if answer is NSNull {
        let text = try text("document.body?.innerText ?? ''")
        throw Failure(description: "in vain: \(script); the page says: \(text.prefix(600))")
      }
    }

    /// Waits until the page contains a text.
    public func waitForText(_ words: String) throws {
      try wait("document.body?.innerText.includes(\(Self.literal(words)))")
    }

    /// Presses keys.
    public func press(_ keys: String...) throws { for key in keys { try perform(["key": key]) } }

    /// Clicks the centre of an element.
    public func click(_ selector: String) throws { try perform(["click": selector]) }

    /// Runs a script before those of later pages.
    public func before(_ script: String) throws { try perform(["before": script]) }

    /// Changes the window of the open page.
    public func changeWindow() throws {
      try perform([
        "look": [
          "width": window.width, "height": window.height, "ratio": window.ratio,
          "dark": window.isDark, "still": isStill,
        ]
      ])
    }

    /// Saves a screenshot of the page.
    public func keepPicture(_ name: String) throws {
      try perform(["shot": pictures.appendingPathComponent(name).path])
    }

    /// Text as a literal of a script.
    public static func literal(_ text: String) -> String {
      let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
      return String(decoding: data ?? Data(), as: UTF8.self)
    }
  }

  /// The results of a visit's commands.
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

  /// A failure of a browser to run a command.
  public struct Failure: Error, CustomStringConvertible {
    /// The description of the failure.
    public let description: String

    /// A failure for a reason.
    public init(description: String) { self.description = description }
  }
}
