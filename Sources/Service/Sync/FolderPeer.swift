package import DrawingServices
import Storage

/// The other place as a service in a folder, such as one on a USB stick.
package final class FolderPeer: SyncPeer {
  private let environment: ServiceEnvironment
  private let caller: Caller
  private let uid: String

  package init(_ environment: ServiceEnvironment, as caller: Caller, of uid: String) {
    (self.environment, self.caller, self.uid) = (environment, caller, uid)
  }

  package func exchange(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse {
    try answer { try SyncService(environment, as: caller, threads: 1).answer(request, of: uid) }
  }

  package func upload(
    _ bytes: [UInt8], of sha256: String, at offset: Int
  ) throws(SyncProblem) -> Int {
    try answer {
      let staged = StagedFiles(environment, of: uid)
      return bytes.isEmpty
        ? try staged.count(sha256) : try staged.add(bytes, to: sha256, at: offset)
    }
  }

  private func answer<Result>(_ body: () throws -> Result) throws(SyncProblem) -> Result {
    do {
      return try body()
    } catch let error as SyncProblem {
      throw error
    } catch let error as StorageError {
      throw SyncProblem(error.problem == .readOnly ? .unexpected : .busy, "\(error)")
    } catch {
      throw SyncProblem(.unexpected, "\(error)")
    }
  }
}
