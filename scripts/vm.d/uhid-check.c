// Makes a keyboard by /dev/uhid and waits for its hidraw and evdev nodes, presses a key, and reads
// the report back from both. Prints the nodes; its exit status says whether all of it worked.
// uhid-check [--phys PATH] [--hold]: PATH is the device's physical path; --hold keeps it plugged.
// uhid-check --sensors: makes an Aquacomputer D5 Next instead, and waits for the sensors that the
// driver of the folder hwmon makes of it; the driver accepts any report descriptor.
#include <dirent.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const unsigned char descriptor[] = {
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25,
    0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x75, 0x08, 0x95, 0x01, 0x81, 0x01, 0x19, 0x00,
    0x29, 0x65, 0x25, 0x65, 0x75, 0x08, 0x95, 0x06, 0x81, 0x00, 0xc0};

// Opens the node in /dev that belongs to the entry of /sys/class whose uevent or name has our name.
static int open_node(const char *class, const char *prefix, const char *key, const char *file) {
  for (int tries = 0; tries < 500; tries++, usleep(10000)) {
    DIR *directory = opendir(class);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      char path[600], text[1024] = "";
      if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
      snprintf(path, sizeof path, "%s/%s/device/%s", class, entry->d_name, file);
      FILE *f = fopen(path, "r");
      if (!f) continue;
      size_t n = fread(text, 1, sizeof text - 1, f);
      text[n] = 0;
      fclose(f);
      if (!strstr(text, key)) continue;
      snprintf(path, sizeof path, "/dev/%s%s", *prefix == 'e' ? "input/" : "", entry->d_name);
      int fd = open(path, O_RDWR | O_NONBLOCK);
      if (fd < 0) break;
      printf("%s\n", path);
      closedir(directory);
      return fd;
    }
    if (directory) closedir(directory);
  }
  printf("no %s node\n", prefix);
  return -1;
}

// Waits for the sensors with a name.
static int has_sensors(const char *wanted) {
  for (int tries = 0; tries < 3000; tries++, usleep(10000)) {
    DIR *directory = opendir("/sys/class/hwmon");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      char path[600], name[64] = "";
      snprintf(path, sizeof path, "/sys/class/hwmon/%s/name", entry->d_name);
      FILE *f = fopen(path, "r");
      if (!f) continue;
      int found = fscanf(f, "%63s", name) == 1 && !strcmp(name, wanted);
      fclose(f);
      if (!found) continue;
      printf("sensors of %s\n", name);
      closedir(directory);
      return 1;
    }
    if (directory) closedir(directory);
  }
  printf("no sensors of %s\n", wanted);
  return 0;
}

int main(int count, char **words) {
  const char *phys = "";
  int hold = 0, sensors = 0;
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--hold")) hold = 1;
    if (!strcmp(words[i], "--sensors")) sensors = 1;
    if (!strcmp(words[i], "--phys") && i + 1 < count) phys = words[++i];
  }
  setlinebuf(stdout);
  int fd = open("/dev/uhid", O_RDWR);
  if (fd < 0) return perror("/dev/uhid"), 1;
  struct uhid_event event = {.type = UHID_CREATE2};
  strcpy((char *)event.u.create2.name, "vm check");
  snprintf((char *)event.u.create2.phys, sizeof event.u.create2.phys, "%s", phys);
  event.u.create2.rd_size = sizeof descriptor;
  event.u.create2.bus = BUS_USB;
  event.u.create2.vendor = sensors ? 0x0c70 : 0x1209;
  event.u.create2.product = sensors ? 0xf00e : 1;
  memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
  if (write(fd, &event, sizeof event) < 0) return perror("create"), 1;
  if (sensors) return !has_sensors("d5next");
  int raw = open_node("/sys/class/hidraw", "hidraw", "HID_NAME=vm check", "uevent");
  int input = open_node("/sys/class/input", "event", "vm check", "name");
  if (raw < 0 || input < 0) return 1;

  struct uhid_event report = {.type = UHID_INPUT2, .u.input2 = {.size = 8, .data = {0, 0, 4}}};
  if (write(fd, &report, sizeof report) < 0) return perror("input"), 1;
  unsigned char bytes[64];
  struct input_event key;
  int seen_raw = 0, seen_key = 0;
  for (int tries = 0; tries < 500 && !(seen_raw && seen_key); tries++, usleep(1000)) {
    if (read(raw, bytes, sizeof bytes) == 8 && bytes[2] == 4) seen_raw = 1;
    while (read(input, &key, sizeof key) == sizeof key)
      if (key.type == EV_KEY && key.code == KEY_A && key.value == 1) seen_key = 1;
  }
  printf("hidraw %s, evdev %s\n", seen_raw ? "ok" : "no report", seen_key ? "ok" : "no event");
  while (hold) pause();
  return !(seen_raw && seen_key);
}
