import Graphics
import InkFiles

extension SourceCounts {
  mutating func addShape() { shapes += 1 }

  /// Counts a stroke.
  mutating func add(_ locations: some RandomAccessCollection<Point>) {
    add(locations.count) { locations[locations.index(locations.startIndex, offsetBy: $0)] }
  }

  /// Counts a stroke of a number of points.
  mutating func add(_ count: Int, location: (Int) -> Point) {
    strokes += 1
    points += count
    // Numbers instead of a box for each point: this runs for every point of every file.
    var (minX, maxX) = (Double.infinity, -Double.infinity)
    var (minY, maxY) = (minX, maxX)
    for index in 0..<count {
      let location = location(index)
      guard location.isFinite else { continue }
      (minX, maxX) = (min(minX, location.x), max(maxX, location.x))
      (minY, maxY) = (min(minY, location.y), max(maxY, location.y))
    }
    guard minX <= maxX else { return }
    let box = Rect(from: Point(x: minX, y: minY), to: Point(x: maxX, y: maxY))
    bounds = bounds.map { $0.union(box) } ?? box
  }
}
