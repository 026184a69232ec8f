// The headers that Swift's Glibc module lacks (epoll, eventfd, timerfd, inotify, netlink, uhid,
// hidraw, input), and small functions for macros and calls that Swift cannot import.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <linux/hidraw.h>
#include <linux/input.h>
#include <linux/netlink.h>
#include <linux/uhid.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// hidraw.h of kernels before 5.11 lacks these four; the numbers are the kernel's.
#ifndef HIDIOCSINPUT
#define HIDIOCSINPUT(len) _IOC(_IOC_WRITE | _IOC_READ, 'H', 0x09, len)
#define HIDIOCGINPUT(len) _IOC(_IOC_WRITE | _IOC_READ, 'H', 0x0A, len)
#define HIDIOCSOUTPUT(len) _IOC(_IOC_WRITE | _IOC_READ, 'H', 0x0B, len)
#define HIDIOCGOUTPUT(len) _IOC(_IOC_WRITE | _IOC_READ, 'H', 0x0C, len)
#endif

static inline unsigned long chid_HIDIOCGRDESCSIZE(void) { return HIDIOCGRDESCSIZE; }
static inline unsigned long chid_HIDIOCGRDESC(void) { return HIDIOCGRDESC; }
static inline unsigned long chid_HIDIOCGRAWINFO(void) { return HIDIOCGRAWINFO; }
static inline unsigned long chid_HIDIOCGRAWNAME(unsigned int n) { return HIDIOCGRAWNAME(n); }
static inline unsigned long chid_HIDIOCGRAWPHYS(unsigned int n) { return HIDIOCGRAWPHYS(n); }
static inline unsigned long chid_HIDIOCGRAWUNIQ(unsigned int n) { return HIDIOCGRAWUNIQ(n); }
static inline unsigned long chid_HIDIOCSFEATURE(unsigned int n) { return HIDIOCSFEATURE(n); }
static inline unsigned long chid_HIDIOCGFEATURE(unsigned int n) { return HIDIOCGFEATURE(n); }
static inline unsigned long chid_HIDIOCSINPUT(unsigned int n) { return HIDIOCSINPUT(n); }
static inline unsigned long chid_HIDIOCGINPUT(unsigned int n) { return HIDIOCGINPUT(n); }
static inline unsigned long chid_HIDIOCSOUTPUT(unsigned int n) { return HIDIOCSOUTPUT(n); }
static inline unsigned long chid_HIDIOCGOUTPUT(unsigned int n) { return HIDIOCGOUTPUT(n); }
static inline unsigned long chid_EVIOCGRAB(void) { return EVIOCGRAB; }

// ioctl is variadic, which Swift cannot call.
static inline int clinux_ioctl(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}
static inline int clinux_ioctl_int(int fd, unsigned long request, long argument) {
  return ioctl(fd, request, argument);
}
static inline int clinux_open(const char *path, int flags, mode_t mode) {
  return open(path, flags, mode);
}
static inline int clinux_set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}
static inline int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}
// fcntl is variadic, and the locks of open files need _GNU_SOURCE.
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#endif
// Locks or unlocks one byte of a file, without waiting. `type` is F_RDLCK, F_WRLCK or F_UNLCK.
// Returns 0, or -1 with errno set: EAGAIN if another open file has a lock that conflicts.
static inline int clinux_lock_byte(int fd, short type, off_t byte) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(fd, F_OFD_SETLK, &lock);
}
// Returns the type of another open file's lock on a byte, which conflicts with a write lock.
// F_UNLCK means that there is none; -1 means an error.
static inline int clinux_byte_lock(int fd, off_t byte) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 ? lock.l_type : -1;
}
// The environment: a text for each variable, and NULL at the end. It must not be changed while it
// is read.
extern char **environ;
static inline char *const *clinux_environment(void) { return environ; }
// Makes threads share the first arena of malloc: each further arena reserves 64 MiB of addresses.
static inline void clinux_use_one_arena(void) { (void)mallopt(M_ARENA_MAX, 1); }
static inline int clinux_SIGRTMIN(void) { return SIGRTMIN; }

// The union inside epoll_event imports as a nested type with an awkward name.
static inline struct epoll_event clinux_epoll_event(uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return event;
}
static inline uint64_t clinux_epoll_token(const struct epoll_event *event) {
  return event->data.u64;
}

// struct ucred needs _GNU_SOURCE, which Swift's Glibc is imported without.
struct clinux_credentials {
  int pid;
  unsigned int uid;
  unsigned int gid;
};
#ifndef SO_PEERCRED
#define SO_PEERCRED 17
#endif
static inline int clinux_SO_PEERCRED(void) { return SO_PEERCRED; }

// pthread_setname_np needs _GNU_SOURCE too.
void clinux_set_thread_name(pthread_t thread, const char *name);

