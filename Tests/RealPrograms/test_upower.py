# SPDX-License-Identifier: Apache-2.0
"""UPower: the battery of a pad and of a keyboard, as desktops show it."""

import os
import pathlib
import re
import time

import pytest
from conftest import lines_until

CONFIGURATION = """
<busconfig>
  <type>system</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>
"""


@pytest.fixture
def upower(start, run, tmp_path):
    """A function that starts UPower on a message bus of its own, and returns what it says of a battery, and its version."""

    def ask():
        path = tmp_path / "bus"
        (tmp_path / "configuration").write_text(CONFIGURATION.format(path=path), encoding="utf-8")
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={path}"}
        bus = start("dbus-daemon", "--nofork", "--print-address", f"--config-file={tmp_path / 'configuration'}")
        lines_until(bus, str(path))
        daemon = start("/usr/libexec/upowerd", "--verbose", "--replace", env=environment)
        lines = lines_until(daemon, "added native-path")
        version = re.search(r"version ([0-9.]+)", " ".join(lines))[1]
        node, = [line for line in run("upower", "--enumerate", env=environment).splitlines() if "/battery_" in line]
        return run("upower", "--show-info", node, env=environment), version

    return ask


def wait_for_capacity(percent):
    """Waits until the kernel has the charge of a battery, from a report of the device."""
    deadline = time.monotonic() + 20
    while True:
        found = [path.read_text().strip() for path in pathlib.Path("/sys/class/power_supply").glob("*/capacity")]
        if str(percent) in found:
            return
        assert time.monotonic() < deadline, found


@pytest.mark.parametrize("bus", ["kernel", "usb"])
def test_battery_of_dualsense(bus, hidsim_device, upower, saw):
    pad = hidsim_device("dualsense.json")
    pad.set("battery", 4)
    pad.set("charging", 0)
    wait_for_capacity(45)
    told, version = upower()
    assert re.search(r"percentage: +45%", told)
    assert re.search(r"state: +discharging", told)
    saw("UPower", version, "dualsense.json", bus, takes="udevd, a system bus of D-Bus")


@pytest.mark.hidsim_bus("kernel")
def test_battery_of_magic_keyboard(hidsim_device, upower, saw):
    keyboard = hidsim_device("magic-keyboard.json")
    keyboard.script("battery 42%")
    wait_for_capacity(42)
    told, version = upower()
    assert re.search(r"percentage: +42%", told)
    saw("UPower", version, "magic-keyboard.json", "kernel", takes="udevd, a system bus of D-Bus")
