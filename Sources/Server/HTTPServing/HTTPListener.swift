import CNetwork
import Glibc
import Synchronization
import Threads

/// An HTTP server: a listening socket, the threads of the connections, and the work queues.
///
/// `Acceptor` accepts connections. `Connections` limits them and ends those of slow clients, which
/// the library would keep forever. The library parses requests and writes responses.
/// `RequestHandler.check` refuses unsafe requests that the library accepts.
package final class HTTPListener: @unchecked Sendable {
  // All properties are constant or thread-safe, except `daemon`, which only `start` and `stop`
  // change.

  /// The limits of a server.
  package struct Limits: Sendable {
    package var connectionThreads = 2
    package var workThreads = 2
    package var connections = 4096
    /// The maximum number of connections of one address, or of one first half of an IPv6 address.
    package var connectionsOfClient = 512
    /// Additional connections, on which only probes are answered: as many as a flood can open
    /// before the library has read the first byte of a probe.
    package var extraConnections = 256
    /// The addresses of proxies that name their clients.
    package var proxies: Set<String> = []
    /// The maximum number of requests that wait for a thread.
    package var waitingRequests = 1024
    /// The maximum number of bytes of request bodies in memory.
    package var bodyBytes = 128 << 20
    /// The time for running requests to finish when the server ends, in milliseconds. Requests that
    /// still wait then are refused.
    package var endMilliseconds = 10_000

    package init() {}
  }

  /// A certificate chain and its key, as PEM text.
  package struct Certificate: Sendable {
    package let chain: String
    package let key: String

    package init(chain: String, key: String) { (self.chain, self.key) = (chain, key) }
  }

  let handler: any RequestHandler
  let work: WorkQueue
  let budget: ByteBudget
  /// The threads of probes, which must not wait for other requests.
  let probes = WorkQueue(threads: 2, capacity: 256)
  let connections: Connections
  private let limits: Limits
  private let numbers = Atomic<UInt64>(0)
  private let isStopping = Atomic(false)
  private let slowCount = Atomic(0)
  private var daemon: OpaquePointer?
  private var acceptor: Acceptor?
  private var texts: [UnsafeMutablePointer<CChar>] = []

  package init(_ limits: Limits, _ handler: any RequestHandler) {
    self.handler = handler
    self.limits = limits
    connections = Connections(
      Connections.Limits(
        all: limits.connections, ofClient: limits.connectionsOfClient,
        extra: limits.extraConnections, proxies: limits.proxies))
    work = WorkQueue(threads: limits.workThreads, capacity: limits.waitingRequests)
    budget = ByteBudget(limits.bodyBytes)
  }

  /// The number of open connections.
  package var connectionCount: Int { connections.count }
  /// Whether any request waits for its response, or for the rest of it.
  package var hasUnansweredRequests: Bool { connections.hasUnansweredRequests }
  /// The number of requests that wait for a thread or have one.
  package var workCount: Int { work.count }
  /// The number of connections that were ended because of slow clients.
  package var slowConnectionCount: Int { slowCount.load(ordering: .relaxed) }
  /// The numbers of idle connections that were ended for others, and of refused connections.
  package var connectionLosses: (displaced: Int, refused: Int) { connections.losses }

  /// Starts to serve on a nonblocking listening socket, and owns it from now on. Returns false if
  /// the library fails, usually because a certificate does not match its key.
  package func start(_ socket: Int32, _ certificate: Certificate? = nil) -> Bool {
    let threads = max(limits.connectionThreads, 1)
    // Connections are limited before the library gets them. The library divides its own limit among
    // its threads.
    let most = (limits.connections + limits.extraConnections) * 2 * threads
    var settings = HTTPDaemonSettings(
      threads: UInt32(clamping: threads), connectionLimit: UInt32(clamping: most),
      idleSeconds: UInt32(ClientLimits.idleMilliseconds / 1000), certificate: nil, key: nil,
      context: Unmanaged.passUnretained(self).toOpaque(), begun: begun, handle: handle,
      completed: completed, connected: connected)
    if let certificate {
      texts = [certificate.chain, certificate.key].compactMap { (text: String) in strdup(text) }
      guard texts.count == 2 else {
        close(socket)
        return false
      }
      settings.certificate = UnsafePointer(texts[0])
      settings.key = UnsafePointer(texts[1])
    }
    heapSuitsManyThreads(Int32(clamping: max(limits.connectionThreads, 2)))
    daemon = httpDaemonStart(&settings)
    let acceptor = Acceptor(socket, self)
    guard daemon != nil, acceptor.start() else {
      end()
      close(socket)
      return false
    }
    self.acceptor = acceptor
    Lanes.begin { [weak self] in
      var rounds = 0
      while let self, !self.isStopping.load(ordering: .relaxed) {
        slowCount.add(connections.endSlow(), ordering: .relaxed)
        rounds += 1
        if rounds % 40 == 0 { heapGiveBack() }
        usleep(250_000)
      }
    }
    return true
  }

  /// Accepts no more connections, finishes running requests, and stops. Event streams must have
  /// been closed before.
  package func stop() {
    guard daemon != nil, let acceptor else { return }
    acceptor.stop()
    // Arriving bodies, waiting work, and responses that are being written.
    let end = milliseconds() + limits.endMilliseconds
    while connections.hasUnansweredRequests, milliseconds() < end { sleepShortly() }
    // Suspended connections must be resumed before the library stops.
    work.close()
    probes.close()
    let last = milliseconds() + min(limits.endMilliseconds, 1_000)
    while connections.hasUnansweredRequests, milliseconds() < last { sleepShortly() }
    isStopping.store(true, ordering: .relaxed)
    self.end()
    self.acceptor = nil
  }

  private func end() {
    if let daemon { MHD_stop_daemon(daemon) }
    daemon = nil
    for text in texts { free(text) }
    texts = []
  }

  fileprivate func exchange(
    target: UnsafePointer<CChar>, on link: OpaquePointer
  ) -> Exchange? {
    guard let context = httpConnectionContext(link) else { return nil }
    return Exchange(
      number: numbers.add(1, ordering: .relaxed).newValue,
      rawTarget: bytes(target, strlen(target)),
      connection: Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue())
  }

}

