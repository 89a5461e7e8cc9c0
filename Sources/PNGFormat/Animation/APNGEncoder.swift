import CPNGKernels
public import Graphics

/// Writes moving pictures as APNG: of each frame only the rectangle that changed, and of that what did
/// not change as clear pixels where this takes fewer bytes.
///
/// Every frame is kept without loss. Finished bytes can be taken at any time.
public final class APNGEncoder {
  /// What the file says beside its pixels.
  public let properties: PNGProperties
  /// How many frames the file has; nil where this is found out.
  private let promisedCount: Int?
  private let loopCount: Int
  private let form: PixelForm
  /// The colours of a palette, of which some were not given where it grows.
  private let palette: UnsafeMutablePointer<PNGPalette>
  private let givenColors: Int?
  /// The colour of what did not change.
  private let key: UInt32?
  private let canvas: FrameCanvas
  private let teller: FrameTeller
  private let stream: StreamWriter
  /// Where the newest frame's control stands, and how long it is shown.
  private var newest: (place: Int, duration: FrameDuration)?
  private var failure: PNGError?
  /// What is seen of colours once a palette was too small, and whether any pixel was clear.
  private var notes: ColorNotes?
  private var isClearShown = false
  /// How many frames were written.
  public private(set) var frameCount = 0

  /// Begins a picture of so many frames, which is shown so many times; 0 is without end.
  public convenience init(
    _ properties: PNGProperties, frameCount: Int, loopCount: Int = 0, colors: FrameColors
  ) throws(PNGError) {
    try self.init(properties, promisedCount: frameCount, loopCount, colors)
  }

  /// Without a promise nothing can be taken before the end; without colours a palette grows.
  package init(
    _ properties: PNGProperties, promisedCount: Int?, _ loopCount: Int, _ colors: FrameColors?,
    level: Int32 = .max
  ) throws(PNGError) {
    try properties.check()
    // Frames have two numbers each or more, of 31 bits.
    if let promisedCount, !(1...1 << 29 ~= promisedCount) {
      throw PNGError(.impossibleFrameCount(promisedCount))
    }
    guard 0...Int(Int32.max) ~= loopCount else {
      throw PNGError(.impossibleLoopCount(loopCount))
    }
    let kernels = pngKernels(level)
    guard let kernels else { preconditionFailure("kernels of any level") }
    (self.properties, self.promisedCount, self.loopCount) = (properties, promisedCount, loopCount)
    palette = .allocate(capacity: 1)
    palette.initialize(to: PNGPalette())
    canvas = FrameCanvas(properties, kernels)
    teller = FrameTeller(kernels, palette)
    stream = StreamWriter(kernels)
    let isDeep = properties.depth == .sixteen
    switch colors {
    case nil, .few:
      precondition(!isDeep, "a palette of 8 bits a component")
      form = .places
      (givenColors, key) = Self.begin(palette, colors)
    case .greys:
      precondition(!isDeep, "greys of 8 bits")
      form = .greysAndOpacities
      (givenColors, key) = (nil, 0)
    case .solid(let unused):
      form = isDeep ? .deepSolids : .solids
      (givenColors, key) = (nil, isDeep ? nil : unused.map { UInt32($0) | 0xFF00_0000 })
    case .any:
      form = isDeep ? .deepPixels : .pixels
      (givenColors, key) = (nil, isDeep ? nil : 0)
    }
    stream.beginFrames(bytesPerPixel: form.bytesPerPixel)
  }

  deinit { palette.deallocate() }

  /// Begins a palette, with the clear colour first where there is room for it.
  private static func begin(
    _ palette: UnsafeMutablePointer<PNGPalette>, _ colors: FrameColors?
  ) -> (given: Int?, key: UInt32?) {
    guard case .few(let pixels)? = colors else {
      pngPaletteBegin(palette, 0)
      return (nil, 0)
    }
    let colors = pixels.map { UInt32($0) }
    let count = Set(colors).count
    precondition(1...256 ~= count, "1 to 256 colours")
    let hasKey = count < 256 || colors.contains(0)
    pngPaletteBegin(palette, hasKey ? 0 : colors[0])
    for color in colors { pngPaletteAdd(palette, color) }
    return (Int(palette.pointee.count), hasKey ? 0 : nil)
  }

