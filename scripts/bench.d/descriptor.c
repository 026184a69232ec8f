// What reading report descriptors and reports costs in plain C, for hidsim's figures to be held against.
//
// descriptor parse COUNT FILE...       reads each binary descriptor COUNT times
// descriptor decode NAME COUNT         takes COUNT reports of a keyboard or gamepad apart
//
// Prints a checksum of what was found, so that none of it can be left out. Counted from outside, by callgrind.
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- Descriptors: the short items, globals with Push and Pop, usages one by one, every field with its report,
// place, size, count, ranges, unit, flags and collection. Storage is static; nothing is ever allocated.

struct globals {
  uint16_t page;
  int32_t logical_minimum, logical_maximum, physical_minimum, physical_maximum;
  uint32_t unit;
  int8_t exponent;
  uint32_t size, count;
  uint8_t id;
};

struct field {
  uint8_t type, id;
  uint16_t flags, collection;
  uint32_t bit, size, count, first_usage, usage_count;
  int32_t logical_minimum, logical_maximum, physical_minimum, physical_maximum;
  uint32_t unit;
  int8_t exponent;
};

struct collection {
  uint32_t usage;
  uint8_t kind;
  int16_t parent;
};

struct descriptor {
  struct field fields[2048];
  uint32_t field_count;
  uint32_t usages[16384];
  uint32_t usage_count;
  struct collection collections[256];
  uint32_t collection_count;
  uint32_t bits[3][256];
};

static int32_t sign_extended(uint32_t value, int bytes) {
  return bytes == 1 ? (int8_t)value : bytes == 2 ? (int16_t)value : (int32_t)value;
}

static int parse(const uint8_t *bytes, size_t length, struct descriptor *out) {
  struct globals g = {0}, saved[8];
  uint32_t usages[1024], usage_count = 0, minimum = 0;
  int16_t open[64];
  int depth = 0, saved_count = 0;
  bool has_minimum = false;
  out->field_count = out->usage_count = out->collection_count = 0;
  memset(out->bits, 0, sizeof out->bits);
  for (size_t at = 0; at < length;) {
    uint8_t prefix = bytes[at++];
    if (prefix == 0xfe) {
      if (at + 1 >= length) return -1;
      at += 2 + bytes[at];
      continue;
    }
    int count = prefix & 3;
    if (count == 3) count = 4;
    if (at + count > length) return -1;
    uint32_t value = 0;
    for (int k = 0; k < count; k++) value |= (uint32_t)bytes[at + k] << 8 * k;
    at += count;
    int32_t number = count ? sign_extended(value, count) : 0;
    switch (prefix & 0xfc) {
      case 0x04: g.page = value; break;
      case 0x14: g.logical_minimum = number; break;
      case 0x24: g.logical_maximum = g.logical_minimum < 0 ? number : (int32_t)value; break;
      case 0x34: g.physical_minimum = number; break;
      case 0x44: g.physical_maximum = g.physical_minimum < 0 ? number : (int32_t)value; break;
      case 0x54: g.exponent = count == 1 && value < 16 && value & 8 ? (int8_t)(value | 0xf0) : (int8_t)value; break;
      case 0x64: g.unit = value; break;
      case 0x74:
        if (value > 256) return -2;
        g.size = value;
        break;
      case 0x84:
        if (!value || value > 255) return -3;
        g.id = value;
        break;
      case 0x94:
        if (value > 12288) return -4;
        g.count = value;
        break;
      case 0xa4:
        if (saved_count == 8) return -5;
        saved[saved_count++] = g;
        break;
      case 0xb4:
        if (!saved_count) return -6;
        g = saved[--saved_count];
        break;
      case 0x08:
        if (usage_count < 1024) usages[usage_count++] = count == 4 ? value : (uint32_t)g.page << 16 | value;
        break;
      case 0x18:
        minimum = count == 4 ? value : (uint32_t)g.page << 16 | value;
        has_minimum = true;
        break;
      case 0x28: {
        uint32_t maximum = count == 4 ? value : (uint32_t)g.page << 16 | value;
        if (!has_minimum || maximum < minimum) return -7;
        for (uint32_t usage = minimum; usage <= maximum && usage_count < 1024; usage++) usages[usage_count++] = usage;
        has_minimum = false;
        break;
      }
      case 0xa0:
        if (depth == 64 || out->collection_count == 256) return -8;
        out->collections[out->collection_count] =
            (struct collection){usage_count ? usages[0] : 0, value, depth ? open[depth - 1] : -1};
        open[depth++] = out->collection_count++;
        usage_count = 0;
        has_minimum = false;
        break;
      case 0xc0:
        if (!depth) return -9;
        depth--;
        usage_count = 0;
        break;
      case 0x80:
      case 0x90:
      case 0xb0: {
        int type = (prefix & 0xfc) == 0x80 ? 0 : (prefix & 0xfc) == 0x90 ? 1 : 2;
        if (out->field_count == 2048) return -10;
        if (out->usage_count + usage_count > 16384) return -11;
        out->fields[out->field_count++] = (struct field){
            type, g.id, value, depth ? open[depth - 1] : 0, out->bits[type][g.id], g.size, g.count, out->usage_count,
            usage_count, g.logical_minimum, g.logical_maximum, g.physical_minimum, g.physical_maximum, g.unit, g.exponent};
        memcpy(out->usages + out->usage_count, usages, usage_count * 4);
        out->usage_count += usage_count;
        out->bits[type][g.id] += g.size * g.count;
        usage_count = 0;
        has_minimum = false;
        break;
      }
    }
  }
  return depth ? -12 : 0;
}

