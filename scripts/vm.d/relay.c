// The two ends of `scripts/vm`: this program runs on the host, where it starts the engine, and
// again as process 1 of the virtual machine, where it starts the command. Between them is one
// channel of bytes (a UML serial line, or a virtio-serial port). Its frames carry what such a line
// lacks: an end of file, three separate streams, signals, and an exit status.
//
//   frame  := type, length (4 bytes, little endian), payload
//   host  -> guest: 'S' start (see `send_start`), 'I' stdin (empty: end of file), 'J' stdin in the
//                   file whose path is the payload, 'A' bytes taken, 'C' stdout or stderr closed,
//                   'K' signal, 'Z' window size, 'B' all output is written: power off
//   guest -> host : 'H' ready for 'S', 'R' the command runs, 'O'/'E' stdout/stderr (empty: closed),
//                   'A' bytes of stdin taken, 'C' stdin closed, 'M' a message for the user,
//                   'F' a failure of the machine, 'X' exit status, 'L' number of bytes that were
//                   read from the line
//
// A stream has at most WINDOW bytes on their way that the other side has not taken ('A'). So the
// channel itself is always drained, and a program that reads only stderr never blocks on stdout.
// Linux stops a UML line whose terminal has 4 kB of unread input, and it receives nothing more
// (arch/um/drivers/line.c, 6.12). So at most LINE_WINDOW bytes are on their way to the guest.
//
//   relay run OPTIONS -- ENGINE...   (host; see `host_main`)

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 256 << 10, CHUNK = 32 << 10, HEADER = 5, FRAME_MAX = 16 << 20, LINE_WINDOW = 2048 };
enum { FLAG_PTY = 1, FLAG_PTY_STDERR = 2, FLAG_UDEV = 4, FLAG_READ_ONLY = 8, FLAG_ORDINARY_USER = 16 };
#define NINE_P_OPTIONS "trans=virtio,version=9p2000.L,msize=512000,cache=loose"
enum { EX_PANIC = 70 };  // sysexits' "internal software error": the machine failed, not the command

extern char **environ;

// MARK: waiting bytes

struct buffer {
  char *bytes;
  size_t start, end, capacity;
};

static size_t waiting(const struct buffer *b) { return b->end - b->start; }

static void append(struct buffer *b, const void *bytes, size_t count) {
  if (b->start == b->end) b->start = b->end = 0;
  if (b->end + count > b->capacity) {
    memmove(b->bytes, b->bytes + b->start, b->end - b->start);
    b->end -= b->start;
    b->start = 0;
    if (b->end + count > b->capacity) {
      b->capacity = (b->end + count) * 2;
      b->bytes = realloc(b->bytes, b->capacity);
      if (!b->bytes) abort();
    }
  }
  memcpy(b->bytes + b->end, bytes, count);
  b->end += count;
}

// MARK: the channel

struct channel {
  int fd;
  bool gone;
  bool is_line;   // a UML line
  uint32_t room;  // used on the host's side of a line: the number of bytes that the guest can take
  struct buffer in, out;
};

static void put_frame(struct channel *c, char type, const void *payload, uint32_t count) {
  unsigned char head[HEADER] = {type, count, count >> 8, count >> 16, count >> 24};
  append(&c->out, head, HEADER);
  append(&c->out, payload, count);
}

static void put_number(struct channel *c, char type, char stream, uint32_t number) {
  unsigned char payload[5] = {stream, number, number >> 8, number >> 16, number >> 24};
  put_frame(c, type, payload, 5);
}

static uint32_t get_number(const char *p) {
  const unsigned char *u = (const unsigned char *)p;
  return u[0] | u[1] << 8 | u[2] << 16 | (uint32_t)u[3] << 24;
}

// Returns how many of the waiting bytes can be written now.
static size_t writable(const struct channel *c) {
  size_t count = waiting(&c->out);
  return c->is_line && count > c->room ? c->room : count;
}

static void flush_channel(struct channel *c) {
  for (size_t count; !c->gone && (count = writable(c));) {
    ssize_t n = write(c->fd, c->out.bytes + c->out.start, count);
    if (n > 0) {
      c->out.start += n;
      if (c->is_line) c->room -= n;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && errno != EAGAIN) {
      c->gone = true;
    } else {
      break;
    }
  }
}

// Reads once from the channel; returns the number of bytes, which is 0 if there were none.
static uint32_t fill_channel(struct channel *c) {
  char bytes[64 << 10];
  ssize_t n = read(c->fd, bytes, sizeof bytes);
  if (n > 0) append(&c->in, bytes, n);
  else if (n == 0 || (errno != EAGAIN && errno != EINTR)) c->gone = true;
  return n > 0 ? (uint32_t)n : 0;
}

// Takes the next whole frame; returns false if there is none, or if its length is not valid. The
// payload stays valid until the channel is filled again.
static bool take_frame(struct channel *c, char *type, char **payload, uint32_t *count) {
  if (waiting(&c->in) < HEADER) return false;
  char *head = c->in.bytes + c->in.start;
  *count = get_number(head + 1);
  if (*count > FRAME_MAX) {
    c->gone = true;
    return false;
  }
  if (waiting(&c->in) < HEADER + (size_t)*count) return false;
  *type = head[0];
  *payload = head + HEADER;
  c->in.start += HEADER + *count;
  return true;
}

static void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// MARK: - the guest: process 1

// A stream of the command: the guest's end of its pipe or pty, and how much may still be sent.
struct stream {
  int fd;
  uint32_t credit;
};

static struct channel guest;
static bool guest_has_line;

static void guest_fill(void) {
  uint32_t count = fill_channel(&guest);
  if (guest_has_line && count) put_number(&guest, 'L', 0, count);
}

static void guest_note(char type, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  put_frame(&guest, type, text, n < (int)sizeof text ? n : (int)sizeof text - 1);
}

static void power_off(void) {
  sync();
  reboot(RB_POWER_OFF);
  _exit(0);
}