  /// Adds what a picture shows from now on, for some time.
  ///
  /// Only what changed since the last frame is read: some rectangles, or where nobody knows them, all.
  /// A frame that changed nothing prolongs the last one where the number of frames was not promised,
  /// and there is such a fraction of a second; otherwise it is a single pixel. What is not as it was
  /// promised is thrown, and ends the file.
  public func add(
    _ picture: some BandSource, changed: [PixelRect]? = nil, lasting duration: FrameDuration
  ) throws(PNGError) {
    precondition(
      picture.width == properties.width && picture.height == properties.height
        && picture.depth == properties.depth, "properties of these pictures")
    if let failure { throw failure }
    if let promisedCount, frameCount == promisedCount {
      throw fail(.wrongFrameCount(frameCount + 1, of: promisedCount))
    }
    let whole = PixelRect(width: properties.width, height: properties.height)
    let isFirst = newest == nil && notes == nil
    canvas.take(picture, in: changed ?? [whole], key: key)
    if key == 0, canvas.changes.isKeyTaken != 0 { isClearShown = true }
    guard notes == nil else { return noteChange() }
    if isFirst, promisedCount != nil { stream.add(head) }
    if canvas.changed.isEmpty, prolong(by: duration) { return }
    try tell(
      canvas.changed.isEmpty ? PixelRect(width: 1, height: 1) : canvas.changed, isFirst: isFirst,
      duration)
  }

  /// Shows the newest frame for longer, where nobody has its bytes.
  private func prolong(by duration: FrameDuration) -> Bool {
    guard promisedCount == nil, let newest, let sum = newest.duration.adding(duration) else {
      return false
    }
    stream.set(sum, ofFrameAt: newest.place)
    self.newest = (newest.place, sum)
    return true
  }

  private func tell(
    _ rectangle: PixelRect, isFirst: Bool, _ duration: FrameDuration
  ) throws(PNGError) {
    let perPixel = form.bytesPerPixel
    let telling = teller.tell(canvas, rectangle, form, key: isFirst ? nil : key) { parts in
      stream.bitCount(of: parts, bytesPerPixel: perPixel)
    }
    let isKeyShown = form == .solids && canvas.changes.isKeyTaken != 0
    let isNew = givenColors.map { Int(palette.pointee.count) > $0 } ?? false
    guard let telling, !isKeyShown, !isNew else {
      guard promisedCount == nil, givenColors == nil, form == .places else {
        throw fail(.unforeseenColor(frame: frameCount))
      }
      return beginNotes()
    }
    let place = stream.addFrame(
      telling.parts, FrameControl(rectangle, duration: duration, blend: telling.blend),
      bytesPerPixel: perPixel)
    newest = (place, duration)
    frameCount += 1
  }

  private func fail(_ problem: PNGError.Problem) -> PNGError {
    let failure = PNGError(problem)
    self.failure = failure
    return failure
  }

  /// Ends the file, which has all its frames.
  public func finish() throws(PNGError) {
    if let failure { throw failure }
    guard frameCount == promisedCount ?? max(frameCount, 1) else {
      throw fail(.wrongFrameCount(frameCount, of: promisedCount ?? 1))
    }
    stream.endFile()
  }

  /// Whether there are bytes to be taken.
  public var hasBytes: Bool { promisedCount != nil && stream.hasBytes }

  /// Gives the bytes that are finished, and forgets them.
  public func takeBytes() -> [UInt8] { promisedCount == nil ? [] : stream.takeBytes() }

  /// All that stands before the frames.
  private var head: StreamWriter.Head {
    let colors = form == .places ? (0..<Int(palette.pointee.count)).map { palette.pointee[$0] } : []
    return StreamWriter.Head(
      properties: properties, form: form, palette: colors.map { $0.straight(canvas.isStraight) },
      frameCount: promisedCount ?? frameCount, loopCount: loopCount, clear: key)
  }
}

extension APNGEncoder {
  /// A whole moving picture, of which nothing need be known before.
  ///
  /// The closure adds all frames. Where they have more colours than a palette holds it is called
  /// again, when it is known which form has them all, and must add the same.
  public static func encode(
    _ properties: PNGProperties, loopCount: Int = 0,
    frames: (APNGEncoder) throws(PNGError) -> Void
  ) throws(PNGError) -> [UInt8] {
    let isDeep = properties.depth == .sixteen
    let encoder = try APNGEncoder(
      properties, promisedCount: nil, loopCount,
      !isDeep ? nil : properties.isOpaque ? .solid(unused: nil) : .any)
    try frames(encoder)
    guard let notes = encoder.notes else { return try encoder.wholeFile() }
    let second = try APNGEncoder(properties, promisedCount: nil, loopCount, notes.colors)
    try frames(second)
    return try second.wholeFile()
  }

  /// The file, whose head can be written now that all is known.
  private func wholeFile() throws(PNGError) -> [UInt8] {
    try finish()
    let frames = stream.takeBytes()
    stream.begin()
    stream.add(head)
    return stream.takeBytes() + frames
  }

  /// Goes on without writing, to see which form has all colours.
  private func beginNotes() {
    let notes = ColorNotes()
    // The clear colour is in every palette that grows.
    for place in (isClearShown ? 0 : 1)..<Int(palette.pointee.count) {
      notes.note(palette.pointee[place])
    }
    self.notes = notes
    noteChange()
  }

  private func noteChange() {
    guard !canvas.changed.isEmpty else { return }
    notes?.note(canvas.band(canvas.changed.rows, of: canvas.changed))
  }
}
