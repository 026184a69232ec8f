// What a replay costs in plain C: the floor that hidsim is held against. Frozen; see FROZEN.
// SPDX-License-Identifier: Apache-2.0
//
//   replay pair COUNT PERIOD SPIN    a report each PERIOD us by timerfd, to a SOCK_SEQPACKET pair that another process reads
//   replay kernel COUNT PERIOD SPIN  the same to /dev/uhid, once somebody has the device open
//   replay listen COUNT PERIOD       reads the device's reports from hidraw: says "open", then how even they came
//
// SPIN is for how many microseconds before a report is due the clock is looked at instead of sleeping. One JSON object a
// line, in nanoseconds. pair and kernel: the time just before each write less its due time. listen: the time of each
// report's arrival less its due time, by the start that makes none early; reports hold their number, and none may be missing.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPORT = 8, EVENT = offsetof(struct uhid_event, u.input2.data) + REPORT };

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "replay: line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      _exit(1); \
    } \
  } while (0)

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int compare(const void *first, const void *second) {
  int64_t a = *(const int64_t *)first, b = *(const int64_t *)second;
  return (a > b) - (a < b);
}

static void print(const char *bench, long count, int64_t *late) {
  qsort(late, (size_t)count, sizeof *late, compare);
  printf("{\"bench\":\"%s\",\"variant\":\"c\",\"n\":%ld,\"p50\":%lld,\"p99\":%lld,\"max\":%lld}\n", bench, count,
         (long long)late[count / 2], (long long)late[count * 99 / 100], (long long)late[count - 1]);
  fflush(stdout);
}

// A mouse, so that every program takes it for something: buttons, X, Y, and five bytes on a vendor page.
static const uint8_t descriptor[] = {
    0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x09, 0x01, 0xa1, 0x00, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00, 0x25,
    0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x03, 0x05, 0x01, 0x09, 0x30, 0x09, 0x31,
    0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0x06, 0x00, 0xff, 0x09, 0x01, 0x15, 0x00, 0x26, 0xff,
    0x00, 0x75, 0x08, 0x95, 0x05, 0x81, 0x02, 0xc0, 0xc0};

static int plug(void) {
  static struct uhid_event event;
  int device = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  CHECK(device >= 0);
  memset(&event, 0, sizeof event);
  event.type = UHID_CREATE2;
  strcpy((char *)event.u.create2.name, "hidsim bench replay");
  event.u.create2.rd_size = sizeof descriptor;
  event.u.create2.bus = 3;
  event.u.create2.vendor = 0x1209;
  event.u.create2.product = 2;
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  CHECK(write(device, &event, sizeof event) == sizeof event);
  for (;;) {
    struct pollfd watched = {device, POLLIN, 0};
    CHECK(poll(&watched, 1, 30000) == 1);
    CHECK(read(device, &event, sizeof event) > 0);
    if (event.type == UHID_OPEN) break;
  }
  usleep(300000);
  return device;
}

static void play(const char *bench, int output, size_t offset, long count, int64_t period, int64_t spin) {
  static struct uhid_event event;
  event.type = UHID_INPUT2;
  event.u.input2.size = REPORT;
  int64_t *late = calloc((size_t)count, sizeof *late);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  CHECK(late && timer >= 0);
  int64_t start = now() + 10 * period;
  for (long index = 0; index < count; index++) {
    int64_t due = start + index * period, wake = due - spin, time;
    if (now() < wake) {
      struct itimerspec setting = {{0, 0}, {wake / 1000000000, wake % 1000000000}};
      uint64_t expirations;
      CHECK(timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL) == 0);
      CHECK(read(timer, &expirations, sizeof expirations) == sizeof expirations);
    }
    memcpy(event.u.input2.data + 3, &index, 4);
    do time = now();
    while (time < due);
    late[index] = time - due;
    CHECK(write(output, (uint8_t *)&event + offset, EVENT - offset) > 0);
  }
  print(bench, count, late);
}

static void play_pair(long count, int64_t period, int64_t spin) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    uint8_t report[64];
    close(ends[0]);
    while (read(ends[1], report, sizeof report) > 0) continue;
    _exit(0);
  }
  close(ends[1]);
  play(spin ? "pair-spin" : "pair", ends[0], EVENT - REPORT, count, period, spin);
  close(ends[0]);
  waitpid(child, NULL, 0);
}

static int open_node(void) {
  char path[300], text[1024];
  for (int attempt = 0; attempt < 30000; attempt++) {
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
      int node = strstr(text, "hidsim bench replay") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      if (node < 0) continue;
      closedir(folder);
      return node;
    }
    if (folder) closedir(folder);
    usleep(1000);
  }
  fprintf(stderr, "replay: no node\n");
  exit(1);
}

static void hear(long count, int64_t period) {
  int node = open_node();
  int64_t *late = calloc((size_t)count, sizeof *late), earliest = INT64_MAX;
  CHECK(late);
  puts("open");
  fflush(stdout);
  for (long index = 0; index < count; index++) {
    uint8_t report[64];
    uint32_t number;
    CHECK(read(node, report, sizeof report) == REPORT);
    late[index] = now() - index * period;
    memcpy(&number, report + 3, sizeof number);
    if (number != index) {
      fprintf(stderr, "replay: report %u came, and %ld was expected\n", number, index);
      exit(1);
    }
    if (late[index] < earliest) earliest = late[index];
  }
  for (long index = 0; index < count; index++) late[index] -= earliest;
  print("listen", count, late);
}

int main(int count, char **words) {
  long reports = count > 2 ? atol(words[2]) : 0;
  int64_t period = count > 3 ? atoll(words[3]) * 1000 : 0, spin = count > 4 ? atoll(words[4]) * 1000 : 0;
  if (reports > 0 && period > 0) {
    if (strcmp(words[1], "pair") == 0) return play_pair(reports, period, spin), 0;
    if (strcmp(words[1], "listen") == 0) return hear(reports, period), 0;
    if (strcmp(words[1], "kernel") == 0)
      return play(spin ? "kernel-spin" : "kernel", plug(), 0, reports, period, spin), 0;
  }
  fprintf(stderr, "usage: replay pair|kernel COUNT PERIOD SPIN, replay listen COUNT PERIOD\n");
  return 64;
}