static int parse_files(long count, char **files) {
  static struct descriptor descriptor;
  static uint8_t bytes[8192];
  unsigned long sum = 0;
  for (; *files; files++) {
    int file = open(*files, O_RDONLY);
    ssize_t length = read(file, bytes, sizeof bytes);
    close(file);
    if (length <= 0) return perror(*files), 66;
    for (long i = 0; i < count; i++) {
      int status = parse(bytes, length, &descriptor);
      if (status) return fprintf(stderr, "%s: %d\n", *files, status), 65;
      sum += descriptor.field_count + descriptor.collection_count;
    }
  }
  printf("%lu\n", sum);
  return 0;
}

// --- Reports, by hand as in firmware and drivers: every value of the report into an array.

// Descriptors/keyboard.json: eight modifiers, a reserved byte, six keys.
static int decode_keyboard(const uint8_t *report, size_t length, int64_t *values) {
  if (length < 8) return 0;
  for (int i = 0; i < 8; i++) values[i] = report[0] >> i & 1;
  for (int i = 0; i < 6; i++) values[8 + i] = report[2 + i];
  return 14;
}

// Descriptors/gamepad.json, report 1: sixteen buttons, a hat, four axes of 16 bits, two triggers.
static int decode_gamepad(const uint8_t *report, size_t length, int64_t *values) {
  if (length < 14 || report[0] != 1) return 0;
  uint16_t buttons = report[1] | report[2] << 8;
  for (int i = 0; i < 16; i++) values[i] = buttons >> i & 1;
  values[16] = report[3] & 0xf;
  for (int i = 0; i < 4; i++) values[17 + i] = (int16_t)(report[4 + 2 * i] | report[5 + 2 * i] << 8);
  values[21] = report[12];
  values[22] = report[13];
  return 23;
}

static int decode_reports(long count, int (*decode)(const uint8_t *, size_t, int64_t *), size_t length, uint8_t id) {
  uint8_t report[16] = {id};
  int64_t values[32];
  uint64_t state = 1;
  unsigned long sum = 0;
  for (long i = 0; i < count; i++) {
    // The same bytes in both languages: an xorshift for eight of them, behind the report ID if there is one.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    for (int k = 0; k < 8; k++) report[(id != 0) + k] = state >> 8 * k;
    int found = decode(report, length, values);
    sum += values[i % found];
  }
  printf("%lu\n", sum);
  return 0;
}

int main(int argc, char **argv) {
  if (argc >= 4 && !strcmp(argv[1], "parse")) return parse_files(atol(argv[2]), argv + 3);
  if (argc == 4 && !strcmp(argv[1], "decode") && !strcmp(argv[2], "keyboard"))
    return decode_reports(atol(argv[3]), decode_keyboard, 8, 0);
  if (argc == 4 && !strcmp(argv[1], "decode") && !strcmp(argv[2], "gamepad"))
    return decode_reports(atol(argv[3]), decode_gamepad, 14, 1);
  fprintf(stderr, "usage: descriptor parse COUNT FILE... | decode keyboard|gamepad COUNT\n");
  return 64;
}
