# SPDX-License-Identifier: Apache-2.0
"""pydualsense and dualsense-controller: libraries for the DualSense that read and write its hidraw node by hidapi."""

import importlib.metadata
import queue

import dualsense_controller
import pydualsense
import pytest

on_each_bus = pytest.mark.parametrize("file, bus", [
    ("dualsense.json", "kernel"), ("dualsense.json", "usb"), ("dualsense-bluetooth.json", "kernel"),
])
BUTTONS = {
    "cross": "cross_pressed", "circle": "circle_pressed", "square": "square_pressed", "triangle": "triangle_pressed",
    "l1": "l1_changed", "r1": "r1_changed", "l3": "l3_changed", "r3": "r3_changed", "ps": "ps_pressed",
    "mute": "microphone_pressed", "touchpad": "touch_pressed", "create": "share_pressed", "options": "option_pressed",
}


@pytest.fixture
def pydualsense_pad(hidsim_device):
    """A function that plugs a pad, and opens it by pydualsense."""
    opened = []

    def begin(file):
        pad = hidsim_device(file)
        library = pydualsense.pydualsense()
        library.init()
        opened.append(library)
        # The library sends an output report after each input report. It compares each state with the one before.
        pad.script(f"expect event output {'49 bytes 02' if 'bluetooth' in file else '2 bytes'} ff 57 ... within 20s")
        return pad, library

    yield begin
    for library in opened:
        library.close()


@pytest.mark.quick
@on_each_bus
def test_buttons_and_sticks_by_pydualsense(file, bus, pydualsense_pad, saw):
    pad, library = pydualsense_pad(file)
    events = queue.SimpleQueue()
    for event in BUTTONS.values():
        setattr(library, event, getattr(library, event).__iadd__(lambda state, event=event: events.put((event, state))))
    library.left_joystick_changed += lambda x, y: events.put(("left", x, y))
    library.r2_value_changed += lambda value: events.put(("r2", value))
    for control, event in BUTTONS.items():
        for state in (True, False):
            pad.set(control, state)
            assert events.get(timeout=20) == (event, state)
    for place, expected in (("100%", 127), ("0%", -128), (128, 0)):
        pad.set("leftX", place)
        assert events.get(timeout=20) == ("left", expected, 0)
    for place, expected in (("100%", 255), ("0%", 0)):
        pad.set("rightTrigger", place)
        assert events.get(timeout=20) == ("r2", expected)
    saw("pydualsense", importlib.metadata.version("pydualsense"), file, bus, takes="libhidapi-hidraw0")


@pytest.mark.parametrize("bus", ["kernel", "usb"])
def test_lights_rumble_and_triggers_by_pydualsense(bus, pydualsense_pad):
    pad, library = pydualsense_pad("dualsense.json")
    library.light.setColorI(1, 2, 3)
    library.light.setPlayerID(pydualsense.enums.PlayerID.PLAYER_2)
    library.audio.setMicrophoneLED(True)
    library.setLeftMotor(200)
    library.setRightMotor(100)
    for control, value in {
        "red": 1, "green": 2, "blue": 3, "playerLamps": 10, "microphoneLamp": 1, "rumbleLeft": 200, "rumbleRight": 100,
    }.items():
        pad.expect(control, value, within=20)
    library.triggerR.setMode(pydualsense.enums.TriggerModes.Rigid)
    library.triggerR.setForce(1, 255)
    # Bytes 10 to 16 of the report are the effect of the right trigger: its mode, and its forces.
    pad.script(f"expect event output 2 bytes {'?? ' * 10} 01 00 ff ... within 20s")


@pytest.mark.hidsim_bus("kernel")
def test_lights_on_bluetooth_by_pydualsense(pydualsense_pad):
    pad, library = pydualsense_pad("dualsense-bluetooth.json")
    library.light.setColorI(1, 2, 3)
    for control, value in {"red": 1, "green": 2, "blue": 3}.items():
        pad.expect(control, value, within=5)


@pytest.fixture
def controller(hidsim_device):
    """A function that plugs a pad, and opens it by dualsense-controller."""
    opened = []

    def begin(file):
        pad = hidsim_device(file)
        library = dualsense_controller.DualSenseController()
        library.activate()
        opened.append(library)
        return pad, library

    yield begin
    for library in opened:
        library.deactivate()


def teller(events, name):
    """A function of one argument that adds it to the events. The library gives functions of two a time, too."""
    return lambda state: events.put((name, state))


@on_each_bus
def test_buttons_by_dualsense_controller(file, bus, controller, saw):
    pad, library = controller(file)
    events = queue.SimpleQueue()
    names = ["cross", "circle", "square", "triangle", "l1", "r1", "l3", "r3", "ps", "mute", "touchpad", "create", "options"]
    for name in names:
        getattr(library, f"btn_{name}").on_change(teller(events, name))
    for name in names:
        for state in (True, False):
            pad.set(name, state)
            assert events.get(timeout=20) == (name, state)
    saw("dualsense-controller", importlib.metadata.version("dualsense-controller"), file, bus, takes="libhidapi-hidraw0")


@pytest.mark.parametrize("bus", ["kernel", "usb"])
def test_light_and_rumble_by_dualsense_controller(bus, controller):
    pad, library = controller("dualsense.json")
    library.lightbar.set_color(1, 2, 3)
    library.left_rumble.set(0.8)
    for control, value in {"red": 1, "green": 2, "blue": 3, "rumbleLeft": 204}.items():
        pad.expect(control, value, within=20)
