// SPDX-License-Identifier: Apache-2.0
#include "CXKB.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct hidsim_xkb loaded;
static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libxkbcommon.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "%s", dlerror());
    return;
  }
#define LOAD(name)                                                   \
  if (!(*(void **)&loaded.name = dlsym(library, "xkb_" #name))) {    \
    snprintf(problem, sizeof problem, "%s", dlerror());              \
    return;                                                          \
  }
  LOAD(context_new)
  LOAD(context_unref)
  LOAD(context_set_log_level)
  LOAD(keymap_new_from_names)
  LOAD(keymap_unref)
  LOAD(state_new)
  LOAD(state_unref)
  LOAD(state_update_key)
  LOAD(state_key_get_one_sym)
  LOAD(keysym_to_utf32)
  LOAD(keysym_get_name)
  LOAD(compose_table_new_from_locale)
  LOAD(compose_table_unref)
  LOAD(compose_state_new)
  LOAD(compose_state_unref)
  LOAD(compose_state_feed)
  LOAD(compose_state_get_status)
  LOAD(compose_state_get_utf8)
  LOAD(compose_state_reset)
}

const char *hidsim_xkb_load(const struct hidsim_xkb **functions) {
  pthread_once(&once, load);
  *functions = &loaded;
  return problem[0] ? problem : NULL;
}