// Reports the reason of a failure, on the channel if there is one and in the kernel's log, and
// powers off.
static void guest_fail(const char *what) {
  int error = errno;
  FILE *log = fopen("/dev/kmsg", "w");
  if (log) {
    fprintf(log, "<2>scripts/vm: %s: %s\n", what, strerror(error));
    fclose(log);
  }
  if (guest.fd > 0) {
    fcntl(guest.fd, F_SETFL, fcntl(guest.fd, F_GETFL) & ~O_NONBLOCK);
    guest_note('F', "%s: %s", what, strerror(error));
    flush_channel(&guest);
    tcdrain(guest.fd);
    usleep(100000);
  }
  power_off();
}

static void write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) < 0) { /* a knob this kernel does not have */ }
  close(fd);
}

static void make_directories(const char *path, mode_t mode) {
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", path);
  for (char *p = copy + 1; *p; p++)
    if (*p == '/') {
      *p = 0;
      mkdir(copy, 0755);
      *p = '/';
    }
  mkdir(copy, mode);
}

static void mount_over(const char *type, const char *where, const char *options) {
  mkdir(where, 0755);
  if (mount(type, where, type, 0, options) != 0 && errno != EBUSY) {
    guest_note('M', "cannot mount %s on %s: %s", type, where, strerror(errno));
  }
}

// Mounts the kernel's own file systems, and new ones over the folders in which programs leave
// sockets and locks, which are valid only on the kernel on which they were made.
static void mount_all(void) {
  mount_over("proc", "/proc", "");
  mount_over("sysfs", "/sys", "");
  mount_over("devtmpfs", "/dev", "");
  mount_over("debugfs", "/sys/kernel/debug", "");
  mount_over("devpts", "/dev/pts", "mode=0620,gid=5,ptmxmode=0666");
  mount_over("tmpfs", "/dev/shm", "mode=1777");
  mount_over("mqueue", "/dev/mqueue", "");
  mount_over("tmpfs", "/run", "mode=0755");
  mkdir("/run/lock", 01777);
  chmod("/run/lock", 01777);
  if (symlink("/proc/self/fd", "/dev/fd") || symlink("/proc/self/fd/0", "/dev/stdin") ||
      symlink("/proc/self/fd/1", "/dev/stdout") || symlink("/proc/self/fd/2", "/dev/stderr")) {
    // They are there already.
  }
}

static void loopback_up(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  struct ifreq request = {.ifr_name = "lo"};
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
}

// Opens the serial line in raw mode: by default serial lines echo and translate.
static int open_serial_line(void) {
  int fd = open("/dev/ttyS0", O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios t;
  if (fd >= 0 && tcgetattr(fd, &t) == 0) {
    cfmakeraw(&t);
    tcsetattr(fd, TCSANOW, &t);
  }
  return fd;
}

// Opens the one virtio port, which passes bytes unchanged, and appears a moment after its driver.
static int open_virtio_port(void) {
  for (int i = 0; i < 1000; i++, usleep(10000)) {
    DIR *directory = opendir("/sys/class/virtio-ports");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      char path[300];
      snprintf(path, sizeof path, "/dev/%s", entry->d_name);
      int fd = entry->d_name[0] == 'v' ? open(path, O_RDWR | O_CLOEXEC) : -1;
      if (fd < 0) continue;
      closedir(directory);
      return fd;
    }
    if (directory) closedir(directory);
  }
  errno = ETIMEDOUT;
  return -1;
}

