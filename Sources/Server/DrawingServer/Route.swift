import DrawingServices
import HTTP
import HTTPServing
import Storage

/// One row of the table of routes: a method, a path and a handler. A class, because every request
/// passes its row on.
final class Route: Sendable {
  let method: RequestHead.Method
  /// The segments of the path; those in braces are parameters.
  let segments: [Segment]
  /// The segments that are words, with their places.
  private let words: [(index: Int, text: String)]
  /// The names of the parameters, in their order.
  let parameterNames: [String]
  /// Whether the last segment matches any number of segments.
  fileprivate let takesRest: Bool
  /// The path as in the table, for the log and the description of the API.
  let path: String
  let access: Access
  let body: Body
  let summary: String
  let query: [QueryParameter]
  /// The statuses of successful responses and their contents.
  let answers: [(status: Int, what: Content)]
  let handle: @Sendable (Call) throws -> Response
  /// Responds immediately from memory, on the thread of the connection; nil to use `handle`.
  let quick: (@Sendable (Call) -> Response?)?
  /// Whether it is a probe of supervisors, which must be answered within a second under any load.
  let isProbe: Bool
  /// Whether clients call it many times a second. It has a limit of its own.
  let isFrequent: Bool
  /// Responds to a request with its body on the thread of the connection, without waiting for
  /// anything; nil to use `handle`.
  let quickWithBody: (@Sendable (Call) -> Response?)?

  enum Segment: Hashable, Sendable {
    case word(String)
    case parameter(String)
    /// All remaining segments, at least one, as one parameter with slashes.
    case rest(String)
  }

  /// The callers of the route. The access rules of the service decide the details.
  enum Access: Hashable, Sendable {
    case everyone
    /// A user, or the holder of a signed link if the route is read-only.
    case signedIn
  }

  /// The body that a route reads.
  enum Body: Hashable, Sendable {
    case none
    /// JSON up to a number of bytes.
    case json(limit: Int)
    /// A file, or a form with files.
    case upload(limit: Int)

    var limit: Int {
      switch self {
      case .none: 0
      case .json(let limit), .upload(let limit): limit
      }
    }
  }

  /// The content of a response.
  enum Content: Hashable, Sendable {
    case nothing
    case json(String)
    case types([String])

    static func type(_ type: String) -> Content { .types([type]) }
  }

  init(
    _ method: RequestHead.Method, _ path: String, _ summary: String, access: Access = .signedIn,
    body: Body = .none, query: [QueryParameter] = [],
    answers: [(Int, Content)] = [(200, .json("object"))], isProbe: Bool = false,
    isFrequent: Bool = false, quickWithBody: (@Sendable (Call) -> Response?)? = nil,
    quick: (@Sendable (Call) -> Response?)? = nil,
    _ handle: @escaping @Sendable (Call) throws -> Response
  ) {
    self.method = method
    self.path = path
    segments = path.split(separator: "/").map { segment in
      guard segment.hasPrefix("{") && segment.hasSuffix("}") else { return .word(String(segment)) }
      let name = String(segment.dropFirst().dropLast())
      return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .parameter(name)
    }
    words = segments.enumerated().compactMap { index, segment in
      if case .word(let text) = segment { (index, text) } else { nil }
    }
    takesRest = if case .rest? = segments.last { true } else { false }
    parameterNames = segments.compactMap { segment in
      switch segment {
      case .parameter(let name), .rest(let name): name
      case .word: nil
      }
    }
    self.access = access
    self.body = body
    self.summary = summary
    self.query = query
    self.answers = answers.map { (status: $0.0, what: $0.1) }
    self.handle = handle
    self.quick = quick
    self.isProbe = isProbe
    self.isFrequent = isFrequent
    self.quickWithBody = quickWithBody
  }

  /// Whether the route signs somebody in, with or without an earlier sign-in.
  var isDoor: Bool { path.hasPrefix("/v1/sign-in") || path.hasPrefix("/v1/passkeys") }

  /// Throws for a query item that the route does not know: an unknown filter would match
  /// everything. Routes of Firebase and pages accept unknown items, since Firebase's clients and
  /// forwarded links add some.
  func checkNames(of items: [RequestTarget.Item]) throws(Refusal) {
    guard path.hasPrefix("/v1/") else { return }
    let isSigned = method == .get && items.contains { $0.name == "signature" }
    for item in items where !query.contains(where: { $0.name == item.name }) {
      if isSigned, LinkSigner.itemNames.contains(item.name) { continue }
      throw Refusal(
        400, "unknown-parameter", "This address has no parameter of this name.", field: item.name)
    }
  }

