import Glibc

/// The settings of a server's operator.
package struct ServerSettings: Hashable, Sendable {
  /// The folder of the service.
  package var root = "./pentimento-data"
  /// A database for the documents, `postgres://…`; empty for the one in the folder.
  package var documents = ""
  /// A bucket for the files, `s3://…`; empty for the folder.
  package var blobs = ""
  /// The address to listen at: a numeric address and a port. Port 0 selects any free port.
  package var listen = "127.0.0.1:8080"
  /// Whether requests without a token act as the user `dev`; only on this machine.
  package var isDevelopment = false
  /// Whether unsigned tokens of the Firebase emulator are accepted. Only in development.
  package var allowsEmulatorTokens = false
  /// The prefix of links, such as `https://ink.example`; empty to derive it from requests.
  package var publicURL = ""
  /// The addresses of proxies whose `X-Forwarded-…` fields count.
  package var proxies: [String] = []
  /// The files of the certificate chain and its key; empty for HTTP.
  package var certificate = ""
  package var key = ""
  /// The file or URL of the keys that sign tokens: PEM, a JWK set, or Google's certificates. If
  /// empty: Google's URL with a Firebase project, otherwise local tokens only.
  package var tokenKeys = ""
  package var tokenIssuer = ""
  package var tokenAudience = ""
  /// Whether tokens of these keys are accepted with any issuer and audience.
  package var takesAnyAudience = false
  /// The Firebase project whose ID tokens are accepted; empty for none.
  package var firebaseProject = ""
  /// A provider of OpenID Connect with which users sign in; empty for none.
  package var openIDIssuer = ""
  package var openIDClientID = ""
  /// The file with the secret of this server at the provider; empty for none.
  package var openIDClientSecretFile = ""
  /// The provider's name for people.
  package var openIDName = "OpenID"
  /// Whether unknown users of the provider become users.
  package var openIDTakesEveryone = false
  /// Whether visitors become users with a passkey, without an invitation.
  package var takesEveryone = false
  /// Whether files get download tokens that last until they are revoked, as in Firebase Storage.
  package var hasDownloadTokens = true
  /// Whether the pages have check-ins and a diary.
  package var hasJournal = true
  /// The origins whose pages may use this server; `*` for all.
  package var origins: [String] = []
  /// The minimum lifetime of links to files, in seconds.
  package var linkSeconds = 86_400
  /// Whether documents link directly to files in the bucket.
  package var linksToStore = false
  /// The maximum size of one user's files, in bytes.
  package var quotaBytes = 1 << 30
  /// The maximum rate of a user's changes, per second on average; zero for no limit.
  package var changesPerSecond = 20
  /// The threads that render and store. Zero means somewhat more than processors, since storing
  /// threads share one flush of the disk and wait for it.
  package var threads = 0
  package var connections = 4096
  /// The maximum number of connections of one address; zero for an eighth of all.
  package var connectionsPerClient = 0
  /// The access log: a path, `-` for standard output, or empty for none.
  package var accessLog = ""

  /// The defaults.
  package init() {}
}

