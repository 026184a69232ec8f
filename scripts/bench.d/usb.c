// What a USB device on USB/IP costs in plain C: the floor that hidsim's USB bus is held against. Frozen; see FROZEN.
// SPDX-License-Identifier: Apache-2.0
//
//   usb host REPORTS COMMAND...    a host without a kernel; COMMAND is a device, with the number of its socket as last word
//   usb device REPORTS SOCKET      the device, for this host
//   usb plug REPORTS               the device, on the kernel's virtual host controller
//   usb read REPORTS VARIANT       reads the reports of a plugged device from its hidraw node
//
// The device has an input and an output report of 64 bytes, high speed, and endpoints with a period of 125 us. Its first
// byte of output is a command. One JSON object a line. Under an instruction-counting machine CLOCK_MONOTONIC and the
// clocks of threads count instructions. The figures of the device are of its own thread, user and kernel, and the median
// of their chunks.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 48, REPORT = 64, PERIOD = 125000, QUEUE = 64, CHUNKS = 21, SPACED = 1000, SPACE = 1000000, TOGETHER = 16 };
enum { SUBMIT = 1, UNLINK, SUBMITTED, UNLINKED };
enum { NOTHING, MARK, ECHO, STREAM };
enum { OUTPUT, TOGETHER_OUTPUT, ECHOED, PACED, PHASES };
static const char *const phases[] = {"output", "output-together", "echo", "paced"};

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "usb: line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      exit(1); \
    } \
  } while (0)

