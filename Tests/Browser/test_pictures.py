# SPDX-License-Identifier: Apache-2.0

"""The pictures of the documentation.

HIDSIM_PICTURES=Documentation/hidsim.docc writes them anew; without it they are made in a folder of the test.
"""

import contextlib
import os

import pytest
from playwright.sync_api import expect

from conftest import ROOT
from test_usb import SET_CONFIGURATION, SET_IDLE, SET_REPORT, served
from usbip import Host

PICTURES = ROOT / "Documentation/hidsim.docc"


def folder_of(tmp_path):
    """Returns the folder of the pictures."""
    named = os.environ.get("HIDSIM_PICTURES")
    folder = ROOT / named if named else tmp_path / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def take(page, folder, name, scheme):
    """Takes a picture, and checks that the documentation has one of the same size."""
    file = f"{name}~dark.png" if scheme == "dark" else f"{name}.png"
    page.mouse.move(0, 0)
    taken = page.screenshot(path=folder / file)
    # The size is in the bytes 16 to 23 of a PNG.
    assert (PICTURES / file).read_bytes()[16:24] == taken[16:24], f"write the pictures anew: {__doc__}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_views_are_as_in_the_documentation(bench, browser, scheme, tmp_path):
    folder = folder_of(tmp_path)
    one = bench("keyboard.json", "mouse.json", "gamepad.json", "pedals-narrow.json")
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    page.goto(one.link + "#/hidsim%20keyboard")
    key = page.locator(".keyboard").get_by_role("button", name="Keyboard LeftShift", exact=True)
    key.focus()
    page.keyboard.press("Enter")
    expect(key).to_have_attribute("aria-pressed", "true")
    page.locator(".keyboard").get_by_role("button", name="Keyboard H", exact=True).click()
    one.script("host set led.capsLock on ; sync", "hidsim keyboard")
    expect(page.locator(".lamp[data-on]")).to_have_count(1)
    page.evaluate("window.scrollTo(0, 0)")
    take(page, folder, "bench-keyboard", scheme)
    page.goto(one.link + "#/hidsim%20gamepad")
    one.script("axis leftX 80% ; axis leftY 30% ; press south", "hidsim gamepad")
    expect(page.get_by_role("button", name="south")).to_have_attribute("aria-pressed", "true")
    take(page, folder, "bench-gamepad", scheme)
    page.goto(one.link + "#!timeline")
    one.script("repeat 20 ; move 5 3 ; wait 8ms ; end ; click left", "hidsim mouse")
    page.locator(".row.input", has_text="hidsim mouse input").filter(has_text="button 1 1").click()
    expect(page.locator(".detail h2")).to_have_text("input")
    take(page, folder, "bench-timeline", scheme)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_usb_panel_is_as_in_the_documentation(bench, browser, scheme, tmp_path):
    one, port = served(bench, "keyboard.json")
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    page.goto(one.link + "#/hidsim%20keyboard")
    panel = page.get_by_role("region", name="USB")
    expect(panel).to_be_visible()
    with contextlib.closing(Host(port, "1-1")) as host:
        host.control(0x00, SET_CONFIGURATION, 1, 0)
        host.control(0x21, SET_IDLE, 0, 0)
        host.submit(1, True, 8)
        host.control(0x21, SET_REPORT, 0x0200, 0, data=bytes([2]))
        expect(panel.locator(".packets li").first).to_contain_text("set output")
        expect(panel.get_by_role("row", name="0x81 in").get_by_role("cell").nth(3)).to_have_text("1")
        take(page, folder_of(tmp_path), "bench-usb", scheme)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_is_as_in_the_documentation(bench, browser, scheme, tmp_path):
    folder = folder_of(tmp_path)
    scripts = tmp_path / "tests"
    scripts.mkdir()
    (scripts / "caps.hidscript").write_text(
        "needs keyboard.json\ntest \"A lights Caps Lock\"\ntap a\nhost set led.numLock on\nexpect led.capsLock on within 20ms\n",
        encoding="utf-8")
    (scripts / "click.hidscript").write_text("needs mouse.json\nclick left\n", encoding="utf-8")
    bench().run("test", "tests", "--html", "report.html", cwd=tmp_path)
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    page.goto((tmp_path / "report.html").as_uri())
    page.locator(".row", has_text="led.numLock 1").click()
    page.locator(".part > .body > .script > summary").first.click()
    take(page, folder, "report", scheme)
    page.close()
