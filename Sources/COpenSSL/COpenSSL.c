// SPDX-License-Identifier: Apache-2.0
#include "COpenSSL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct hidsim_openssl loaded;
static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "%s", dlerror());
    // If neither loads, the message names the current library.
    library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    problem[0] = 0;
  }
#define LOAD(name)                                           \
  if (!(*(void **)&loaded.name = dlsym(library, #name))) {   \
    snprintf(problem, sizeof problem, "%s", dlerror());      \
    return;                                                  \
  }
  LOAD(EVP_aes_128_cbc)
  LOAD(EVP_CIPHER_CTX_new)
  LOAD(EVP_CIPHER_CTX_free)
  LOAD(EVP_CIPHER_CTX_copy)
  LOAD(EVP_CIPHER_CTX_set_padding)
  LOAD(EVP_CipherInit_ex)
  LOAD(EVP_CipherUpdate)
  LOAD(EVP_md5)
  LOAD(EVP_sha256)
  LOAD(EVP_Digest)
  LOAD(HMAC_CTX_new)
  LOAD(HMAC_CTX_free)
  LOAD(HMAC_CTX_copy)
  LOAD(HMAC_Init_ex)
  LOAD(HMAC_Update)
  LOAD(HMAC_Final)
}

const char *hidsim_openssl_load(const struct hidsim_openssl **functions) {
  pthread_once(&once, load);
  *functions = &loaded;
  return problem[0] ? problem : NULL;
}