static uint64_t clock_time(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t now(void) { return clock_time(CLOCK_MONOTONIC); }

static int compare(const void *first, const void *second) {
  double a = *(const double *)first, b = *(const double *)second;
  return (a > b) - (a < b);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static uint32_t word(const uint8_t *bytes, int index) {
  bytes += 4 * index;
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void set_word(uint8_t *bytes, int index, uint32_t number) {
  for (int place = 0; place < 4; place++) bytes[4 * index + place] = (uint8_t)(number >> (24 - 8 * place));
}

// ---- The device -----------------------------------------------------------------------------------------------------

// A vendor page with 64 bytes in and 64 bytes out, without report IDs.
static const uint8_t report_descriptor[] = {0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
                                            0x95, 0x40, 0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0x91, 0x02, 0xc0};
static const uint8_t device_descriptor[] = {18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0x00, 0x01, 0, 2, 0, 1};
static const uint8_t configuration[] = {
    9, 2, 41, 0, 1, 1, 0, 0x80, 50,                              // the configuration
    9, 4, 0, 0, 2, 3, 0, 0, 0,                                   // the interface
    9, 0x21, 0x11, 0x01, 0, 1, 0x22, sizeof report_descriptor, 0,  // HID
    7, 5, 0x81, 3, REPORT, 0, 1, 7, 5, 0x01, 3, REPORT, 0, 1};   // the endpoints
static const char product[] = "hidsim usb bench";

static struct device {
  int socket, events, timer;
  bool is_armed, is_over;
  uint64_t next;  // the earliest time of the next report
  uint32_t held[QUEUE];
  unsigned first_held, held_count;
  uint8_t reports[QUEUE][REPORT];
  unsigned first_report, report_count;
  uint8_t in[16384], out[65536];
  size_t in_count, out_count;
  bool is_polled;
  long chunk;     // the number of reports of a chunk
  uint64_t left;  // the number of reports that are still to be streamed
  uint64_t number;
  uint64_t marks[PHASES][CHUNKS + 1];
  int mark_counts[PHASES];
} device;

// Sends what is written, and waits if the host takes nothing.
static void flush(struct device *self) {
  size_t sent = 0;
  while (sent < self->out_count) {
    ssize_t count = send(self->socket, self->out + sent, self->out_count - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += (size_t)count;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) break;  // the next read reports the end
    struct pollfd room = {self->socket, POLLOUT, 0};
    poll(&room, 1, -1);
  }
  self->out_count = 0;
}

static void reply(struct device *self, uint32_t code, uint32_t sequence, int32_t status, uint32_t count, const uint8_t *data,
                  size_t length) {
  if (self->out_count + HEADER + length > sizeof self->out) flush(self);
  uint8_t *bytes = self->out + self->out_count;
  memset(bytes, 0, HEADER);
  set_word(bytes, 0, code);
  set_word(bytes, 1, sequence);
  set_word(bytes, 5, (uint32_t)status);
  set_word(bytes, 6, count);
  if (length) memcpy(bytes + HEADER, data, length);
  self->out_count += HEADER + length;
}

static bool add_report(struct device *self, const uint8_t *report) {
  if (self->report_count == QUEUE) return false;
  memcpy(self->reports[(self->first_report + self->report_count++) % QUEUE], report, REPORT);
  return true;
}

// Fills the queue of reports, while reports are to be streamed.
static void refill(struct device *self) {
  uint8_t report[REPORT] = {0};
  while (self->left && self->report_count < QUEUE) {
    memcpy(report + 8, &self->number, sizeof self->number);
    add_report(self, report);
    self->number++;
    self->left--;
  }
}

// Ends the transfers that are due, and sets the timer for the next.
static void advance(struct device *self) {
  while (self->report_count && self->held_count) {
    uint64_t time = now();
    if (time < self->next) {
      if (self->is_armed) return;
      struct itimerspec setting = {.it_value = {(time_t)(self->next / 1000000000u), (long)(self->next % 1000000000u)}};
      timerfd_settime(self->timer, TFD_TIMER_ABSTIME, &setting, NULL);
      self->is_armed = true;
      return;
    }
    reply(self, SUBMITTED, self->held[self->first_held], 0, REPORT, self->reports[self->first_report], REPORT);
    self->first_held = (self->first_held + 1) % QUEUE;
    self->held_count--;
    self->first_report = (self->first_report + 1) % QUEUE;
    self->report_count--;
    // A late wake-up does not make the later reports late. After a pause the period begins anew.
    self->next = (time - self->next < PERIOD ? self->next : time) + PERIOD;
    if (self->left) refill(self);
  }
}

static void take_output(struct device *self, const uint8_t *report) {
  switch (report[0]) {
    case MARK:
      if (report[1] < PHASES && self->mark_counts[report[1]] <= CHUNKS)
        self->marks[report[1]][self->mark_counts[report[1]]++] = clock_time(CLOCK_THREAD_CPUTIME_ID);
      break;
    case ECHO: add_report(self, report); break;
    case STREAM:
      self->left = (uint64_t)self->chunk * CHUNKS;
      refill(self);
      break;
    default: break;
  }
}

static void answer(struct device *self, uint32_t sequence, const uint8_t *setup, uint32_t length) {
  uint8_t text[2 + 2 * sizeof product] = {4, 3, 0x09, 0x04};
  const uint8_t *data = NULL;
  size_t count = 0;
  if (setup[0] & 0x80 && setup[1] == 6) {
    switch (setup[3]) {
      case 1: data = device_descriptor, count = sizeof device_descriptor; break;
      case 2: data = configuration, count = sizeof configuration; break;
      case 3:
        data = text, count = 4;
        if (setup[2] == 2) {
          count = 2 + 2 * (sizeof product - 1);
          text[0] = (uint8_t)count;
          for (size_t index = 0; index < sizeof product - 1; index++) {
            text[2 + 2 * index] = (uint8_t)product[index];
            text[3 + 2 * index] = 0;
          }
        }
        break;
      case 0x22: data = report_descriptor, count = sizeof report_descriptor; break;
      default: break;
    }
    if (!data) return reply(self, SUBMITTED, sequence, -EPIPE, 0, NULL, 0);
  }
  if (setup[0] & 0x80 && !data) data = text, text[0] = 0, count = 2;  // a status
  if (count > length) count = length;
  reply(self, SUBMITTED, sequence, 0, (uint32_t)count, data, count);
}

static void withdraw(struct device *self, uint32_t sequence, uint32_t target) {
  for (unsigned index = 0; index < self->held_count; index++) {
    if (self->held[(self->first_held + index) % QUEUE] != target) continue;
    for (; index + 1 < self->held_count; index++)
      self->held[(self->first_held + index) % QUEUE] = self->held[(self->first_held + index + 1) % QUEUE];
    self->held_count--;
    return reply(self, UNLINKED, sequence, -ECONNRESET, 0, NULL, 0);
  }
  reply(self, UNLINKED, sequence, 0, 0, NULL, 0);
}

// Handles the message at the start of some bytes; returns its length, 0 if more bytes are needed.
static size_t take_message(struct device *self, const uint8_t *bytes, size_t count) {
  if (count < HEADER) return 0;
  uint32_t sequence = word(bytes, 1), length = word(bytes, 6);
  if (word(bytes, 0) == UNLINK) {
    withdraw(self, sequence, word(bytes, 5));
    return HEADER;
  }
  bool is_input = word(bytes, 3) == 1;
  uint32_t endpoint = word(bytes, 4);
  size_t size = HEADER + (is_input ? 0 : length);
  if (word(bytes, 0) != SUBMIT || size > sizeof self->in || endpoint > 1) {
    self->is_over = true;
    return 0;
  }
  if (count < size) return 0;
  if (endpoint == 0) {
    answer(self, sequence, bytes + 40, length);
  } else if (!is_input) {
    uint8_t report[REPORT] = {0};
    memcpy(report, bytes + HEADER, length < REPORT ? length : REPORT);
    take_output(self, report);
    reply(self, SUBMITTED, sequence, 0, length, NULL, 0);
  } else if (self->held_count == QUEUE) {
    reply(self, SUBMITTED, sequence, -EPIPE, 0, NULL, 0);
  } else {
    self->held[(self->first_held + self->held_count++) % QUEUE] = sequence;
    self->is_polled = true;
  }
  return size;
}

static void receive(struct device *self) {
  ssize_t count = read(self->socket, self->in + self->in_count, sizeof self->in - self->in_count);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    self->is_over = true;
    return;
  }
  self->in_count += (size_t)count;
  size_t position = 0, size;
  while ((size = take_message(self, self->in + position, self->in_count - position)) && !self->is_over) position += size;
  self->in_count -= position;
  if (self->in_count) memmove(self->in, self->in + position, self->in_count);
}

// Waits for the host or the timer, and handles both.
static void step(struct device *self) {
  struct epoll_event events[2];
  int count = epoll_wait(self->events, events, 2, -1);
  for (int index = 0; index < count; index++) {
    if (events[index].data.fd == self->timer)
      self->is_armed = false;
    else
      receive(self);
  }
  advance(self);
  if (self->out_count) flush(self);
}

static void start(struct device *self, int socket, long chunk) {
  self->socket = socket;
  self->chunk = chunk;
  self->events = epoll_create1(EPOLL_CLOEXEC);
  self->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  CHECK(self->events >= 0 && self->timer >= 0);
  struct epoll_event for_socket = {EPOLLIN, {.fd = socket}}, for_timer = {EPOLLIN | EPOLLET, {.fd = self->timer}};
  CHECK(!epoll_ctl(self->events, EPOLL_CTL_ADD, socket, &for_socket));
  CHECK(!epoll_ctl(self->events, EPOLL_CTL_ADD, self->timer, &for_timer));
}

static int run_device(long reports, int socket) {
  start(&device, socket, reports);
  while (!device.is_over) step(&device);
  for (int phase = 0; phase < PHASES; phase++) {
    double chunks[CHUNKS];
    CHECK(device.mark_counts[phase] == CHUNKS + 1);
    for (int chunk = 0; chunk < CHUNKS; chunk++)
      chunks[chunk] = (double)(device.marks[phase][chunk + 1] - device.marks[phase][chunk]) / (double)reports;
    printf("{\"bench\":\"%s\",\"variant\":\"c\",\"n\":%ld,\"instructions\":%.1f}\n", phases[phase], reports * CHUNKS,
           median(chunks, CHUNKS));
  }
  return 0;
}

// Attaches the device to a free port for high speed.
static void attach(int socket) {
  char text[4096], *line;
  FILE *status = fopen("/sys/devices/platform/vhci_hcd.0/status", "r");
  CHECK(status);
  int port = -1, state;
  while (port < 0 && (line = fgets(text, sizeof text, status)))
    if (sscanf(line, "hs %d %d", &port, &state) != 2 || state != 4) port = -1;
  fclose(status);
  CHECK(port >= 0);
  FILE *attach = fopen("/sys/devices/platform/vhci_hcd.0/attach", "w");
  CHECK(attach);
  fprintf(attach, "%d %d %d 3", port, socket, port + 1);
  CHECK(!fclose(attach));
}

// Sends SPACED reports 1 ms apart, each with the time at which it was sent, and then as many as the host takes.
static int plug(long reports) {
  int ends[2];
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  attach(ends[1]);
  close(ends[1]);
  CHECK(!fcntl(ends[0], F_SETFL, O_NONBLOCK));
  start(&device, ends[0], reports);
  while (!device.is_polled) step(&device);
  // usbhid drops the reports of the first 50 ms after a node is opened.
  usleep(100000);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct epoll_event event = {EPOLLIN, {.fd = timer}};
  CHECK(timer >= 0 && !epoll_ctl(device.events, EPOLL_CTL_ADD, timer, &event));
  struct itimerspec setting = {{0, SPACE}, {0, SPACE}};
  timerfd_settime(timer, 0, &setting, NULL);
  while (device.number < SPACED && !device.is_over) {
    struct epoll_event events[3];
    int count = epoll_wait(device.events, events, 3, -1);
    for (int index = 0; index < count; index++) {
      if (events[index].data.fd == timer) {
        uint8_t report[REPORT] = {0};
        uint64_t expirations, time = now();
        CHECK(read(timer, &expirations, sizeof expirations) == sizeof expirations);
        memcpy(report, &time, sizeof time);
        memcpy(report + 8, &device.number, sizeof device.number);
        CHECK(add_report(&device, report));
        device.number++;
      } else if (events[index].data.fd == device.timer) {
        device.is_armed = false;
      } else {
        receive(&device);
      }
    }
    advance(&device);
    if (device.out_count) flush(&device);
  }
  CHECK(!epoll_ctl(device.events, EPOLL_CTL_DEL, timer, NULL));
  close(timer);
  uint64_t began = clock_time(CLOCK_THREAD_CPUTIME_ID);
  device.left = (uint64_t)reports * CHUNKS;
  refill(&device);
  advance(&device);
  flush(&device);
  while (!device.is_over && device.left + device.report_count) step(&device);
  printf("{\"bench\":\"kernel\",\"variant\":\"c\",\"n\":%ld,\"instructions\":%.1f}\n", reports * CHUNKS,
         (double)(clock_time(CLOCK_THREAD_CPUTIME_ID) - began) / (double)(reports * CHUNKS));
  fflush(stdout);
  // The reader closes the node, and the kernel withdraws its transfer.
  while (!device.is_over && device.held_count) step(&device);
  return 0;
}

// ---- The host -------------------------------------------------------------------------------------------------------

static struct host {
  int socket;
  uint32_t transfers;
} host;

static size_t write_submit(uint8_t *bytes, uint32_t endpoint, bool is_input, uint32_t length, const uint8_t *data) {
  memset(bytes, 0, HEADER);
  set_word(bytes, 0, SUBMIT);
  // Transfers of input have odd numbers.
  set_word(bytes, 1, 2 * ++host.transfers + is_input);
  set_word(bytes, 2, 0x10002);
  set_word(bytes, 3, is_input);
  set_word(bytes, 4, endpoint);
  set_word(bytes, 6, length);
  if (!is_input && length) memcpy(bytes + HEADER, data, length);
  return HEADER + (is_input ? 0 : length);
}

static void send_all(const uint8_t *bytes, size_t count) { CHECK(send(host.socket, bytes, count, MSG_NOSIGNAL) == (ssize_t)count); }

static void ask(void) {
  uint8_t bytes[HEADER];
  send_all(bytes, write_submit(bytes, 1, true, REPORT, NULL));
}

static void put_output(uint8_t command, uint8_t phase) {
  uint8_t bytes[HEADER + REPORT], report[REPORT] = {command, phase};
  send_all(bytes, write_submit(bytes, 1, false, REPORT, report));
}

// Reads replies until all that are named have come: to output, and to input, which is asked for again if that is wished.
static void await(int outputs, int inputs, bool asks_again) {
  while (outputs > 0 || inputs > 0) {
    uint8_t bytes[HEADER], report[REPORT];
    CHECK(recv(host.socket, bytes, HEADER, MSG_WAITALL) == HEADER);
    CHECK(word(bytes, 0) == SUBMITTED && word(bytes, 5) == 0);
    if (word(bytes, 1) & 1) {
      CHECK(word(bytes, 6) == REPORT && recv(host.socket, report, REPORT, MSG_WAITALL) == REPORT);
      inputs--;
      if (asks_again) ask();
    } else {
      outputs--;
    }
  }
}

static void drive(long reports) {
  // The host chooses the configuration.
  uint8_t bytes[TOGETHER * (HEADER + REPORT)], report[REPORT] = {NOTHING};
  static const uint8_t choose[] = {0, 9, 1, 0, 0, 0, 0, 0};
  write_submit(bytes, 0, false, 0, NULL);
  memcpy(bytes + 40, choose, sizeof choose);
  send_all(bytes, HEADER);
  await(1, 0, false);

  for (int chunk = 0; chunk <= CHUNKS; chunk++) {
    put_output(MARK, OUTPUT);
    await(1, 0, false);
    for (long number = 0; number < reports && chunk < CHUNKS; number++) {
      put_output(NOTHING, 0);
      await(1, 0, false);
    }
  }
  for (int chunk = 0; chunk <= CHUNKS; chunk++) {
    put_output(MARK, TOGETHER_OUTPUT);
    await(1, 0, false);
    for (long number = 0; number < reports && chunk < CHUNKS; number += TOGETHER) {
      for (int index = 0; index < TOGETHER; index++)
        write_submit(bytes + index * (HEADER + REPORT), 1, false, REPORT, report);
      send_all(bytes, sizeof bytes);
      await(TOGETHER, 0, false);
    }
  }
  // An output report, and the input report that it causes; more than a period apart, so that it waits for no time.
  ask();
  struct timespec pause = {0, 2 * PERIOD};
  for (int chunk = 0; chunk <= CHUNKS; chunk++) {
    put_output(MARK, ECHOED);
    await(1, 0, false);
    for (long number = 0; number < reports && chunk < CHUNKS; number++) {
      nanosleep(&pause, NULL);
      put_output(ECHO, 0);
      await(1, 1, true);
    }
  }
  // Input reports as fast as the period allows.
  put_output(STREAM, 0);
  await(1, 0, false);
  for (int chunk = 0; chunk <= CHUNKS; chunk++) {
    put_output(MARK, PACED);
    await(1, chunk < CHUNKS ? (int)reports : 0, true);
  }
}

static int run_host(long reports, int count, char **command) {
  int ends[2];
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  CHECK(!fcntl(ends[1], F_SETFL, O_NONBLOCK));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char number[16], *words[16] = {0};
    CHECK(count < 15);
    memcpy(words, command, (size_t)count * sizeof *words);
    snprintf(number, sizeof number, "%d", ends[1]);
    words[count] = number;
    close(ends[0]);
    execv(words[0], words);
    CHECK(false);
  }
  close(ends[1]);
  host.socket = ends[0];
  drive(reports);
  close(ends[0]);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// ---- The reader -----------------------------------------------------------------------------------------------------

static int open_node(void) {
  char path[300], text[1024];
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
      int node = strstr(text, "HID_NAME=hidsim usb bench\n") ? open(path, O_RDWR | O_CLOEXEC) : -1;
      if (node < 0) continue;
      closedir(folder);
      return node;
    }
    if (folder) closedir(folder);
    usleep(1000);
  }
  fprintf(stderr, "usb: no node\n");
  exit(1);
}

