/// An option of a command: its names, what it takes, and what it is for.
struct Option: Sendable {
  /// The long name without its dashes.
  let name: String
  /// The one-letter name without its dash.
  let letter: Character?
  /// What the value is called in help; nil for a switch that takes none.
  let value: String?
  /// What may be given, where that is a short list.
  let choices: [String]
  let help: String

  init(
    _ name: String, letter: Character? = nil, value: String? = nil, choices: [String] = [],
    help: String
  ) {
    self.name = name
    self.letter = letter
    self.value = choices.isEmpty ? value : value ?? choices.joined(separator: "|")
    self.choices = choices
    self.help = help
  }

  /// How the option is written in help.
  var spelling: String {
    (letter.map { "-\($0), " } ?? "    ") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }

  static let version = Option("version", help: "Print the program's version.")
  static let help = Option("help", letter: "h", help: "Show this help.")
  static let json = Option("json", help: "Print JSON for programs.")
  static let quiet = Option(
    "quiet", letter: "q", help: "Print nothing but errors, and data such as JSON.")
  static let verbose = Option("verbose", letter: "v", help: "Say more about what is done.")
  static let threads = Option("threads", value: "N", help: "Use at most N threads.")

  /// It means this alone, in every command.
  static func force(_ help: String) -> Option { Option("force", letter: "f", help: help) }
}

/// A command as a table: from it come the reading of arguments, the errors and the help.
struct CommandDefinition: Sendable {
  let name: String
  let summary: String
  /// What stands where an option does not: `FILE…` for example.
  let operands: String
  /// How many operands there may be.
  let operandCount: ClosedRange<Int>
  let options: [Option]
  /// Command lines that work, with what they do.
  let examples: [(line: String, meaning: String)]
  let run: @Sendable (Arguments, inout Console) throws -> Void

  var allOptions: [Option] { options + [.quiet, .verbose, .threads, .version, .help] }
}

/// What stood on a command line, after it was held against the command's table.
struct Arguments: Sendable {
  /// What was no option: mostly names of files, with the bytes that were given.
  var operands: [SystemString] = []
  /// The values of every option that was given, in order. A switch has an empty one.
  private var given: [String: [SystemString]] = [:]

  /// The value of every option that was given; the last wins. A switch has an empty one.
  var options: [String: String] { given.compactMapValues { $0.last?.description } }
  /// The same with the bytes that were given, which names of files need.
  var words: [String: SystemString] { given.compactMapValues(\.last) }
  /// All values of options that may be repeated.
  var values: [String: [String]] { given.mapValues { $0.map(\.description) } }

  mutating func add(_ option: String, _ value: SystemString) {
    given[option, default: []].append(value)
  }

  func has(_ option: String) -> Bool { given[option] != nil }
}

/// Why a command line cannot be carried out.
struct UsageError: Error {
  let message: String
  /// The command whose help would tell more.
  var command: String?
}

extension CommandDefinition {
  /// Holds words against the table.
  func parse(_ words: some Sequence<SystemString>) throws(UsageError) -> Arguments {
    var arguments = Arguments()
    var rest = Array(words)[...]
    var onlyOperands = false
    while let given = rest.popFirst() {
      let word = given.description
      if onlyOperands || given == .standardStream || !word.hasPrefix("-") {
        arguments.operands.append(given)
      } else if word == "--" {
        onlyOperands = true
      } else {
        try parseOption(given, &rest, into: &arguments)
      }
    }
    if arguments.has(Option.help.name) || arguments.has(Option.version.name) { return arguments }
    try check(arguments)
    return arguments
  }

