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
}

extension CommandTable {
  /// All commands, and the verbs of `store`.
  var completionEntries: [CompletionEntry] {
    (commands + verbs).map { command in
      // `add|list|get` in operands are words to choose from; what stands behind them is not known.
      let operands = command.operands.split(separator: " ").first.map(String.init) ?? ""
      return CompletionEntry(
        name: command.name, summary: command.summary, options: command.allOptions,
        operands: CompletedValue(placeholder: operands))
    }
  }

  /// The first words: all commands, also those of the service, and what else may stand there.
  var firstWords: [(name: String, summary: String)] {
    let own = commands.map { (name: $0.name, summary: $0.summary) }
    let others = ServiceWord.all.filter { word in !own.contains { $0.name == word.name } }
    return own + others + [("help", "Explain a command.")]
  }

  var verbWords: [(name: String, summary: String)] {
    verbs.map { (String($0.name.dropFirst("store ".count)), $0.summary) }
  }
}
