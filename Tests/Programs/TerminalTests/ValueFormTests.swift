import Testing

@testable import Commands

struct ValueFormTests {
  @Test(arguments: [
    (
      ValueForm.whole(1...500), "a whole number from 1 to 500", ["1", "500"],
      ["0", "501", "1.0", "", "x", " 1"]
    ),
    (.whole(0...), "a whole number of zero or more", ["0", "9223372036854775807"], ["-1", "1e3"]),
    (.whole, "a whole number", ["-3", "0"], ["9223372036854775808", "nan"]),
    (
      .number(0 ... .infinity), "a number of zero or more", ["0", "2.5", "1e3"],
      ["-0.1", "inf", "nan", "2,5"]
    ),
    (.number(0...1), "a number from 0 to 1", ["0", "0.5", "1"], ["1.01", "-1"]),
    (.number(-.infinity ... .infinity), "a number", ["-1e9"], ["inf", "-inf", "nan", "one"]),
    (.positive(), "a number above zero", ["1e-300"], ["0", "-1", "inf"]),
    (
      .positive(upTo: 86_400), "a number above zero and at most 86400", ["86400"], ["0", "86400.5"]
    ),
  ])
  func `the form of an option's value describes its accepted values`(
    _ form: ValueForm, _ words: String, _ right: [String], _ wrong: [String]
  ) {
    #expect(form.words == words)
    for text in right { #expect(form.accepts(text), "\(text)") }
    for text in wrong { #expect(!form.accepts(text), "\(text)") }
  }

  @Test func `the argument parser refuses values of another form and names the option`() throws {
    let command = CommandDefinition(
      name: "test", summary: "A test.", operands: "", operandCount: 0...0,
      options: [Option("count", letter: "c", value: "N", form: .whole(1...9), help: "A number.")],
      examples: []
    ) { _, _ in }
    for words in [["--count", "5"], ["--count=5"], ["-c5"], ["-c", "5"]] {
      let arguments = try command.parse(words.map { SystemString(bytes: Array($0.utf8)) })
      #expect(arguments.whole("count") == 5)
    }
    for words in [["--count", "0"], ["--count="], ["-cx"]] {
      let error = #expect(throws: UsageError.self) {
        try command.parse(words.map { SystemString(bytes: Array($0.utf8)) })
      }
      #expect(error?.message.hasPrefix("--count needs a whole number from 1 to 9, not '") == true)
    }
  }

  @Test func `every option for a number or a time has a form`() {
    let numbers: Set = ["N", "F", "S", "T", "P", "SECONDS", "WxH|N", "X,Y,W,H"]
    for command in CommandTable.ink.commands {
      for option in command.allOptions where numbers.contains(option.value ?? "") {
        #expect(option.form != nil, "\(command.name) --\(option.name)")
      }
    }
  }
}
