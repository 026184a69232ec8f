# SPDX-License-Identifier: Apache-2.0
"""Lights Caps Lock when A is pressed, with hidapi. With --forget-number it has a common bug."""

import ctypes
import os
import sys

hidapi = ctypes.CDLL("libhidapi-hidraw.so.0")
hidapi.hid_open_path.restype = ctypes.c_void_p
hidapi.hid_read.argtypes = hidapi.hid_write.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
device = hidapi.hid_open_path(os.environ["HIDSIM_HIDRAW"].encode())
if not device:
    sys.exit("cannot open " + os.environ["HIDSIM_HIDRAW"])
report = ctypes.create_string_buffer(8)
while hidapi.hid_read(device, report, 8) > 0:
    if 0x04 in report.raw[2:]:
        # The first byte is the report's number, 0 where there is none.
        light = b"\x02" if "--forget-number" in sys.argv else b"\x00\x02"
        hidapi.hid_write(device, light, len(light))
        break
