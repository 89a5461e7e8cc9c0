/// An option of a command: its names, its value and its help. Texts that take time to make are made
/// when they are shown.
package struct Option: Sendable {
  /// The long name without its dashes.
  package let name: String
  /// The one-letter name without its dash.
  package let letter: Character?
  private let placeholder: String?
  /// Whether the value may be left out; then it is given as --name=VALUE.
  package let isValueOptional: Bool
  /// The allowed values; empty for any value.
  package let choices: [String]
  /// The form of the value; nil for any text.
  package let form: ValueForm?
  private let makeSynonyms: @Sendable () -> [String: String]
  package let help: String

  package init(
    _ name: String, letter: Character? = nil, value: String? = nil,
    isValueOptional: Bool = false, form: ValueForm? = nil, choices: [String] = [],
    synonyms: @autoclosure @escaping @Sendable () -> [String: String] = [:], help: String
  ) {
    self.name = name
    self.letter = letter
    self.isValueOptional = isValueOptional
    placeholder = value
    self.form = form
    self.choices = choices
    makeSynonyms = synonyms
    self.help = help
  }

  /// The placeholder of the value in help; nil for a switch.
  package var value: String? {
    placeholder ?? (choices.isEmpty ? nil : choices.joined(separator: "|"))
  }

  /// Other words for choices, such as the endings of files.
  package var synonyms: [String: String] { makeSynonyms() }

  /// The names and the placeholder, as help shows them.
  package var spelling: String {
    (letter.map { "-\($0), " } ?? "    ") + "--\(name)"
      + (value.map { isValueOptional ? "[=\($0)]" : " \($0)" } ?? "")
  }

  package static let version = Option("version", help: "Print the program's version.")
  package static let help = Option("help", letter: "h", help: "Show this help.")
  package static let json = Option("json", help: "Print JSON for programs.")
  package static let quiet = Option(
    "quiet", letter: "q", help: "Print nothing but errors, and data such as JSON.")
  package static let verbose = Option("verbose", letter: "v", help: "Print more details.")
  package static let threads = Option(
    "threads", value: "N", form: .whole(1...), help: "Use at most N threads.")

  /// The options of all commands.
  package static let common = [quiet, verbose, threads, version, help]

  /// `--force` replaces existing files, and has the same meaning in every command.
  package static func force(_ help: String) -> Option { Option("force", letter: "f", help: help) }
}

/// The definition of a command, from which parsing, errors and help follow.
package struct CommandDefinition: Sendable {
  package let name: String
  package let summary: String
  /// The allowed number of operands.
  package let operandCount: ClosedRange<Int>
  /// Example command lines with explanations.
  package typealias Examples = [(line: String, meaning: String)]

  private let makeOperands: @Sendable () -> String
  /// Makes the options. Only those of the called command are made, because this takes time, as are
  /// the examples.
  private let makeOptions: @Sendable () -> [Option]
  private let makeExamples: @Sendable () -> Examples
  /// Whether these arguments need the program of the service.
  package let needsService: @Sendable (Arguments) throws -> Bool
  package let run: @Sendable (Arguments, inout Console) throws -> Void

  package init(
    name: String, summary: String, operands: @autoclosure @escaping @Sendable () -> String,
    operandCount: ClosedRange<Int>,
    options: @autoclosure @escaping @Sendable () -> [Option],
    examples: @autoclosure @escaping @Sendable () -> Examples,
    needsService: @escaping @Sendable (Arguments) throws -> Bool = { _ in false },
    run: @escaping @Sendable (Arguments, inout Console) throws -> Void
  ) {
    self.name = name
    self.summary = summary
    makeOperands = operands
    self.operandCount = operandCount
    makeOptions = options
    makeExamples = examples
    self.needsService = needsService
    self.run = run
  }

  /// Another command's definition with a different action.
  package init(
    _ other: CommandDefinition, run: @escaping @Sendable (Arguments, inout Console) throws -> Void
  ) {
    (name, summary, makeOperands) = (other.name, other.summary, other.makeOperands)
    (operandCount, makeOptions) = (other.operandCount, other.makeOptions)
    makeExamples = other.makeExamples
    (needsService, self.run) = ({ _ in false }, run)
  }

  /// The placeholders of the operands in help: `FILE…` for example.
  package var operands: String { makeOperands() }
  package var options: [Option] { makeOptions() }
  package var examples: Examples { makeExamples() }
  package var allOptions: [Option] { options + Option.common }
}

