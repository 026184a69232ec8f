// How long the kernel takes for a plugged device until a program can open its node, in plain C. Frozen; see FROZEN.
// SPDX-License-Identifier: Apache-2.0
//
//   plug DEVICES    plugs devices, one after the other, and keeps them plugged to the end
//
// A device is ready when the kernel has said that its driver is bound, and its hidraw node can be opened. One JSON object a
// line for each device, with the time from its plugging. Under an instruction-counting machine CLOCK_MONOTONIC counts
// instructions.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "plug: line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      exit(1); \
    } \
  } while (0)

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// A vendor page with 8 bytes in, without report IDs.
static const uint8_t descriptor[] = {0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff,
                                     0x00, 0x75, 0x08, 0x95, 0x08, 0x09, 0x01, 0x81, 0x02, 0xc0};

// The value of a property in a message of the kernel.
static const char *property(const char *message, const char *end, const char *key) {
  size_t length = strlen(key);
  for (; message < end; message += strlen(message) + 1)
    if (!strncmp(message, key, length) && message[length] == '=') return message + length + 1;
  return "";
}

// Waits until the driver of the device with this path is bound, and writes the path of its node.
static void wait_until_bound(int kernel, int device, const char *physical, char *node, size_t size) {
  char message[8193], name[64] = "";
  struct uhid_event event;
  for (;;) {
    struct pollfd sources[] = {{kernel, POLLIN, 0}, {device, POLLIN, 0}};
    CHECK(poll(sources, 2, 10000) > 0);
    if (sources[1].revents & POLLIN) CHECK(read(device, &event, sizeof event) > 0);
    if (!(sources[0].revents & POLLIN)) continue;
    ssize_t count = recv(kernel, message, sizeof message - 1, 0);
    CHECK(count > 0);
    message[count] = 0;
    const char *end = message + count, *subsystem = property(message, end, "SUBSYSTEM");
    const char *action = property(message, end, "ACTION");
    if (!strcmp(subsystem, "hidraw") && !strcmp(action, "add"))
      snprintf(name, sizeof name, "%s", property(message, end, "DEVNAME"));
    if (strcmp(subsystem, "hid") || strcmp(action, "bind") || strcmp(property(message, end, "HID_PHYS"), physical)) continue;
    snprintf(node, size, "/dev/%s", name);
    return;
  }
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  long devices = strtol(arguments[1], NULL, 10);
  int kernel = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
  CHECK(kernel >= 0);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
  CHECK(!bind(kernel, (struct sockaddr *)&address, sizeof address));
  for (long number = 0; number < devices; number++) {
    struct uhid_event event = {.type = UHID_CREATE2};
    struct uhid_create2_req *create = &event.u.create2;
    snprintf((char *)create->name, sizeof create->name, "hidsim bench");
    snprintf((char *)create->phys, sizeof create->phys, "plug-bench-%ld", number);
    create->bus = 3, create->vendor = 0x1209, create->product = 1;
    create->rd_size = sizeof descriptor;
    memcpy(create->rd_data, descriptor, sizeof descriptor);
    uint64_t start = now();
    int device = open("/dev/uhid", O_RDWR | O_CLOEXEC);
    CHECK(device >= 0);
    CHECK(write(device, &event, sizeof event) == sizeof event);
    char node[80];
    wait_until_bound(kernel, device, (char *)create->phys, node, sizeof node);
    int client = open(node, O_RDWR | O_CLOEXEC);
    CHECK(client >= 0);
    uint64_t ready = now();
    close(client);
    printf("{\"bench\":\"plug\",\"number\":%ld,\"time\":%llu}\n", number, (unsigned long long)(ready - start));
  }
  return 0;
}
