public import InkFiles

extension DrawingFile {
  /// Opens a file. Its format is found by its content unless it is given. Of a foreign file with several pages,
  /// one is read; others are read by `page(_:)`.
  public init(
    _ data: some Collection<UInt8>, as given: Format? = nil, page index: Int = 0,
    options: ImportOptions = ImportOptions()
  ) throws(DrawingFileError) {
    let bytes = (data as? [UInt8]) ?? Array(data)
    let found = Format(recognizing: bytes)
    guard let format = given ?? found, let importer = format.importer else {
      self = try DrawingFile(own: bytes, as: given ?? found)
      guard index == 0 else { throw .noPage(index + 1, pageCount: 1) }
      return
    }
    // A picture is not ink, whatever format is given.
    if found == nil, let picture = PictureFormat(recognizing: bytes) { throw .picture(picture) }
    let imported: ImportedInk
    do throws(ImportError) {
      imported = try importer.read(bytes, options)
    } catch {
      throw .imported(format, error)
    }
    self = try DrawingFile(imported, format, page: index)
  }
}
