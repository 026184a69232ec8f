// What a request and a report cost between two processes in plain C: the floor that CoreHID is held against. Frozen; see
// FROZEN.
// SPDX-License-Identifier: Apache-2.0
//
//   corehid device NAME            answers get-report requests, until it is killed
//   corehid pulse NAME REPORTS     sends reports to its first reader, each with the time it was sent at
//   corehid get NAME REQUESTS      asks a device for its feature report: get-feature
//   corehid read NAME REPORTS      reads what pulse sends, in a blocking read: latency-read
//   corehid epoll NAME REPORTS     the same, by a loop that waits on several descriptors: latency-epoll
//
// NAME is the device's serial number. One JSON object a line. Under an instruction-counting machine CLOCK_MONOTONIC
// counts instructions. Every figure is the median.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <linux/uhid.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { REPORT = 8, INPUT = offsetof(struct uhid_event, u.input2.data) + REPORT };

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "corehid: line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      exit(1); \
    } \
  } while (0)

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int compare(const void *first, const void *second) {
  uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
  return (a > b) - (a < b);
}

static void print(const char *bench, const char *variant, long count, uint64_t *costs) {
  qsort(costs, (size_t)count, sizeof *costs, compare);
  printf("{\"bench\":\"%s\",\"variant\":\"%s\",\"n\":%ld,\"instructions\":%llu}\n", bench, variant, count,
         (unsigned long long)costs[count / 2]);
  fflush(stdout);
}

// A vendor page with 8 bytes in and 8 as feature, without report IDs.
static const uint8_t descriptor[] = {0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
                                     0x95, 0x08, 0x09, 0x01, 0x81, 0x02, 0x09, 0x03, 0xb1, 0x02, 0xc0};

static int plug(const char *name) {
  static struct uhid_event event;
  int device = open("/dev/uhid", O_RDWR | O_CLOEXEC);
  CHECK(device >= 0);
  memset(&event, 0, sizeof event);
  event.type = UHID_CREATE2;
  strcpy((char *)event.u.create2.name, "hidsim bench");
  snprintf((char *)event.u.create2.uniq, sizeof event.u.create2.uniq, "%s", name);
  event.u.create2.rd_size = sizeof descriptor;
  event.u.create2.bus = 3;
  event.u.create2.vendor = 0x1209;
  event.u.create2.product = 1;
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  CHECK(write(device, &event, sizeof event) == sizeof event);
  return device;
}

static int open_node(const char *name, int flags) {
  char path[300], text[1024], wanted[100];
  snprintf(wanted, sizeof wanted, "HID_UNIQ=%s\n", name);
  for (int attempt = 0; attempt < 10000; attempt++) {
    DIR *folder = opendir("/sys/class/hidraw");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "/sys/class/hidraw/%.200s/device/uevent", entry->d_name);
      int file = open(path, O_RDONLY);
      ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
      if (file >= 0) close(file);
      if (count <= 0) continue;
      text[count] = 0;
      snprintf(path, sizeof path, "/dev/%.200s", entry->d_name);
      int node = strstr(text, wanted) ? open(path, O_RDWR | O_CLOEXEC | flags) : -1;
      if (node < 0) continue;
      closedir(folder);
      return node;
    }
    if (folder) closedir(folder);
    usleep(1000);
  }
  fprintf(stderr, "corehid: no node for %s\n", name);
  exit(1);
}

// Answers until it is killed.
static int device(const char *name) {
  static struct uhid_event event, answer;
  int device = plug(name);
  answer.type = UHID_GET_REPORT_REPLY;
  answer.u.get_report_reply.size = REPORT + 1;
  for (int index = 1; index <= REPORT; index++) answer.u.get_report_reply.data[index] = (uint8_t)index;
  for (;;) {
    // With room for a whole event, as whoever does not want to lose an output report must have it: its length is at the end.
    CHECK(read(device, &event, sizeof event) > 0);
    if (event.type != UHID_GET_REPORT) continue;
    answer.u.get_report_reply.id = event.u.get_report.id;
    CHECK(write(device, &answer, offsetof(struct uhid_event, u.get_report_reply.data) + REPORT + 1) > 0);
  }
}

static int get(const char *name, long requests) {
  int node = open_node(name, 0);
  uint64_t *costs = calloc((size_t)requests, sizeof *costs);
  uint8_t report[REPORT + 1];
  CHECK(costs);
  for (long index = -20; index < requests; index++) {  // the first ones are for the caches
    uint64_t began = now();
    report[0] = 0;
    CHECK(ioctl(node, HIDIOCGFEATURE(sizeof report), report) == sizeof report);
    if (index >= 0) costs[index] = now() - began;
    CHECK(report[1] == 1 && report[REPORT] == REPORT);
  }
  print("get-feature", "c", requests, costs);
  return 0;
}

// A report each 2 ms, so that whoever reads it sleeps again. It goes when its reader does.
static int pulse(const char *name, long reports) {
  static struct uhid_event event;
  int device = plug(name);
  do CHECK(read(device, &event, sizeof event) > 0);
  while (event.type != UHID_OPEN);
  usleep(200000);
  event.type = UHID_INPUT2;
  event.u.input2.size = REPORT;
  for (long index = -20; index < reports; index++) {
    usleep(2000);
    uint64_t sent = now();
    memcpy(event.u.input2.data, &sent, REPORT);
    CHECK(write(device, &event, INPUT) == INPUT);
  }
  usleep(200000);
  return 0;
}

static int read_pulse(const char *name, long reports, int by_epoll) {
  int node = open_node(name, by_epoll ? O_NONBLOCK : 0), queue = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {EPOLLIN, {0}};
  if (by_epoll) CHECK(epoll_ctl(queue, EPOLL_CTL_ADD, node, &event) == 0);
  uint64_t *costs = calloc((size_t)reports, sizeof *costs), sent;
  CHECK(costs);
  for (long index = -20; index < reports; index++) {
    if (by_epoll) CHECK(epoll_wait(queue, &event, 1, -1) == 1);
    CHECK(read(node, &sent, REPORT) == REPORT);
    if (index >= 0) costs[index] = now() - sent;
  }
  print(by_epoll ? "latency-epoll" : "latency-read", "c", reports, costs);
  return 0;
}

int main(int count, char **words) {
  if (count == 3 && !strcmp(words[1], "device")) return device(words[2]);
  long number = count == 4 ? atol(words[3]) : 0;
  if (number > 0 && !strcmp(words[1], "pulse")) return pulse(words[2], number);
  if (number > 0 && !strcmp(words[1], "get")) return get(words[2], number);
  if (number > 0 && !strcmp(words[1], "read")) return read_pulse(words[2], number, 0);
  if (number > 0 && !strcmp(words[1], "epoll")) return read_pulse(words[2], number, 1);
  fprintf(stderr, "usage: corehid device NAME | pulse|get|read|epoll NAME COUNT\n");
  return 64;
}
