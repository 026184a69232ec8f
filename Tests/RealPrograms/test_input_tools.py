# SPDX-License-Identifier: Apache-2.0
"""evtest, libinput and python-evdev: what reads evdev nodes, and so is what desktops and scripts see."""

import json
import re
import subprocess

import pytest
from conftest import lines_until

both_buses = pytest.mark.parametrize("bus", ["kernel", "usb"])


@pytest.fixture
def evtest(start, hidsim_device):
    """A function that plugs a device, and starts evtest on its first evdev node."""

    def begin(file):
        device = hidsim_device(file)
        # evtest does not flush its output to a pipe.
        program = start("stdbuf", "-oL", "evtest", device.evdev)
        lines_until(program, "Testing ...")
        return device, program

    return begin


def evtest_version():
    words = subprocess.run(["evtest", "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    return words[-1]


@pytest.mark.quick
@both_buses
def test_evtest_reads_keyboard(bus, evtest, saw):
    keyboard, program = evtest("keyboard.json")
    keyboard.tap("leftShift+a")
    lines_until(program, "code 42 (KEY_LEFTSHIFT), value 1")
    lines_until(program, "code 30 (KEY_A), value 1")
    lines_until(program, "code 30 (KEY_A), value 0")
    lines_until(program, "code 42 (KEY_LEFTSHIFT), value 0")
    saw("evtest", evtest_version(), "keyboard.json", bus)


@both_buses
def test_evtest_reads_gamepad(bus, evtest, saw):
    pad, program = evtest("gamepad.json")
    pad.set("south", True)
    lines_until(program, "(BTN_SOUTH), value 1")
    pad.set("leftX", "100%")
    lines_until(program, "(ABS_X), value 32767")
    pad.set("rightTrigger", "100%")
    lines_until(program, "(ABS_GAS), value 255")
    pad.set("dpad", 6)
    lines_until(program, "(ABS_HAT0X), value -1")
    saw("evtest", evtest_version(), "gamepad.json", bus)


@pytest.fixture
def libinput(start, run, hidsim_device):
    """A function that plugs a device and starts `libinput debug-events`. It returns both, and the version of libinput."""

    def begin(file):
        device = hidsim_device(file)
        program = start("libinput", "debug-events", "--show-keycodes")
        lines_until(program, "DEVICE_ADDED")
        return device, program, run("libinput", "--version").strip()

    return begin


@both_buses
def test_libinput_reads_keyboard(bus, libinput, saw):
    keyboard, program, version = libinput("keyboard.json")
    keyboard.tap("leftShift+a")
    lines_until(program, "KEY_LEFTSHIFT (42) pressed")
    lines_until(program, "KEY_A (30) pressed")
    lines_until(program, "KEY_A (30) released")
    lines_until(program, "KEY_LEFTSHIFT (42) released")
    saw("libinput", version, "keyboard.json", bus, takes="udevd")


@both_buses
def test_libinput_reads_mouse(bus, libinput, saw):
    mouse, program, version = libinput("mouse.json")
    mouse.move(10, -5)
    assert re.search(r"10.00/ ?-5.00\)", lines_until(program, "POINTER_MOTION")[-1])
    mouse.click("right")
    lines_until(program, "BTN_RIGHT (273) pressed")
    lines_until(program, "BTN_RIGHT (273) released")
    mouse.scroll(-2)
    # Two detents of 15 degrees towards the user are 30 degrees down.
    assert "vert 30.00/240.0" in lines_until(program, "POINTER_SCROLL_WHEEL")[-1]
    saw("libinput", version, "mouse.json", bus, takes="udevd")


@both_buses
def test_libinput_reads_touchpad(bus, libinput, saw):
    pad, program, version = libinput("precision-touchpad.json")
    pad.script("touch 1 at 30% 50%")
    for place in range(32, 62, 2):
        pad.script(f"touch 1 move {place}% 50%")
    lines_until(program, "POINTER_MOTION")
    pad.script("touch 1 up")
    pad.script("touch 1 at 30% 30% 2 at 50% 30%")
    for place in range(32, 62, 2):
        pad.script(f"touch 1 move 30% {place}% 2 move 50% {place}%")
    lines_until(program, "POINTER_SCROLL_FINGER")
    pad.script("touch 1 up 2 up")
    saw("libinput", version, "precision-touchpad.json", bus, takes="udevd")


@pytest.mark.hidsim_bus("usb")
def test_libinput_reads_tablet(libinput, saw):
    tablet, program, version = libinput("huion-h1161.json")
    # libinput ends a stroke after 50 ms without a report.
    tablet.script("""
        set near on penX 10000 penY 5000
        set tip on pressure 2000
        set penX 20000
        set tip off pressure 0
        set near off
    """)
    # 5080 steps of the pen are an inch: 10000 are 50 mm.
    assert "50.00*/25.00*" in lines_until(program, "proximity-in")[-1]
    assert lines_until(program, "TABLET_TOOL_TIP")[-1].endswith("down")
    # libinput smooths the way: the first step is shorter.
    assert 50 < float(re.search(r"([0-9.]+)\*/25.00", lines_until(program, "TABLET_TOOL_AXIS")[-1])[1]) <= 100
    assert lines_until(program, "TABLET_TOOL_TIP")[-1].endswith("up")
    lines_until(program, "proximity-out")
    saw("libinput", version, "huion-h1161.json", "usb", takes="udevd")


@pytest.mark.parametrize("file, bus, capability", [
    ("keyboard.json", "kernel", "keyboard"), ("mouse.json", "kernel", "pointer"), ("mouse.json", "usb", "pointer"),
    ("precision-touchpad.json", "kernel", "pointer gesture"), ("huion-h1161.json", "usb", "tablet"),
])
def test_libinput_lists(file, bus, capability, hidsim_device, run):
    device = hidsim_device(file)
    found = re.findall(r"Device: +(.*)\nKernel: .*\n(?:.*\n)*?Capabilities: +(.*)", run("libinput", "list-devices"))
    assert any(capability == what.strip() for name, what in found if device.name in name), found


EVDEV = """
import evdev, json, sys
device = evdev.InputDevice(sys.argv[1])
print(json.dumps([device.name, device.info.vendor, device.info.product]), flush=True)
device.set_led(evdev.ecodes.LED_CAPSL, 1)
for event in device.read_loop():
    if event.type == evdev.ecodes.EV_KEY:
        print(json.dumps([evdev.ecodes.KEY[event.code], event.value]), flush=True)
"""


@pytest.mark.quick
@both_buses
def test_python_evdev_reads_keyboard_and_lights_its_lamp(bus, hidsim_device, start, run, saw):
    keyboard = hidsim_device("keyboard.json")
    program = start("/usr/bin/python3", "-c", EVDEV, keyboard.evdev)
    assert json.loads(program.stdout.readline())[1:] == [0x1209, 0x0001]
    keyboard.expect("led.capsLock", True, within=10)
    keyboard.tap("a")
    assert json.loads(program.stdout.readline()) == ["KEY_A", 1]
    assert json.loads(program.stdout.readline()) == ["KEY_A", 0]
    version = run("/usr/bin/python3", "-c", "import importlib.metadata as m; print(m.version('evdev'))").strip()
    saw("python-evdev", version, "keyboard.json", bus)
