# SPDX-License-Identifier: Apache-2.0
"""Virtual keyboards, mice, gamepads and other HID devices on Linux, for tests in Python.

With pytest, the fixture `hidsim_device` plugs devices for a test. Without it, `Bench` does:

    with hidsim.Bench() as bench:
        keyboard = bench.plug("keyboard.json")
        keyboard.tap("leftCtrl+c")

`Run` is hidsim's stream, which is below both.
"""

from .bench import Bench, BusUnavailable
from .device import Device, Unmet
from .program import Run
from .stream import Ended, Failed, NoProgram

__all__ = ["Bench", "BusUnavailable", "Device", "Ended", "Failed", "NoProgram", "Run", "Unmet"]
