import DrawingServices
import Testing

/// Settings of the server that it compares with requests.
struct SettingTests {
  private func put(_ text: String, into name: String) throws -> ServerSettings? {
    var settings = ServerSettings()
    let setting = try #require(ServerSetting.all.first { $0.name == name })
    return setting.put(text, into: &settings) ? settings : nil
  }

  @Test func `lists in settings may have spaces behind their commas`() throws {
    let origins = try put("https://ink.example, capacitor://localhost,null", into: "origins")
    #expect(origins?.origins == ["https://ink.example", "capacitor://localhost", "null"])
    let proxies = try put("10.0.0.1, 2001:db8::1", into: "trusted-proxies")
    #expect(proxies?.proxies == ["10.0.0.1", "2001:db8::1"])
  }

  @Test(arguments: [
    "https://Ink.example", "https://ink.example:443", "http://ink.example:80",
    "https://ínk.example",
    "https://ink.example/", "https://", "://ink.example", "ink.example", "https://a b", "",
  ])
  func `an origin that no browser sends is refused`(_ text: String) throws {
    #expect(try put(text, into: "origins")?.origins.isEmpty ?? true)
  }

  @Test(arguments: [
    "::ffff:10.0.0.1", "2001:DB8::1", "0:0:0:0:0:0:0:1", "10.0.0.256", "localhost", "10.0.0.1 ",
  ])
  func `a proxy address in an unusual notation is refused`(_ text: String) throws {
    #expect(try put(text, into: "trusted-proxies") == nil)
  }

  @Test func `origins of every kind of page are accepted`() throws {
    for text in [
      "*", "null", "http://localhost:8080", "https://ink.example:8443", "http://[::1]:8080",
    ] {
      #expect(try put(text, into: "origins")?.origins == [text])
    }
  }
}