// Loads the drivers of the initramfs in which QEMU starts, in order, and changes to the host's
// root. A driver that does not load is no failure: some need hardware.
static void leave_initramfs(void) {
  mount_over("devtmpfs", "/dev", "");
  mount_over("sysfs", "/sys", "");
  FILE *order = fopen("/modules/order", "r");
  char name[256], path[300];
  while (order && fscanf(order, "%255s", name) == 1) {
    snprintf(path, sizeof path, "/modules/%s", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    syscall(SYS_finit_module, fd, "", 0);
    close(fd);
    unlink(path);
  }
  if (order) fclose(order);
  guest.fd = open_virtio_port();
  if (guest.fd < 0) guest_fail("no channel to the host");
  mkdir("/root", 0755);
  if (mount("hostroot", "/root", "9p", 0, NINE_P_OPTIONS) != 0)
    guest_fail("cannot mount the host's root by 9p");
  if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
    guest_fail("cannot switch to the host's root");
}

// Makes the folder /lib/modules on a machine that has none. If the file system is read-only, it is
// a new folder over /lib; what else is in /lib stays there, and stays read-only.
static bool make_modules_directory(void) {
  if (access("/lib/modules", F_OK) == 0 || mkdir("/lib/modules", 0755) == 0) return true;
  char lib[PATH_MAX], options[PATH_MAX + 64];
  if (!realpath("/lib", lib)) return false;
  snprintf(options, sizeof options, "lowerdir=/run/modules:%s", lib);
  bool made = mkdir("/run/modules", 0755) == 0 &&
              mount("tmpfs", "/run/modules", "tmpfs", 0, "mode=0755") == 0 &&
              mkdir("/run/modules/modules", 0755) == 0 &&
              mount("overlay", lib, "overlay", 0, options) == 0;
  int error = errno;
  umount("/run/modules");
  rmdir("/run/modules");
  errno = error;
  return made;
}

// Mounts all drivers of QEMU's kernel where udevd and modprobe look for them.
static void mount_modules(void) {
  if (!make_modules_directory() ||
      mount("hostmodules", "/lib/modules", "9p", MS_RDONLY, NINE_P_OPTIONS) != 0)
    guest_note('M', "cannot mount the drivers on /lib/modules: %s", strerror(errno));
}

static int run_and_wait(char *const *arguments) {
  pid_t pid = fork();
  if (pid == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    int log = open("/dev/kmsg", O_WRONLY);
    dup2(log >= 0 ? log : null, 2);
    execv(arguments[0], arguments);
    _exit(127);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Starts udevd, as an init system does before the first login.
static void start_udev(void) {
  char *daemons[] = {"/usr/lib/systemd/systemd-udevd", "/lib/systemd/systemd-udevd", "/sbin/udevd",
                     "/usr/sbin/udevd"};
  char *tools[] = {"/usr/bin/udevadm", "/bin/udevadm", "/sbin/udevadm"};
  char *daemon = NULL, *tool = NULL;
  for (size_t i = 0; !daemon && i < sizeof daemons / sizeof *daemons; i++)
    if (access(daemons[i], X_OK) == 0) daemon = daemons[i];
  for (size_t i = 0; !tool && i < sizeof tools / sizeof *tools; i++)
    if (access(tools[i], X_OK) == 0) tool = tools[i];
  if (!daemon || !tool) {
    guest_note('M', "udevd is not installed; it does not run inside");
    return;
  }
  mkdir("/run/udev", 0755);
  if (run_and_wait((char *[]){daemon, "--daemon", "--resolve-names=never", NULL}) != 0) {
    guest_note('M', "udevd did not start; see the kernel log");
    return;
  }
  run_and_wait((char *[]){tool, "trigger", "--type=subsystems", "--action=add", NULL});
  run_and_wait((char *[]){tool, "trigger", "--type=devices", "--action=add", NULL});
  if (run_and_wait((char *[]){tool, "settle", "--timeout=60", NULL}) != 0)
    guest_note('M', "udevd did not settle within 60 s");
}

struct start {
  uint32_t flags, mask, rows, columns;
  char *name, *directory;
  char **arguments, **environment;
};

static char **take_strings(char **p, const char *end, uint32_t count) {
  char **list = calloc(count + 1, sizeof *list);
  for (uint32_t i = 0; i < count && *p < end; i++) {
    list[i] = *p;
    *p += strlen(*p) + 1;
  }
  return list;
}

// Gives the command a directory for sockets, as a login does. The host's directory is not visible
// inside, and on the host's file system sockets cannot be made from inside QEMU.
static void make_runtime_directory(struct start *s) {
  size_t count = 0;
  for (; s->environment[count]; count++)
    if (strncmp(s->environment[count], "XDG_RUNTIME_DIR=/run/", 21) == 0)
      return make_directories(s->environment[count] + 16, 0700);
    else if (strncmp(s->environment[count], "XDG_RUNTIME_DIR=", 16) == 0)
      return;
  char **environment = calloc(count + 2, sizeof *environment);
  memcpy(environment, s->environment, count * sizeof *environment);
  environment[count] = "XDG_RUNTIME_DIR=/run/user/0";
  s->environment = environment;
  make_directories(environment[count] + 16, 0700);
}

// Gives the command a directory for temporary files, unless TMPDIR names one. Files that it makes
// on the host's file system belong to the ordinary user, and some programs accept only files of
// root.
static void make_temporary_directory(struct start *s) {
  size_t count = 0;
  for (; s->environment[count]; count++)
    if (strncmp(s->environment[count], "TMPDIR=", 7) == 0) return;
  char **environment = calloc(count + 2, sizeof *environment);
  memcpy(environment, s->environment, count * sizeof *environment);
  environment[count] = "TMPDIR=/run/tmp";
  s->environment = environment;
  make_directories(environment[count] + 7, 01777);
  chmod(environment[count] + 7, 01777);  // whatever the umask is
}

static struct start parse_start(const char *payload, uint32_t count) {
  char *copy = malloc(count + 1);
  memcpy(copy, payload, count);
  copy[count] = 0;
  struct start s = {.flags = get_number(copy),
                    .mask = get_number(copy + 4),
                    .rows = get_number(copy + 8),
                    .columns = get_number(copy + 12)};
  uint32_t argument_count = get_number(copy + 16), environment_count = get_number(copy + 20);
  char *p = copy + 24;
  s.name = p;
  p += strlen(p) + 1;
  s.directory = p;
  p += strlen(p) + 1;
  s.arguments = take_strings(&p, copy + count, argument_count);
  s.environment = take_strings(&p, copy + count, environment_count);
  return s;
}

// Leaves two writable directories to the command: its working directory, and a new one for
// temporary files. All else of the host's file system is read-only. Root could mount it anew, so
// that `confine` and QEMU's server, below, enforce it.
static void make_read_only(const struct start *s) {
  const char *temporary = "/run/tmp";
  bool is_root = strcmp(s->directory, "/") == 0;
  // The file system that the host serves by 9p is read-only; this directory is served separately.
  const char *source = guest_has_line ? s->directory : "hostwork";
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      (!is_root && mount(source, s->directory, guest_has_line ? NULL : "9p",
                         guest_has_line ? MS_BIND | MS_REC : 0,
                         guest_has_line ? NULL : NINE_P_OPTIONS) != 0) ||
      mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0 ||
      (mkdir(temporary, 01777) != 0 && errno != EEXIST) || chmod(temporary, 01777) != 0 ||
      setenv("TMPDIR", temporary, 1) != 0) {
    dprintf(2, "%s: the file system cannot be made read-only: %s\n", s->name, strerror(errno));
    _exit(EX_PANIC);
  }
}

// Starts the command in a session of its own. The caller closes the guest's ends of the streams.
static pid_t start_command(const struct start *s, struct stream *in, struct stream *out,
                           struct stream *err) {
  int inner[3] = {-1, -1, -1}, outer[3] = {-1, -1, -1}, ends[2];
  bool pty = s->flags & FLAG_PTY;
  if (pty) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) || unlockpt(master)) guest_fail("cannot make a terminal");
    struct winsize size = {.ws_row = s->rows, .ws_col = s->columns};
    ioctl(master, TIOCSWINSZ, &size);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) guest_fail("cannot open the terminal");
    outer[0] = master;
    outer[1] = fcntl(master, F_DUPFD_CLOEXEC, 3);
    inner[0] = inner[1] = slave;
    if (s->flags & FLAG_PTY_STDERR) inner[2] = slave;
  }
  for (int i = 0; i < 3; i++) {
    if (inner[i] >= 0) continue;
    if (pipe2(ends, O_CLOEXEC) != 0) guest_fail("cannot make a pipe");
    inner[i] = ends[i == 0 ? 0 : 1];
    outer[i] = ends[i == 0 ? 1 : 0];
    fcntl(outer[i], F_SETPIPE_SZ, WINDOW);
  }
  pid_t pid = fork();
  if (pid < 0) guest_fail("cannot start a process");
  if (pid == 0) {
    setsid();
    if (pty) ioctl(inner[0], TIOCSCTTY, 0);
    for (int i = 0; i < 3; i++) dup2(inner[i], i);
    umask(s->mask);
    // As a distribution's init sets it; the kernel's own 4096 is too low for a thousand devices.
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1 << 20});
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    const char *name = s->arguments[0];
    environ = s->environment;
    if (s->flags & FLAG_READ_ONLY && access(s->directory, F_OK) == 0) make_read_only(s);
    if (chdir(s->directory) != 0) {
      dprintf(2, "%s: %s: %s (the directory is not visible inside)\n", s->name, s->directory,
              strerror(errno));
      _exit(126);
    }
    execvpe(name, s->arguments, environ);
    int error = errno;
    dprintf(2, "%s: %s: %s\n", s->name, name,
            error == ENOENT ? "command not found" : strerror(error));
    _exit(error == ENOENT ? 127 : 126);
  }
  for (int i = 0; i < 3; i++) {
    bool again = false;
    for (int j = 0; j < i; j++) again |= inner[j] == inner[i];
    if (!again) close(inner[i]);
    if (outer[i] >= 0) set_nonblocking(outer[i]);
  }
  *in = (struct stream){outer[0], WINDOW};
  *out = (struct stream){outer[1], WINDOW};
  *err = (struct stream){outer[2], WINDOW};
  return pid;
}

