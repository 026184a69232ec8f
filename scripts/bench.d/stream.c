// What a stream of commands and a script cost in plain C: the same reports, to a socket of the same kind. Frozen; see
// FROZEN.
// SPDX-License-Identifier: Apache-2.0
//
//   stream send MARK     the reports of standard input, whose bytes follow MARK in hex, one a call over SOCK_SEQPACKET
//                        to another process: the wall clock, from the first read to the last report received
//   stream plug PATH     listens at a socket, says so, and ends with its standard input
//
// One JSON object.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "stream: line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      _exit(1); \
    } \
  } while (0)

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  return -1;
}

// The bytes in a text of pairs of digits, up to what is none.
static size_t bytes(const char *text, const char *end, uint8_t *report, size_t capacity) {
  size_t count = 0;
  while (end - text >= 2 && count < capacity) {
    int high = digit(text[0]), low = digit(text[1]);
    if (high < 0 || low < 0) break;
    report[count++] = (uint8_t)(high << 4 | low);
    text += 2;
    if (text < end && *text == ' ') text++;
  }
  return count;
}

static int send_all(const char *mark) {
  int ends[2], done[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  CHECK(pipe(done) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(ends[1]);
    uint8_t report[64];
    uint64_t count = 0, sum = 0;
    ssize_t length;
    while ((length = read(ends[0], report, sizeof report)) > 0) {
      count++;
      sum += report[0];
    }
    uint64_t result[2] = {count, sum};
    CHECK(write(done[1], result, sizeof result) == sizeof result);
    _exit(0);
  }
  close(ends[0]);
  static char text[1 << 16];
  size_t held = 0, marked = strlen(mark);
  uint64_t began = now(), sent = 0;
  for (;;) {
    ssize_t more = read(STDIN_FILENO, text + held, sizeof text - held);
    CHECK(more >= 0);
    if (more == 0) break;
    held += (size_t)more;
    char *line = text, *end = text + held, *stop;
    while ((stop = memchr(line, '\n', (size_t)(end - line)))) {
      char *place = line;
      while ((place = memmem(place, (size_t)(stop - place), mark, marked))) {
        uint8_t report[64];
        place += marked;
        size_t count = bytes(place, stop, report, sizeof report);
        if (count == 0) continue;
        CHECK(write(ends[1], report, count) == (ssize_t)count);
        sent++;
      }
      line = stop + 1;
    }
    held = (size_t)(end - line);
    memmove(text, line, held);
  }
  close(ends[1]);
  uint64_t result[2];
  CHECK(read(done[0], result, sizeof result) == sizeof result);
  uint64_t spent = now() - began;
  CHECK(result[0] == sent && sent > 0);
  waitpid(child, NULL, 0);
  printf("{\"reports\":%llu,\"nanoseconds\":%.1f}\n", (unsigned long long)sent, (double)spent / (double)sent);
  return 0;
}

static int plug(const char *path) {
  int device = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  CHECK(device >= 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  CHECK(strlen(path) < sizeof address.sun_path);
  strcpy(address.sun_path, path);
  CHECK(bind(device, (struct sockaddr *)&address, sizeof address) == 0);
  CHECK(listen(device, 16) == 0);
  printf("{\"event\":\"plugged\"}\n");
  fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {}
  unlink(path);
  return 0;
}

int main(int count, char **words) {
  if (count == 3 && !strcmp(words[1], "send")) return send_all(words[2]);
  if (count == 3 && !strcmp(words[1], "plug")) return plug(words[2]);
  fprintf(stderr, "usage: stream send MARK | stream plug PATH\n");
  return 64;
}
