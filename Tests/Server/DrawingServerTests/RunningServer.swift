import TestSupport

extension RunningServer {
  func send(
    _ method: String, _ target: String, token: String? = nil, _ fields: [(String, String)] = [],
    body: [UInt8] = []
  ) throws -> Reply? {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    if let token { text += "Authorization: Bearer \(token)\r\n" }
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if method != "GET" { text += "Content-Length: \(body.count)\r\n" }
    let client = try Client(port: port)
    client.write(Array("\(text)\r\n".utf8) + body)
    return Reply.all(in: client.readAll(seconds: 30)).first
  }
}
