import CNetwork

/// The library's side of a connection: sends requests and receives callbacks.
final class WebTransfer: @unchecked Sendable {
  // The handle runs the request of one thread at a time; other threads only stop it.
  private let handle: OpaquePointer
  private let silenceSeconds: Double
  private let allowsPlainHTTP: Bool

  /// The destination of a response body.
  enum Sink {
    /// Collects the body if it has at most this many bytes.
    case collect(limit: Int)
    /// Passes on the pieces of a successful response until the function returns false.
    case stream(([UInt8]) -> Bool)
  }

  init(_ options: WebConnection.Options) throws(WebProblem) {
    silenceSeconds = options.silenceSeconds
    allowsPlainHTTP = options.allowsPlainHTTP
    let opened = webOpen(
      options.certificates, Self.milliseconds(options.connectSeconds),
      Self.milliseconds(options.silenceSeconds))
    guard let opened else { throw WebProblem(.other, "out of memory") }
    handle = opened
  }

  deinit { webClose(handle) }

  func run(_ request: WebRequest, _ sink: Sink) throws(WebProblem) -> WebAnswer {
    let (isLocal, isPlain) = (
      WebClient.isLocal(request.url), allowsPlainHTTP && WebClient.isPlainHTTP(request.url)
    )
    let begun = webBegin(
      handle, request.url, isLocal ? 1 : 0, isLocal || isPlain ? 1 : 0,
      request.seconds.map(Self.milliseconds) ?? 0)
    guard begun == .webAnswered else { throw problem(begun) }
    defer { webFinish(handle) }
    for line in request.lines { webAddField(handle, line) }
    let reception = Reception(handle, sink)
    let outcome = withExtendedLifetime(reception) {
      let context = Unmanaged.passUnretained(reception).toOpaque()
      guard let body = request.body else {
        return webRun(handle, request.method.rawValue, nil, 0, takeLine, takePiece, context)
      }
      // An empty array may have no address, but a body of no bytes needs one.
      return (body.isEmpty ? [0] : body).withUnsafeBufferPointer {
        webRun(
          handle, request.method.rawValue, $0.baseAddress, body.count, takeLine, takePiece, context)
      }
    }
    if outcome == .webRefused, let problem = reception.problem { throw problem }
    guard outcome == .webAnswered || outcome == .webRefused else { throw problem(outcome) }
    guard reception.header.isComplete else {
      throw WebProblem(.interrupted, "the connection was closed within the header of the answer")
    }
    return WebAnswer(
      status: webStatus(handle), fields: reception.header.fields, body: reception.body)
  }

  func stop(forGood: Bool) { webStop(handle, forGood ? 1 : 0) }

  var traffic: (sent: Int, received: Int) {
    var (sent, received) = (Int64(0), Int64(0))
    webTraffic(handle, &sent, &received)
    return (Int(sent), Int(received))
  }

  private func problem(_ outcome: WebOutcome) -> WebProblem {
    switch outcome {
    case .webStopped: return WebProblem(.ended, "the request was ended")
    case .webBusy: return WebProblem(.busy, "another request is running on the connection")
    case .webSilent:
      return WebProblem(.timeout, "nothing was sent or received for \(silenceSeconds) s")
    case .webUnreachable: return WebProblem(.cannotConnect, text)
    case .webUntrusted: return WebProblem(.certificate, text)
    case .webTimedOut: return WebProblem(.timeout, text)
    case .webInterrupted: return WebProblem(.interrupted, text)
    case .webAnswered, .webRefused, .webFailed: return WebProblem(.other, text)
    }
  }

  /// The reason that the library gives.
  private var text: String { String(cString: webProblem(handle)) }

  /// At least one, since zero means no limit.
  private static func milliseconds(_ seconds: Double) -> Int {
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return seconds > 0.001 ? Int(seconds * 1000) : 1
  }
}

/// A response that is being received.
private final class Reception {
  private(set) var header = AnswerHeader()
  private(set) var body: [UInt8] = []
  /// The reason why receiving stopped; nil if there is no problem.
  private(set) var problem: WebProblem?
  private let handle: OpaquePointer
  private let sink: WebTransfer.Sink

  /// The maximum size of a response that is not a stream.
  private static let refusalLimit = 1 << 16

  init(_ handle: OpaquePointer, _ sink: WebTransfer.Sink) {
    (self.handle, self.sink) = (handle, sink)
  }

  func take(line: UnsafeBufferPointer<UInt8>) -> Bool {
    if header.add(line) { return true }
    problem = WebProblem(.tooLarge, "the header of the answer is too large")
    return false
  }

  func take(piece: UnsafeBufferPointer<UInt8>) -> Bool {
    switch sink {
    case .collect(let limit): return collect(piece, limit)
    case .stream(let receive):
      return webStatus(handle) / 100 == 2
        ? receive(Array(piece)) : collect(piece, Self.refusalLimit)
    }
  }

  private func collect(_ piece: UnsafeBufferPointer<UInt8>, _ limit: Int) -> Bool {
    guard piece.count <= limit - body.count else {
      problem = WebProblem(.tooLarge, "the answer has more than \(limit) bytes")
      return false
    }
    body.append(contentsOf: piece)
    return true
  }
}

private let takeLine: WebReceive = { context, bytes, count in
  let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
  return reception.take(line: UnsafeBufferPointer(start: bytes, count: count)) ? 1 : 0
}

private let takePiece: WebReceive = { context, bytes, count in
  let reception = Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
  return reception.take(piece: UnsafeBufferPointer(start: bytes, count: count)) ? 1 : 0
}
