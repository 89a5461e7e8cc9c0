import Testing

@testable import DrawingServices

/// The addresses of services, in the form that people write.
struct ServicePlaceTests {
  @Test(arguments: [
    ("ink", ServicePlace("ink")),
    ("a,b", ServicePlace("a,b")),
    (",a", ServicePlace(",a")),
    ("ink,postgres://u@h/d", ServicePlace("ink", documents: "postgres://u@h/d")),
    (
      "/srv/a,b,s3://bucket/x?region=r,postgresql://h1,h2/d",
      ServicePlace("/srv/a,b", documents: "postgresql://h1,h2/d", blobs: "s3://bucket/x?region=r")
    ),
  ])
  func `a service's address has a folder and stores`(_ text: String, _ place: ServicePlace) throws {
    #expect(try ServicePlace(text: text) == place)
  }

  @Test(arguments: [
    "", "s3://bucket", "postgres://h/d", ",s3://bucket", "mysql://h/d", "a,s3://b,s3://c",
    "a,postgres://b/c,postgresql://d/e",
  ])
  func `an invalid address of a service is refused`(_ text: String) {
    #expect(throws: ServicePlaceError.self) { try ServicePlace(text: text) }
  }

  @Test func `options add only missing parts to the address of a service`() throws {
    let place = ServicePlace("ink", documents: "postgres://h/d")
    #expect(
      try place.with(documents: nil, blobs: "s3://b")
        == ServicePlace("ink", documents: "postgres://h/d", blobs: "s3://b"))
    #expect(try place.with(documents: nil, blobs: nil) == place)
    #expect(throws: ServicePlaceError.self) {
      try place.with(documents: "postgres://h/e", blobs: nil)
    }
    #expect(throws: ServicePlaceError.self) { try place.with(documents: nil, blobs: "b") }
    #expect(throws: ServicePlaceError.self) {
      try ServicePlace("ink").with(documents: "sqlite:x", blobs: nil)
    }
  }
}