  /// Throws for an item that makes a link useless.
  func checkQuery(ofLink items: [RequestTarget.Item]) throws(Refusal) {
    try checkNames(of: items)
    for item in items {
      let kind = query.first { $0.name == item.name }?.kindOfLinks
      if let problem = kind?.problem(with: item.value) { throw .badParameter(item.name, problem) }
    }
  }

  /// Whether a path has the words of the route at their places.
  fileprivate func matches(_ path: [String]) -> Bool {
    guard path.count == segments.count || (takesRest && path.count > segments.count) else {
      return false
    }
    for word in words where word.text != path[word.index] { return false }
    return true
  }

  /// The values of the parameters in a path that matches, in their order.
  fileprivate func parameters(in path: [String]) -> [String] {
    var values: [String] = []
    values.reserveCapacity(parameterNames.count)
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .word: break
      case .parameter: values.append(path[index])
      case .rest: values.append(path[index...].joined(separator: "/"))
      }
    }
    return values
  }
}

/// A query item that a route understands.
struct QueryParameter: Hashable, Sendable {
  let name: String
  let kind: Kind
  /// The accepted values in signed links.
  let kindOfLinks: Kind
  let help: String

  enum Kind: Hashable, Sendable {
    case text
    case number(ClosedRange<Int>)
    case choice([String])
    case moment
    /// `transparent`, `auto`, or six hexadecimal digits; or only one of these.
    case color(among: [String]? = nil)

    /// The reason why a text is no value of this kind; nil if it is one.
    func problem(with text: String) -> String? {
      switch self {
      case .text: nil
      case .number(let range):
        text.utf8.count <= 18 && Int(text).map { range ~= $0 } ?? false
          ? nil : "It must be a whole number from \(range.lowerBound) to \(range.upperBound)."
      case .choice(let choices):
        choices.contains(text) ? nil : "It must be one of: \(choices.joined(separator: ", "))."
      case .moment:
        Moment(iso8601: text) != nil ? nil : "It must be a time such as 2026-11-22T13:00:00Z."
      case .color(let choices?):
        choices.contains(text.lowercased())
          ? nil : "It must be one of: \(choices.joined(separator: ", "))."
      case .color(nil):
        ["transparent", "auto"].contains(text) || Self.isColor(text)
          ? nil : "It must be 'transparent', 'auto' or a colour such as fffdf8."
      }
    }

    private static func isColor(_ text: String) -> Bool {
      text.utf8.count == 6 && UInt32(text, radix: 16) != nil && text.utf8.first != 43
    }
  }

  init(_ name: String, _ kind: Kind, _ help: String, inLinks kindOfLinks: Kind? = nil) {
    (self.name, self.kind, self.help) = (name, kind, help)
    self.kindOfLinks = kindOfLinks ?? kind
  }
}

/// All routes, found by method and path.
struct RouteTable: Sendable {
  let routes: [Route]
  private let byCount: [Int: [Int]]
  /// The indices of the routes that match any number of segments.
  private let ofAnyCount: [Int]

  init(_ routes: [Route]) {
    self.routes = routes
    byCount = Dictionary(grouping: routes.indices.filter { !routes[$0].takesRest }) {
      routes[$0].segments.count
    }
    ofAnyCount = routes.indices.filter { routes[$0].takesRest }
  }

  enum Found {
    case route(Route, parameters: [String])
    /// The path exists, but only with other methods.
    case otherMethods([RequestHead.Method])
    case nothing
  }

  func find(_ method: RequestHead.Method, _ path: [String]) -> Found {
    var methods: [RequestHead.Method] = []
    // Every readable route also supports HEAD.
    let wanted = method == .head ? .get : method
    func find(among indices: [Int]) -> Route? {
      for index in indices where routes[index].matches(path) {
        if routes[index].method == wanted { return routes[index] }
        methods.append(routes[index].method)
      }
      return nil
    }
    if let route = byCount[path.count].flatMap(find) ?? find(among: ofAnyCount) {
      return .route(route, parameters: route.parameters(in: path))
    }
    return methods.isEmpty ? .nothing : .otherMethods(methods)
  }
}
