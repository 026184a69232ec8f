# SPDX-License-Identifier: Apache-2.0
"""A blink(1): Linux's hid-led, ThingM's library blink1, and busylight-core."""

import importlib.metadata
import pathlib
import platform
import sys

import pytest

buses = pytest.mark.parametrize("bus", ["kernel", "usb"])

# Both libraries import `hid`: hidapi on libusb, which finds no device of the kernel bus. hidapi on
# hidraw is the module `hidraw` of the same package.
MODULE = {"usb": "", "kernel": "import sys, hidraw; sys.modules['hid'] = hidraw\n"}
TAKES = {"usb": "", "kernel": "hidapi's module hidraw in place of hid"}

BLINK1 = """
from blink1.blink1 import Blink1
[serial] = Blink1.list()
lamp = Blink1(serial, gamma=(1, 1, 1))
"""

BUSYLIGHT = """
from busylight_core.vendors.thingm import Blink1
lamp = Blink1.first_light()
"""


@pytest.fixture
def python(bus, run):
    """A function that runs lines of Python, and returns what they print."""
    return lambda *lines: run(sys.executable, "-c", MODULE[bus] + "\n".join(lines))


def led(colour, number):
    """The folder of one of the kernel's LEDs."""
    [path] = pathlib.Path("/sys/class/leds").glob(f"thingm*:{colour}:led{number}")
    return path


@pytest.mark.quick
@buses
def test_the_kernel_has_six_leds(bus, hidsim_device, saw):
    lamp = hidsim_device("blink1.json")
    for number, name in enumerate("AB"):
        for value, colour in enumerate(("red", "green", "blue"), 100 + 50 * number):
            assert (led(colour, number) / "max_brightness").read_text() == "255\n"
            (led(colour, number) / "brightness").write_text(str(value))
            lamp.script(f"expect {colour}{name} {value} within 5s")
    for state, value in {"redA": 100, "greenA": 101, "blueA": 102, "redB": 150, "greenB": 151, "blueB": 152}.items():
        lamp.script(f"expect {state} {value}")
    saw("Linux, hid-led", platform.release(), "blink1.json", bus)


@buses
def test_version_and_serial_number(bus, hidsim_device, python, saw):
    hidsim_device("blink1.json")
    output = python(BLINK1, "print(lamp.get_version(), lamp.get_serial_number(), lamp.pattern_lines)")
    assert output == "205 2000D0A1 16\n"
    saw("blink1", importlib.metadata.version("blink1"), "blink1.json", bus, takes=TAKES[bus])


@buses
def test_colours_are_set_and_read_back(bus, hidsim_device, python, saw):
    lamp = hidsim_device("blink1.json")
    output = python(
        BLINK1, "lamp.fade_to_rgb(500, 255, 128, 0)", "lamp.fade_to_color(20, 'navy', ledn=2)",
        "print(lamp.read_rgb(1)[:3], lamp.read_rgb(2)[:3])",
    )
    assert output == "(255, 128, 0) (0, 0, 128)\n"
    for state, value in {"redA": 255, "greenA": 128, "blueA": 0, "redB": 0, "greenB": 0, "blueB": 128, "fade": 2}.items():
        lamp.script(f"expect {state} {value}")
    saw("blink1", importlib.metadata.version("blink1"), "blink1.json", bus, takes=TAKES[bus])


@buses
def test_a_pattern_is_played_and_stopped(bus, hidsim_device, python, saw):
    lamp = hidsim_device("blink1.json")
    output = python(
        BLINK1, "lamp.play(3, 9, 4)", "print(*lamp.read_play_state()[:4])", "lamp.stop()", "print(lamp.read_play_state().playing)"
    )
    assert output == "True 3 9 4\nFalse\n"
    lamp.wait("set", bytes="01 70 01 03 09 04 00 00 00")
    lamp.script("expect playing 0")
    saw("blink1", importlib.metadata.version("blink1"), "blink1.json", bus, takes=TAKES[bus])


@buses
def test_a_busy_light_is_on_and_off(bus, hidsim_device, python, saw):
    lamp = hidsim_device("blink1.json")
    python(BUSYLIGHT, "lamp.on((255, 0, 64))")
    for state, value in {"redA": 255, "greenA": 0, "blueA": 64, "redB": 255, "blueB": 64}.items():
        lamp.script(f"expect {state} {value}")
    python(BUSYLIGHT, "lamp.off()")
    for state in ("redA", "blueA", "redB", "blueB"):
        lamp.script(f"expect {state} 0")
    saw("busylight-core", importlib.metadata.version("busylight-core"), "blink1.json", bus, takes=TAKES[bus])