static void close_stream(struct stream *s) {
  if (s->fd >= 0) close(s->fd);
  s->fd = -1;
}

// Sends output of the command as a frame; sends an empty frame at the end of the output.
static void forward_output(struct stream *s, char type) {
  char bytes[CHUNK];
  size_t room = s->credit < CHUNK ? s->credit : CHUNK;
  ssize_t n = read(s->fd, bytes, room);
  if (n > 0) {
    s->credit -= n;
    put_frame(&guest, type, bytes, n);
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    close_stream(s);
    put_frame(&guest, type, NULL, 0);
  }
}

static void take_spooled(const char *path, uint32_t count, struct buffer *input) {
  char name[4096], bytes[CHUNK];
  snprintf(name, sizeof name, "%.*s", (int)count, path);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) guest_fail("cannot read the file with the host's standard input");
  ssize_t n;
  while ((n = read(fd, bytes, sizeof bytes)) > 0)
    if (input) append(input, bytes, n);
  close(fd);
  unlink(name);
}

static void guest_main(void) {
  sigset_t signals;
  sigfillset(&signals);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  umask(0);
  bool initramfs = access("/modules/order", F_OK) == 0;
  if (initramfs) leave_initramfs();
  mount_all();
  if (!initramfs) {
    guest.fd = open_serial_line();
    guest_has_line = true;
  }
  if (guest.fd < 0) guest_fail("no channel to the host");
  set_nonblocking(guest.fd);
  loopback_up();
  write_file("/proc/sys/kernel/printk", "7 4 1 7");

  // The host's start frame carries everything that the kernel's command line is too short for. It
  // waits for 'H': bytes that a UML line received before it was opened raise no interrupt.
  put_frame(&guest, 'H', NULL, 0);
  flush_channel(&guest);
  char type, *payload;
  uint32_t count;
  while (!take_frame(&guest, &type, &payload, &count)) {
    struct pollfd p = {.fd = guest.fd, .events = POLLIN};
    poll(&p, 1, -1);
    guest_fill();
    flush_channel(&guest);
    if (guest.gone) power_off();
  }
  struct start s = parse_start(payload, count);
  make_runtime_directory(&s);
  if (s.flags & FLAG_ORDINARY_USER) make_temporary_directory(&s);
  char name[256];
  if (gethostname(name, sizeof name) == 0 && strcmp(name, "(none)") == 0) {
    FILE *file = fopen("/etc/hostname", "r");
    if (file && fscanf(file, "%255s", name) == 1) sethostname(name, strlen(name));
    if (file) fclose(file);
  }
  if (s.flags & FLAG_UDEV) start_udev();
  // Only now, so that udevd loads no drivers for the hardware that QEMU emulates.
  if (initramfs) mount_modules();

  struct stream in, out, err;
  pid_t pid = start_command(&s, &in, &out, &err);
  put_frame(&guest, 'R', NULL, 0);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);

  struct buffer input = {0};
  bool input_ended = false, exited = false, alone = false, done = false;
  int exit_status = 0;
  int64_t kill_at = 0;
  for (;;) {
    if (in.fd >= 0 && input_ended && !waiting(&input)) close_stream(&in);
    flush_channel(&guest);
    // Without the host the machine has no purpose.
    if (guest.gone) power_off();
    if (exited && alone && out.fd < 0 && err.fd < 0 && !done) {
      sync();  // before the host may go on: it can read every file that was written
      put_number(&guest, 'X', 0, exit_status);
      done = true;
      continue;
    }
    struct pollfd p[5] = {
        {guest.fd, POLLIN | (waiting(&guest.out) ? POLLOUT : 0), 0},
        {children, POLLIN, 0},
        {in.fd >= 0 && waiting(&input) ? in.fd : -1, POLLOUT, 0},
        {out.credit ? out.fd : -1, POLLIN, 0},
        {err.credit ? err.fd : -1, POLLIN, 0},
    };
    int timeout = -1;
    if (kill_at) {
      int64_t left = kill_at - now_ms();
      timeout = left > 0 ? (int)left : 0;
    }
    if (poll(p, 5, timeout) < 0 && errno != EINTR) guest_fail("poll");

    if (p[3].revents) forward_output(&out, 'O');
    if (p[4].revents) forward_output(&err, 'E');
    if (p[2].revents) {
      ssize_t n = write(in.fd, input.bytes + input.start, waiting(&input));
      if (n > 0) {
        input.start += n;
        put_number(&guest, 'A', 'I', n);
      } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
        close_stream(&in);
        put_frame(&guest, 'C', "I", 1);
      }
    }

    if (p[1].revents || timeout >= 0) {
      struct signalfd_siginfo info;
      while (read(children, &info, sizeof info) > 0) {}
      for (;;) {
        int status;
        pid_t gone = waitpid(-1, &status, WNOHANG);
        if (gone == 0) break;
        if (gone < 0) {
          alone = exited;
          kill_at = 0;
          break;
        }
        if (gone != pid) continue;
        // Power-off would kill the processes that the command has left behind. So they get SIGTERM
        // first, and a second to end.
        exited = true;
        exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        close_stream(&in);
        kill(-1, SIGTERM);
        kill(-1, SIGCONT);
        kill_at = now_ms() + 1000;
      }
      if (kill_at && now_ms() >= kill_at) {
        kill(-1, SIGKILL);
        kill_at = now_ms() + 1000;
      }
    }
    if (p[0].revents) {
      guest_fill();
      while (take_frame(&guest, &type, &payload, &count)) {
        switch (type) {
          case 'I':
            if (count == 0) input_ended = true;
            else if (in.fd >= 0) append(&input, payload, count);
            break;
          case 'J': take_spooled(payload, count, in.fd >= 0 ? &input : NULL); break;
          case 'A':
            if (payload[0] == 'O') out.credit += get_number(payload + 1);
            else err.credit += get_number(payload + 1);
            break;
          case 'C':
            if (payload[0] == 'O') close_stream(&out);
            else close_stream(&err);
            break;
          case 'K':
            if (!exited) kill(-pid, (int)get_number(payload + 1));
            break;
          case 'Z': {
            struct winsize size = {.ws_row = get_number(payload) & 0xffff,
                                   .ws_col = get_number(payload + 4) & 0xffff};
            if (in.fd >= 0) ioctl(in.fd, TIOCSWINSZ, &size);
            break;
          }
          case 'B':
            power_off();
        }
      }
    }
  }
}

