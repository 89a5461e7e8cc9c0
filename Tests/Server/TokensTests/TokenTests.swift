import Checksums
import Foundation
import JSON
import Testing

@testable import Tokens

/// Seconds since 1970 at which tokens are checked.
private let now = 1_800_000_000.0

private let secret = Secret(Array(repeating: 7, count: 32))

private func coded(_ json: String) -> String { Base64.encodeURL(Array(json.utf8)) }

/// A token with any header and claims, signed by a secret.
private func token(
  _ header: String = #"{"alg": "HS256", "typ": "JWT"}"#,
  _ claims: String = #"{"iss": "pentimento", "sub": "ann", "iat": 1800000000, "exp": 1800000600}"#,
  secret: Secret? = secret
) throws -> String {
  let signed = "\(coded(header)).\(coded(claims))"
  let signature = try #require(secret).signature(of: Array(signed.utf8))
  return "\(signed).\(Base64.encodeURL(signature))"
}

private func verifier() throws -> TokenVerifier { TokenIssuer(try #require(secret)).verifier }

/// The error for a token; nil if it is accepted.
private func refusal(_ verifier: TokenVerifier, _ token: String, at time: Double = now)
  -> TokenError?
{
  do throws(TokenError) {
    _ = try verifier.user(of: token, at: time)
    return nil
  } catch {
    return error
  }
}

@Suite struct TokenTests {
  @Test func `a token of our own identifies its user until it expires`() throws {
    let issuer = TokenIssuer(try #require(secret))
    let text = issuer.token(for: "ann \"畫\"", from: now, seconds: 600)
    #expect(try issuer.verifier.user(of: text, at: now + 599) == "ann \"畫\"")
    #expect(try issuer.verifier.user(of: text, at: now - 59) == "ann \"畫\"")
    #expect(refusal(issuer.verifier, text, at: now + 660) == .expired)
    #expect(refusal(issuer.verifier, text, at: now - 61) == .notYetValid)
    let other = TokenIssuer(try #require(Secret.random()))
    #expect(refusal(other.verifier, text) == .badSignature)
  }

  @Test func `a short secret is refused`() {
    #expect(Secret(Array(repeating: 1, count: 31)) == nil)
    #expect(Secret.random()?.bytes != Secret.random()?.bytes)
  }

  @Test func `HMAC with SHA-256 has the standard's test values`() throws {
    // Computed by Python's hmac module.
    let signature = try #require(secret).signature(of: Array("what do ya want".utf8))
    let text = signature.map { String(format: "%02x", $0) }.joined()
    // A longer key is hashed first, so it equals its hash as a key.
    let long = try #require(Secret(Array(repeating: 9, count: 65)))
    let hash = try #require(Secret(SHA256.of(long.bytes).bytes))
    #expect(long.signature(of: [1, 2]) == hash.signature(of: [1, 2]))
    #expect(text == "256bc5e660e0292fc5bf8dd805a160082276dbd40d7d666a27ecae9fbac53b49")
  }

  @Test(arguments: [
    #"{"alg": "none"}"#, #"{"alg": "None"}"#, #"{"alg": "nOnE"}"#, #"{"alg": ""}"#,
    #"{"alg": "HS512"}"#,
    #"{"alg": "HS1"}"#, #"{"alg": "hs256"}"#, #"{"alg": "PS256"}"#, #"{"alg": "EdDSA"}"#,
    #"{"alg": "HS256 "}"#,
    #"{"alg": "RS256"}"#, #"{"alg": "ES256"}"#,
  ])
  func `tokens with other algorithms are refused, even if well signed`(_ header: String) throws {
    #expect(refusal(try verifier(), try token(header)) == .unknownAlgorithm)
    // Without a signature, in the form of "none".
    let unsigned = try token(header).split(separator: ".").prefix(2).joined(separator: ".") + "."
    #expect(refusal(try verifier(), unsigned) == .unknownAlgorithm)
  }

  @Test(arguments: [
    "{}", "[]", "null", "\"HS256\"", #"{"alg": 5}"#, #"{"alg": null}"#, #"{"alg": ["HS256"]}"#,
    #"{"alg": "HS256", "alg": "none"}"#, #"{"alg": "none", "alg": "HS256"}"#,
    #"{"alg": "HS256", "crit": ["x"]}"#, #"{"alg": "HS256", "b64": false}"#,
    #"{"alg": "HS256", "zip": "DEF"}"#,
    #"{"alg": "HS256"} x"#, #"{"alg": "HS256""#, #"{"alg": "HS256", "kid": 5}"#,
  ])
  func `malformed token headers are refused`(_ header: String) throws {
    #expect(refusal(try verifier(), try token(header)) == .malformed)
  }

  @Test(
    arguments: [
      (#"{"iss": "pentimento", "sub": "ann"}"#, .malformed),
      (#"{"iss": "pentimento", "sub": "ann", "exp": "1800000600"}"#, .malformed),
      (#"{"iss": "pentimento", "sub": "ann", "exp": null}"#, .malformed),
      (#"{"iss": "pentimento", "sub": "ann", "exp": 1e999}"#, .malformed),
      (#"{"iss": "pentimento", "sub": ["ann"], "exp": 1800000600}"#, .malformed),
      (#"{"iss": "pentimento", "sub": "ann", "sub": "bob", "exp": 1800000600}"#, .malformed),
      (#"{"iss": "pentimento", "sub": "ann", "exp": 1800000600, "exp": 9999999999}"#, .malformed),
      ("[]", .malformed), ("", .malformed),
      (#"{"iss": "pentimento", "sub": "ann", "exp": 1799999939}"#, .expired),
      (#"{"iss": "pentimento", "sub": "ann", "exp": -1}"#, .expired),
      (#"{"iss": "pentimento", "sub": "ann", "exp": 0}"#, .expired),
      (#"{"iss": "pentimento", "sub": "ann", "exp": 1800009999, "nbf": 1800000061}"#, .notYetValid),
      (#"{"iss": "pentimento", "sub": "ann", "exp": 1800009999, "iat": 1800000061}"#, .notYetValid),
      (
        #"{"iss": "pentimento", "sub": "ann", "exp": 1800009999, "auth_time": 1800000061}"#,
        .notYetValid
      ),
      (#"{"iss": "other", "sub": "ann", "exp": 1800000600}"#, .wrongIssuer),
      (#"{"sub": "ann", "exp": 1800000600}"#, .wrongIssuer),
      (#"{"iss": "pentimento", "exp": 1800000600}"#, .noUser),
      (#"{"iss": "pentimento", "sub": "", "exp": 1800000600}"#, .noUser),
      (#"{"iss": "pentimento", "sub": "a\u0000b", "exp": 1800000600}"#, .noUser),
      (#"{"iss": "pentimento", "sub": "a\nb", "exp": 1800000600}"#, .noUser),
    ] as [(String, TokenError)])
  func `missing or wrong token claims are refused`(
    _ claims: String, expected: TokenError
  ) throws {
    let text = try token(#"{"alg": "HS256"}"#, claims)
    #expect(refusal(try verifier(), text) == expected)
  }

  @Test func `a name of a user has a maximum length`() throws {
    for (count, expected) in [(255, nil), (256, .noUser)] as [(Int, TokenError?)] {
      let claims =
        #"{"iss": "pentimento", "sub": ""# + String(repeating: "a", count: count)
        + #"", "exp": 1800000600}"#
      #expect(refusal(try verifier(), try token(#"{"alg": "HS256"}"#, claims)) == expected)
    }
  }

  @Test func `a token that was changed anywhere is refused`() throws {
    let text = Array(try token().utf8)
    let verifier = try verifier()
    for index in text.indices {
      for replacement in "Aa0-_.=+/ \n".utf8 where replacement != text[index] {
        var changed = text
        changed[index] = replacement
        #expect(refusal(verifier, String(decoding: changed, as: UTF8.self)) != nil)
      }
    }
    for count in 0..<text.count {
      #expect(refusal(verifier, String(decoding: text.prefix(count), as: UTF8.self)) != nil)
    }
    for end in [".", "A", "=", " ", ".AA"] {
      #expect(refusal(verifier, String(decoding: text, as: UTF8.self) + end) != nil, "\(end)")
    }
    #expect(refusal(verifier, String(repeating: "A", count: 9000)) == .malformed)
  }

  @Test func `a token's audience may be one of several`() throws {
    var keys = TokenKeys()
    keys.add(try #require(secret))
    let verifier = TokenVerifier(keys: keys, audience: "app")
    func claims(_ audience: String) throws -> String {
      try token(#"{"alg": "HS256"}"#, #"{"sub": "ann", "exp": 1800000600"# + audience + "}")
    }
    #expect(refusal(verifier, try claims(#", "aud": "app""#)) == nil)
    #expect(refusal(verifier, try claims(#", "aud": ["other", "app"]"#)) == nil)
    for audience in ["", #", "aud": "other""#, #", "aud": []"#, #", "aud": ["ap", "p"]"#] {
      #expect(refusal(verifier, try claims(audience)) == .wrongAudience)
    }
  }
}
