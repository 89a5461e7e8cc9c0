#include "Crypto.h"
#include "CLateLibrary.h"

// The functions of libcrypto that are called.
static struct LateLibrary crypto = {"libcrypto.so.3", "libssl3", 0};

void cryptoLoad(void) { lateLoad(&crypto); }

LATE_FUNCTION(crypto, BIO_ctrl)
LATE_FUNCTION(crypto, BIO_free)
LATE_FUNCTION(crypto, BIO_new_mem_buf)
LATE_FUNCTION(crypto, BN_bin2bn)
LATE_FUNCTION(crypto, BN_free)
LATE_FUNCTION(crypto, CRYPTO_free)
LATE_FUNCTION(crypto, CRYPTO_memcmp)
LATE_FUNCTION(crypto, ECDSA_SIG_free)
LATE_FUNCTION(crypto, ECDSA_SIG_new)
LATE_FUNCTION(crypto, ECDSA_SIG_set0)
LATE_FUNCTION(crypto, EVP_DigestVerify)
LATE_FUNCTION(crypto, EVP_DigestVerifyInit)
LATE_FUNCTION(crypto, EVP_MD_CTX_free)
LATE_FUNCTION(crypto, EVP_MD_CTX_new)
LATE_FUNCTION(crypto, EVP_PKEY_CTX_free)
LATE_FUNCTION(crypto, EVP_PKEY_CTX_new_from_name)
LATE_FUNCTION(crypto, EVP_PKEY_free)
LATE_FUNCTION(crypto, EVP_PKEY_fromdata)
LATE_FUNCTION(crypto, EVP_PKEY_fromdata_init)
LATE_FUNCTION(crypto, EVP_PKEY_get_base_id)
LATE_FUNCTION(crypto, EVP_PKEY_get_bits)
LATE_FUNCTION(crypto, EVP_PKEY_get_group_name)
LATE_FUNCTION(crypto, EVP_sha256)
LATE_FUNCTION(crypto, OSSL_PARAM_BLD_free)
LATE_FUNCTION(crypto, OSSL_PARAM_BLD_new)
LATE_FUNCTION(crypto, OSSL_PARAM_BLD_push_BN)
LATE_FUNCTION(crypto, OSSL_PARAM_BLD_push_octet_string)
LATE_FUNCTION(crypto, OSSL_PARAM_BLD_push_utf8_string)
LATE_FUNCTION(crypto, OSSL_PARAM_BLD_to_param)
LATE_FUNCTION(crypto, OSSL_PARAM_free)
LATE_FUNCTION(crypto, PEM_read_bio_PUBKEY)
LATE_FUNCTION(crypto, PEM_read_bio_X509)
LATE_FUNCTION(crypto, RAND_bytes)
LATE_FUNCTION(crypto, X509_free)
LATE_FUNCTION(crypto, X509_get_pubkey)
LATE_FUNCTION(crypto, i2d_ECDSA_SIG)
