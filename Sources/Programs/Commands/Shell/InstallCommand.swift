import Glibc

/// `pkd install`: the programs with their completions and their manual page, below a folder.
let installCommand = CommandDefinition(
  name: "install",
  summary: "Install these programs with completions and manual page.",
  operands: "",
  operandCount: 0...0,
  options: [
    Option(
      "prefix", value: "DIR",
      help: "The folder that gets bin and share; /usr/local for root, else ~/.local."),
    Option("dry-run", help: "Only print what would be installed."),
  ],
  examples: [
    ("pkd install", "For this user, in ~/.local."), ("sudo pkd install", "For all, in /usr/local."),
  ]
) { arguments, console in
  Interruption.endProgram()
  var prefix = try arguments.words["prefix"] ?? Installation.standardPrefix()
  // The value of an unset variable; it would mean the root folder.
  guard !prefix.bytes.isEmpty else { throw installCommand.error("--prefix needs a folder") }
  while prefix.bytes.count > 1, prefix.bytes.last == UInt8(ascii: "/") {
    prefix = SystemString(bytes: prefix.bytes.dropLast())
  }
  for file in try Installation.files(arguments.table) {
    let path = prefix + "/\(file.path)".utf8
    if !arguments.has("dry-run") {
      try makeFolders(of: path)
      try writeFile(file.bytes(), to: path)
      // A replaced file would keep its owner, who could then change a program that others run.
      guard chown(path.cString, geteuid(), getegid()) == 0,
        chmod(path.cString, file.isProgram ? 0o755 : 0o644) == 0
      else {
        throw SystemError(path.description)
      }
    }
    try console.print(path.description)
  }
  if !arguments.has("dry-run"), !isInSearchPath(prefix + "/bin".utf8) {
    let folder = prefix + "/bin".utf8
    let isRelative = prefix.bytes.first != UInt8(ascii: "/")
    console.note(
      "\(folder) is not in PATH: export PATH=\(isRelative ? "\"$PWD\"/" : "")\(folder.inQuotes):\"$PATH\""
    )
  }
}

/// The installed files.
private enum Installation {
  struct File {
    let path: String
    var isProgram = false
    let bytes: () throws(SystemError) -> [UInt8]
  }

  /// The programs of this package. Some are needed only for some commands, so one may be missing.
  private static let programs = ["pkd", SecondProgram.service]

  static func standardPrefix() throws -> SystemString {
    if geteuid() == 0 { return "/usr/local" }
    let home = Console.variable("HOME")
    guard !home.isEmpty else { throw installCommand.error("give --prefix DIR, as HOME is not set") }
    return SystemString(bytes: Array("\(home)/.local".utf8))
  }

  static func files(_ table: CommandTable) throws -> [File] {
    let folder = SecondProgram.ownFolder
    var files: [File] = []
    for program in programs {
      let source = folder + program.utf8
      guard access(source.cString, X_OK) == 0 else { continue }
      files.append(
        File(path: "bin/\(program)", isProgram: true) { () throws(SystemError) in
          try readFile(source)
        })
    }
    let texts = [
      ("share/bash-completion/completions/pkd", BashCompletion.script(of: table)),
      ("share/zsh/site-functions/_pkd", ZshCompletion.script(of: table)),
      ("share/fish/vendor_completions.d/pkd.fish", FishCompletion.script(of: table)),
      ("share/man/man1/pkd.1", ManualPage.text(of: table)),
    ]
    return files + texts.map { path, text in File(path: path) { Array(text.utf8) } }
  }
}

/// Creates the parent folders of a file.
private func makeFolders(of path: SystemString) throws(SystemError) {
  let folder = path.folder.bytes
  for end in folder.indices where folder[end] == UInt8(ascii: "/") && end > 0 {
    let part = SystemString(bytes: Array(folder[..<end]))
    guard mkdir(part.cString, 0o755) == 0 else {
      guard errno == EEXIST else { throw SystemError(part.description) }
      continue
    }
    // Root's folders are for all users, even if the umask hides new folders from others.
    guard geteuid() != 0 || chmod(part.cString, 0o755) == 0 else {
      throw SystemError(part.description)
    }
  }
}

private func isInSearchPath(_ folder: SystemString) -> Bool {
  Console.variable("PATH").utf8.split(separator: UInt8(ascii: ":"))
    .contains { $0.elementsEqual(folder.bytes) }
}
