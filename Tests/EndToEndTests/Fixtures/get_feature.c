// SPDX-License-Identifier: Apache-2.0
// Prints what hidapi gets for the un-numbered feature report of a device: cc FILE -lhidapi-hidraw.

#include <hidapi/hidapi.h>
#include <stdio.h>

int main(int count, char **arguments) {
  if (count != 2) return 64;
  hid_device *device = hid_open_path(arguments[1]);
  if (device == NULL) {
    fprintf(stderr, "open %s: %ls\n", arguments[1], hid_error(NULL));
    return 1;
  }
  unsigned char report[64] = {0};
  int length = hid_get_feature_report(device, report, sizeof report);
  if (length < 0) {
    fprintf(stderr, "get feature report: %ls\n", hid_error(device));
    return 1;
  }
  for (int index = 0; index < length; index++) printf("%s%02x", index ? " " : "", report[index]);
  printf("\n");
  hid_close(device);
  return 0;
}
