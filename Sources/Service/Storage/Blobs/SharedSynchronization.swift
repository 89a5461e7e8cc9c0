import Threads

/// Makes files durable for several threads at once.
///
/// When `wait` returns, the files of its caller are durable, because a flush of the disk began
/// after the call. Threads that arrive during a flush share the next one.
final class SharedSynchronization: Sendable {
  /// The files of one thread, and the error that prevents their durability; nil for none.
  final class Request {
    let files: [OpenEntry]
    fileprivate(set) var failure: StorageError?

    init(_ files: [OpenEntry]) { self.files = files }

    func fail(_ error: StorageError) { failure = failure ?? error }
  }

  private let work = GroupedWork<Request>(limit: 64)
  private let flush: @Sendable ([Request]) -> Void

  /// Synchronizes by a closure, which sets the failure of each request that failed.
  init(_ flush: @escaping @Sendable ([Request]) -> Void) { self.flush = flush }

  /// Synchronizes files of a file system: those of one thread one by one, those of several by
  /// flushing the whole file system if possible.
  convenience init(_ root: Folder) {
    let canFlushAll = root.canSynchronizeDisk
    self.init { requests in
      if requests.count > 1, canFlushAll {
        Self.flushAll(root, requests)
      } else {
        Self.flushEach(requests)
      }
    }
  }

  /// Waits until open files and folders are durable.
  func wait(for files: [OpenEntry]) throws(StorageError) {
    if files.isEmpty { return }
    let request = Request(files)
    work.run(request, flush)
    if let failure = request.failure { throw failure }
  }

  /// The number of threads that wait for the next flush.
  var waitingCount: Int { work.waitingCount }

  private static func flushAll(_ root: Folder, _ requests: [Request]) {
    do throws(StorageError) {
      try root.synchronizeDisk()
      for request in requests {
        // A write error is reported to only one flush of the disk. It may have been the previous
        // flush, which also wrote files of threads that were not waiting for it.
        for file in request.files {
          do throws(StorageError) { try file.checkWrites() } catch { request.fail(error) }
        }
      }
    } catch {
      for request in requests { request.fail(error) }
    }
  }

  private static func flushEach(_ requests: [Request]) {
    let files = requests.flatMap { request in request.files.map { (request, $0) } }
    let failures = OpenEntry.synchronize(files.map(\.1))
    for ((request, _), failure) in zip(files, failures) {
      if let failure { request.fail(failure) }
    }
  }
}
