// SPDX-License-Identifier: Apache-2.0
// Uses a HID device with hidapi: cc FILE -lhidapi-hidraw.
// hidapi_client PATH VENDOR PRODUCT, hexadecimal. Prints a line `found ...` for each device that hid_enumerate gives,
// opens that of the path, prints its strings, and obeys lines:
//   read                 input BYTES       or read failed
//   write BYTES          wrote COUNT       or write failed
//   get NUMBER LENGTH    feature BYTES     or get failed
//   set BYTES            set COUNT         or set failed

#include <hidapi/hidapi.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void print_bytes(const char *word, const unsigned char *bytes, int length) {
  printf("%s", word);
  for (int index = 0; index < length; index++) printf(" %02x", bytes[index]);
  printf("\n");
}

// Reads pairs of hexadecimal digits with spaces between them.
static int read_bytes(const char *text, unsigned char *bytes, int room) {
  int length = 0, position = 0;
  unsigned byte;
  while (length < room && sscanf(text, "%2x%n", &byte, &position) == 1) {
    bytes[length++] = byte;
    text += position;
  }
  return length;
}

static const wchar_t *told(const wchar_t *text) { return text ? text : L"(null)"; }

static void print_string(
    const char *name, int (*get)(hid_device *, wchar_t *, size_t), hid_device *device) {
  wchar_t text[256] = L"";
  if (get(device, text, 256) == 0) printf("%s \"%ls\"\n", name, text);
  else printf("%s failed\n", name);
}

int main(int count, char **words) {
  if (count != 4) return 64;
  setlinebuf(stdout);
  setlocale(LC_CTYPE, "C.UTF-8");  // hidapi reads names in the locale's characters
  unsigned short vendor = strtoul(words[2], NULL, 16), product = strtoul(words[3], NULL, 16);
  if (hid_init() != 0) return 69;
  struct hid_device_info *devices = hid_enumerate(vendor, product);
  for (struct hid_device_info *each = devices; each; each = each->next)
    printf(
        "found %s %04x:%04x usage %04x:%04x manufacturer \"%ls\" product \"%ls\" serial \"%ls\"\n",
        each->path, each->vendor_id, each->product_id, each->usage_page, each->usage,
        told(each->manufacturer_string), told(each->product_string), told(each->serial_number));
  hid_free_enumeration(devices);

  hid_device *device = hid_open_path(words[1]);
  if (device == NULL) {
    printf("open failed: %ls\n", hid_error(NULL));
    return 1;
  }
  print_string("manufacturer", hid_get_manufacturer_string, device);
  print_string("product", hid_get_product_string, device);
  print_string("serial", hid_get_serial_number_string, device);
  printf("open\n");

  char line[16384];
  while (fgets(line, sizeof line, stdin)) {
    unsigned char report[4096] = {0};
    if (strncmp(line, "read", 4) == 0) {
      int length = hid_read(device, report, sizeof report);
      if (length < 0) printf("read failed\n");
      else print_bytes("input", report, length);
    } else if (strncmp(line, "write ", 6) == 0) {
      int written = hid_write(device, report, read_bytes(line + 6, report, sizeof report));
      if (written < 0) printf("write failed\n");
      else printf("wrote %d\n", written);
    } else if (strncmp(line, "get ", 4) == 0) {
      unsigned number, room;
      if (sscanf(line + 4, "%u %u", &number, &room) != 2 || room > sizeof report) return 64;
      report[0] = number;
      int length = hid_get_feature_report(device, report, room);
      if (length < 0) printf("get failed\n");
      else print_bytes("feature", report, length);
    } else if (strncmp(line, "set ", 4) == 0) {
      int length = read_bytes(line + 4, report, sizeof report);
      int sent = hid_send_feature_report(device, report, length);
      if (sent < 0) printf("set failed\n");
      else printf("set %d\n", sent);
    } else {
      return 64;
    }
  }
  hid_close(device);
  hid_exit();
  return 0;
}
