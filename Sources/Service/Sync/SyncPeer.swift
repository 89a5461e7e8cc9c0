package import DrawingServices

/// The other place: a server, or a folder.
package protocol SyncPeer: AnyObject {
  /// Sends a request and waits for its answer.
  func exchange(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse
  /// Sends a piece of a large file, and returns how many of its bytes are there. Without bytes it only asks.
  func upload(
    _ bytes: [UInt8], of sha256: String, at offset: Int
  ) throws(SyncProblem) -> Int
  /// The bytes that were sent and received over a network.
  var traffic: (sent: Int, received: Int) { get }
}

extension SyncPeer {
  package var traffic: (sent: Int, received: Int) { (0, 0) }
}

/// Why the other place has not answered as hoped.
package struct SyncProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// It cannot be reached.
    case offline
    /// It has too much to do, or is broken for now.
    case busy
    /// It does not know who asks, or the token has ended: somebody has to sign in again.
    case signIn = "sign-in"
    /// The request is too large for it.
    case tooLarge = "too-large"
    /// Its answer cannot be understood, or it does not speak this protocol.
    case unexpected
    /// The store of this device cannot be read or written.
    case local
    /// The sync was ended from outside.
    case ended
  }

  package let kind: Kind
  package let description: String
  /// For how many seconds it does not want to be asked, if it says so.
  package var waitSeconds: Double?

  package init(_ kind: Kind, _ description: String, waitSeconds: Double? = nil) {
    (self.kind, self.description, self.waitSeconds) = (kind, description, waitSeconds)
  }

  /// Whether trying again later may help without anybody doing something.
  package var isPassing: Bool {
    switch kind {
    case .offline, .busy, .local: true
    case .signIn, .tooLarge, .unexpected, .ended: false
    }
  }
}
