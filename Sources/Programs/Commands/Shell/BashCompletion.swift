/// The completion of bash, which needs no other package.
enum BashCompletion {
  static func script(of table: CommandTable) -> String {
    var text = """
      # Completion of pkd for bash: source <(pkd completions bash)
      _pkd() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= found i
        for ((i = 1; i < COMP_CWORD; i++)); do
          found=${COMP_WORDS[i]}
          [[ $found == -* ]] && break
          [[ $command == '' || $command == store || $command == help ]] || break
          command+=${command:+ }$found
        done
        command=${command#help }
        COMPREPLY=()
        local values= words=
        case "$command $before" in

      """
    for entry in table.completionEntries {
      for option in entry.options where option.value != nil && !option.isValueOptional {
        // Without a suggestion for the value, nothing is completed.
        let reply = reply(CompletedValue(of: option)) ?? "return"
        let names = [option.letter.map { "-\($0)" }, "--\(option.name)"].compactMap(\.self)
        text +=
          "    \(names.map { quoted("\(entry.name) \($0)") }.joined(separator: "|"))) \(reply) ;;\n"
      }
    }
    text += """
        esac
        if [[ $values == '' && $words == '' ]]; then
          case $command in
            '') words=\(quoted(table.firstWords.map(\.name) + ["--help", "--version"])) ;;
            store) words=\(quoted(table.verbWords.map(\.name) + ["--help"])) ;;
            help) words=\(quoted(table.firstWords.map(\.name) + ["colors"])) ;;

      """
    for entry in table.completionEntries {
      let options = quoted(entry.options.map { "--\($0.name)" })
      let operands = reply(entry.operands) ?? ":"
      text +=
        "      \(quoted(entry.name))) if [[ $word == -* ]]; then words=\(options); else \(operands); fi ;;\n"
    }
    text += """
          esac
        fi
        case $values in
          files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
          folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
          *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
        esac
      }
      complete -F _pkd pkd

      """
    return text
  }

  private static func reply(_ value: CompletedValue) -> String? {
    switch value {
    case .any: nil
    case .files: "values=files"
    case .folders: "values=folders"
    case .words(let words): "words=\(quoted(words))"
    }
  }

  private static func quoted(_ words: [String]) -> String { quoted(words.joined(separator: " ")) }

  private static func quoted(_ text: String) -> String { "'\(text)'" }
}
