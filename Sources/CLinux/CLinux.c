// Functions that need _GNU_SOURCE, which a header that Swift imports beside Glibc must not set; and
// longer functions for terminals, shared memory and sockets.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "CLinux.h"

void clinux_set_thread_name(pthread_t thread, const char *name) { pthread_setname_np(thread, name); }

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int clinux_accept_blocking(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int clinux_peer_has_closed(int descriptor) {
  struct pollfd end = {.fd = descriptor, .events = POLLRDHUP};
  return poll(&end, 1, 0) == 1;
}

int clinux_open_terminal(char *name, size_t size) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) return -1;
  int error = 0;
  if (grantpt(master) != 0 || unlockpt(master) != 0) error = errno;
  if (error == 0) error = ptsname_r(master, name, size);
  if (error == 0) return master;
  close(master);
  errno = error;
  return -1;
}

int clinux_make_raw(int terminal) {
  struct termios settings;
  if (tcgetattr(terminal, &settings) != 0) return -1;
  cfmakeraw(&settings);
  return tcsetattr(terminal, TCSANOW, &settings);
}

// Older headers lack some of these. The values are the kernel's.
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#endif
#ifndef F_SEAL_SEAL
#define F_SEAL_SEAL 0x0001
#define F_SEAL_SHRINK 0x0002
#define F_SEAL_GROW 0x0004
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

int clinux_make_shared_memory(const char *name, size_t size) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, (off_t)size) != 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

int clinux_seal_shared_memory(int descriptor) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

int clinux_is_sealed(int descriptor, size_t size) {
  struct stat status;
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(descriptor, &status) == 0 && status.st_size >= (off_t)size;
}

ssize_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  memset(&control, 0, sizeof control);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t clinux_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor) {
  // One message carries at most 253 descriptors: SCM_MAX_FD of the kernel.
  union {
    char bytes[CMSG_SPACE(253 * sizeof(int))];
    struct cmsghdr alignment;
  } control;
  struct iovec vector = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  *descriptor = -1;
  ssize_t result = recvmsg(socket, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
  if (result < 0) return result;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < received; index++) {
      int each;
      memcpy(&each, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
      if (*descriptor < 0) {
        *descriptor = each;
      } else {
        close(each);
      }
    }
  }
  return result;
}

int clinux_rename_exclusively(int folder, const char *name, const char *newName) {
  return renameat2(folder, name, folder, newName, RENAME_NOREPLACE);
}