// uhid.h's structures are packed, which Swift does not import faithfully: their layout, in bytes.
enum chid_uhid_layout {
  chid_uhid_event_size = sizeof(struct uhid_event),
  chid_create2_rd_data = offsetof(struct uhid_event, u.create2.rd_data),
  chid_create2_name = offsetof(struct uhid_event, u.create2.name),
  chid_create2_phys = offsetof(struct uhid_event, u.create2.phys),
  chid_create2_uniq = offsetof(struct uhid_event, u.create2.uniq),
  chid_create2_rd_size = offsetof(struct uhid_event, u.create2.rd_size),
  chid_create2_bus = offsetof(struct uhid_event, u.create2.bus),
  chid_create2_vendor = offsetof(struct uhid_event, u.create2.vendor),
  chid_create2_product = offsetof(struct uhid_event, u.create2.product),
  chid_create2_version = offsetof(struct uhid_event, u.create2.version),
  chid_create2_country = offsetof(struct uhid_event, u.create2.country),
  chid_input2_size = offsetof(struct uhid_event, u.input2.size),
  chid_input2_data = offsetof(struct uhid_event, u.input2.data),
  chid_start_dev_flags = offsetof(struct uhid_event, u.start.dev_flags),
  chid_output_data = offsetof(struct uhid_event, u.output.data),
  chid_output_size = offsetof(struct uhid_event, u.output.size),
  chid_output_rtype = offsetof(struct uhid_event, u.output.rtype),
  chid_get_report_id = offsetof(struct uhid_event, u.get_report.id),
  chid_get_report_rnum = offsetof(struct uhid_event, u.get_report.rnum),
  chid_get_report_rtype = offsetof(struct uhid_event, u.get_report.rtype),
  chid_get_report_reply_id = offsetof(struct uhid_event, u.get_report_reply.id),
  chid_get_report_reply_err = offsetof(struct uhid_event, u.get_report_reply.err),
  chid_get_report_reply_size = offsetof(struct uhid_event, u.get_report_reply.size),
  chid_get_report_reply_data = offsetof(struct uhid_event, u.get_report_reply.data),
  chid_set_report_id = offsetof(struct uhid_event, u.set_report.id),
  chid_set_report_rnum = offsetof(struct uhid_event, u.set_report.rnum),
  chid_set_report_rtype = offsetof(struct uhid_event, u.set_report.rtype),
  chid_set_report_size = offsetof(struct uhid_event, u.set_report.size),
  chid_set_report_data = offsetof(struct uhid_event, u.set_report.data),
  chid_set_report_reply_id = offsetof(struct uhid_event, u.set_report_reply.id),
  chid_set_report_reply_err = offsetof(struct uhid_event, u.set_report_reply.err),
  chid_set_report_reply_end = offsetof(struct uhid_event, u.set_report_reply.err) + 2,
};

// accept4 needs _GNU_SOURCE.
int clinux_accept(int listener);
int clinux_accept_blocking(int listener);

// Returns 1 if the other end of a socket has closed or has ended writing, even if bytes from it are
// unread, or if the socket has an error; else 0. POLLRDHUP needs _GNU_SOURCE.
int clinux_peer_has_closed(int descriptor);

// Opens the master end of a new pseudo-terminal, non-blocking, and writes the path of the other end
// to `name`. Returns the descriptor of the master end, or -1 with errno set.
int clinux_open_terminal(char *name, size_t size);
// Makes a terminal pass on every byte as it is. Returns 0, or -1 with errno set.
int clinux_make_raw(int terminal);

// Renames a file of a folder, unless there is one of the new name (EEXIST). Returns 0, or -1 with
// errno set: EINVAL if the file system does not support this.
int clinux_rename_exclusively(int folder, const char *name, const char *newName);

// Makes memory that processes can share: an anonymous file (memfd_create, which needs _GNU_SOURCE).
// Returns its descriptor, or -1 with errno set.
int clinux_make_shared_memory(const char *name, size_t size);
// Fixes the length of the memory, and forbids new writable mappings, calls of write and further
// seals; existing mappings stay writable.
// Returns 0, or -1 with errno set: EINVAL before Linux 5.1, which lacks F_SEAL_FUTURE_WRITE.
int clinux_seal_shared_memory(int descriptor);
// Returns 1 if a descriptor is such memory, of at least `size` bytes and sealed against shrinking;
// else 0.
int clinux_is_sealed(int descriptor, size_t size);
static inline void clinux_store(uint64_t *counter, uint64_t value) {
  __atomic_store_n(counter, value, __ATOMIC_RELEASE);
}
static inline uint64_t clinux_load(const uint64_t *counter) {
  return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

// Send and receive a datagram with an open descriptor (SCM_RIGHTS), without blocking. They are in
// C, because Swift does not import the macros that lay out control messages. Receiving accepts
// datagrams without a descriptor, and returns the length of the whole datagram, even if it is
// greater than `count`. It sets `descriptor` to the first descriptor that came, or to -1, and
// closes all others.
ssize_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);
ssize_t clinux_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor);
