public import InkFiles

extension DrawingFile {
  /// Opens a file. The format is recognized by the content unless it is given. A foreign file with
  /// several pages opens at one of them; `page(_:)` returns the others.
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