// MARK: - the host

static struct termios saved_terminal;
static bool terminal_is_raw;

static void restore_terminal(void) {
  if (terminal_is_raw) tcsetattr(0, TCSADRAIN, &saved_terminal);
  terminal_is_raw = false;
}

static const char *own_name = "scripts/vm";

static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  dprintf(2, "%s: ", own_name);
  vdprintf(2, format, arguments);
  dprintf(2, terminal_is_raw ? "\r\n" : "\n");
  va_end(arguments);
}

static void put32(struct buffer *b, uint32_t number) {
  unsigned char bytes[4] = {number, number >> 8, number >> 16, number >> 24};
  append(b, bytes, 4);
}

// Returns the command's environment: NUL-ended strings that are read from a descriptor to its end,
// and the engine's name. The environment of this process comes from a shell, which adds variables
// and drops some names.
static char **read_environment(int fd, const char *engine_name) {
  static char own[64];
  int own_length = snprintf(own, sizeof own, "HIDSIM_VM=%s", engine_name);
  struct buffer b = {0};
  char bytes[16 << 10];
  for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) != 0;) {
    if (n > 0) append(&b, bytes, n);
    else if (errno != EINTR) return NULL;
  }
  close(fd);
  append(&b, "", 1);
  char **variables = NULL, *end = b.bytes + b.end - 1;
  size_t count = 0;
  for (char *p = b.bytes; p < end; p += strlen(p) + 1) count++;
  variables = calloc(count + 2, sizeof *variables);
  if (!variables) abort();
  count = 0;
  for (char *p = b.bytes; p < end; p += strlen(p) + 1)
    if (strncmp(p, own, strlen("HIDSIM_VM=")) != 0) variables[count++] = p;
  if (own_length < (int)sizeof own) variables[count] = own;
  return variables;
}

// Sends the start frame: flags, umask, rows, columns, argument count, environment count; then
// NUL-ended strings: the name for messages, the working directory, the arguments, the environment.
static void send_start(struct channel *c, uint32_t flags, char **arguments, char **environment) {
  struct buffer b = {0};
  struct winsize size = {0};
  ioctl(0, TIOCGWINSZ, &size);
  mode_t mask = umask(0);
  umask(mask);
  uint32_t argument_count = 0, environment_count = 0;
  while (arguments[argument_count]) argument_count++;
  while (environment[environment_count]) environment_count++;
  put32(&b, flags);
  put32(&b, mask);
  put32(&b, size.ws_row);
  put32(&b, size.ws_col);
  put32(&b, argument_count);
  put32(&b, environment_count);
  // PWD may be another path of the same directory; the path without links is valid inside, too.
  char *directory = getcwd(NULL, 0);
  if (!directory) directory = strdup("/");
  append(&b, own_name, strlen(own_name) + 1);
  append(&b, directory, strlen(directory) + 1);
  for (uint32_t i = 0; i < argument_count; i++)
    append(&b, arguments[i], strlen(arguments[i]) + 1);
  for (uint32_t i = 0; i < environment_count; i++)
    append(&b, environment[i], strlen(environment[i]) + 1);
  put_frame(c, 'S', b.bytes, waiting(&b));
  free(b.bytes);
  free(directory);
}