// MARK: - Who comes

extension HTTPListener: Acceptor.Delegate {
  var isCrowded: Bool { connections.isCrowded }

  func makeRoom() { connections.makeRoom() }

  func take(_ handle: Int32, _ address: sockaddr_storage) {
    let client = ClientAddress(address)
    var isAdmitted = connections.admit(handle, client) != nil
    if !isAdmitted {
      // The extra connections may all be waiting for their first byte.
      usleep(1_000)
      isAdmitted = connections.admit(handle, client) != nil
    }
    guard isAdmitted, let daemon else {
      close(handle)
      return
    }
    let size =
      Int32(address.ss_family) == AF_INET
      ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        MHD_add_connection(daemon, handle, $0, socklen_t(size))
      }
    }
    // The library has closed the connection.
    if result != .YES { connections.forget(handle) }
  }
}

// MARK: - What the library calls

private func listener(_ context: UnsafeMutableRawPointer?) -> HTTPListener? {
  context.map { Unmanaged<HTTPListener>.fromOpaque($0).takeUnretainedValue() }
}

/// A request line was read.
private let begun:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>, OpaquePointer)
    -> UnsafeMutableRawPointer? = { context, target, link in
      guard let exchange = listener(context)?.exchange(target: target, on: link) else { return nil }
      return Unmanaged.passRetained(exchange).toOpaque()
    }

/// Called for a header, a piece of a body or its end, or a resumed connection.
private let handle: MHD_AccessHandlerCallback = {
  context, link, _, method, version, piece, pieceCount, request in
  guard let listener = listener(context), let link, let method, let version, let pieceCount,
    let request = request?.pointee
  else { return .NO }
  let exchange = Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
  let count = pieceCount.pointee
  // The whole piece is consumed, or the request is refused.
  pieceCount.pointee = 0
  return exchange.advance(
    link, listener, method: method, version: version,
    piece: UnsafeRawBufferPointer(start: piece, count: piece == nil ? 0 : count)
      .bindMemory(to: UInt8.self))
}

/// A request is over.
private let completed: MHD_RequestCompletedCallback = { context, _, request, code in
  guard let held = request?.pointee else { return }
  request?.pointee = nil
  let exchange = Unmanaged<Exchange>.fromOpaque(held).takeRetainedValue()
  exchange.end(isComplete: code == .REQUEST_TERMINATED_COMPLETED_OK)
  let connection = exchange.connection
  if connection.isProxy { listener(context)?.connections.takeBack(connection) }
  connection.enter(.header)
  listener(context)?.handler.finished(exchange)
}

/// A connection begins or ends.
private let connected: MHD_NotifyConnectionCallback = { context, link, store, code in
  guard let listener = listener(context), let link, let store else { return }
  if code == .CONNECTION_NOTIFY_STARTED {
    guard let connection = listener.connections.begin(httpConnectionSocket(link)) else { return }
    store.pointee = Unmanaged.passRetained(connection).toOpaque()
  } else if let held = store.pointee {
    store.pointee = nil
    listener.connections.remove(Unmanaged<Connection>.fromOpaque(held).takeRetainedValue())
  }
}
