// What Swift's Glibc module lacks. Declarations only, and inline functions for macros Swift cannot
// import. No logic.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
