// SPDX-License-Identifier: Apache-2.0
// The functions of OpenSSL's libcrypto, loaded when they are first needed. No logic.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct evp_cipher_st;
struct evp_cipher_ctx_st;
struct evp_md_st;
struct hmac_ctx_st;

// The functions of libcrypto that hidsim calls, with their names there.
struct hidsim_openssl {
  const struct evp_cipher_st *(*EVP_aes_128_cbc)(void);
  struct evp_cipher_ctx_st *(*EVP_CIPHER_CTX_new)(void);
  void (*EVP_CIPHER_CTX_free)(struct evp_cipher_ctx_st *);
  int (*EVP_CIPHER_CTX_copy)(struct evp_cipher_ctx_st *, const struct evp_cipher_ctx_st *);
  int (*EVP_CIPHER_CTX_set_padding)(struct evp_cipher_ctx_st *, int pads);
  int (*EVP_CipherInit_ex)(struct evp_cipher_ctx_st *, const struct evp_cipher_st *, void *engine, const uint8_t *key,
                           const uint8_t *vector, int encrypts);
  int (*EVP_CipherUpdate)(struct evp_cipher_ctx_st *, uint8_t *out, int *out_count, const uint8_t *in, int count);
  const struct evp_md_st *(*EVP_md5)(void);
  const struct evp_md_st *(*EVP_sha256)(void);
  int (*EVP_Digest)(const void *bytes, size_t count, uint8_t *digest, unsigned *digest_count, const struct evp_md_st *,
                    void *engine);
  struct hmac_ctx_st *(*HMAC_CTX_new)(void);
  void (*HMAC_CTX_free)(struct hmac_ctx_st *);
  int (*HMAC_CTX_copy)(struct hmac_ctx_st *, struct hmac_ctx_st *);
  int (*HMAC_Init_ex)(struct hmac_ctx_st *, const void *key, int count, const struct evp_md_st *, void *engine);
  int (*HMAC_Update)(struct hmac_ctx_st *, const uint8_t *bytes, size_t count);
  int (*HMAC_Final)(struct hmac_ctx_st *, uint8_t *digest, unsigned *digest_count);
};

// Loads libcrypto.so.3, or libcrypto.so.1.1, into *functions, once for the process.
// Returns NULL, or dlopen's or dlsym's message if the library or a function is missing.
const char *hidsim_openssl_load(const struct hidsim_openssl **functions);
