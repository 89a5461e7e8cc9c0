public import Storage

/// The settings that operators may change. A service stores them in `settings.json` in its folder,
/// so that all commands use the same ones.
public struct ServiceSettings: Hashable, Sendable {
  /// The prefix of the path in links to files.
  public var baseURL = "file:"
  /// The default language of viewers.
  public var language = Language.english
  /// The default time zone of viewers.
  public var timeZone = "UTC"
  /// The longer side of thumbnails, in pixels.
  public var thumbnailSide = 256
  /// The scale of rendered images, in pixels per point.
  public var imageScale = 2.0
  /// The maximum number of pixels in a picture; larger pages are rendered at a smaller scale.
  public var maximumPixels = 25_000_000
  /// The minimum age of leftover files, in seconds, before a sweep touches them.
  public var orphanAge: Int64 = 3600
  /// How many days files without a document stay in the trash before they are deleted.
  public var trashDays = 30
  /// How many days the gallery reaches back.
  public var galleryDays = 90
  /// The maximum size of the cache of rendered pictures, in bytes; the least recently used are
  /// deleted.
  public var cacheBytes = 1 << 30
  /// The settings of the app that differ from their defaults, by name.
  public var ofApplication = Fields()
  /// The number of threads that render a picture. A setting of the program, not stored with the
  /// service.
  public var threads = 1

  /// The default settings.
  public init() {}
}

/// The description of one stored setting.
public struct Setting: Sendable {
  /// The name on the command line and in the file: `base-url`.
  public let name: String
  /// The setting's effect in one line, for help.
  public let summary: String
  /// The allowed values, for error messages.
  public let form: String
  private let get: @Sendable (ServiceSettings) -> FieldValue
  /// Returns false for a value that is not allowed.
  private let set: @Sendable (inout ServiceSettings, FieldValue) -> Bool

  /// A setting of an app, whose value is in `ServiceSettings.ofApplication`. `set` returns false
  /// for a value that is not allowed.
  public init(
    name: String, summary: String, form: String,
    get: @escaping @Sendable (ServiceSettings) -> FieldValue,
    set: @escaping @Sendable (inout ServiceSettings, FieldValue) -> Bool
  ) {
    (self.name, self.summary, self.form, self.get, self.set) = (name, summary, form, get, set)
  }

  /// The value of this setting.
  public func value(in settings: ServiceSettings) -> FieldValue { get(settings) }

  /// Sets this setting. Throws if the value is not allowed.
  public func put(_ value: FieldValue, into settings: inout ServiceSettings) throws {
    guard set(&settings, value) else {
      throw ServiceError.badRequest("the setting '\(name)' needs \(form)")
    }
  }

  /// The settings of the service itself, in the order of lists for people.
  static let ofService = [
    Setting(
      name: "base-url", summary: "The prefix of links to files.",
      form: "a text of at most 1000 bytes",
      get: { .text($0.baseURL) },
      set: { settings, value in
        guard let text = value.textValue, text.utf8.count <= 1000 else { return false }
        settings.baseURL = text
        return true
      }),
    Setting(
      name: "language", summary: "The default language of viewers.",
      form: Language.allCases.map(\.rawValue).joined(separator: " or "),
      get: { .text($0.language.rawValue) },
      set: { settings, value in
        guard let language = value.textValue.flatMap(Language.init(rawValue:)) else { return false }
        settings.language = language
        return true
      }),
    Setting(
      name: "time-zone", summary: "The default time zone of viewers.",
      form: "a known zone, such as Asia/Taipei or +08:00",
      get: { .text($0.timeZone) },
      set: { settings, value in
        guard let name = value.textValue, (try? ZoneRules(named: name)) != nil else { return false }
        settings.timeZone = name
        return true
      }),
    .number(
      "thumbnail-size", "The longer side of thumbnails, in pixels.", 1...4096, \.thumbnailSide),
    Setting(
      name: "image-scale", summary: "The scale of rendered images, in pixels per point.",
      form: "a number from 0.1 to 16",
      get: { .number($0.imageScale) },
      set: { settings, value in
        guard let scale = value.numberValue, 0.1...16 ~= scale else { return false }
        settings.imageScale = scale
        return true
      }),
    .number(
      "max-pixels", "The maximum number of pixels; larger pages are rendered smaller.", 1...1 << 30,
      \.maximumPixels),
    Setting(
      name: "orphan-age",
      summary: "The age in seconds from which a sweep touches leftover files.",
      form: "a whole number from 0 to 31536000",
      get: { .integer($0.orphanAge) },
      set: { settings, value in
        guard let seconds = value.integerValue, 0...31_536_000 ~= seconds else { return false }
        settings.orphanAge = seconds
        return true
      }),
    .number("trash-days", "How many days files stay in the trash.", 0...36_500, \.trashDays),
    .number(
      "gallery-days", "How many days the gallery reaches back when it is not sorted.", 1...36_500,
      \.galleryDays),
  ]

  package static func number(
    _ name: String, _ summary: String, _ range: ClosedRange<Int>,
    _ path: any (WritableKeyPath<ServiceSettings, Int> & Sendable)
  ) -> Setting {
    Setting(
      name: name, summary: summary,
      form: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      get: { .integer(Int64($0[keyPath: path])) },
      set: { settings, value in
        guard let number = value.integerValue.flatMap({ Int(exactly: $0) }), range ~= number else {
          return false
        }
        settings[keyPath: path] = number
        return true
      })
  }
}
