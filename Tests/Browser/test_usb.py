# SPDX-License-Identifier: Apache-2.0

"""The panel of a device on the USB bus."""

import contextlib
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from usbip import Host

GET_DESCRIPTOR, SET_CONFIGURATION, SET_FEATURE, CLEAR_FEATURE = 6, 9, 3, 1
SET_REPORT, SET_IDLE, SET_PROTOCOL = 9, 10, 11


def served(bench, *files):
    """Serves devices at a free port, with their page."""
    one = bench(*files, "--listen", "127.0.0.1:0", command="serve")
    port = int(re.search(r"serving at 127\.0\.0\.1:(\d+)", "".join(one.lines))[1])
    return one, port


def fact(panel, term):
    """Returns the value of a fact of the panel."""
    return panel.locator("dt", has_text=re.compile(f"^{term}$")).locator("xpath=following-sibling::dd[1]")


def test_the_panel_shows_what_the_host_sets_and_asks(bench, visit):
    one, port = served(bench, "keyboard.json")
    page = visit(one, "#/hidsim%20keyboard")
    panel = page.get_by_role("region", name="USB")
    expect(fact(panel, "Host")).to_have_text("none; a host can import 1-1")
    expect(fact(panel, "Configuration")).to_have_text("none")
    expect(panel).to_contain_text("None among the events that this page has.")
    with contextlib.closing(Host(port, "1-1")) as host:
        expect(fact(panel, "Host")).to_have_text("a host has imported 1-1")
        host.control(0x00, SET_CONFIGURATION, 1, 0)
        expect(fact(panel, "Configuration")).to_have_text("1")
        expect(panel.locator(".packets li").first).to_contain_text("configuration 1")
        host.control(0x81, GET_DESCRIPTOR, 0x2200, 0, 255)
        row = panel.get_by_role("row", name="0x81 in")
        expect(row).to_contain_text("hidsim keyboard")
        cells = row.get_by_role("cell")
        expect(cells.nth(3)).to_have_text("0")
        transfer = host.submit(1, True, 8)
        expect(cells.nth(3)).to_have_text("1")
        one.script("press leftShift", "hidsim keyboard")
        assert host.reply() == (transfer, 0, bytes([2, 0, 0, 0, 0, 0, 0, 0]))
        expect(cells.nth(3)).to_have_text("0")
        # The host takes one report of four.
        host.submit(1, True, 8)
        one.script("tap a ; tap b", "hidsim keyboard")
        expect(cells.nth(4)).to_have_text("3")
        host.control(0x21, SET_REPORT, 0x0200, 0, data=bytes([2]))
        expect(panel.locator(".packets li").first).to_contain_text("set output 02: acknowledged")
        host.control(0x21, SET_IDLE, 25 << 8, 0)
        expect(fact(panel, "Interface 0")).to_have_text("report protocol, repeats unchanged reports after 100 ms")
        host.control(0x02, SET_FEATURE, 0, 0x81)
        expect(cells.nth(5)).to_have_text("halted")
        host.control(0x02, CLEAR_FEATURE, 0, 0x81)
        expect(cells.nth(5)).to_have_text("not halted")
        expect(fact(panel, "Suspended")).to_have_text("not reported")
    expect(fact(panel, "Host")).to_have_text("none; a host can import 1-1")


def test_a_composite_device_has_one_panel_with_all_endpoints(bench, visit):
    one, port = served(bench, "inputstick.json")
    page = visit(one, "#/InputStick")
    panel = page.get_by_role("region", name="USB")
    rows = panel.locator("tbody tr")
    # Four interfaces; that of raw reports has an endpoint for each direction.
    expect(rows).to_have_count(5)
    expect(panel.locator("dl dt", has_text="Interface")).to_have_count(4)
    expect(rows.filter(has_text="out")).to_contain_text("InputStick/raw")
    with contextlib.closing(Host(port, "1-1")) as host:
        host.control(0x00, SET_CONFIGURATION, 1, 0)
        host.control(0x21, SET_IDLE, 10 << 8 | 3, 1)
        expect(panel.locator("dl dd", has_text="repeats report 3 after 40 ms")).to_have_count(1)
        latest = panel.locator(".packets li").first
        expect(latest).to_contain_text("InputStick/")
        # The list is made anew with the view, from the events that the page has.
        page.goto(one.link + "#/")
        expect(panel).to_have_count(0)
        page.goto(one.link + "#/InputStick")
        expect(latest).to_contain_text("InputStick/")


def test_the_panel_says_when_its_state_is_not_known(bench, visit):
    one, _ = served(bench, "keyboard.json")
    page = visit(one, "#/hidsim%20keyboard")
    panel = page.get_by_role("region", name="USB")
    expect(fact(panel, "Host")).to_have_text("none; a host can import 1-1")
    page.route("**/usb?*", lambda route: route.fulfill(status=200, body="{"))
    expect(fact(panel, "Host")).to_have_text("unknown: the bench does not answer")
    page.unroute("**/usb?*")
    expect(fact(panel, "Host")).to_have_text("none; a host can import 1-1")
    one.script("unplug", "hidsim keyboard")
    expect(fact(panel, "Host")).to_have_text("not plugged")


def test_the_panel_shows_the_boot_protocol(bench, visit):
    one, port = served(bench, "huion-h1161.json")
    page = visit(one, "#/HUION%20Huion%20Tablet")
    panel = page.get_by_role("region", name="USB")
    expect(fact(panel, "Interface 1")).to_have_text("report protocol, does not repeat unchanged reports")
    with contextlib.closing(Host(port, "1-1")) as host:
        host.control(0x00, SET_CONFIGURATION, 1, 0)
        assert host.control(0x21, SET_PROTOCOL, 0, 1) == (0, b"")
        expect(fact(panel, "Interface 1")).to_have_text("boot protocol, does not repeat unchanged reports")
        expect(fact(panel, "Interface 0")).to_have_text("report protocol, does not repeat unchanged reports")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_panel_has_no_barrier(bench, browser, scheme):
    one, _ = served(bench, "inputstick.json")
    for width in (1280, 320):
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        page.goto(one.link + "#/InputStick")
        expect(page.get_by_role("region", name="USB").locator("tbody tr")).to_have_count(5)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.close()


def test_a_device_on_another_bus_has_no_panel(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, "#/hidsim%20keyboard")
    expect(page.locator(".keyboard")).to_be_visible()
    expect(page.get_by_role("region", name="USB")).to_have_count(0)
