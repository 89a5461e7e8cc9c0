/// `pkd completions`: the completion of a shell.
let completionsCommand = CommandDefinition(
  name: "completions",
  summary: "Print the completion of a shell for these commands.",
  operands: "bash|zsh|fish",
  operandCount: 1...1,
  options: [],
  examples: [
    ("source <(pkd completions bash)", "In this shell; in ~/.bashrc in all."),
    ("pkd completions fish > ~/.config/fish/completions/pkd.fish", "For fish."),
    ("pkd completions zsh > ~/.zfunc/_pkd", "For zsh, with ~/.zfunc in fpath."),
  ]
) { arguments, console in
  switch arguments.operands[0].description {
  case "bash": try console.printAlways(BashCompletion.script(of: arguments.table))
  case "zsh": try console.printAlways(ZshCompletion.script(of: arguments.table))
  case "fish": try console.printAlways(FishCompletion.script(of: arguments.table))
  default: throw completionsCommand.error("there are completions for bash, zsh and fish")
  }
}

/// `pkd man`: the manual page.
let manualCommand = CommandDefinition(
  name: "man",
  summary: "Print the manual page.",
  operands: "",
  operandCount: 0...0,
  options: [],
  examples: [("pkd man | man -l -", "Read it.")]
) { arguments, console in
  try console.printAlways(ManualPage.text(of: arguments.table))
}