// Keeps the machine on one CPU: a UML system call switches between two processes of the host, which
// takes ten times longer across CPUs. A lock that this process holds to its end makes the next run
// use another CPU.
static void pin(const char *lock_directory) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int first = sched_getcpu(), chosen = -1;
  if (first < 0) first = 0;
  for (int i = 0; i < CPU_SETSIZE && chosen < 0; i++) {
    int cpu = (first + i) % CPU_SETSIZE;
    if (!CPU_ISSET(cpu, &allowed)) continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/cpu-%d.lock", lock_directory, cpu);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) chosen = cpu;
    else if (fd >= 0) close(fd);
  }
  CPU_ZERO(&one);
  CPU_SET(chosen >= 0 ? chosen : first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *f) {
  (void)s, (void)kind, (void)f;
  remove(path);
  return 0;
}

static void show_log(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return;
  fseek(file, 0, SEEK_END);
  long size = ftell(file), shown = size < 6000 ? size : 6000;
  fseek(file, size - shown, SEEK_SET);
  dprintf(2, "--- kernel log%s ---\n", shown < size ? " (its end)" : "");
  char bytes[6000];
  size_t n = fread(bytes, 1, shown, file);
  if (n && write(2, bytes, n) < 0) { /* stderr has no reader */ }
  dprintf(2, "--- end of kernel log ---\n");
  fclose(file);
}

// Sends input by a file that both sides see, since a UML line takes a system call for each byte.
// Each call makes a new file, since the guest caches the contents of a file. Returns false if the
// file cannot be written.
static bool spool(const char *directory, const char *bytes, size_t count, struct channel *c) {
  static unsigned serial;
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/stdin-%u", directory, serial++);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool written = write(fd, bytes, count) == (ssize_t)count;
  close(fd);
  if (written) put_frame(c, 'J', path, length);
  else unlink(path);
  return written;
}

// An output of this process: bytes from the guest, and the descriptor to which they are written.
struct sink {
  int fd;
  bool closed, ending;
  size_t chunk;
  struct buffer bytes;
};

static void open_sink(struct sink *s, int fd) {
  struct stat info;
  *s = (struct sink){.fd = fd, .chunk = CHUNK};
  // A pipe that poll reports as writable takes one page without blocking. The descriptor is not
  // made non-blocking, since that would change it for all processes that share it.
  if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) s->chunk = 4096;
}

static void drain_sink(struct sink *s, struct channel *c, char stream) {
  size_t count = waiting(&s->bytes) < s->chunk ? waiting(&s->bytes) : s->chunk;
  ssize_t n = write(s->fd, s->bytes.bytes + s->bytes.start, count);
  if (n > 0) {
    s->bytes.start += n;
    put_number(c, 'A', stream, n);
  } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
    s->closed = true;
    s->bytes.start = s->bytes.end;
    put_frame(c, 'C', &stream, 1);
  }
}

// Closes an output that the command has closed, so that its reader sees the end now and not only
// when the command ends.
static void end_sink(struct sink *s) {
  s->closed = true;
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, s->fd);
    close(null);
  }
}

// MARK: where the engine can write

// Numbers of Linux 5.2 to 6.2, since the headers of the machine that builds this may be older.
enum { SYSCALL_OPEN_TREE = 428, SYSCALL_MOVE_MOUNT = 429, SYSCALL_MOUNT_SETATTR = 442 };
enum { SYSCALL_CREATE_RULESET = 444, SYSCALL_ADD_RULE = 445, SYSCALL_RESTRICT_SELF = 446 };
enum { TREE_CLONE = 1, MOVE_FROM_EMPTY_PATH = 4, WHOLE_TREE = 0x8000, ATTRIBUTE_READ_ONLY = 1 };
enum { RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

// Makes all mounts read-only except those directories, in a mount namespace of the engine's own.
// Returns false without the right to mount, and before Linux 5.12.
static bool mount_read_only(const char *const *directories, size_t count) {
  int trees[8];
  if (count > 8 || unshare(CLONE_NEWNS) != 0) return false;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
  // Copies each tree with the mounts below it, of which some may be read-only already.
  for (size_t i = 0; i < count; i++) {
    trees[i] = (int)syscall(SYSCALL_OPEN_TREE, AT_FDCWD, directories[i],
                            TREE_CLONE | O_CLOEXEC | WHOLE_TREE);
    if (trees[i] < 0) return false;
  }
  struct {
    uint64_t set, clear, propagation, user_namespace;
  } attributes = {.set = ATTRIBUTE_READ_ONLY};
  if (syscall(SYSCALL_MOUNT_SETATTR, AT_FDCWD, "/", WHOLE_TREE, &attributes, sizeof attributes))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (syscall(SYSCALL_MOVE_MOUNT, trees[i], "", AT_FDCWD, directories[i], MOVE_FROM_EMPTY_PATH)) {
      say("cannot make %s writable for the machine: %s", directories[i], strerror(errno));
      _exit(EX_PANIC);
    }
    close(trees[i]);
  }
  return true;
}

// Forbids this process and its children to write, except below those directories. Returns the
// version of Landlock (1 is that of Linux 5.13); 0 if there is none.
static int restrict_writing(const char *const *directories, size_t count) {
  // Writing to files, removing and making files of all kinds; from version 2 on also moving them
  // between directories; from 3 on truncating them.
  uint64_t file_rights = 1 << 1, rights = file_rights | 0x1ff0;
  long version = syscall(SYSCALL_CREATE_RULESET, NULL, 0, RULESET_VERSION);
  if (version < 1) return 0;
  if (version >= 2) rights |= 1 << 13;
  if (version >= 3) rights |= 1 << 14, file_rights |= 1 << 14;
  int rules = (int)syscall(SYSCALL_CREATE_RULESET, &rights, sizeof rights, 0);
  const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full"};
  for (size_t i = 0; i < count + sizeof devices / sizeof *devices; i++) {
    struct {
      uint64_t rights;
      int32_t file;
    } __attribute__((packed)) rule = {i < count ? rights : file_rights, -1};
    rule.file = open(i < count ? directories[i] : devices[i - count], O_PATH | O_CLOEXEC);
    if (rule.file < 0) continue;
    syscall(SYSCALL_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0);
    close(rule.file);
  }
  if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYSCALL_RESTRICT_SELF, rules, 0) != 0)
    return 0;
  close(rules);
  return (int)version;
}

