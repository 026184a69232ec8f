// What must be compiled with _GNU_SOURCE, which a header that Swift imports beside Glibc must not set.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/socket.h>

#include "CLinux.h"

void clinux_set_thread_name(pthread_t thread, const char *name) { pthread_setname_np(thread, name); }

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int clinux_accept_blocking(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }
