import CPNGKernels
public import Graphics

/// Writes animated PNGs. Each frame stores only the rectangle that changed; unchanged pixels inside
/// of it are stored as transparent where that takes fewer bytes.
///
/// Frames are lossless. Finished bytes can be taken at any time.
public final class APNGEncoder {
  /// The contents of the file besides its pixels: size, depth, colour space, texts.
  public let properties: PNGProperties
  /// The number of frames that the caller promised; nil if it is only known at the end.
  private let promisedCount: Int?
  private let loopCount: Int
  private let form: PixelForm
  /// The colours of the palette. If no colours were given, it grows while frames are added.
  private let palette: UnsafeMutablePointer<PNGPalette>
  private let givenColors: Int?
  /// The colour that means "unchanged"; nil if unchanged pixels are always stored.
  private let key: UInt32?
  private let canvas: FrameCanvas
  private let tokenizer: FrameTokenizer
  private let stream: StreamWriter
  /// Whether a default picture was added that is no frame.
  private var hasDefault = false
  /// The offset of the newest frame's control chunk, and how long that frame is shown.
  private var newest: (offset: Int, duration: FrameDuration)?
  private var failure: PNGError?
  /// The colours seen after the palette overflowed, and whether a transparent pixel occurred.
  private var notes: ColorNotes?
  private var isClearShown = false
  /// The number of frames written so far.
  public private(set) var frameCount = 0

  /// Starts an animation of `frameCount` frames that is shown `loopCount` times; 0 is endless.
  public convenience init(
    _ properties: PNGProperties, frameCount: Int, loopCount: Int = 0, colors: FrameColors
  ) throws(PNGError) {
    try self.init(properties, promisedCount: frameCount, loopCount, colors)
  }

  /// Without a promised count no bytes can be taken before the end; without colours the palette
  /// grows.
  package init(
    _ properties: PNGProperties, promisedCount: Int?, _ loopCount: Int, _ colors: FrameColors?,
    level: Int32 = .max
  ) throws(PNGError) {
    try properties.check()
    // Each frame uses at least two sequence numbers of 31 bits.
    if let promisedCount, !(1...1 << 29 ~= promisedCount) {
      throw PNGError(.impossibleFrameCount(promisedCount))
    }
    guard 0...Int(Int32.max) ~= loopCount else {
      throw PNGError(.impossibleLoopCount(loopCount))
    }
    let kernels = pngKernels(level)
    guard let kernels else { preconditionFailure("every level has kernels") }
    (self.properties, self.promisedCount, self.loopCount) = (properties, promisedCount, loopCount)
    palette = .allocate(capacity: 1)
    palette.initialize(to: PNGPalette())
    canvas = FrameCanvas(properties, kernels)
    tokenizer = FrameTokenizer(kernels, palette)
    stream = StreamWriter(kernels)
    let isDeep = properties.depth == .sixteen
    switch colors {
    case nil, .palette:
      precondition(!isDeep, "palettes have 8 bits per component")
      form = .palette
      (givenColors, key) = Self.begin(palette, colors)
    case .greys:
      precondition(!isDeep, "grey with alpha has 8 bits per component")
      form = .greyAlpha
      (givenColors, key) = (nil, 0)
    case .opaque(let unused):
      form = isDeep ? .rgb16 : .rgb
      (givenColors, key) = (nil, isDeep ? nil : unused.map { UInt32($0) | 0xFF00_0000 })
    case .any:
      form = isDeep ? .rgba16 : .rgba
      (givenColors, key) = (nil, isDeep ? nil : 0)
    }
    stream.beginFrames(bytesPerPixel: form.bytesPerPixel)
  }

  deinit { palette.deallocate() }

  /// Initializes the palette, with the transparent colour first if there is space for it.
  private static func begin(
    _ palette: UnsafeMutablePointer<PNGPalette>, _ colors: FrameColors?
  ) -> (given: Int?, key: UInt32?) {
    guard case .palette(let pixels)? = colors else {
      pngPaletteBegin(palette, 0)
      return (nil, 0)
    }
    let colors = pixels.map { UInt32($0) }
    let count = Set(colors).count
    precondition(1...256 ~= count, "a palette has 1 to 256 colours")
    let hasKey = count < 256 || colors.contains(0)
    pngPaletteBegin(palette, hasKey ? 0 : colors[0])
    for color in colors { pngPaletteAdd(palette, color) }
    return (Int(palette.pointee.count), hasKey ? 0 : nil)
  }

  /// Adds the default picture, which programs without animation show, before the first frame. It is
  /// no frame itself; without it the first frame is the default picture.
  public func addDefault(_ picture: some BandSource) throws(PNGError) {
    precondition(newest == nil && notes == nil && !hasDefault, "the default picture comes first")
    check(picture)
    if let failure { throw failure }
    hasDefault = true
    canvas.take(
      picture, in: [PixelRect(width: properties.width, height: properties.height)], key: key)
    if promisedCount != nil { stream.add(head) }
    if let frame = try tokenize(canvas.changed, key: nil) {
      stream.addPicture(frame.parts, bytesPerPixel: form.bytesPerPixel)
    }
    canvas.clear()
  }

