import Storage
import Testing

@testable import SharedStorage

/// Requests and links with the published signatures of the protocol's examples.
struct ObjectSignatureTests {
  private static let credentials = ObjectCredentials(
    name: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
  // 2013-05-24, midnight.
  private static let signer = ObjectSignature(
    credentials, region: "us-east-1", at: Moment(seconds: 1_369_353_600))
  private static let host = "examplebucket.s3.amazonaws.com"
  private static let hashOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  private func signature(_ fields: [(name: String, value: String)]) -> String {
    let text = fields.first { $0.name == "Authorization" }?.value ?? ""
    return text.split(separator: "Signature=").last.map(String.init) ?? ""
  }

  @Test func `a range request is signed as in the published example`() {
    let fields = Self.signer.fields(
      "GET", host: Self.host, path: "/test.txt", query: [], fields: [("Range", "bytes=0-9")],
      bodyHash: Self.hashOfNothing)
    #expect(
      signature(fields) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func `a list request is signed as in the published example`() {
    let fields = Self.signer.fields(
      "GET", host: Self.host, path: "/", query: [("prefix", "J"), ("max-keys", "2")], fields: [],
      bodyHash: Self.hashOfNothing)
    #expect(
      signature(fields) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test func `a link is signed as in the published example`() {
    let query = Self.signer.linkQuery(
      host: Self.host, path: "/test.txt", query: [], seconds: 86_400)
    #expect(
      query.hasSuffix(
        "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    #expect(query.contains("X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1"))
  }

  @Test func `a session token is sent and signed`() {
    let credentials = ObjectCredentials(name: "a", secret: "b", token: "for some hours")
    let signer = ObjectSignature(credentials, region: "r", at: Moment(seconds: 0))
    let fields = signer.fields(
      "GET", host: "h", path: "/", query: [], fields: [], bodyHash: Self.hashOfNothing)
    #expect(fields.contains { $0 == ("x-amz-security-token", "for some hours") })
    #expect(
      fields.contains {
        $0.name == "Authorization" && $0.value.contains("x-amz-date;x-amz-security-token,")
      })
  }
}