static int run_reader(long reports, const char *variant) {
  static double latencies[SPACED];
  int node = open_node();
  uint64_t began = 0, lost = 0, total = (uint64_t)reports * CHUNKS;
  for (uint64_t number = 0; number < SPACED + total; number++) {
    uint8_t report[REPORT];
    uint64_t sent, found;
    CHECK(read(node, report, REPORT) == REPORT);
    uint64_t time = now();
    memcpy(&sent, report, sizeof sent);
    memcpy(&found, report + 8, sizeof found);
    // hidraw keeps 64 reports for a reader, and drops further ones.
    CHECK(found >= number && found < SPACED + total);
    lost += found - number;
    number = found;
    if (number < SPACED) latencies[number] = (double)(time - sent);
    if (number >= SPACED && !began) began = time;
  }
  double each = (double)(now() - began) / (double)(total - 1);
  close(node);
  printf("{\"bench\":\"latency\",\"variant\":\"%s\",\"n\":%d,\"instructions\":%.1f}\n", variant, SPACED, median(latencies, SPACED));
  printf("{\"bench\":\"interval\",\"variant\":\"%s\",\"n\":%llu,\"instructions\":%.1f,\"lost\":%llu}\n", variant,
         (unsigned long long)total, each, (unsigned long long)lost);
  return 0;
}

int main(int count, char **words) {
  long reports = count > 2 ? atol(words[2]) : 0;
  // A device or a host that does not answer ends the program.
  alarm(120);
  if (reports >= TOGETHER && reports % TOGETHER == 0) {
    if (count > 3 && !strcmp(words[1], "host")) return run_host(reports, count - 3, words + 3);
    if (count == 4 && !strcmp(words[1], "device")) return run_device(reports, atoi(words[3]));
    if (count == 3 && !strcmp(words[1], "plug")) return plug(reports);
    if (count == 4 && !strcmp(words[1], "read")) return run_reader(reports, words[3]);
  }
  fprintf(stderr, "usage: usb host REPORTS COMMAND... | device REPORTS SOCKET | plug REPORTS | read REPORTS VARIANT\n"
                  "REPORTS is a multiple of 16.\n");
  return 64;
}
