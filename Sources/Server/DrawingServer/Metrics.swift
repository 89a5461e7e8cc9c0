import HTTP
import HTTPServing
import Threads

/// Counts for Prometheus: requests by route and status, and their times.
final class Metrics: Sendable {
  private struct Row {
    var count = 0
    var bytes = 0
    var milliseconds = 0
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count)

    mutating func add(bytes: Int, milliseconds time: Int) {
      count += 1
      self.bytes += bytes
      milliseconds += time
      for (index, bound) in Metrics.bounds.enumerated() where time <= bound { buckets[index] += 1 }
    }
  }

  private struct Key: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  private let rows = ConditionMutex<[Key: Row]>([:])

  /// The bounds of the histogram of times, in milliseconds.
  private static let bounds = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]

  func count(_ exchange: Exchange, route: String?) {
    // Requests without a route share one row, so that strangers cannot create rows.
    let key = Key(
      route: route ?? "", method: exchange.checked?.method.rawValue ?? "", status: exchange.status)
    let (count, time) = (exchange.answerByteCount ?? 0, exchange.age)
    rows.withLock { $0[key, default: Row()].add(bytes: count, milliseconds: time) }
  }

  /// A listener's current load, and its counts of refused and closed connections.
  struct Load {
    var connections = 0
    var work = 0
    var slow = 0
    var displaced = 0
    var refused = 0
  }

  /// The counts in the Prometheus text format, version 0.0.4.
  func text(_ load: Load, streams: Int) -> String {
    let rows = rows.withLock { $0 }
    let sorted = rows.sorted {
      ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
    }
    func labels(_ key: Key) -> String {
      "route=\"\(key.route)\",method=\"\(key.method)\",status=\"\(key.status)\""
    }
    var text = "# TYPE pentimento_requests_total counter\n"
    for (key, row) in sorted { text += "pentimento_requests_total{\(labels(key))} \(row.count)\n" }
    text += "# TYPE pentimento_response_bytes_total counter\n"
    for (key, row) in sorted {
      text += "pentimento_response_bytes_total{\(labels(key))} \(row.bytes)\n"
    }
    text += "# TYPE pentimento_request_seconds histogram\n"
    for (key, row) in sorted {
      for (bound, count) in zip(Self.bounds, row.buckets) {
        text += "pentimento_request_seconds_bucket{\(labels(key)),le=\""
        text += "\(Double(bound) / 1000)\"} \(count)\n"
      }
      text += "pentimento_request_seconds_bucket{\(labels(key)),le=\"+Inf\"} \(row.count)\n"
      text += "pentimento_request_seconds_sum{\(labels(key))} \(Double(row.milliseconds) / 1000)\n"
      text += "pentimento_request_seconds_count{\(labels(key))} \(row.count)\n"
    }
    let gauges = [
      ("connections", load.connections), ("requests_in_work", load.work), ("streams", streams),
    ]
    for (name, value) in gauges {
      text += "# TYPE pentimento_\(name) gauge\npentimento_\(name) \(value)\n"
    }
    let counters = [
      ("slow", load.slow), ("displaced", load.displaced), ("refused", load.refused),
    ]
    for (name, value) in counters {
      text += "# TYPE pentimento_\(name)_connections_total counter\n"
      text += "pentimento_\(name)_connections_total \(value)\n"
    }
    return text
  }
}
