import System

/// The completion of zsh: a file `_pkd` in a folder of `fpath`.
enum ZshCompletion {
  static func script(of table: CommandTable) -> String {
    var text = """
      #compdef pkd
      # Completion of pkd for zsh: pkd completions zsh > ~/.zfunc/_pkd, with ~/.zfunc in fpath
      _pkd() {
        local -a words_of_pkd
        if (( CURRENT == 2 )); then
          words_of_pkd=(\(list(table.firstWords)))
          _describe command words_of_pkd
          return
        fi
        local command=$words[2]
        if [[ $command == (store|help) ]]; then
          if (( CURRENT == 3 )); then
            if [[ $command == store ]]; then
              words_of_pkd=(\(list(table.verbWords)))
            else
              words_of_pkd=(\(list(table.firstWords)))
            fi
            _describe command words_of_pkd
            return
          fi
          command+=" $words[3]"
          shift words
          (( CURRENT-- ))
        fi
        shift words
        (( CURRENT-- ))
        case $command in

      """
    for entry in table.completionEntries {
      text += "    \(quoted(entry.name)))\n      _arguments -s"
      for option in entry.options { text += " \\\n        " + specification(option) }
      text +=
        " \\\n        \(quoted("*:\(entry.operands.placeholder):\(action(entry.operands))")) ;;\n"
    }
    return text + "  esac\n}\n_pkd \"$@\"\n"
  }

  private static func specification(_ option: Option) -> String {
    let help = "[\(escaped(option.help))]"
    guard option.value != nil else {
      let names = option.letter.map { "{-\($0),--\(option.name)}" } ?? "--\(option.name)"
      return names + quoted(help)
    }
    let value = CompletedValue(of: option)
    let rest =
      "\(help)\(option.isValueOptional ? ":" : "")"
      + ":\(escaped(value.placeholder)):\(action(value))"
    let names =
      option.letter.map { "{-\($0)+,--\(option.name)=}" }
      ?? "--\(option.name)=\(option.isValueOptional ? "-" : "")"
    return names + quoted(rest)
  }

  private static func action(_ value: CompletedValue) -> String {
    switch value {
    case .any: " "
    case .files: "_files"
    case .folders: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  private static func list(_ items: [(name: String, summary: String)]) -> String {
    items.map { quoted("\($0.name):\($0.summary.exchanging(":", for: "\\:"))") }
      .joined(separator: " ")
  }

  private static func escaped(_ text: String) -> String {
    text.exchanging("\\", for: "\\\\").exchanging("[", for: "\\[").exchanging("]", for: "\\]")
      .exchanging(":", for: "\\:")
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.exchanging("'", for: "'\\''"))'"
  }
}

extension CompletedValue {
  fileprivate var placeholder: String {
    switch self {
    case .any: "value"
    case .files: "file"
    case .folders: "folder"
    case .words: "word"
    }
  }
}
