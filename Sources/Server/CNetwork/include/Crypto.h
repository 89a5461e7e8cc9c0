// Signatures and random bytes by libcrypto.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Loads the library, which otherwise happens on the first call of a function.
void cryptoLoad(void);

/// A public key.
typedef struct CryptoKey CryptoKey;

typedef enum {
  /// RSA with at least 2,048 bits: signatures with PKCS #1 v1.5 and SHA-256.
  CryptoKeyRSA = 1,
  /// The curve P-256: signatures with SHA-256, as two numbers of 32 bytes.
  CryptoKeyP256 = 2,
  /// Ed25519: signatures of 64 bytes.
  CryptoKeyEd25519 = 3,
} CryptoKeyKind;

/// The key in a public key or a certificate as PEM text; null for anything else, and for weak keys.
CryptoKey *_Nullable cryptoKeyFromPEM(const uint8_t *_Nonnull text, size_t count);
/// An RSA key from its modulus and exponent, most significant bytes first.
CryptoKey *_Nullable cryptoKeyFromRSA(const uint8_t *_Nonnull modulus, size_t modulusCount,
                                      const uint8_t *_Nonnull exponent, size_t exponentCount);
/// A key of P-256 from a point: two numbers of 32 bytes.
CryptoKey *_Nullable cryptoKeyFromPoint(const uint8_t *_Nonnull x, const uint8_t *_Nonnull y);
/// A key of Ed25519 from its 32 bytes.
CryptoKey *_Nullable cryptoKeyFromEd25519(const uint8_t *_Nonnull bytes);
CryptoKeyKind cryptoKeyKind(const CryptoKey *_Nonnull key);
void cryptoKeyFree(CryptoKey *_Nonnull key);

/// Whether a signature of a message is valid. Keys can be used by several threads at once.
int cryptoVerify(const CryptoKey *_Nonnull key, const uint8_t *_Nonnull message, size_t messageCount,
                 const uint8_t *_Nonnull signature, size_t signatureCount);

/// The same for a signature in the encoding of security keys: that of P-256 is DER.
int cryptoVerifyCoded(const CryptoKey *_Nonnull key, const uint8_t *_Nonnull message,
                      size_t messageCount, const uint8_t *_Nonnull signature, size_t signatureCount);

/// Whether two byte arrays of one length are equal, in constant time.
int cryptoIsEqual(const uint8_t *_Nonnull a, const uint8_t *_Nonnull b, size_t count);
/// Random bytes. Returns 0 if it fails.
int cryptoRandom(uint8_t *_Nonnull bytes, size_t count);
