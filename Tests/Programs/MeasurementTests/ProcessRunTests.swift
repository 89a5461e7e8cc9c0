import Foundation
import Measurement
import TestSupport
import Testing

struct ProcessRunTests {
  private static func run(
    _ words: String..., takesOutput: Bool = false, takesMessages: Bool = false,
    accepts: Set<Int32> = [0], timeout: Double = .infinity, shouldStop: () -> Bool = { false }
  ) throws(ProcessFailure) -> ProcessRun {
    try ProcessRun(
      words.map { Array($0.utf8) }, takesOutput: takesOutput, takesMessages: takesMessages,
      accepts: accepts, timeout: timeout, shouldStop: shouldStop)
  }

  @Test func `a measured process is timed, and its output is not printed`() throws {
    let run = try Self.run("sh", "-c", "echo output; echo message >&2")
    #expect(run.taken.seconds > 0 && run.taken.processorSeconds >= 0 && run.output.isEmpty)
  }

  @Test func `the output of a measured process can be captured`() throws {
    let run = try Self.run("sh", "-c", "printf 'a b\\n'", takesOutput: true)
    #expect(run.output == Array("a b\n".utf8))
  }

  @Test func `failures of measured processes name exit code, signal and last message`() {
    func failure(_ script: String) -> ProcessFailure? {
      do throws(ProcessFailure) {
        _ = try Self.run("sh", "-c", script, takesMessages: true)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure("exit 0") == nil)
    #expect(failure("echo one >&2; echo two >&2; exit 3") == .failed(code: 3, message: "two"))
    #expect(failure("kill -TERM $$") == .killed(signal: 15))
    #expect("\(ProcessFailure.failed(code: 3, message: "two"))" == "it ended with exit code 3: two")
  }

  @Test func `a measured process may have an accepted exit code`() throws {
    #expect(try Self.run("sh", "-c", "exit 65", accepts: [0, 65]).output.isEmpty)
  }

  @Test func `a program that does not exist is not started`() {
    #expect(throws: ProcessFailure.notStarted(2)) { try Self.run("no-such-program-at-all") }
  }

  @Test func `a process that takes too long is killed with its children`() throws {
    let folder = try TemporaryFolder()
    let script = "(sleep 1; touch '\(folder.url.path)/late') & sleep 60"
    #expect(throws: ProcessFailure.timedOut(seconds: 0.2)) {
      try Self.run("sh", "-c", script, timeout: 0.2)
    }
    _ = try Self.run("sleep", "1.5")
    #expect(contents(of: folder.file("late").path).isEmpty)
    #expect(try Self.run("ls", folder.url.path, takesOutput: true).output.isEmpty)
  }

  @Test func `a measured process can be stopped`() {
    #expect(throws: ProcessFailure.stopped) { try Self.run("sleep", "60", shouldStop: { true }) }
  }

  @Test func `the peak memory of a process is measured through a small one`() throws {
    let launcher = Array(Program.binary("pkd").path.utf8)
    func peak(_ words: String...) throws -> Int {
      try PeakMemory.bytes(of: words.map { Array($0.utf8) }, launcher: launcher)
    }
    // The memory of this process must not count.
    var ballast = [UInt8](repeating: 1, count: 200 << 20)
    ballast[ballast.count / 2] = 2
    let small = try peak("true")
    #expect(small > 0 && small < 100 << 20)
    let large = try peak("sh", "-c", "head -c 60000000 /dev/zero | tail -n 1 | wc -c")
    #expect(large > small + 20 << 20, "\(small) \(large)")
    consume(ballast)
    #expect(throws: ProcessFailure.failed(code: 5, message: "")) {
      try PeakMemory.bytes(
        of: ["sh", "-c", "exit 5"].map { Array($0.utf8) }, launcher: launcher)
    }
    #expect(throws: ProcessFailure.failed(code: 127, message: "")) {
      try PeakMemory.bytes(of: [Array("no-such-program-at-all".utf8)], launcher: launcher)
    }
  }

  @Test func `the machine's description has processor, kernel, compiler and date`() {
    let machine = Machine.current(program: "tests 1")
    #expect(machine["program"] == "tests 1")
    for key in ["processor", "cores", "usable", "kernel", "compiler", "date"] {
      #expect(machine[key]?.isEmpty == false, "\(key)")
    }
    #expect((machine["usable"].flatMap { Int($0) } ?? 0) > 0)
    #expect(machine["date"]?.wholeMatch(of: /20\d\d-\d\d-\d\d/) != nil)
    #expect(machine.description.contains("tests 1"))
  }
}
