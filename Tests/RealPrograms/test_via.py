# SPDX-License-Identifier: Apache-2.0
"""qmk-via-api, a client of VIA, and a keyboard whose keymap it changes."""

import importlib.metadata
import json
import sys

import pytest

VERSION = importlib.metadata.version("qmk-via-api")

buses = pytest.mark.parametrize("bus", ["kernel", "usb"])

# The client finds the keyboard by its vendor, its product and the usage page of VIA.
CLIENT = """
import json
from qmk_via_api import KeyboardApi
api = KeyboardApi(0x1209, 0x000b, 0xff60)
"""


@pytest.fixture
def keyboard(hidsim_device):
    return hidsim_device("via-keyboard.json")


@pytest.fixture
def via(keyboard, run):
    """A function that returns the values of expressions with the client `api`."""

    def call(*expressions):
        return json.loads(run(sys.executable, "-c", f"{CLIENT}print(json.dumps([{', '.join(expressions)}]))"))

    return call


@pytest.mark.quick
@buses
def test_version_and_layers(bus, via, saw):
    assert via("api.get_protocol_version()", "api.get_layer_count()") == [12, 2]
    saw("qmk-via-api", VERSION, "via-keyboard.json", bus)


@buses
def test_a_keycode_is_changed_and_read_back(bus, keyboard, via, saw):
    found = via("api.get_key(0, 1, 2)", "api.set_key(0, 1, 2, 0x0106)", "api.get_key(0, 1, 2)", "api.get_key(1, 1, 2)")
    assert found == [0x5221, 0x0106, 0x0106, 1]
    keyboard.script("expect k012 0x106")
    assert via("api.get_key(7, 0, 0)") == [0]  # the keyboard has no layer 7
    saw("qmk-via-api", VERSION, "via-keyboard.json", bus)


@buses
def test_the_whole_keymap_is_written_and_read_back(bus, keyboard, via, saw):
    before, _, after, layer = via(
        "api.get_keymap_buffer(0, 24)", "api.fast_write_raw_matrix([[1, 2, 3, 4, 5, 0x5222], [7, 8, 9, 10, 11, 12]])",
        "api.get_keymap_buffer(0, 24)", "api.get_keymap_buffer(12, 12)",
    )
    assert before[:2] == [0, 4] and before[10:12] == [0x52, 0x21]
    assert after == [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0x52, 0x22, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12]
    assert layer == after[12:]
    keyboard.script("expect k012 0x5222 ; expect k112 12")
    saw("qmk-via-api", VERSION, "via-keyboard.json", bus)


@buses
def test_the_rgb_matrix_is_set_saved_and_read_back(bus, keyboard, via, saw):
    # Version 0.2.0 of the client reads effect and speed wrong: it returns the number of the value.
    found = via(
        "api.get_rgb_matrix_brightness()", "api.get_rgb_matrix_color()", "api.set_rgb_matrix_brightness(200)",
        "api.set_rgb_matrix_effect(5)", "api.set_rgb_matrix_effect_speed(90)", "api.set_rgb_matrix_color(170, 240)",
        "api.save_custom_menu(3)", "api.get_rgb_matrix_brightness()", "api.get_rgb_matrix_color()",
    )
    assert found[:2] == [128, [0, 255]] and found[-2:] == [200, [170, 240]]
    for state, value in {"brightness": 200, "effect": 5, "speed": 90, "hue": 170, "saturation": 240, "saves": 1}.items():
        keyboard.script(f"expect {state} {value}")
    saw("qmk-via-api", VERSION, "via-keyboard.json", bus)


@buses
def test_macros_are_written_read_back_and_reset(bus, via, saw):
    macros = [*b"hello", 0, *b"sim", 0, 0, 0]
    found = via(
        "api.get_macro_count()", "api.get_macro_buffer_size()", f"api.set_macro_bytes({macros})", "api.get_macro_bytes()",
        "api.reset_macros()", "api.get_macro_bytes()",
    )
    assert found == [4, 28, None, macros + [0] * 16, None, [0] * 28]
    saw("qmk-via-api", VERSION, "via-keyboard.json", bus)


@buses
def test_a_command_that_the_keyboard_does_not_know(bus, keyboard, via, saw):
    # The client returns None because the answer begins with ff.
    assert via("api.get_audio_enabled()", "api.get_encoder_value(0, 0, True)", "api.get_protocol_version()") == [None, None, 12]
    for report in ("ff 04 01", "ff 00 00 01"):
        keyboard.wait("input", bytes=lambda text, report=report: text.startswith(report))
    saw("qmk-via-api", VERSION, "via-keyboard.json", bus)