  private func parseOption(
    _ word: SystemString, _ rest: inout ArraySlice<SystemString>, into arguments: inout Arguments
  ) throws(UsageError) {
    let parts = word.bytes.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
    ).map { SystemString(bytes: Array($0)) }
    let spelled = (parts.first ?? word).description
    guard spelled.hasPrefix("--") else { return try parseLetters(word, &rest, into: &arguments) }
    guard let option = allOptions.first(where: { spelled == "--" + $0.name }) else {
      throw unknownOption(spelled)
    }
    guard option.value != nil else {
      guard parts.count == 1 else { throw error("--\(option.name) takes no value") }
      arguments.add(option.name, "")
      return
    }
    try add(option, parts.count == 2 ? parts[1] : rest.popFirst(), to: &arguments)
  }

  /// Options of one letter: `-q`, `-qf`, `-o FILE`, `-oFILE`, `-o=FILE`.
  private func parseLetters(
    _ word: SystemString, _ rest: inout ArraySlice<SystemString>, into arguments: inout Arguments
  ) throws(UsageError) {
    // A dash is easily forgotten, and `-output` must not be a file called `utput`.
    guard !allOptions.contains(where: { word.description == "-" + $0.name }) else {
      throw unknownOption(word.description)
    }
    var letters = word.bytes.dropFirst()
    while let letter = letters.popFirst() {
      let found = allOptions.first { $0.letter?.asciiValue == letter }
      guard let option = found else { throw unknownOption(word.description) }
      guard option.value != nil else {
        guard letters.first != UInt8(ascii: "=") else {
          throw error("--\(option.name) takes no value")
        }
        arguments.add(option.name, "")
        continue
      }
      let isAttached = !letters.isEmpty
      if letters.first == UInt8(ascii: "=") { letters = letters.dropFirst() }
      let value = SystemString(bytes: Array(letters))
      return try add(option, isAttached ? value : rest.popFirst(), to: &arguments)
    }
  }

  private func add(
    _ option: Option, _ given: SystemString?, to arguments: inout Arguments
  ) throws(UsageError) {
    guard let word = given else {
      throw error("--\(option.name) needs a value: --\(option.name) \(option.value ?? "")")
    }
    let value = word.description
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let near = nearest(to: value, among: option.choices)
      throw error(
        "--\(option.name) cannot be '\(value)'"
          + (near.map { "; did you mean '\($0)'?" }
            ?? "; it is one of \(option.choices.joined(separator: ", "))"))
    }
    arguments.add(option.name, word)
  }

  private func unknownOption(_ spelled: String) -> UsageError {
    let near = nearest(to: spelled, among: allOptions.map { "--" + $0.name })
    return error("unknown option '\(spelled)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
  }

  private func check(_ arguments: Arguments) throws(UsageError) {
    if let threads = arguments.options[Option.threads.name] {
      guard let count = Int(threads), count > 0 else {
        throw error("--threads needs a positive number, not '\(threads)'")
      }
    }
    guard arguments.operands.count >= operandCount.lowerBound else {
      throw error("\(name) needs \(operands)")
    }
    guard arguments.operands.count <= operandCount.upperBound else {
      throw error("'\(arguments.operands[operandCount.upperBound])' is one argument too many")
    }
  }

  func error(_ message: String) -> UsageError { UsageError(message: message, command: name) }

  /// The help of this command: examples first.
  var helpText: String {
    var text = summary.wrapped() + "\n\n"
    text += "Usage: pkd \(name) \(operands.isEmpty ? "" : operands + " ")[options]\n\nExamples:\n"
    for example in examples {
      text += "  \(example.line)\n" + example.meaning.wrapped(indent: 6) + "\n"
    }
    text += "\nOptions:\n"
    // A long list of choices has lines of its own.
    let width = allOptions.map(\.spelling.count).filter { $0 <= Self.spellingWidth }.max() ?? 0
    for option in allOptions {
      let spelling = option.spelling.padded(to: width)
      if spelling.count <= width {
        text += listed(spelling, option.help) + "\n"
      } else {
        text += "  " + spelling.wrapped(indent: 8, separator: "|").dropFirst(8) + "\n"
        text += option.help.wrapped(indent: width + 4) + "\n"
      }
    }
    return text
  }

  /// A longer spelling of an option stands above what it means.
  private static let spellingWidth = 28
}

extension String {
  /// The text in lines of at most 80 columns, each behind some spaces. A word that is longer stands in
  /// a line of its own.
  func wrapped(indent: Int = 0, separator: Character = " ") -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for word in split(separator: separator, omittingEmptySubsequences: false) {
      if let line = lines.last, indent + line.count + 1 + word.count <= Self.helpWidth {
        lines[lines.count - 1] = "\(line)\(separator)\(word)"
      } else {
        lines.append(String(word))
      }
    }
    let isSpace = separator == " "
    return lines.enumerated().map { index, line in
      margin + line + (isSpace || index == lines.count - 1 ? "" : String(separator))
    }.joined(separator: "\n")
  }

  /// How many columns help takes at most.
  private static let helpWidth = 80
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// A name in a list of help, with what it means beside it.
func listed(_ name: String, _ meaning: String) -> String {
  "  \(name)  " + meaning.wrapped(indent: name.count + 4).dropFirst(name.count + 4)
}

extension Int {
  /// So many of something: "1 drawing", "2 drawings".
  func counting(_ noun: String) -> String { counting(noun, noun + "s") }

  /// The same for nouns whose plural is another word.
  func counting(_ noun: String, _ nouns: String) -> String { "\(self) \(self == 1 ? noun : nouns)" }
}

/// The candidate that a mistyped word most likely meant; nil where none is near.
func nearest(to word: String, among candidates: [String]) -> String? {
  let ranked = candidates.map { (word: $0, distance: editDistance(word, $0)) }
    .min { $0.distance < $1.distance }
  guard let best = ranked, best.distance <= max(1, word.count / 3) else { return nil }
  return best.word
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour.
private func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a.prefix(40)), Array(b.prefix(40)))
  var before: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
      row.append(cost)
    }
    (before, last) = (last, row)
  }
  return last[b.count]
}
