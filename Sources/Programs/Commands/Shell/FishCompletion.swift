import System

/// The completion of fish: a file `pkd.fish` in one of its folders for completions.
enum FishCompletion {
  static func script(of table: CommandTable) -> String {
    var text = """
      # Completion of pkd for fish: pkd completions fish > ~/.config/fish/completions/pkd.fish
      function __pkd_command
          set -l words (commandline -opc)
          set -l name $words[2]
          test "$name" = store; and set name "$name $words[3]"
          string trim -- $name
      end
      function __pkd_is
          set -l name (__pkd_command)
          test "$name" = "$argv"
      end
      complete -c pkd -f
      complete -c pkd -n '__pkd_is ""' -l help -d 'Show help.'
      complete -c pkd -n '__pkd_is ""' -l version -d "Print the program's version."

      """
    for (name, summary) in table.firstWords {
      for place in ["\"\"", "help"] {
        text += "complete -c pkd -n '__pkd_is \(place)' -a \(name) -d \(quoted(summary))\n"
      }
    }
    for (name, summary) in table.verbWords {
      text += "complete -c pkd -n '__pkd_is store' -a \(name) -d \(quoted(summary))\n"
    }
    for entry in table.completionEntries {
      let condition = "complete -c pkd -n '__pkd_is \(entry.name)'"
      for option in entry.options {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let takes = option.value == nil || option.isValueOptional ? "" : " -r"
        text +=
          "\(condition)\(letter) -l \(option.name)\(takes)\(arguments(CompletedValue(of: option), option))"
          + " -d \(quoted(option.help))\n"
      }
      let operands = arguments(entry.operands, nil)
      if !operands.isEmpty { text += "\(condition)\(operands)\n" }
    }
    return text
  }

  private static func arguments(_ value: CompletedValue, _ option: Option?) -> String {
    if let option, option.value == nil { return "" }
    switch value {
    case .any: return option == nil ? "" : " -f"
    case .files: return " -F"
    case .folders: return " -f -a '(__fish_complete_directories)'"
    case .words(let words): return " -f -a \(quoted(words.joined(separator: " ")))"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.exchanging("\\", for: "\\\\").exchanging("'", for: "\\'"))'"
  }
}
