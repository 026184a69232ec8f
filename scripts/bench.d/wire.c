// What the wire costs in plain C: the floor that hidsim is held against. Frozen; see FROZEN.
// SPDX-License-Identifier: Apache-2.0
//
//   wire kernel REPORTS    /dev/uhid and hidraw: write-single, write-batched, drain, drain-woken
//   wire pair REPORTS      a SOCK_SEQPACKET pair between two processes, one report a call: the wall clock
//   wire ring REPORTS      a ring in one thread, 64 reports in and out in turn: the wall clock
//
// One JSON object a line. Under an instruction-counting machine CLOCK_MONOTONIC counts instructions.
// Every figure is the median of its chunks, so that a timer tick in one of them does not count.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPORT = 8, EVENT = offsetof(struct uhid_event, u.input2.data) + REPORT, QUEUE = 63, CHUNKS = 21 };

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "wire: line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      _exit(1); \
    } \
  } while (0)

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int compare(const void *first, const void *second) {
  double a = *(const double *)first, b = *(const double *)second;
  return (a > b) - (a < b);
}

static void print(const char *bench, long reports, const char *unit, double *chunks) {
  qsort(chunks, CHUNKS, sizeof *chunks, compare);
  printf("{\"bench\":\"%s\",\"variant\":\"c\",\"n\":%ld,\"%s\":%.1f}\n", bench, reports, unit,
         chunks[CHUNKS / 2]);
  fflush(stdout);
}

// A vendor page with one input report of 8 bytes: hidraw is the only driver that takes it.
static const uint8_t descriptor[] = {0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff,
                                     0x00, 0x75, 0x08, 0x95, 0x08, 0x09, 0x01, 0x81, 0x02, 0xc0};

static int plug(const char *name) {
  static struct uhid_event event;
  int device = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  CHECK(device >= 0);
  memset(&event, 0, sizeof event);
  event.type = UHID_CREATE2;
  strcpy((char *)event.u.create2.name, "hidsim bench");
  strcpy((char *)event.u.create2.uniq, name);
  event.u.create2.rd_size = sizeof descriptor;
  event.u.create2.bus = 3;
  event.u.create2.vendor = 0x1209;
  event.u.create2.product = 1;
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  CHECK(write(device, &event, sizeof event) == sizeof event);
  return device;
}

static int open_node(const char *name) {
  char path[300], text[1024], wanted[100];
  snprintf(wanted, sizeof wanted, "HID_UNIQ=%s\n", name);
  for (int attempt = 0; attempt < 5000; attempt++) {
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
      int node = strstr(text, wanted) ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
      if (node < 0) continue;
      closedir(folder);
      return node;
    }
    if (folder) closedir(folder);
    usleep(1000);
  }
  fprintf(stderr, "wire: no node for %s\n", name);
  exit(1);
}

static struct uhid_event events[QUEUE];
static struct iovec out[QUEUE], in[QUEUE];
static uint8_t received[QUEUE][REPORT];

static void prepare(void) {
  for (int index = 0; index < QUEUE; index++) {
    events[index].type = UHID_INPUT2;
    events[index].u.input2.size = REPORT;
    out[index] = (struct iovec){&events[index], EVENT};
    in[index] = (struct iovec){received[index], REPORT};
  }
}

static void fill(int device) { CHECK(writev(device, out, QUEUE) == QUEUE * EVENT); }

static long take(int node) {
  ssize_t count = readv(node, in, QUEUE);
  CHECK(count > 0);
  return count / REPORT;
}

static void write_single(int device, long reports) {
  double chunks[CHUNKS];
  uint64_t number = 0;
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    uint64_t began = now();
    for (long index = 0; index < reports; index++, number++) {
      memcpy(events[0].u.input2.data, &number, REPORT);
      CHECK(write(device, &events[0], EVENT) == EVENT);
    }
    chunks[chunk] = (double)(now() - began) / (double)reports;
  }
  print("write-single", reports * CHUNKS, "instructions", chunks);
}

static void write_batched(int device, long reports) {
  double chunks[CHUNKS];
  uint64_t number = 0;
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    uint64_t began = now();
    for (long batch = 0; batch < reports / QUEUE; batch++) {
      for (int index = 0; index < QUEUE; index++, number++)
        memcpy(events[index].u.input2.data, &number, REPORT);
      fill(device);
    }
    chunks[chunk] = (double)(now() - began) / (double)(reports / QUEUE * QUEUE);
  }
  print("write-batched", reports / QUEUE * QUEUE * CHUNKS, "instructions", chunks);
}

// 63 reports wait in the kernel; one thread, which never sleeps, takes them.
static void drain(int device, int node, long reports) {
  double chunks[CHUNKS];
  uint64_t sum = 0;
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    uint64_t spent = 0;
    for (long batch = 0; batch < reports / QUEUE; batch++) {
      fill(device);
      uint64_t began = now();
      long count = take(node);
      for (long index = 0; index < count; index++) sum += received[index][0];
      spent += now() - began;
      CHECK(count == QUEUE);
    }
    chunks[chunk] = (double)spent / (double)(reports / QUEUE * QUEUE);
  }
  print("drain", reports / QUEUE * QUEUE * CHUNKS, "instructions", chunks);
  if (sum == 1) puts("");
}

