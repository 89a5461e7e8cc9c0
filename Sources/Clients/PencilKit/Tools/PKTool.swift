/// A tool for changing a drawing by hand: ink, eraser or lasso. Apps test the kind by `as?` and
/// `is`.
public protocol PKTool {}