  /// Adds a frame: the content of the picture from now on, for `duration`.
  ///
  /// Only the `changed` rectangles are read; nil means that they are unknown, and all pixels are
  /// compared. If nothing changed, the previous frame is prolonged, provided that no frame count
  /// was promised and the sum is exact as a fraction of 16 bits; otherwise a frame of one pixel is
  /// written. A frame that breaks a promise (count, colours) throws and ends the file.
  public func add(
    _ picture: some BandSource, changed: [PixelRect]? = nil, lasting duration: FrameDuration
  ) throws(PNGError) {
    check(picture)
    if let failure { throw failure }
    if let promisedCount, frameCount == promisedCount {
      throw fail(.wrongFrameCount(frameCount + 1, of: promisedCount))
    }
    let whole = PixelRect(width: properties.width, height: properties.height)
    let isFirst = newest == nil
    canvas.take(picture, in: changed ?? [whole], key: key)
    guard notes == nil else { return noteChange() }
    if isFirst, !hasDefault, promisedCount != nil { stream.add(head) }
    if canvas.changed.isEmpty, prolong(by: duration) { return }
    let rectangle = canvas.changed.isEmpty ? PixelRect(width: 1, height: 1) : canvas.changed
    guard let frame = try tokenize(rectangle, key: isFirst ? nil : key) else { return }
    let offset = stream.addFrame(
      frame.parts, FrameControl(rectangle, duration: duration, blend: frame.blend),
      bytesPerPixel: form.bytesPerPixel)
    newest = (offset, duration)
    frameCount += 1
  }

  private func check(_ picture: some BandSource) {
    precondition(
      picture.width == properties.width && picture.height == properties.height
        && picture.depth == properties.depth, "the picture must match the properties")
  }

  /// Prolongs the newest frame, if its bytes have not been taken yet.
  private func prolong(by duration: FrameDuration) -> Bool {
    guard promisedCount == nil, let newest, let sum = newest.duration.adding(duration) else {
      return false
    }
    stream.set(sum, ofFrameAt: newest.offset)
    self.newest = (newest.offset, sum)
    return true
  }

  /// Tokenizes a rectangle of the canvas. Returns nil if the growing palette is full, and colours
  /// are collected from now on.
  private func tokenize(
    _ rectangle: PixelRect, key: UInt32?
  ) throws(PNGError) -> FrameTokenizer.TokenizedFrame? {
    if self.key == 0, canvas.changes.isKeyUsed != 0 { isClearShown = true }
    let perPixel = form.bytesPerPixel
    let tokenized = tokenizer.tokenize(canvas, rectangle, form, key: key) { parts in
      stream.bitCount(of: parts, bytesPerPixel: perPixel)
    }
    let isKeyShown = form == .rgb && canvas.changes.isKeyUsed != 0
    let isNew = givenColors.map { Int(palette.pointee.count) > $0 } ?? false
    if let tokenized, !isKeyShown, !isNew { return tokenized }
    guard promisedCount == nil, givenColors == nil, form == .palette else {
      throw fail(.unexpectedColor(frame: frameCount))
    }
    beginNotes()
    return nil
  }

  private func fail(_ problem: PNGError.Problem) -> PNGError {
    let failure = PNGError(problem)
    self.failure = failure
    return failure
  }

  /// Ends the file. Throws if frames are missing.
  public func finish() throws(PNGError) {
    if let failure { throw failure }
    guard frameCount == promisedCount ?? max(frameCount, 1) else {
      throw fail(.wrongFrameCount(frameCount, of: promisedCount ?? 1))
    }
    stream.endFile()
  }

  /// Whether finished bytes can be taken.
  public var hasBytes: Bool { promisedCount != nil && stream.hasBytes }

  /// Returns the finished bytes and removes them from the encoder.
  public func takeBytes() -> [UInt8] { promisedCount == nil ? [] : stream.takeBytes() }

  /// The chunks before the frames.
  private var head: StreamWriter.Head {
    let colors =
      form == .palette ? (0..<Int(palette.pointee.count)).map { palette.pointee[$0] } : []
    return StreamWriter.Head(
      properties: properties, form: form, palette: colors.map { $0.straight(canvas.isStraight) },
      frameCount: promisedCount ?? frameCount, loopCount: loopCount, clear: key)
  }
}

extension APNGEncoder {
  /// Encodes a whole animation without knowing its colours or frame count beforehand.
  ///
  /// The closure adds all frames. If they have more colours than a palette holds, it is called a
  /// second time with a form that holds them all, and must add the same frames.
  public static func encode(
    _ properties: PNGProperties, loopCount: Int = 0,
    frames: (APNGEncoder) throws(PNGError) -> Void
  ) throws(PNGError) -> [UInt8] {
    let isDeep = properties.depth == .sixteen
    let encoder = try APNGEncoder(
      properties, promisedCount: nil, loopCount,
      !isDeep ? nil : properties.isOpaque ? .opaque(unused: nil) : .any)
    try frames(encoder)
    guard let notes = encoder.notes else { return try encoder.wholeFile() }
    let second = try APNGEncoder(properties, promisedCount: nil, loopCount, notes.colors)
    try frames(second)
    return try second.wholeFile()
  }

  /// Returns the file, whose head can be written now that the frame count is known.
  private func wholeFile() throws(PNGError) -> [UInt8] {
    try finish()
    let frames = stream.takeBytes()
    stream.begin()
    stream.add(head)
    return stream.takeBytes() + frames
  }

  /// Switches from writing to collecting colours, to find the form that holds them all.
  private func beginNotes() {
    let notes = ColorNotes()
    // A growing palette always contains the transparent colour, used or not.
    for index in (isClearShown ? 0 : 1)..<Int(palette.pointee.count) {
      notes.note(palette.pointee[index])
    }
    self.notes = notes
    noteChange()
  }

  private func noteChange() {
    guard !canvas.changed.isEmpty else { return }
    notes?.note(canvas.band(canvas.changed.rows, of: canvas.changed))
  }
}
