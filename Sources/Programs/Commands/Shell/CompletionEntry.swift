/// What can follow a word on the command line, for the completion of a shell.
enum CompletedValue: Hashable {
  /// Nothing is known about it.
  case any
  case files
  case folders
  case words([String])

  init(of option: Option) {
    if !option.choices.isEmpty {
      self = .words(option.choices)
    } else {
      self.init(placeholder: option.value ?? "")
    }
  }

  /// From a placeholder of the help: `FILE…`, `DIR`, `IN OUT`.
  init(placeholder: String) {
    let words = placeholder.split { !$0.isLetter && $0 != "-" }
    if words.contains(where: { ["FILE", "LIST", "IN", "OUT", "PLACE", "BUCKET"].contains($0) }) {
      self = .files
    } else if words.contains("DIR") || words.contains("FOLDER") {
      self = .folders
    } else if !words.isEmpty, words.allSatisfy({ $0.allSatisfy { $0.isLowercase || $0 == "-" } }) {
      self = .words(words.map(String.init))
    } else {
      self = .any
    }
  }
}

/// A command as completion sees it.
struct CompletionEntry {
  /// One word, or two for the verbs of `store`.
  let name: String
  let summary: String
  let options: [Option]
  let operands: CompletedValue

  /// All commands, and the verbs of `store`.
  static let all: [CompletionEntry] = (commands + storeVerbs).map { command in
    // `add|list|get` in operands are words to choose from; what stands behind them is not known.
    let operands = command.operands.split(separator: " ").first.map(String.init) ?? ""
    return CompletionEntry(
      name: command.name, summary: command.summary, options: command.allOptions,
      operands: CompletedValue(placeholder: operands))
  }

  /// The first words: all commands, and what else may stand there.
  static var firstWords: [(name: String, summary: String)] {
    commands.map { ($0.name, $0.summary) } + [
      ("store", "Store drawings, check-ins and other documents."), ("help", "Explain a command."),
    ]
  }

  static var verbs: [(name: String, summary: String)] {
    storeVerbs.map { (String($0.name.dropFirst("store ".count)), $0.summary) }
  }
}
