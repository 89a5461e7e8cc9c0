/// Modules of JavaScript, which are joined into one script.
///
/// Each module becomes a function that is called at once and returns its exports, so names of
/// different modules never meet. Imports are `import { a, b as c } from './name.mjs';`, exports are
/// declarations.
struct ScriptBundle {
  /// The modules by their names.
  let files: [String: WebFile]

  init(_ files: [WebFile]) {
    self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) })
  }

  func file(_ name: String) -> WebFile {
    guard let file = files[name] else { preconditionFailure("there is no script \(name)") }
    return file
  }

  /// A module with all modules that it imports, except those of another module's script before it.
  /// The text is ASCII: pages may have any encoding.
  func script(of name: String, after earlier: String? = nil) -> [UInt8] {
    var done: Set<String> = []
    if let earlier { _ = scripts(of: earlier, done: &done) }
    return Array(scripts(of: name, done: &done).joined().escapedForASCII.utf8)
  }

  private func scripts(of name: String, done: inout Set<String>) -> [String] {
    guard done.insert(name).inserted else { return [] }
    let module = Module(file(name))
    return module.imports.flatMap { scripts(of: $0, done: &done) } + [module.text]
  }
}

/// One module as a function.
private struct Module {
  /// The names of imported modules.
  private(set) var imports: [String] = []
  private(set) var text = ""

  init(_ file: WebFile) {
    var body = ""
    var exports: [String] = []
    // A statement that begins with `import` may have several lines.
    var statement: String?
    for line in String(decoding: file.bare, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("import {") || statement != nil {
        statement = (statement.map { $0 + " " } ?? "") + line
        guard let whole = statement, whole.hasSuffix("';") else { continue }
        body += read(import: whole) + "\n"
        statement = nil
      } else if line.hasPrefix("export ") {
        let declaration = line.dropFirst("export ".count)
        exports += Self.names(declaredBy: declaration)
        body += declaration + "\n"
      } else {
        body += line + "\n"
      }
    }
    let names = exports.joined(separator: ", ")
    text = "const \(Self.variable(file.name)) = (() => {\n\(body)return { \(names) };\n})();\n"
  }

  /// Notes the module of an import. Returns the statement that takes its names.
  private mutating func read(import statement: String) -> String {
    let parts = statement.split(separator: "'")
    guard parts.count == 3,
      let names = parts.first?.dropFirst("import ".count).dropLast(" from ".count)
    else { preconditionFailure("no import of names: \(statement)") }
    let name = String(parts[1].dropFirst("./".count))
    imports.append(name)
    let taken = names.split(separator: ",").map { $0.split { " {}".contains($0) } }
      .filter { !$0.isEmpty }
      .map { $0.count == 3 ? "\($0[0]): \($0[2])" : $0.joined() }
    return "const { \(taken.joined(separator: ", ")) } = \(Self.variable(name));"
  }

  private static func variable(_ name: String) -> String {
    "$" + name.dropLast(".mjs".count).split(separator: "-").joined(separator: "_")
  }

  /// The names of a declaration like `class A …`, `const [a, b] = …` or `async function a(…`.
  private static func names(declaredBy declaration: Substring) -> [String] {
    var rest = declaration
    for word in ["async ", "class ", "const ", "function "] where rest.hasPrefix(word) {
      rest = rest.dropFirst(word.count)
    }
    let end = rest.first == "[" ? rest.firstIndex(of: "]") : rest.firstIndex { " (".contains($0) }
    return rest[..<(end ?? rest.endIndex)].split { "[, ".contains($0) }.map(String.init)
  }
}

extension String {
  /// The text with characters other than those of ASCII as escapes of JavaScript.
  fileprivate var escapedForASCII: String {
    var text = ""
    for unit in utf16 {
      guard unit >= 0x80 else {
        text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
        continue
      }
      let digits = String(unit, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return text
  }
}
