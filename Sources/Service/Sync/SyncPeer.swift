package import DrawingServices

/// The other place of a synchronization, the remote: a server, or a folder.
package protocol SyncPeer: AnyObject {
  /// Sends a request and waits for its response.
  func exchange(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse
  /// Sends a piece of a large file, and returns the number of its bytes that have arrived. Without
  /// bytes, only returns the number.
  func upload(
    _ bytes: [UInt8], of sha256: String, at offset: Int
  ) throws(SyncProblem) -> Int
  /// The numbers of bytes that were sent and received over a network.
  var traffic: (sent: Int, received: Int) { get }
}

extension SyncPeer {
  package var traffic: (sent: Int, received: Int) { (0, 0) }
}

/// The reason why an exchange with the other place failed.
package struct SyncProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// The place cannot be reached.
    case offline
    /// The place is overloaded, or temporarily broken.
    case busy
    /// The place does not accept the token, which may have expired: the user has to sign in again.
    case signIn = "sign-in"
    /// The request is too large for the place.
    case tooLarge = "too-large"
    /// The response is invalid, or the place does not support this protocol.
    case unexpected
    /// The store of this device cannot be read or written.
    case local
    /// The sync was ended by the caller.
    case ended
  }

  package let kind: Kind
  package let description: String
  /// The time in seconds for which the place wants no requests, if it gives one.
  package var waitSeconds: Double?

  package init(_ kind: Kind, _ description: String, waitSeconds: Double? = nil) {
    (self.kind, self.description, self.waitSeconds) = (kind, description, waitSeconds)
  }

  /// Whether retrying later may succeed without the user's help.
  package var isPassing: Bool {
    switch kind {
    case .offline, .busy, .local: true
    case .signIn, .tooLarge, .unexpected, .ended: false
    }
  }
}
