#include "Crypto.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

struct CryptoKey {
  EVP_PKEY *key;
  CryptoKeyKind kind;
};

enum { P256_BYTES = 32, ED25519_BYTES = 32, MINIMUM_RSA_BITS = 2048, MAXIMUM_RSA_BITS = 8192 };

/// Takes ownership of a key; null if it is of another kind or weak.
static CryptoKey *checkedKey(EVP_PKEY *key) {
  CryptoKeyKind kind = 0;
  if (key && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) {
    const int bits = EVP_PKEY_get_bits(key);
    // Longer keys would take seconds to use.
    if (bits >= MINIMUM_RSA_BITS && bits <= MAXIMUM_RSA_BITS) kind = CryptoKeyRSA;
  } else if (key && EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) {
    char group[32];
    size_t length = 0;
    if (EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 && !strcmp(group, "prime256v1"))
      kind = CryptoKeyP256;
  } else if (key && EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519) {
    kind = CryptoKeyEd25519;
  }
  CryptoKey *result = kind ? malloc(sizeof *result) : NULL;
  if (!result) {
    EVP_PKEY_free(key);
    return NULL;
  }
  *result = (CryptoKey){key, kind};
  return result;
}

/// Prevents a password prompt at the terminal.
static int noPassword(char *buffer, int size, int isWriting, void *context) {
  (void)buffer, (void)size, (void)isWriting, (void)context;
  return -1;
}

CryptoKey *cryptoKeyFromPEM(const uint8_t *text, size_t count) {
  if (count > INT_MAX) return NULL;
  BIO *input = BIO_new_mem_buf(text, (int)count);
  if (!input) return NULL;
  EVP_PKEY *key = PEM_read_bio_PUBKEY(input, NULL, noPassword, NULL);
  if (!key && BIO_reset(input) == 1) {
    X509 *certificate = PEM_read_bio_X509(input, NULL, noPassword, NULL);
    if (certificate) key = X509_get_pubkey(certificate);
    X509_free(certificate);
  }
  BIO_free(input);
  return checkedKey(key);
}

/// A key from parameters, which are freed.
static CryptoKey *keyFromParameters(const char *type, OSSL_PARAM_BLD *builder) {
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  EVP_PKEY *key = NULL;
  if (parameters && context && EVP_PKEY_fromdata_init(context) == 1 &&
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
    key = NULL;
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  return checkedKey(key);
}

CryptoKey *cryptoKeyFromRSA(const uint8_t *modulus, size_t modulusCount, const uint8_t *exponent,
                            size_t exponentCount) {
  if (modulusCount > MAXIMUM_RSA_BITS / 8 + 1 || exponentCount > 8) return NULL;
  BIGNUM *n = BN_bin2bn(modulus, (int)modulusCount, NULL);
  BIGNUM *e = BN_bin2bn(exponent, (int)exponentCount, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  CryptoKey *key = NULL;
  if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
    key = keyFromParameters("RSA", builder);
  OSSL_PARAM_BLD_free(builder);
  BN_free(e);
  BN_free(n);
  return key;
}

CryptoKey *cryptoKeyFromPoint(const uint8_t *x, const uint8_t *y) {
  // 4 is the prefix of an uncompressed point.
  uint8_t point[1 + 2 * P256_BYTES] = {4};
  memcpy(point + 1, x, P256_BYTES);
  memcpy(point + 1 + P256_BYTES, y, P256_BYTES);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  CryptoKey *key = NULL;
  if (builder &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) == 1)
    key = keyFromParameters("EC", builder);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

CryptoKey *cryptoKeyFromEd25519(const uint8_t *bytes) {
  return checkedKey(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, ED25519_BYTES));
}

CryptoKeyKind cryptoKeyKind(const CryptoKey *key) { return key->kind; }

void cryptoKeyFree(CryptoKey *key) {
  EVP_PKEY_free(key->key);
  free(key);
}

/// Verifies a signature in libcrypto's encoding.
static int verify(const CryptoKey *key, const uint8_t *message, size_t messageCount,
                  const uint8_t *signature, size_t signatureCount) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  // Ed25519 has a hash of its own.
  const EVP_MD *hash = key->kind == CryptoKeyEd25519 ? NULL : EVP_sha256();
  const int isValid =
      context && EVP_DigestVerifyInit(context, NULL, hash, NULL, key->key) == 1 &&
      EVP_DigestVerify(context, signature, signatureCount, message, messageCount) == 1;
  EVP_MD_CTX_free(context);
  return isValid;
}

int cryptoVerify(const CryptoKey *key, const uint8_t *message, size_t messageCount,
                 const uint8_t *signature, size_t signatureCount) {
  if (key->kind != CryptoKeyP256) return verify(key, message, messageCount, signature, signatureCount);
  if (signatureCount != 2 * P256_BYTES) return 0;
  // libcrypto needs both numbers as DER.
  ECDSA_SIG *numbers = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, P256_BYTES, NULL);
  BIGNUM *s = BN_bin2bn(signature + P256_BYTES, P256_BYTES, NULL);
  uint8_t *coded = NULL;
  int isValid = 0;
  if (numbers && r && s && ECDSA_SIG_set0(numbers, r, s) == 1) {
    r = s = NULL;  // they belong to `numbers` now
    const int count = i2d_ECDSA_SIG(numbers, &coded);
    if (count > 0) isValid = verify(key, message, messageCount, coded, (size_t)count);
  }
  OPENSSL_free(coded);
  BN_free(s);
  BN_free(r);
  ECDSA_SIG_free(numbers);
  return isValid;
}

int cryptoVerifyCoded(const CryptoKey *key, const uint8_t *message, size_t messageCount,
                      const uint8_t *signature, size_t signatureCount) {
  return verify(key, message, messageCount, signature, signatureCount);
}

int cryptoIsEqual(const uint8_t *a, const uint8_t *b, size_t count) {
  return CRYPTO_memcmp(a, b, count) == 0;
}

int cryptoRandom(uint8_t *bytes, size_t count) {
  return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1;
}
