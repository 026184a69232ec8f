// SPDX-License-Identifier: Apache-2.0
// The functions of libudev, loaded when they are first needed. No logic.
#pragma once

#include <sys/types.h>

struct udev;
struct udev_device;
struct udev_monitor;
struct udev_queue;

// The functions of libudev that hidsim calls, with their names there.
struct hidsim_udev {
  struct udev *(*udev_new)(void);
  struct udev *(*udev_unref)(struct udev *);

  struct udev_device *(*udev_device_new_from_devnum)(struct udev *, char type, dev_t number);
  struct udev_device *(*udev_device_new_from_subsystem_sysname)(struct udev *, const char *subsystem, const char *name);
  struct udev_device *(*udev_device_unref)(struct udev_device *);
  // The parent belongs to the device.
  struct udev_device *(*udev_device_get_parent_with_subsystem_devtype)(struct udev_device *, const char *subsystem,
                                                                       const char *type);
  int (*udev_device_get_is_initialized)(struct udev_device *);
  // The texts belong to the device. NULL if there is none.
  const char *(*udev_device_get_action)(struct udev_device *);
  const char *(*udev_device_get_devpath)(struct udev_device *);
  const char *(*udev_device_get_property_value)(struct udev_device *, const char *key);
  const char *(*udev_device_get_sysattr_value)(struct udev_device *, const char *name);

  struct udev_monitor *(*udev_monitor_new_from_netlink)(struct udev *, const char *name);
  struct udev_monitor *(*udev_monitor_unref)(struct udev_monitor *);
  int (*udev_monitor_filter_add_match_subsystem_devtype)(struct udev_monitor *, const char *subsystem, const char *type);
  int (*udev_monitor_enable_receiving)(struct udev_monitor *);
  int (*udev_monitor_get_fd)(struct udev_monitor *);
  // NULL without a message, with errno.
  struct udev_device *(*udev_monitor_receive_device)(struct udev_monitor *);

  struct udev_queue *(*udev_queue_new)(struct udev *);
  struct udev_queue *(*udev_queue_unref)(struct udev_queue *);
  int (*udev_queue_get_udev_is_active)(struct udev_queue *);
};

// Loads libudev.so.1 into *functions, once for the process.
// Returns NULL, or dlopen's or dlsym's message if the library or a function is missing.
const char *hidsim_udev_load(const struct hidsim_udev **functions);
