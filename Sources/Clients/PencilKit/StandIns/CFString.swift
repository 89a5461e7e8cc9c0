/// The type of constants that are Core Foundation's strings on Apple's systems.
public typealias CFString = String

/// The type under which pasteboards and files hold the bytes of a drawing.
public let PKAppleDrawingTypeIdentifier: CFString = "com.apple.drawing"