// Confines the writing of the engine. Root in the machine can change every file of the host that
// its engine can, also by a hostfs of its own, so that only the engine can be confined. Landlock
// also keeps the engine from /proc/PID/root of other processes, by which it could avoid the mounts.
// Landlock does not restrict changes of modes and times; the mounts do, if this process may mount.
static void confine(const char *directory, const char *memory) {
  char *here = getcwd(NULL, 0);
  const char *directories[3];
  size_t count = 0;
  if (here && strcmp(here, "/") != 0) directories[count++] = here;
  if (directory) directories[count++] = directory;
  if (memory) directories[count++] = memory;
  bool has_mounts = mount_read_only(directories, count);
  int version = restrict_writing(directories, count);
  if (version < (has_mounts ? 1 : 3))
    say("writing is not confined here, which needs Linux 6.2 or newer with Landlock: the read-only "
        "mounts guard against accidents, and root inside can undo them");
  if (here && chdir(here) != 0) { /* the machine says so */ }
  free(here);
}

// Kills the engine and all of its processes. Before its setsid() the engine has no process group.
// After it was waited for, another process may have its ID.
static void kill_engine(pid_t pid, bool is_gone) {
  kill(-pid, SIGKILL);
  if (!is_gone) kill(pid, SIGKILL);
}

