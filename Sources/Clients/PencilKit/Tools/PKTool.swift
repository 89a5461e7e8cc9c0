/// What can be done to a drawing by hand: ink, erase or select. Apps ask which it is by `as?` and `is`.
public protocol PKTool {}
