import CPostgreSQL
import Glibc
import Storage

/// A connection to a server, with its prepared statements. One thread at a time may use it.
///
/// Statements without an awaited result are sent with the next awaited one: on a network, a
/// transaction's cost is the number of round trips.
final class PostgresConnection {
  /// A value of a parameter.
  enum Value {
    case integer(Int64)
    case text(String)
    case bytes([UInt8]?)
  }

  private let connection: OpaquePointer
  private let address: PostgresAddress
  /// The names of the prepared statements by their texts.
  private var prepared: [String: String] = [:]
  /// The number of statements ever prepared; names are not reused.
  private var preparedCount = 0
  private var queue: [(text: String, values: [Value])] = []
  /// The results that have not been received.
  private var expected: [Expected] = []
  /// Whether the connection is permanently broken.
  private(set) var isBroken = false
  /// The timeout for a result, in milliseconds; nil for as long as the server lives.
  var answerMilliseconds: Int?

  private enum Expected {
    case preparation(String)
    case rows
    case end
  }

  /// Connects, within a time limit.
  init(
    _ address: PostgresAddress, connectMilliseconds: Int, answerMilliseconds: Int?
  ) throws(StorageError) {
    guard let connection = address.start() else {
      throw StorageError(.system(ENOMEM), address.description)
    }
    self.connection = connection
    self.address = address
    self.answerMilliseconds = answerMilliseconds
    // Makes error messages contain the server's code.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    pqIgnoresNotices(connection)
    try finishConnecting(before: Self.now() + connectMilliseconds)
    guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
      throw lost()
    }
  }

  deinit { PQfinish(connection) }

  private func finishConnecting(before deadline: Int) throws(StorageError) {
    var events = Int16(POLLOUT)
    while PQstatus(connection) != CONNECTION_BAD {
      guard wait(for: events, before: deadline) else {
        isBroken = true
        throw error(.unavailable("no connection within the time limit"))
      }
      switch PQconnectPoll(connection) {
      case PGRES_POLLING_OK: return
      case PGRES_POLLING_READING: events = Int16(POLLIN)
      case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
      default: break
      }
    }
    isBroken = true
    throw error(PostgresError.problem(ofConnecting: message))
  }

  private var message: String { PQerrorMessage(connection).map { String(cString: $0) } ?? "" }

  /// An error of this connection.
  func error(_ problem: StorageError.Problem) -> StorageError {
    StorageError(problem, address.description)
  }

  private func lost() -> StorageError {
    isBroken = true
    let line = message.split(separator: "\n").first.map(String.init)
    return error(.unavailable(line ?? "the connection was lost"))
  }

  // MARK: - Statements

  /// Queues a statement to be sent with the next awaited one, which throws the error of either.
  func later(_ text: String, _ values: Value...) { later(text, values) }

  func later(_ text: String, _ values: [Value]) { queue.append((text, values)) }

  /// Sends the queued statements, and returns the rows of the last one.
  @discardableResult
  func finish() throws(StorageError) -> PostgresRows? {
    try send()
    return try receive(.last)
  }

  /// Runs a statement and returns its rows.
  func rows(_ text: String, _ values: Value...) throws(StorageError) -> PostgresRows {
    try rows(text, values)
  }

  func rows(_ text: String, _ values: [Value]) throws(StorageError) -> PostgresRows {
    queue.append((text, values))
    guard let rows = try finish() else { throw lost() }
    return rows
  }

  /// Runs one statement for each list of values in one round trip, and returns the rows of each.
  func rows(_ text: String, each lists: [[Value]]) throws(StorageError) -> [PostgresRows] {
    try finish()
    queue = lists.map { (text, $0) }
    try send()
    var all: [PostgresRows] = []
    try receive(.all { all.append($0) })
    return all
  }

  /// The integer in the first column of the first row; nil if there is none.
  func integer(_ text: String, _ values: Value...) throws(StorageError) -> Int64? {
    let rows = try rows(text, values)
    return rows.isEmpty || rows.isNull(0, 0) ? nil : rows.integer(0, 0)
  }

  /// Sends the queued statements without waiting for their results. The next awaited statement
  /// throws their errors.
  func send() throws(StorageError) {
    guard !isBroken else {
      queue = []
      throw error(.unavailable("the connection was lost"))
    }
    guard !queue.isEmpty else { return }
    let statements = queue
    queue = []
    for statement in statements {
      let parameters = Parameters(statement.values)
      var name = prepared[statement.text]
      if name == nil {
        name = "s\(preparedCount)"
        preparedCount += 1
        guard
          PQsendPrepare(
            connection, name, statement.text, Int32(parameters.types.count), parameters.types) == 1
        else { throw lost() }
        expected.append(.preparation(statement.text))
        prepared[statement.text] = name
      }
      guard parameters.send(to: connection, name ?? "") else { throw lost() }
      expected.append(.rows)
    }
    guard PQpipelineSync(connection) == 1 else { throw lost() }
    expected.append(.end)
    // Bytes that exceed the socket's buffer are sent while waiting for the result.
    guard PQflush(connection) >= 0 else { throw lost() }
  }

  private enum Wanted {
    case last
    case all((PostgresRows) -> Void)
  }

  /// Receives the results of all sent statements. After an error the server ignores the rest of the
  /// same batch; throws the first error.
  @discardableResult
  private func receive(_ wanted: Wanted) throws(StorageError) -> PostgresRows? {
    let deadline = answerMilliseconds.map { Self.now() + $0 }
    var last: PostgresRows?
    var failure: StorageError?
    for item in expected {
      try waitForAnswer(before: deadline)
      guard let result = PQgetResult(connection) else { throw lost() }
      let rows = PostgresRows(result)
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        guard case .end = item else { throw lost() }
        continue
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
        if case .rows = item {
          last = rows
          if case .all(let body) = wanted { body(rows) }
        }
      default:
        if case .preparation(let text) = item { prepared[text] = nil }
        if PQresultStatus(result) != PGRES_PIPELINE_ABORTED {
          failure = failure ?? error(rows.problem)
        }
      }
      if PQstatus(connection) == CONNECTION_BAD {
        isBroken = true
        throw failure ?? lost()
      }
      // Nil marks the end of one statement's results.
      try waitForAnswer(before: deadline)
      while let more = PQgetResult(connection) { PQclear(more) }
    }
    expected = []
    if let failure { throw failure }
    return last
  }

  private func waitForAnswer(before deadline: Int?) throws(StorageError) {
    while true {
      let unsent = PQflush(connection)
      guard unsent >= 0 else { throw lost() }
      if unsent == 0, PQisBusy(connection) == 0 { return }
      let events = Int16(unsent > 0 ? POLLIN | POLLOUT : POLLIN)
      guard wait(for: events, before: deadline) else {
        isBroken = true
        throw error(.unavailable("no answer within the time limit"))
      }
      guard PQconsumeInput(connection) == 1 else { throw lost() }
    }
  }

  /// Waits until the socket is ready. Returns false after the deadline.
  private func wait(for events: Int16, before deadline: Int?) -> Bool {
    while true {
      var socket = pollfd(fd: PQsocket(connection), events: events, revents: 0)
      let rest = deadline.map { Int32(clamping: max($0 - Self.now(), 0)) } ?? -1
      let count = poll(&socket, 1, rest)
      if count > 0 { return true }
      if count == 0 || errno != EINTR { return false }
    }
  }

  /// Milliseconds of the monotonic clock.
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  // MARK: - State

  /// Whether a transaction is open, as of the last result.
  var isInTransaction: Bool {
    guard !isBroken else { return false }
    switch PQtransactionStatus(connection) {
    case PQTRANS_INTRANS, PQTRANS_INERROR: return true
    default: return false
    }
  }

  /// Whether a statement is queued.
  func isWaiting(_ text: String) -> Bool { queue.contains { $0.text == text } }

  /// Drops the queued statements.
  func forgetQueue() { queue = [] }

  /// The id of the server process for this connection.
  var serverProcess: Int32 { PQbackendPID(connection) }

  /// Waits for notifications or for another handle, up to a time, and returns the payloads
  /// received.
  func notifications(
    or handle: Int32, milliseconds: Int32
  ) throws(StorageError) -> [String] {
    var handles = [
      pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0),
      pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
    ]
    // Some may have arrived with the result of a statement.
    var found = takeNotifications()
    if found.isEmpty, poll(&handles, 2, milliseconds) > 0, handles[0].revents != 0 {
      guard PQconsumeInput(connection) == 1 else { throw lost() }
      found = takeNotifications()
    }
    return found
  }

  private func takeNotifications() -> [String] {
    var found: [String] = []
    while let next = PQnotifies(connection) {
      if let text = next.pointee.extra { found.append(String(cString: text)) }
      PQfreemem(next)
    }
    return found
  }
}

