// What the packets of an InputStick cost in plain C with OpenSSL, for hidsim's figures to be held against.
//
// stick encode COUNT BLOCKS   makes COUNT packets of BLOCKS blocks: CRC-32, AES-128-CBC, HMAC-SHA256
// stick decode COUNT BLOCKS   checks and reads COUNT packets that were made before
//
// Prints nanoseconds a packet, and a checksum of what was made, so that none of it can be left out.
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 272, TRAILER = 20, HEADER = 2 };

static uint32_t table[256];

static void make_table(void) {
  for (uint32_t n = 0; n < 256; n++) {
    uint32_t c = n;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
}

static uint32_t crc(const uint8_t *bytes, size_t count) {
  uint32_t c = 0xFFFFFFFFu;
  for (size_t i = 0; i < count; i++) c = table[(c ^ bytes[i]) & 0xFF] ^ (c >> 8);
  return ~c;
}

struct session {
  EVP_CIPHER_CTX *cipher;
  HMAC_CTX *hmac;
  uint32_t counter;
};

static void die(const char *what) {
  fprintf(stderr, "stick: %s failed\n", what);
  exit(3);
}

static struct session start(int encrypts) {
  static const uint8_t key[16] = {1, 2, 3, 4}, vector[16] = {5, 6, 7}, secret[32] = {8, 9};
  struct session session = {EVP_CIPHER_CTX_new(), HMAC_CTX_new(), 0};
  if (!EVP_CipherInit_ex(session.cipher, EVP_aes_128_cbc(), NULL, key, vector, encrypts)) die("cipher");
  EVP_CIPHER_CTX_set_padding(session.cipher, 0);
  if (!HMAC_Init_ex(session.hmac, secret, sizeof secret, EVP_sha256(), NULL)) die("HMAC");
  return session;
}

static void code(struct session *session, const uint8_t *payload, size_t count, uint8_t *trailer) {
  uint8_t digest[32];
  unsigned length = sizeof digest;
  for (int i = 0; i < 4; i++) trailer[i] = session->counter >> 8 * i;
  if (!HMAC_Init_ex(session->hmac, NULL, 0, NULL, NULL) || !HMAC_Update(session->hmac, trailer, 4) ||
      !HMAC_Update(session->hmac, payload, count) || !HMAC_Final(session->hmac, digest, &length))
    die("HMAC");
  memcpy(trailer + 4, digest, 16);
  session->counter++;
}

static size_t encode(struct session *session, const uint8_t *content, size_t blocks, uint8_t *packet) {
  uint8_t clear[MOST];
  size_t count = blocks * 16;
  memcpy(clear + 4, content, count - 4);
  uint32_t c = crc(clear + 4, count - 4);
  for (int i = 0; i < 4; i++) clear[i] = c >> (24 - 8 * i);
  packet[0] = 0x55;
  packet[1] = 0xE0 | blocks;
  int length = 0;
  if (!EVP_CipherUpdate(session->cipher, packet + HEADER, &length, clear, (int)count)) die("encryption");
  code(session, packet + HEADER, count, packet + HEADER + count);
  return HEADER + count + TRAILER;
}

static uint32_t decode(struct session *session, const uint8_t *packet) {
  uint8_t clear[MOST], trailer[TRAILER];
  size_t count = (packet[1] & 0x1F) * 16u;
  if (packet[0] != 0x55) die("the header");
  code(session, packet + HEADER, count, trailer);
  if (memcmp(trailer, packet + HEADER + count, TRAILER) != 0) die("the HMAC");
  int length = 0;
  if (!EVP_CipherUpdate(session->cipher, clear, &length, packet + HEADER, (int)count)) die("decryption");
  uint32_t c = crc(clear + 4, count - 4);
  for (int i = 0; i < 4; i++)
    if (clear[i] != (uint8_t)(c >> (24 - 8 * i))) die("the CRC");
  return clear[4] + clear[5];
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  size_t count = strtoul(argv[2], NULL, 10), blocks = strtoul(argv[3], NULL, 10);
  if (blocks < 1 || blocks > 17) return 64;
  make_table();
  uint8_t content[MOST] = {0x2C, 64};
  size_t length = HEADER + blocks * 16 + TRAILER;
  int decodes = strcmp(argv[1], "decode") == 0;
  uint8_t *packets = malloc(decodes ? count * length : length);
  struct session session = start(1);
  uint64_t sum = 0;
  double began = now();
  for (size_t i = 0; i < count; i++) {
    content[2] = i;
    uint8_t *packet = decodes ? packets + i * length : packets;
    encode(&session, content, blocks, packet);
    sum += packet[length - 1];
  }
  if (decodes) {
    session = start(0);
    began = now();
    for (size_t i = 0; i < count; i++) sum += decode(&session, packets + i * length);
  }
  printf("%.1f %llu\n", (now() - began) / count, (unsigned long long)sum);
  return 0;
}
