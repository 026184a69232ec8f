// SPDX-License-Identifier: Apache-2.0
#include "CUdev.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct hidsim_udev loaded;
static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libudev.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "%s", dlerror());
    return;
  }
#define LOAD(name)                                           \
  if (!(*(void **)&loaded.name = dlsym(library, #name))) {   \
    snprintf(problem, sizeof problem, "%s", dlerror());      \
    return;                                                  \
  }
  LOAD(udev_new)
  LOAD(udev_unref)
  LOAD(udev_device_new_from_devnum)
  LOAD(udev_device_new_from_subsystem_sysname)
  LOAD(udev_device_unref)
  LOAD(udev_device_get_parent_with_subsystem_devtype)
  LOAD(udev_device_get_is_initialized)
  LOAD(udev_device_get_action)
  LOAD(udev_device_get_devpath)
  LOAD(udev_device_get_property_value)
  LOAD(udev_device_get_sysattr_value)
  LOAD(udev_monitor_new_from_netlink)
  LOAD(udev_monitor_unref)
  LOAD(udev_monitor_filter_add_match_subsystem_devtype)
  LOAD(udev_monitor_enable_receiving)
  LOAD(udev_monitor_get_fd)
  LOAD(udev_monitor_receive_device)
  LOAD(udev_queue_new)
  LOAD(udev_queue_unref)
  LOAD(udev_queue_get_udev_is_active)
}

const char *hidsim_udev_load(const struct hidsim_udev **functions) {
  pthread_once(&once, load);
  *functions = &loaded;
  return problem[0] ? problem : NULL;
}
