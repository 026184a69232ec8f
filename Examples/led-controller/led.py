#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lights Caps Lock of a keyboard while A is down, until the keyboard is unplugged: led.py [/dev/hidrawN]"""

import os
import sys

path = sys.argv[1] if len(sys.argv) > 1 else os.environ["HIDSIM_HIDRAW"]
node = os.open(path, os.O_RDWR)
try:
    while True:
        is_down = 0x04 in os.read(node, 8)[2:]  # Keyboard A
        os.write(node, bytes([0x00, 0x02 if is_down else 0x00]))  # report number 0, then the LEDs
except OSError:
    pass  # the keyboard was unplugged
