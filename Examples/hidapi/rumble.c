// SPDX-License-Identifier: Apache-2.0

// Turns on a gamepad's rumble while its first button is down, through hidapi. Ends when the gamepad
// is unplugged.

#include <hidapi/hidapi.h>
#include <stdio.h>

enum { VENDOR = 0x1209, PRODUCT = 0x0003, INPUT_ID = 1, RUMBLE_ID = 2 };

int main(void) {
  if (hid_init() != 0) return 1;
  hid_device *pad = hid_open(VENDOR, PRODUCT, NULL);
  if (!pad) {
    fprintf(stderr, "no gamepad: %ls\n", hid_error(NULL));
    return 1;
  }
  unsigned char report[64];
  int count;
  while ((count = hid_read(pad, report, sizeof report)) > 0) {
    if (report[0] != INPUT_ID || count < 2) continue;
    unsigned char strength = report[1] & 1 ? 0xff : 0;
    unsigned char rumble[] = {RUMBLE_ID, strength, 0};
    if (hid_write(pad, rumble, sizeof rumble) < 0) break;
  }
  hid_close(pad);
  return hid_exit();
}