/// A setting with its names: the option `--NAME`, the variable `PENTIMENTO_NAME`, and its name in a
/// settings file.
package struct ServerSetting: Sendable {
  package let name: String
  /// The placeholder of the value in help; nil for a switch.
  package let value: String?
  package let help: String
  /// The form of its values, for errors; nil for texts.
  package let form: String?
  private let set: @Sendable (inout ServerSettings, String) -> Bool

  /// The environment variable.
  package var variable: String {
    "PENTIMENTO_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }

  /// Parses a value; false if it is not valid. A switch takes `true` and `false`.
  package func put(_ text: String, into settings: inout ServerSettings) -> Bool {
    set(&settings, text)
  }

  private init(
    _ name: String, _ value: String?, _ help: String, form: String? = nil,
    _ set: @escaping @Sendable (inout ServerSettings, String) -> Bool
  ) {
    (self.name, self.value, self.help, self.form, self.set) = (name, value, help, form, set)
  }

  private static func text(
    _ name: String, _ value: String, _ help: String,
    _ path: any (WritableKeyPath<ServerSettings, String> & Sendable),
    where isValid: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> ServerSetting {
    ServerSetting(name, value, help) { settings, text in
      settings[keyPath: path] = text
      return text.utf8.count <= 4096 && !text.utf8.contains(0) && (text.isEmpty || isValid(text))
    }
  }

  private static func list(
    _ name: String, _ value: String, _ help: String,
    _ path: any (WritableKeyPath<ServerSettings, [String]> & Sendable),
    where isValid: @escaping @Sendable (String) -> Bool
  ) -> ServerSetting {
    ServerSetting(name, value, help) { settings, text in
      let parts = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
      settings[keyPath: path] = parts
      return parts.allSatisfy(isValid)
    }
  }

  private static func flag(
    _ name: String, _ help: String,
    _ path: any (WritableKeyPath<ServerSettings, Bool> & Sendable), when: Bool = true
  ) -> ServerSetting {
    ServerSetting(name, nil, help, form: "true or false") { settings, text in
      guard text == "true" || text == "false" else { return false }
      settings[keyPath: path] = (text == "true") == when
      return true
    }
  }

  /// A setting that is `everyone` or `invited`.
  private static func choice(
    _ name: String, _ value: String, _ help: String,
    _ path: any (WritableKeyPath<ServerSettings, Bool> & Sendable)
  ) -> ServerSetting {
    ServerSetting(name, value, help, form: "'invited' or 'everyone'") { settings, text in
      settings[keyPath: path] = text == "everyone"
      return text == "everyone" || text == "invited"
    }
  }

  private static func number(
    _ name: String, _ value: String, _ help: String, _ range: ClosedRange<Int>, times unit: Int = 1,
    _ path: any (WritableKeyPath<ServerSettings, Int> & Sendable)
  ) -> ServerSetting {
    ServerSetting(
      name, value, help, form: "a whole number from \(range.lowerBound) to \(range.upperBound)"
    ) { settings, text in
      guard let number = Int(text), range ~= number else { return false }
      settings[keyPath: path] = number * unit
      return true
    }
  }

  /// Whether a text is an HTTP URL such as `https://ink.example:8000/draw`, without a final slash.
  private static func isAddress(_ text: String) -> Bool {
    let host = text.hasPrefix("https://") ? text.dropFirst(8) : text.dropFirst(7)
    return (text.hasPrefix("http://") || text.hasPrefix("https://")) && !host.isEmpty
      && !text.hasSuffix("/")
      && text.utf8.allSatisfy { 33...126 ~= $0 && $0 != UInt8(ascii: "\"") }
  }

  /// Whether a text is a page's origin as browsers send it, such as `https://ink.example`, or
  /// `capacitor://localhost` in an app; or `*` or `null`. Browsers omit default ports and write
  /// host names in lowercase ASCII.
  private static func isOrigin(_ text: String) -> Bool {
    guard
      let (scheme, host) = text.firstRange(of: "://").map({
        (text[..<$0.lowerBound], text[$0.upperBound...])
      })
    else { return text == "*" || text == "null" }
    return !scheme.isEmpty && !host.isEmpty
      && (scheme + host).utf8.allSatisfy { byte in
        33...126 ~= byte && byte != UInt8(ascii: "/") && !(65...90 ~= byte)
      }
      && !text.hasSuffix(scheme == "https" ? ":443" : ":80")
  }

  /// Whether a text is an IPv4 or IPv6 address as clients' addresses are written: in the short
  /// form, and without the IPv4-mapped prefix `::ffff:`.
  private static func isNumericAddress(_ text: String) -> Bool {
    var bytes = in6_addr()
    var name = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    return !text.hasPrefix("::ffff:")
      && [AF_INET, AF_INET6].contains { family in
        inet_pton(family, text, &bytes) == 1
          && inet_ntop(family, &bytes, &name, socklen_t(name.count)).map { String(cString: $0) }
            == text
      }
  }

  /// All settings, in the order of the help.
  package static let all = [
    text("root", "DIR", "The service's folder; ./pentimento-data unless given.", \.root),
    text(
      "documents", "URL", "A database for the documents: postgres://USER@HOST/NAME.", \.documents),
    text("blobs", "URL", "A bucket for the files: s3://BUCKET?endpoint=URL.", \.blobs),
    text("listen", "ADDRESS:PORT", "Where to listen; 127.0.0.1:8080 unless given.", \.listen),
    flag("dev", "Let everyone on this machine act as the user 'dev'.", \.isDevelopment),
    text(
      "public-url", "URL",
      "How clients reach the server, behind a proxy for example: https://ink.example, no slash behind.",
      \.publicURL, where: isAddress),
    list(
      "trusted-proxies", "ADDRESSES",
      "Proxies, separated by commas, that say truly, in X-Forwarded-For, -Host and -Proto, who asks for what.",
      \.proxies,
      where: isNumericAddress),
    text("certificate", "FILE", "The certificate chain for HTTPS, as PEM.", \.certificate),
    text("key", "FILE", "The key of the certificate, as PEM.", \.key),
    text(
      "token-keys", "FILE|URL",
      "Keys of an issuer of tokens: PEM, or a JWK set; read again when it changes.", \.tokenKeys),
    text("token-issuer", "NAME", "The issuer that these tokens must name.", \.tokenIssuer),
    text("token-audience", "NAME", "The audience that these tokens must name.", \.tokenAudience),
    flag(
      "any-audience",
      "Take these tokens whatever issuer and audience they name, if neither is given: also those of other apps.",
      \.takesAnyAudience),
    text(
      "firebase-project", "ID",
      "Take the ID tokens of a Firebase project, with Google's keys unless others are given.",
      \.firebaseProject),
    choice(
      "sign-up", "WHO", "Who may become a user with a passkey: invited, or everyone.",
      \.takesEveryone),
    text(
      "openid-issuer", "URL",
      "A provider of OpenID Connect with which users sign in: https://accounts.example.",
      \.openIDIssuer),
    text("openid-client-id", "ID", "The name of this server at the provider.", \.openIDClientID),
    text(
      "openid-client-secret-file", "FILE", "A file with the secret of this server at the provider.",
      \.openIDClientSecretFile),
    text(
      "openid-name", "NAME", "The provider's name on the button; 'OpenID' unless given.",
      \.openIDName),
    choice(
      "openid-sign-up", "WHO", "Which users of the provider become users: invited, or everyone.",
      \.openIDTakesEveryone),
    flag(
      "allow-emulator-tokens", "Take unsigned tokens of Firebase's emulator; with --dev only.",
      \.allowsEmulatorTokens),
    flag(
      "no-download-tokens", "Give files no Firebase download tokens, which never expire.",
      \.hasDownloadTokens, when: false),
    flag(
      "no-journal", "Leave out the pages of check-ins and diary, and all links to them.",
      \.hasJournal, when: false),
    list(
      "origins", "ORIGINS",
      "Origins, separated by commas, whose pages may use the server, such as https://app.example, or '*'.",
      \.origins,
      where: isOrigin),
    number(
      "link-hours", "N", "How long links to files work at least; 24 unless given.", 1...8760,
      times: 3600, \.linkSeconds),
    flag(
      "store-links",
      "Documents link to files in the bucket itself; such links end by themselves alone.",
      \.linksToStore),
    number(
      "quota", "MIB", "How much one user may store; 1024 unless given.", 1...1 << 30,
      times: 1 << 20,
      \.quotaBytes),
    number(
      "change-rate", "N", "Changes a second of one user; 20 unless given, 0 for any number.",
      0...1_000_000, \.changesPerSecond),
    number(
      "connections", "N", "Connections at once; 4096 unless given.", 16...100_000, \.connections),
    number(
      "connections-per-client", "N",
      "Connections of one address, or one /64 of IPv6, at once; an eighth of all unless given.",
      1...100_000, \.connectionsPerClient),
    number(
      "threads", "N",
      "Threads that render and store, and mostly wait for the disk; at least 24 unless given.",
      1...256,
      \.threads),
    text("access-log", "FILE", "Log requests as JSON lines to a file, or to '-'.", \.accessLog),
  ]
}
