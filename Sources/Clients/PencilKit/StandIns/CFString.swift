/// The type of constants that are Core Foundation strings on Apple's systems.
public typealias CFString = String

/// The type identifier of a drawing's bytes on pasteboards and in files.
public let PKAppleDrawingTypeIdentifier: CFString = "com.apple.drawing"