/// The parsed arguments of a command.
package struct Arguments: Sendable {
  /// The arguments that are not options: mostly paths.
  package var operands: [SystemString] = []
  /// All values of each given option, in order. A switch has an empty value.
  private var given: [String: [SystemString]] = [:]
  /// The commands of the program.
  package var table = CommandTable(commands: [])

  /// Values by the names of the options.
  package struct Values<Value> {
    fileprivate let find: (String) -> Value?
    package subscript(option: String) -> Value? { find(option) }
  }

  /// The last value of each given option, as text. A switch has an empty value.
  package var options: Values<String> { Values { given[$0]?.last?.description } }
  /// The last value of each given option, as bytes, for paths.
  package var words: Values<SystemString> { Values { given[$0]?.last } }
  /// All values of options that may be repeated.
  package var values: Values<[String]> { Values { given[$0]?.map(\.description) } }

  package mutating func add(_ option: String, _ value: SystemString) {
    given[option, default: []].append(value)
  }

  package mutating func remove(_ option: String) { given[option] = nil }

  package func has(_ option: String) -> Bool { given[option] != nil }

  /// These arguments with the options of `others`, which replace options of the same names.
  package func replacing(_ others: Arguments) -> Arguments {
    var result = self
    result.given.merge(others.given) { $1 }
    return result
  }
}

/// An invalid command line.
package struct UsageError: Error {
  package let message: String
  /// The command whose help explains more; nil for the help of the program.
  package var command: String?

  package init(message: String, command: String? = nil) {
    (self.message, self.command) = (message, command)
  }
}

extension CommandDefinition {
  /// Parses words. Throws if they do not fit the definition.
  package func parse(_ words: some Sequence<SystemString>) throws(UsageError) -> Arguments {
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
    if option.isValueOptional, parts.count == 1 { return arguments.add(option.name, "") }
    try add(option, parts.count == 2 ? parts[1] : rest.popFirst(), to: &arguments)
  }

  /// Options of one letter: `-q`, `-qf`, `-o FILE`, `-oFILE`, `-o=FILE`.
  private func parseLetters(
    _ word: SystemString, _ rest: inout ArraySlice<SystemString>, into arguments: inout Arguments
  ) throws(UsageError) {
    // `-output` is a typing mistake for `--output`, not `-o` with the file `utput`.
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
    if let choice = option.synonyms[value] {
      return arguments.add(option.name, SystemString(bytes: Array(choice.utf8)))
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let near = nearest(to: value, among: option.choices)
      throw error(
        "--\(option.name) cannot be '\(value)'; "
          + (near.map { "did you mean '\($0)'? It " } ?? "it ")
          + "is one of \(option.choices.joined(separator: ", "))")
    }
    if let form = option.form, !form.accepts(value) {
      throw error("--\(option.name) needs \(form.words), not '\(value)'")
    }
    arguments.add(option.name, word)
  }

  private func unknownOption(_ spelled: String) -> UsageError {
    let near = nearest(to: spelled, among: allOptions.map { "--" + $0.name })
    return error("unknown option '\(spelled)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
  }

  private func check(_ arguments: Arguments) throws(UsageError) {
    guard arguments.operands.count >= operandCount.lowerBound || arguments.has("files-from") else {
      throw error("\(name) needs \(operands)")
    }
    guard arguments.operands.count <= operandCount.upperBound else {
      throw error("'\(arguments.operands[operandCount.upperBound])' is one argument too many")
    }
  }

  package func error(_ message: String) -> UsageError {
    UsageError(message: message, command: name)
  }

  /// The help of this command, with examples before the options.
  package var helpText: String {
    var text = summary.wrapped() + "\n\n"
    text += "Usage: pkd \(name) \(operands.isEmpty ? "" : operands + " ")[options]\n\nExamples:\n"
    for example in examples {
      text += "  \(example.line)\n" + example.meaning.wrapped(indent: 6) + "\n"
    }
    text += "\nOptions:\n"
    // A long list of choices gets its own lines.
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

  /// The maximum width of an option with its help on the same line; the help of a longer one starts
  /// on the next line.
  private static let spellingWidth = 28
}

extension String {
  /// The text in lines of at most 80 columns, each indented by spaces. A longer word gets its own
  /// line.
  package func wrapped(indent: Int = 0, separator: Character = " ") -> String {
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

  /// The width of help in columns.
  private static let helpWidth = 80
}

extension String {
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// A line of a list in help: a name with its meaning beside it.
package func listed(_ name: String, _ meaning: String) -> String {
  "  \(name)  " + meaning.wrapped(indent: name.count + 4).dropFirst(name.count + 4)
}

extension Int {
  /// The number with a noun: "1 drawing", "2 drawings".
  package func counting(_ noun: String) -> String { counting(noun, noun + "s") }

  /// The number with a noun whose plural is irregular.
  package func counting(_ noun: String, _ nouns: String) -> String {
    "\(self) \(self == 1 ? noun : nouns)"
  }
}

/// The candidate that is most similar to a mistyped word; nil if none is similar.
package func nearest(to word: String, among candidates: [String]) -> String? {
  let ranked = candidates.map { (word: $0, distance: editDistance(word, $0)) }
    .min { $0.distance < $1.distance }
  guard let best = ranked, best.distance <= max(1, word.count / 3) else { return nil }
  return best.word
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two words.
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
