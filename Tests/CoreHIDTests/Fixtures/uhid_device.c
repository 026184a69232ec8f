// SPDX-License-Identifier: Apache-2.0
// Plugs a HID device by /dev/uhid, as any program can: cc FILE.
// uhid_device NAME SERIAL VENDOR PRODUCT DESCRIPTOR [TYPE:REPORT...]
// Numbers and bytes are hexadecimal. Each TYPE:REPORT (input, output, feature) answers get-report requests; of a number
// that the device numbers its reports with, the one that begins with it. Requests for others are refused, both ways.
// Sends a report for each line `input BYTES`, and unplugs the device at the end of its input. Prints what the kernel
// says: start, open, close, stop, output BYTES, get TYPE NUMBER, set TYPE NUMBER BYTES.

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const types[] = {"feature", "output", "input"};  // by their numbers in uhid.h

struct report {
  size_t length;
  unsigned char bytes[UHID_DATA_MAX];
};

static struct { int type; struct report report; } answers[16];
static int answer_count;

// Reads pairs of hexadecimal digits, with spaces between them or without.
static void read_bytes(const char *text, struct report *report) {
  int position = 0;
  unsigned byte;
  report->length = 0;
  while (report->length < sizeof report->bytes && sscanf(text, "%2x%n", &byte, &position) == 1) {
    report->bytes[report->length++] = byte;
    text += position;
  }
}

static void print_bytes(const unsigned char *bytes, size_t length) {
  for (size_t index = 0; index < length; index++) printf(" %02x", bytes[index]);
  printf("\n");
}

static void send_event(int file, const struct uhid_event *event) {
  if (write(file, event, sizeof *event) < 0) {
    perror("write /dev/uhid");
    exit(1);
  }
}

// The answer to a request for a report; NULL where it is refused.
static const struct report *answer(int type, int number) {
  for (int index = 0; index < answer_count; index++) {
    const struct report *report = &answers[index].report;
    if (answers[index].type == type && (number == 0 || report->bytes[0] == number)) return report;
  }
  return NULL;
}

static void handle(int file, const struct uhid_event *event) {
  struct uhid_event reply = {0};
  switch (event->type) {
    case UHID_START: printf("start\n"); break;
    case UHID_STOP: printf("stop\n"); break;
    case UHID_OPEN: printf("open\n"); break;
    case UHID_CLOSE: printf("close\n"); break;
    case UHID_OUTPUT:
      printf("output");
      print_bytes(event->u.output.data, event->u.output.size);
      break;
    case UHID_GET_REPORT: {
      const struct report *report = answer(event->u.get_report.rtype, event->u.get_report.rnum);
      printf("get %s %d\n", types[event->u.get_report.rtype], event->u.get_report.rnum);
      reply.type = UHID_GET_REPORT_REPLY;
      reply.u.get_report_reply.id = event->u.get_report.id;
      reply.u.get_report_reply.err = report ? 0 : EIO;
      if (report) {
        reply.u.get_report_reply.size = report->length;
        memcpy(reply.u.get_report_reply.data, report->bytes, report->length);
      }
      send_event(file, &reply);
      break;
    }
    case UHID_SET_REPORT: {
      int isKnown = answer(event->u.set_report.rtype, event->u.set_report.rnum) != NULL;
      printf("set %s %d", types[event->u.set_report.rtype], event->u.set_report.rnum);
      print_bytes(event->u.set_report.data, event->u.set_report.size);
      reply.type = UHID_SET_REPORT_REPLY;
      reply.u.set_report_reply.id = event->u.set_report.id;
      reply.u.set_report_reply.err = isKnown ? 0 : EIO;
      send_event(file, &reply);
      break;
    }
  }
}

int main(int count, char **words) {
  if (count < 6) return 64;
  setlinebuf(stdout);
  int file = open("/dev/uhid", O_RDWR | O_CLOEXEC);
  if (file < 0) {
    perror("open /dev/uhid");
    return 69;
  }
  for (int index = 6; index < count && answer_count < 16; index++) {
    const char *bytes = strchr(words[index], ':');
    if (bytes == NULL) return 64;
    while (strncmp(words[index], types[answers[answer_count].type], bytes - words[index]) != 0)
      if (++answers[answer_count].type > 2) return 64;
    read_bytes(bytes + 1, &answers[answer_count++].report);
  }
  struct report report;
  struct uhid_event event = {.type = UHID_CREATE2};
  struct uhid_create2_req *device = &event.u.create2;
  snprintf((char *)device->name, sizeof device->name, "%s", words[1]);
  snprintf((char *)device->uniq, sizeof device->uniq, "%s", words[2]);
  device->bus = BUS_USB;
  device->vendor = strtoul(words[3], NULL, 16);
  device->product = strtoul(words[4], NULL, 16);
  device->version = 0x0123;
  device->country = 9;  // German
  read_bytes(words[5], &report);
  device->rd_size = report.length;
  memcpy(device->rd_data, report.bytes, report.length);
  send_event(file, &event);

  struct pollfd files[] = {{.fd = file, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
  setvbuf(stdin, NULL, _IONBF, 0);  // what has been read does not hide from poll
  while (poll(files, 2, -1) > 0) {
    if (files[0].revents) {
      if (read(file, &event, sizeof event) <= 0) break;
      handle(file, &event);
    }
    if (files[1].revents) {
      char line[3 * UHID_DATA_MAX];
      if (fgets(line, sizeof line, stdin) == NULL) break;
      if (strncmp(line, "input ", 6) != 0) return 64;
      read_bytes(line + 6, &report);
      memset(&event, 0, sizeof event);
      event.type = UHID_INPUT2;
      event.u.input2.size = report.length;
      memcpy(event.u.input2.data, report.bytes, report.length);
      send_event(file, &event);
    }
  }
  event.type = UHID_DESTROY;
  send_event(file, &event);
  return 0;
}
