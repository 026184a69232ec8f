// SPDX-License-Identifier: Apache-2.0
// libxkbcommon's functions, loaded when they are first needed. No logic.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xkb_context;
struct xkb_keymap;
struct xkb_state;
struct xkb_compose_table;
struct xkb_compose_state;

// struct xkb_rule_names
struct hidsim_xkb_names {
  const char *rules, *model, *layout, *variant, *options;
};

// The functions of libxkbcommon that hidsim calls, with their names there without "xkb_".
struct hidsim_xkb {
  struct xkb_context *(*context_new)(int flags);
  void (*context_unref)(struct xkb_context *);
  void (*context_set_log_level)(struct xkb_context *, int level);
  struct xkb_keymap *(*keymap_new_from_names)(struct xkb_context *, const struct hidsim_xkb_names *, int flags);
  void (*keymap_unref)(struct xkb_keymap *);
  struct xkb_state *(*state_new)(struct xkb_keymap *);
  void (*state_unref)(struct xkb_state *);
  int (*state_update_key)(struct xkb_state *, uint32_t key, int direction);
  uint32_t (*state_key_get_one_sym)(struct xkb_state *, uint32_t key);
  uint32_t (*keysym_to_utf32)(uint32_t symbol);
  int (*keysym_get_name)(uint32_t symbol, char *buffer, size_t size);
  struct xkb_compose_table *(*compose_table_new_from_locale)(struct xkb_context *, const char *locale, int flags);
  void (*compose_table_unref)(struct xkb_compose_table *);
  struct xkb_compose_state *(*compose_state_new)(struct xkb_compose_table *, int flags);
  void (*compose_state_unref)(struct xkb_compose_state *);
  int (*compose_state_feed)(struct xkb_compose_state *, uint32_t symbol);
  int (*compose_state_get_status)(struct xkb_compose_state *);
  int (*compose_state_get_utf8)(struct xkb_compose_state *, char *buffer, size_t size);
  void (*compose_state_reset)(struct xkb_compose_state *);
};

// Loads libxkbcommon.so.0 into *functions, once for the process.
// Returns NULL, or dlopen's or dlsym's message if the library or a function is missing.
const char *hidsim_xkb_load(const struct hidsim_xkb **functions);