// Options: --log FILE   where the engine's own output and the kernel's log go
//          --dir DIR    removed at the end
//          --memory DIR  the engine's temporary files are there; removed when the machine is up
//          --confine    the engine can write to its working directory and those two alone
//          --line       the channel is a UML line
//          --spool      longer pieces of stdin go by files in --dir
//          --pin DIR    stay on one CPU, locks in DIR
//          --boot S     seconds the machine has to come up
//          --udev       start udevd inside
//          --read-only  the command can write to its working directory and $TMPDIR alone
//          --as NAME    what messages begin with
//          --command N  the last N arguments are the command, those before it the engine
//          --environment FD ENGINE  the command's environment is there, with HIDSIM_VM=ENGINE; else it is ours
//          --probe      print nothing if the machine fails
//          --timing     print when the command started, and when the engine ended
// The channel is descriptor 3 of the engine. A second `--` separates ENGINE and COMMAND.
static int host_main(int argc, char **argv) {
  const char *log = "/dev/null", *directory = NULL, *memory = NULL, *pin_directory = NULL;
  uint32_t flags = 0;
  int boot_seconds = 60, command_count = 1, i = 2;
  char **environment = environ;
  bool quiet = false, timing = false, spooling = false, is_line = false, confined = false;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (!strcmp(argv[i], "--log")) log = argv[++i];
    else if (!strcmp(argv[i], "--dir")) directory = argv[++i];
    else if (!strcmp(argv[i], "--memory")) memory = argv[++i];
    else if (!strcmp(argv[i], "--confine")) confined = true;
    else if (!strcmp(argv[i], "--pin")) pin_directory = argv[++i];
    else if (!strcmp(argv[i], "--boot")) boot_seconds = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--command")) command_count = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--environment")) {
      environment = read_environment(atoi(argv[i + 1]), argv[i + 2]);
      i += 2;
    } else if (!strcmp(argv[i], "--line")) is_line = true;
    else if (!strcmp(argv[i], "--spool")) spooling = true;
    else if (!strcmp(argv[i], "--udev")) flags |= FLAG_UDEV;
    else if (!strcmp(argv[i], "--read-only")) flags |= FLAG_READ_ONLY;
    else if (!strcmp(argv[i], "--as")) own_name = argv[++i];
    else if (!strcmp(argv[i], "--probe")) quiet = true;
    else if (!strcmp(argv[i], "--timing")) timing = true;
  }
  char **command = argv + argc - command_count, **engine = argv + i + 1;
  if (engine >= command || !environment) return 64;

  // The caller may have closed any of the three standard files.
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd ? O_WRONLY : O_RDONLY);
  if (pin_directory) pin(pin_directory);

  sigset_t signals;
  sigemptyset(&signals);
  int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGWINCH};
  for (size_t j = 0; j < sizeof handled / sizeof *handled; j++) {
    signal(handled[j], SIG_DFL);  // nohup and background shells ignore some; the command decides
    sigaddset(&signals, handled[j]);
  }
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  signal(SIGPIPE, SIG_IGN);
  int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);

  int log_fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log_fd < 0) {
    say("cannot write the kernel's log %s: %s", log, strerror(errno));
    return EX_PANIC;
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    say("cannot make the channel to the machine: %s", strerror(errno));
    return EX_PANIC;
  }
  int64_t began = now_ms();
  pid_t self = getpid(), pid = fork();
  if (pid == 0) {
    // Its own session: a Ctrl-C in the caller's terminal is for the command, not for the machine.
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != self) _exit(1);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (confined) confine(directory, memory);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(log_fd, 1);
    dup2(log_fd, 2);
    if (ends[1] == 3) fcntl(3, F_SETFD, 0);
    else dup2(ends[1], 3);
    command[-1] = NULL;
    execvp(engine[0], engine);
    dprintf(2, "%s: %s\n", engine[0], strerror(errno));
    _exit(127);
  }
  close(ends[1]);
  struct channel c = {.fd = ends[0], .is_line = is_line, .room = LINE_WINDOW};
  set_nonblocking(c.fd);

  if (geteuid() != 0) flags |= FLAG_ORDINARY_USER;
  if (isatty(0) && isatty(1)) flags |= FLAG_PTY | (isatty(2) ? FLAG_PTY_STDERR : 0);
  struct sink out, err;
  open_sink(&out, 1);
  open_sink(&err, 2);
  uint32_t credit = WINDOW;
  bool up = false, input_open = true, ended = false, bye = false, engine_gone = false;
  int status = EX_PANIC, ended_by = 0, impatience = 0;
  int64_t deadline = began + (int64_t)boot_seconds * 1000;

  while (!engine_gone || (!c.gone && !ended)) {
    // Messages of this process go to stderr, so that stays open.
    if (out.ending && !out.closed && !waiting(&out.bytes)) end_sink(&out);
    if (ended && !waiting(&out.bytes) && !waiting(&err.bytes) && !bye) {
      put_frame(&c, 'B', NULL, 0);
      bye = true;
      deadline = now_ms() + 5000;
    }
    flush_channel(&c);
    struct pollfd p[5] = {
        {c.gone ? -1 : c.fd, POLLIN | (writable(&c) ? POLLOUT : 0), 0},
        {signal_fd, POLLIN, 0},
        {up && input_open && credit && !ended ? 0 : -1, POLLIN, 0},
        {waiting(&out.bytes) ? out.fd : -1, POLLOUT, 0},
        {waiting(&err.bytes) ? err.fd : -1, POLLOUT, 0},
    };
    int timeout = -1;
    if (!up || bye || engine_gone || c.gone) {
      int64_t left = deadline - now_ms();
      timeout = left > 0 ? (int)left : 0;
    }
    if (poll(p, 5, timeout) == 0 && timeout >= 0 && now_ms() >= deadline) {
      if (!up && !quiet) say("the machine was not ready within %d s", boot_seconds);
      kill_engine(pid, engine_gone);
      waitpid(pid, &ended_by, 0);
      engine_gone = true;
      break;
    }

    if (p[0].revents) {
      fill_channel(&c);
      char type, *payload;
      uint32_t count;
      while (take_frame(&c, &type, &payload, &count)) {
        struct sink *s = type == 'O' ? &out : &err;
        switch (type) {
          case 'H':
            // The engine has its memory, in a file that is already unlinked.
            if (memory) rmdir(memory);
            send_start(&c, flags, command, environment);
            break;
          case 'R':
            up = true;
            if (timing) say("ready after %lld ms", (long long)(now_ms() - began));
            if (flags & FLAG_PTY && tcgetattr(0, &saved_terminal) == 0) {
              struct termios raw = saved_terminal;
              cfmakeraw(&raw);
              tcsetattr(0, TCSADRAIN, &raw);
              terminal_is_raw = true;
              atexit(restore_terminal);
            }
            break;
          case 'O':
          case 'E':
            if (count == 0) s->ending = true;
            else if (!s->closed) append(&s->bytes, payload, count);
            break;
          case 'A': credit += get_number(payload + 1); break;
          case 'L': c.room += get_number(payload + 1); break;
          case 'C': input_open = false; break;
          case 'M': say("%.*s", (int)count, payload); break;
          case 'F':
            if (!quiet) say("the machine failed: %.*s", (int)count, payload);
            break;
          case 'X':
            ended = true;
            status = (int)get_number(payload + 1);
            break;
        }
      }
      if (c.gone && !bye) deadline = now_ms() + 5000;
    }
    if (p[2].revents) {
      char bytes[CHUNK];
      ssize_t n = read(0, bytes, credit < CHUNK ? credit : CHUNK);
      if (n > 0) {
        credit -= n;
        if (n < 512 || !spooling || !spool(directory, bytes, n, &c))
          put_frame(&c, 'I', bytes, n);
      } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        input_open = false;
        put_frame(&c, 'I', NULL, 0);
      }
    }
    if (p[3].revents) drain_sink(&out, &c, 'O');
    if (p[4].revents) drain_sink(&err, &c, 'E');
    struct signalfd_siginfo info;
    while (p[1].revents && read(signal_fd, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGCHLD) {
        if (waitpid(pid, &ended_by, WNOHANG) == pid) {
          engine_gone = true;
          deadline = now_ms() + 1000;
        }
      } else if (info.ssi_signo == SIGWINCH) {
        struct winsize size;
        if (flags & FLAG_PTY && ioctl(0, TIOCGWINSZ, &size) == 0) {
          unsigned char z[8] = {size.ws_row, size.ws_row >> 8, 0, 0, size.ws_col, size.ws_col >> 8};
          put_frame(&c, 'Z', z, 8);
        }
      } else if (!up) {
        // There is no command yet that could handle the signal.
        kill_engine(pid, engine_gone);
        waitpid(pid, &ended_by, 0);
        engine_gone = ended = true;
        status = 128 + (int)info.ssi_signo;
        break;
      } else {
        put_number(&c, 'K', 0, info.ssi_signo);
        bool ends = info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
                    info.ssi_signo == SIGQUIT || info.ssi_signo == SIGHUP;
        if (ends && ++impatience >= 4) {
          kill_engine(pid, engine_gone);
          ended = true;
          status = 128 + (int)info.ssi_signo;
        }
      }
    }
    if (engine_gone && ended) break;
  }
  restore_terminal();
  while (waiting(&out.bytes) && !out.closed) drain_sink(&out, &c, 'O');
  while (waiting(&err.bytes) && !err.closed) drain_sink(&err, &c, 'E');
  // Processes that the engine has left running would keep the memory file and the CPU.
  kill(-pid, SIGKILL);
  if (timing) say("ended after %lld ms", (long long)(now_ms() - began));
  if (!ended && !quiet) {
    if (WIFSIGNALED(ended_by)) say("the machine stopped (signal %d)", WTERMSIG(ended_by));
    else say("the machine stopped (status %d)", WEXITSTATUS(ended_by));
    show_log(log);
  }
  if (memory) rmdir(memory);
  if (directory) nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  return status;
}

int main(int argc, char **argv) {
  if (getpid() == 1) guest_main();
  if (argc > 3 && !strcmp(argv[1], "run")) return host_main(argc, argv);
  fprintf(stderr, "%s is a part of scripts/vm; run scripts/vm instead\n", argv[0]);
  return 64;
}
