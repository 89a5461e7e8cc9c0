/// The possible completions of a word on the command line, for a shell.
enum CompletedValue: Hashable {
  /// No completion is known.
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

/// The completion data of a command.
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
      // `add|list|get` in operands are completed words; there is no completion after them.
      let operands = command.operands.split(separator: " ").first.map(String.init) ?? ""
      return CompletionEntry(
        name: command.name, summary: command.summary, options: command.allOptions,
        operands: CompletedValue(placeholder: operands))
    }
  }

  /// The first words: all commands, also those of the service, and `help`.
  var firstWords: [(name: String, summary: String)] {
    let own = commands.map { (name: $0.name, summary: $0.summary) }
    let others = ServiceWord.all.filter { word in !own.contains { $0.name == word.name } }
    return own + others + [("help", "Explain a command.")]
  }

  var verbWords: [(name: String, summary: String)] {
    verbs.map { (String($0.name.dropFirst("store ".count)), $0.summary) }
  }
}
