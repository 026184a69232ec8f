# SPDX-License-Identifier: Apache-2.0
"""The page, with virtual devices: what their users do, and what the page sends."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def pad(page, hidsim_device):
    """A DualSense that is plugged while the page is open."""
    pad = hidsim_device("dualsense.json")
    expect(page.get_by_role("status")).to_have_text("The DualSense is connected.")
    return pad


def serial(text, status=2):
    """The answer of a DualSense to the question for its serial number, as bytes of a script."""
    return bytes([1, 19, status, *text.encode()]).hex(" ")


def test_buttons_have_names(pad, page):
    pressed = page.locator("#pressed")
    expect(pressed).to_have_text("nothing")
    pad.press("cross+r1")
    expect(pressed).to_have_text("cross, R1")
    pad.release("cross")
    expect(pressed).to_have_text("R1")
    pad.set("r1", False, "dpad", 3)
    expect(pressed).to_have_text("down right")


def test_sticks_and_battery_are_shown(pad, page):
    pad.set("leftX", 0, "leftY", 192, "battery", 3, "charging", 0)
    expect(page.locator("#left-stick")).to_have_text("-1.00, 0.50")
    expect(page.locator("#right-stick")).to_have_text("0.00, 0.00")
    expect(page.locator("#battery")).to_have_text("35 %, in use")


def test_light_bar_gets_the_colour(pad, page):
    page.get_by_label("Light bar").fill("#20c0ff")
    pad.expect("red", 0x20, within=5)
    pad.expect("green", 0xC0)
    pad.expect("blue", 0xFF)
    pad.expect("means.lightBar", True)
    pad.expect("means.rumble", False)


def test_serial_number_is_read(pad, page):
    # The pad needs a moment: its first answer has the status 1.
    pad.script(f"answer once get feature 0x81 with {serial('', status=1)}")
    pad.script(f"answer once get feature 0x81 with {serial('E2340001200001234')}")
    page.get_by_role("button", name="Read the serial number").click()
    question = pad.wait("set", type="feature", report=0x80)
    assert question["bytes"].startswith("80 01 13 00")
    expect(page.locator("#serial")).to_have_text("E2340001200001234")


def test_refused_request_is_shown(pad, page):
    pad.script("answer once set feature 0x80 with error")
    page.get_by_role("button", name="Read the serial number").click()
    expect(page.get_by_role("status")).to_contain_text("Reading the serial number failed")
    expect(page.locator("#serial")).to_have_text("not read")


def test_unplugged_pad_disappears_and_comes_back(pad, page):
    section = page.get_by_role("region", name="DualSense")
    expect(section).to_be_visible()
    pad.unplug()
    expect(page.get_by_role("status")).to_have_text("The DualSense is disconnected.")
    expect(section).to_be_hidden()
    expect(page.locator("#devices li")).to_have_count(0)
    pad.plug()
    expect(section).to_be_visible()
    pad.press("triangle")
    expect(page.locator("#pressed")).to_have_text("triangle")


def test_keyboards_are_protected(page, hidsim_device):
    # No page gets them, whatever the policy says. The browser has seen the keyboard when it lists the gamepad.
    hidsim_device("keyboard.json")
    hidsim_device("gamepad.json")
    expect(page.locator("#devices li")).to_have_text([re.compile("gamepad 1209:0003")])


@pytest.mark.parametrize("file, mapping, button", [
    ("dualsense.json", "standard", "circle"), ("gamepad.json", "none", "east")])
def test_gamepad_has_a_mapping(file, mapping, button, page, hidsim_device):
    pad = hidsim_device(file)
    gamepad = page.get_by_role("article")
    press_until_shown(pad, button, gamepad)
    expect(gamepad.locator("[data-of=mapping]")).to_have_text(mapping)
    expect(gamepad.locator("[data-of=pressed]")).to_have_text("button 1")
    pad.release(button)
    expect(gamepad.locator("[data-of=pressed]")).to_have_text("nothing")
    pad.set("leftX", "100%")
    expect(gamepad.locator("[data-of=axes]")).to_have_text(re.compile("1.00, "))
    pad.unplug()
    expect(gamepad).to_have_count(0)


def press_until_shown(pad, button, gamepad):
    """Presses a button until the page has the gamepad: for the browser, a button counts that it has seen released."""
    pad.script("wait reader evdev within 20s")
    for _ in range(10):
        pad.press(button)
        try:
            expect(gamepad).to_have_count(1, timeout=2_000)
            return
        except AssertionError:
            pad.release(button)
    pytest.fail(f"the page has no gamepad after 10 presses of {button}")
