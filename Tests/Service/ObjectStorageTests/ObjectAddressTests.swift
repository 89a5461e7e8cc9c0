import Testing

@testable import SharedStorage

struct ObjectAddressTests {
  @Test func `an S3 address gives the bucket's URL and the prefix of its keys`() throws {
    let plain = try ObjectAddress("s3://drawings")
    #expect(plain.base == "https://drawings.s3.us-east-1.amazonaws.com")
    #expect(plain.path("users/a/b") == "/users/a/b" && plain.prefix == "")
    let own = try ObjectAddress(
      "s3://drawings/app/v1/?endpoint=http%3A%2F%2F127.0.0.1%3A7480/&region=default")
    #expect(own.base == "http://127.0.0.1:7480" && own.host == "127.0.0.1:7480")
    #expect(own.path("a") == "/drawings/a" && own.prefix == "app/v1/" && own.region == "default")
    #expect(own.description == "s3://drawings/app/v1/")
    let host = try ObjectAddress("s3://drawings?endpoint=https://r2.example:444&style=host")
    #expect(host.base == "https://drawings.r2.example:444" && host.path("a") == "/a")
    #expect(host.host == "drawings.r2.example:444")
  }

  @Test func `an invalid S3 address is refused with a reason`() {
    for text in [
      "", "s3:/drawings", "s3://", "s3://Ab", "s3://ab", "s3://-abc", "s3://drawings/../x",
      "s3://drawings/a b", "s3://drawings?region=a b", "s3://drawings?secret=x",
      "s3://drawings?endpoint=ftp://x", "s3://drawings?endpoint=https://name:word@host",
      "s3://drawings?style=both", "s3://drawings?endpoint", "s3://drawings?region=%ff",
    ] {
      #expect(throws: ObjectAddressError.self, "\(text)") { try ObjectAddress(text) }
    }
  }
}
