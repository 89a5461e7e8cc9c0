/// The manual page, from the same table as the help.
enum ManualPage {
  /// The page in the markup of `man`.
  static func text(of table: CommandTable) -> String {
    var page = """
      .\\" Made by 'pkd man' from the table of commands.
      .TH PKD 1 "" "pkd \(Version.number)" "User Commands"
      .ad l
      .SH NAME
      pkd \\- drawn ink, from real PencilKit archives to pictures
      .SH SYNOPSIS
      .B pkd
      .I COMMAND
      .RI [ options ]
      .SH DESCRIPTION
      Opens ink of PencilKit and twenty other programs, draws it as pictures, replays it as it was drawn, writes it as
      other files, and keeps the drawings of many users.
      Each command has examples and details: \\fBpkd COMMAND \\-\\-help\\fR.

      """
    page += ".SH OPTIONS\nAll commands take these:\n"
    for option in Option.common { page += item(option) }
    page += ".SH COMMANDS\n"
    for command in table.commands { page += section(command) }
    if table.hasService { page += ".SH VERBS OF THE STORE\n" }
    for verb in table.verbs { page += section(verb) }
    page += """
      .SH EXIT STATUS
      0 success, 1 failed, 2 wrong usage, 65 bad input data, 77 not allowed, 130 interrupted.
      .SH ENVIRONMENT

      """
    for variable in EnvironmentVariable.all {
      let names = variable.names.map(escaped).joined(separator: ", ")
      page += ".TP\n.B \(names)\n\(line(variable.meaning))"
    }
    return page
  }

  private static func section(_ command: CommandDefinition) -> String {
    let operands = command.operands.isEmpty ? "" : " \(escaped(command.operands))"
    var text = ".SS pkd \(escaped(command.name))\(operands) [options]\n\(line(command.summary))"
    for example in command.examples {
      text += ".PP\n\(line(example.meaning)).RS\n.nf\n\(line(example.line)).fi\n.RE\n"
    }
    for option in command.options { text += item(option) }
    return text
  }

  private static func item(_ option: Option) -> String {
    let letter = option.letter.map { "\\-\($0), " } ?? ""
    let value =
      option.value.map { option.isValueOptional ? "[=\(escaped($0))]" : " \(escaped($0))" } ?? ""
    return ".TP\n.B \(letter)\\-\\-\(escaped(option.name))\(value)\n\(line(option.help))"
  }

  /// A line of text, escaped so that it does not look like a request.
  private static func line(_ text: String) -> String {
    let line = escaped(text)
    return (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
  }

  /// Text for groff, which reads ASCII. Long lists of values may be broken after each value.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": return "\\e"
      case "-": return "\\-"
      case "|": return "|\\:"
      // Without a locale, as in a minimal system, man would omit the character with a warning.
      case "…": return "..."
      default:
        let code = String(scalar.value, radix: 16, uppercase: true)
        return scalar.isASCII
          ? String(scalar) : "\\[u\(String(repeating: "0", count: max(4 - code.count, 0)))\(code)]"
      }
    }.joined()
  }
}
