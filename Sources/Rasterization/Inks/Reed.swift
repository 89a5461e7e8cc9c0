extension InkStyle {
  /// Hard wedge-cut ends, an edge slightly torn, parallel fibres where it runs dry.
  static let reed = InkStyle(
    body: .reed(
      ReedStyle(edge: 0.1, depth: 0.55, rough: 0.35, dry: 1.15, fibreWidth: 0.8, fibreLength: 30)))
}