/// Parameter values in the server's binary format.
private struct Parameters {
  var types: [Oid] = []
  private var bytes: [UInt8] = []
  /// The range of each value in `bytes`; nil for NULL.
  private var ranges: [Range<Int>?] = []

  init(_ values: [PostgresConnection.Value]) {
    for value in values {
      let start = bytes.count
      var isNull = false
      switch value {
      case .integer(let number):
        types.append(20)
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
      case .text(let text):
        types.append(25)
        bytes += text.utf8
      case .bytes(let value):
        types.append(17)
        if let value { bytes += value } else { isNull = true }
      }
      ranges.append(isNull ? nil : start..<bytes.count)
    }
    // Never empty, so that an empty value has an address: a null pointer means NULL.
    bytes.append(0)
  }

  /// Sends a prepared statement with these values; false if the connection is lost.
  func send(to connection: OpaquePointer, _ name: String) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        let values = ranges.map { range in
          range.flatMap { bytes.baseAddress?.advanced(by: $0.lowerBound) }
        }
        let lengths = ranges.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: ranges.count)
        return PQsendQueryPrepared(
          connection, name, Int32(ranges.count), values, lengths, formats, 1) == 1
      }
    }
  }
}

/// The rows that a statement returned, in binary form.
final class PostgresRows {
  private let result: OpaquePointer
  let count: Int

  fileprivate init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
  }

  deinit { PQclear(result) }

  var isEmpty: Bool { count == 0 }

  /// The command tag of the result, such as `COMMIT`.
  var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  /// The problem of a failed statement.
  fileprivate var problem: StorageError.Problem {
    // The fields of an error message are identified by letters.
    func field(_ letter: String.UTF8View.Element) -> String? {
      PQresultErrorField(result, Int32(letter)).map { String(cString: $0) }
    }
    guard let code = field(UInt8(ascii: "C")) else {
      return .unavailable("the connection was lost")
    }
    return PostgresError.problem(code, field(UInt8(ascii: "M")) ?? "")
  }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(memory(row, column)) }

  func text(_ row: Int, _ column: Int) -> String {
    String(decoding: memory(row, column), as: UTF8.self)
  }

  /// An eight-byte integer.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    Int64(bitPattern: memory(row, column).reduce(0) { $0 << 8 | UInt64($1) })
  }

  private func memory(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let start = PQgetvalue(result, Int32(row), Int32(column))
    return UnsafeRawBufferPointer(
      start: start, count: Int(PQgetlength(result, Int32(row), Int32(column))))
  }
}