// The same, but by a thread that sleeps in epoll_wait, and its consumer, which sleeps until that thread
// has read: what any library with a reading thread pays at least. The consumer has the right of way, so that
// nothing is taken before the clock runs.
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  long count;
} shared = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void *reader(void *context) {
  int node = *(int *)context, queue = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  CHECK(epoll_ctl(queue, EPOLL_CTL_ADD, node, &event) == 0);
  while (epoll_wait(queue, &event, 1, -1) == 1) {
    long count = take(node);
    pthread_mutex_lock(&shared.mutex);
    shared.count += count;
    pthread_cond_signal(&shared.changed);
    pthread_mutex_unlock(&shared.mutex);
  }
  return NULL;
}

static void drain_woken(int device, int node, long reports) {
  double chunks[CHUNKS];
  uint64_t sum = 0;
  pthread_t thread;
  struct sched_param priority = {10};
  CHECK(pthread_create(&thread, NULL, reader, &node) == 0);
  usleep(100000);
  CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0);
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    uint64_t spent = 0;
    for (long batch = 0; batch < reports / QUEUE; batch++) {
      fill(device);
      uint64_t began = now();
      pthread_mutex_lock(&shared.mutex);
      while (shared.count < QUEUE) pthread_cond_wait(&shared.changed, &shared.mutex);
      for (long index = 0; index < shared.count; index++) sum += received[index][0];
      shared.count = 0;
      pthread_mutex_unlock(&shared.mutex);
      spent += now() - began;
    }
    chunks[chunk] = (double)spent / (double)(reports / QUEUE * QUEUE);
  }
  print("drain-woken", reports / QUEUE * QUEUE * CHUNKS, "instructions", chunks);
  if (sum == 1) puts("");
}

static int kernel(long reports) {
  prepare();
  int device = plug("wire");
  close(open_node("wire"));  // it is ready, and nobody reads it
  write_single(device, reports);
  write_batched(device, reports);
  int node = open_node("wire");
  drain(device, node, reports);
  drain_woken(device, node, reports);
  fflush(stdout);
  _exit(0);  // the device goes with its descriptor
}

static int pair(long reports) {
  double chunks[CHUNKS];
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    int ends[2];
    uint8_t report[REPORT] = {0};
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      close(ends[0]);
      for (long index = 0; index < reports; index++)
        CHECK(write(ends[1], report, REPORT) == REPORT);
      _exit(0);
    }
    close(ends[1]);
    uint64_t began = 0;
    for (long index = 0; index < reports; index++) {
      CHECK(read(ends[0], report, REPORT) == REPORT);
      if (index == 0) began = now();
    }
    chunks[chunk] = (double)(now() - began) / (double)reports;
    close(ends[0]);
    waitpid(child, NULL, 0);
  }
  print("loopback", reports * CHUNKS, "nanoseconds", chunks);
  return 0;
}

// What a report of hidsim's ring holds: its time, its length and 64 bytes.
struct slot {
  uint64_t time;
  uint64_t count;
  uint8_t bytes[64];
};

static int ring(long reports) {
  static struct slot slots[1024];
  static _Atomic uint64_t head, tail;
  double chunks[CHUNKS];
  uint64_t sum = 0;
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    uint64_t began = now(), source = (uint64_t)chunk;
    for (long batch = 0; batch < reports / 64; batch++) {
      for (int index = 0; index < 64; index++, source++) {
        uint64_t position = atomic_load_explicit(&head, memory_order_relaxed);
        struct slot *slot = &slots[position & 1023];
        slot->time = began;
        slot->count = REPORT;
        memcpy(slot->bytes, &source, REPORT);
        atomic_store_explicit(&head, position + 1, memory_order_release);
      }
      for (int index = 0; index < 64; index++) {
        uint64_t position = atomic_load_explicit(&tail, memory_order_relaxed);
        if (position == atomic_load_explicit(&head, memory_order_acquire)) break;
        struct slot copy = slots[position & 1023];
        __asm__ volatile("" : : "r"(&copy) : "memory");  // handed to somebody, all of it
        sum += copy.bytes[0];
        atomic_store_explicit(&tail, position + 1, memory_order_release);
      }
    }
    chunks[chunk] = (double)(now() - began) / (double)(reports / 64 * 64);
  }
  print("delivery", reports / 64 * 64 * CHUNKS, "nanoseconds", chunks);
  return sum == 1;
}

int main(int count, char **words) {
  long reports = count > 2 ? atol(words[2]) : 0;
  if (reports >= 64 && !strcmp(words[1], "kernel")) return kernel(reports);
  if (reports >= 64 && !strcmp(words[1], "pair")) return pair(reports);
  if (reports >= 64 && !strcmp(words[1], "ring")) return ring(reports);
  fprintf(stderr, "usage: wire kernel|pair|ring REPORTS (at least 64)\n");
  return 64;
}
