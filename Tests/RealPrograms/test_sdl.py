# SPDX-License-Identifier: Apache-2.0
"""SDL: pads and a wheel by evdev, in three versions, and pads by SDL's own drivers (HIDAPI), in two.

The builds of SDL in pysdl2-dll know no udev, and so have no HIDAPI. Debian's and that of pygame-ce have both.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(sys.prefix)
VERSIONS = sorted(path.name.removeprefix("sdl-") for path in TOOLS.glob("sdl-*"))
PROGRAM = pathlib.Path(__file__).with_name("sdl_pad.py")

# SDL_GameControllerType, SDL_JoystickType.
PS4, PS5, SWITCH_PRO, WHEEL = 4, 7, 5, 2

# What is pressed, and SDL's name of it.
SONY = {
    "cross": "a", "circle": "b", "square": "x", "triangle": "y", "ps": "guide", "options": "start", "l1": "leftshoulder",
    "r1": "rightshoulder", "l3": "leftstick", "r3": "rightstick",
}
BUTTONS = {
    "dualsense.json": {**SONY, "create": "back"},
    "dualsense-bluetooth.json": {**SONY, "create": "back"},
    "dualshock4.json": {**SONY, "share": "back"},
    "switch-pro.json": {
        "a": "a", "b": "b", "x": "x", "y": "y", "home": "guide", "minus": "back", "plus": "start", "l": "leftshoulder",
        "r": "rightshoulder", "leftStick": "leftstick", "rightStick": "rightstick", "capture": "misc1", "up": "dpup",
        "down": "dpdown", "left": "dpleft", "right": "dpright",
    },
    # Linux calls buttons 4 and 5 of a generic pad BTN_NORTH and BTN_WEST. SDL takes them for X and Y, as their other names say.
    "gamepad.json": {
        "south": "a", "east": "b", "north": "x", "west": "y", "home": "guide", "select": "back", "start": "start",
        "leftShoulder": "leftshoulder", "rightShoulder": "rightshoulder", "leftStick": "leftstick", "rightStick": "rightstick",
    },
}
KINDS = {
    "gamepad.json": 0, "dualsense.json": PS5, "dualsense-bluetooth.json": PS5, "dualshock4.json": PS4,
    "switch-pro.json": SWITCH_PRO,
}
STICKS = {"leftX": "leftx", "leftY": "lefty", "rightX": "rightx", "rightY": "righty"}
# At most half a step of an axis with 256 values, whose middle is between two of them.
AT_REST = pytest.approx(0, abs=128)
HAT = {0: "dpup", 2: "dpright", 4: "dpdown", 6: "dpleft"}


class SDL:
    """A running sdl_pad.py."""

    def __init__(self, process):
        self.process = process
        self.version = self.next("version")[0]

    def next(self, *kinds):
        """What the program says next of these kinds."""
        for line in self.process.stdout:
            if not line.startswith("["):
                continue
            kind, *words = json.loads(line)
            if kind in kinds:
                return words
        raise AssertionError(f"SDL says nothing more of {kinds}")

    def ask(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        return self.next(command.split()[0])


@pytest.fixture
def sdl(start):
    """A function that starts sdl_pad.py with an SDL in a folder."""

    def begin(folder, kind="controller", hidapi="0", **environment):
        return SDL(start(sys.executable, PROGRAM, kind, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env={
            **os.environ, "PYSDL2_DLL_PATH": str(folder), "SDL_VIDEODRIVER": "dummy", "SDL_JOYSTICK_HIDAPI": hidapi,
            **environment,
        }))

    return begin


def from_pypi(version):
    return TOOLS / f"sdl-{version}" / "sdl2dll" / "dll"


@pytest.fixture(params=["debian", "pygame-ce"])
def build_with_udev(request, tmp_path):
    """The folder of an SDL that has HIDAPI, and what the environment needs for it."""
    if request.param == "debian":
        library, = pathlib.Path("/usr/lib").glob("*-linux-gnu/libSDL2-2.0.so.0")
    else:
        library, = TOOLS.glob("lib/python3*/site-packages/pygame_ce.libs/libSDL2-2-*")
    (tmp_path / "libSDL2-2.0.so").symlink_to(library)
    return tmp_path, {"LD_LIBRARY_PATH": str(library.parent)} if request.param == "pygame-ce" else {}


def buses_of(file):
    return ["kernel"] if "bluetooth" in file else ["kernel", "usb"]


def press_each(pad, program, buttons):
    for control, name in buttons.items():
        for state in (True, False):
            pad.set(control, state)
            assert program.next("button") == [name, int(state)], control


def turn_hat(pad, program):
    for place, name in HAT.items():
        pad.set("dpad", place)
        assert program.next("button") == [name, 1], place
        pad.set("dpad", 8)
        assert program.next("button") == [name, 0], place


def move(pad, program, control, name, *moves):
    """Moves an axis to each of the places, and expects the values. Before its first value SDL may send where it was at rest."""
    for number, (place, value) in enumerate(moves):
        pad.set(control, place)
        found = program.next("axis")
        if number == 0 and found == [name, moves[-1][1]]:
            found = program.next("axis")
        assert found == [name, value], (control, place)


def move_all(pad, program, file):
    """Moves each stick and trigger to its ends and back; none drifts at rest."""
    is_switch_pro = file == "switch-pro.json"
    # The Pro Controller's larger values are up, and its triggers are buttons.
    up, down = ("100%", "0%") if is_switch_pro else ("0%", "100%")
    for control, name in STICKS.items():
        high, low = (down, up) if control.endswith("Y") else ("100%", "0%")
        move(pad, program, control, name, (high, 32767), (low, -32768), ("50%", AT_REST))
    for control, name in zip(("zl", "zr") if is_switch_pro else ("leftTrigger", "rightTrigger"), ("lefttrigger", "righttrigger")):
        pulled, released = (True, False) if is_switch_pro else ("100%", "0%")
        move(pad, program, control, name, (pulled, 32767), (released, 0))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file, bus", [(file, bus) for file in BUTTONS for bus in buses_of(file)])
def test_pad_by_evdev(file, bus, version, hidsim_device, sdl, saw):
    pad = hidsim_device(file)
    program = sdl(from_pypi(version))
    name, kind, path = program.next("opened")
    assert (kind, path.startswith("/dev/input/event")) == (KINDS[file], True), name
    press_each(pad, program, BUTTONS[file])
    if file != "switch-pro.json":
        turn_hat(pad, program)
    if (file, version) == ("gamepad.json", "2.26.5"):
        # This version takes Z and Rz of every pad that it does not know for triggers.
        move(pad, program, "leftX", "leftx", ("100%", 32767), ("0%", -32768), ("50%", AT_REST))
        move(pad, program, "rightX", "lefttrigger", ("100%", 32767), ("0%", 0), ("50%", pytest.approx(16384, abs=1)))
    else:
        move_all(pad, program, file)
    saw("SDL, by evdev", program.version, file, bus)


@pytest.mark.quick
def expect_rumble(program, pad):
    """Expects that both motors of a pad run as the program sets them, and stop."""
    assert program.ask("rumble 65535 32768") == [0]
    pad.expect("rumbleLeft", 255, within=5)
    pad.expect("rumbleRight", 128, within=5)
    assert program.ask("rumble 0 0") == [0]
    pad.expect("rumbleLeft", 0, within=5)


@pytest.mark.parametrize("bus", ["kernel", "usb"])
def test_rumble_of_dualsense_by_evdev(bus, hidsim_device, sdl):
    pad = hidsim_device("dualsense.json")
    program = sdl(from_pypi(VERSIONS[-1]))
    program.next("opened")
    expect_rumble(program, pad)


@pytest.mark.hidsim_bus("usb")
@pytest.mark.parametrize("version", VERSIONS)
def test_wheel(version, hidsim_device, sdl, saw):
    wheel = hidsim_device("g27-wheel.json")
    program = sdl(from_pypi(version), "joystick")
    name, kind, _ = program.next("opened")
    assert ("G27" in name, kind) == (True, WHEEL)
    press_each(wheel, program, {f"button {number}": number - 1 for number in range(1, 23)})
    move(wheel, program, "wheel", 0, ("100%", 32767), ("0%", -32768), ("50%", AT_REST))
    # The pedals are the axes Y, Z and Rz. A released pedal is at its maximum.
    for control, number in {"clutch": 1, "throttle": 2, "brake": 3}.items():
        move(wheel, program, control, number, ("0%", -32768), ("100%", 32767))
    for place, value in {0: 1, 2: 2, 4: 4, 6: 8}.items():
        wheel.set("dpad", place)
        assert program.next("hat") == [0, value]
        wheel.set("dpad", 8)
        assert program.next("hat") == [0, 0]
    assert program.ask("force 32767") == [0]
    # The force to the left, at its limit: what hid-lg4ff sends for the largest level.
    wheel.script("expect force 255 within 5s")
    saw("SDL, by evdev", program.version, "g27-wheel.json", "usb")


@pytest.mark.parametrize("file, bus", [
    ("dualsense.json", "usb"), ("dualshock4.json", "usb"), ("switch-pro.json", "usb"), ("dualsense-bluetooth.json", "kernel"),
])
def test_pad_by_hidapi(file, bus, build_with_udev, hidsim_device, sdl, saw):
    pad = hidsim_device(file)
    folder, environment = build_with_udev
    program = sdl(folder, hidapi="1", **environment)
    name, kind, path = program.next("opened")
    assert (kind, path) == (KINDS[file], pad.hidraw), name
    more = {"touchpad": "touchpad"} if "switch" not in file else {}
    if "dualsense" in file:
        more["mute"] = "misc1"
    press_each(pad, program, {**BUTTONS[file], **more})
    if file != "switch-pro.json":
        turn_hat(pad, program)
    move_all(pad, program, file)
    saw("SDL, by its own drivers (HIDAPI)", program.version, file, bus, takes="an SDL with libudev, udevd")


@pytest.mark.hidsim_bus("kernel")
@pytest.mark.parametrize("file", ["dualsense.json", "dualshock4.json", "switch-pro.json"])
def test_hidapi_takes_no_usb_pad_of_the_kernel_bus(file, build_with_udev, hidsim_device, sdl, saw):
    """HIDAPI of SDL looks for the USB device of a pad whose transport is USB. There is none, and so SDL uses evdev."""
    hidsim_device(file)
    folder, environment = build_with_udev
    program = sdl(folder, hidapi="1", **environment)
    assert program.next("opened")[2].startswith("/dev/input/event")
    saw("SDL, by its own drivers (HIDAPI)", program.version, file, "kernel", sees=False)


@pytest.mark.hidsim_bus("usb")
@pytest.mark.parametrize("file", ["dualsense.json", "dualshock4.json"])
def test_rumble_and_light_by_hidapi(file, build_with_udev, hidsim_device, sdl):
    pad = hidsim_device(file)
    folder, environment = build_with_udev
    program = sdl(folder, hidapi="1", **environment)
    program.next("opened")
    expect_rumble(program, pad)
    assert program.ask("led 255 1 2") == [0]
    pad.expect("red", 255, within=5)
    pad.expect("green", 1, within=5)
    pad.expect("blue", 2, within=5)


@pytest.mark.hidsim_bus("usb")
def test_player_and_rumble_of_switch_pro_by_hidapi(build_with_udev, hidsim_device, sdl):
    pad = hidsim_device("switch-pro.json")
    folder, environment = build_with_udev
    program = sdl(folder, hidapi="1", **environment)
    program.next("opened")
    program.ask("player 2")
    pad.script("expect lamps 4 within 5s")
    assert program.ask("rumble 65535 65535") == [0]
    # Bytes 1 to 8 are the left and the right motor: the largest amplitudes of the high (c8) and of the low (72) frequency.
    pad.script("expect event output 16 bytes ?? ?? c8 ?? 72 ?? c8 ?? 72 ... within 5s")


@pytest.mark.hidsim_bus("kernel")
def test_light_of_dualsense_on_bluetooth_by_hidapi(build_with_udev, hidsim_device, sdl):
    pad = hidsim_device("dualsense-bluetooth.json")
    folder, environment = build_with_udev
    program = sdl(folder, hidapi="1", **environment)
    program.next("opened")
    assert program.ask("led 1 2 3") == [0]
    pad.expect("red", 1, within=5)
    pad.expect("green", 2, within=5)
    pad.expect("blue", 3, within=5)
