# SPDX-License-Identifier: Apache-2.0

"""Driving devices on the page: surfaces, the user's own keyboard and pointer, faults, panels, and devices of one's own."""

import json
import socket
import subprocess

from playwright.sync_api import expect

from conftest import recording

KEYBOARD = "#/hidsim%20keyboard"


def recorded(page):
    return page.locator("#script")


def inputs(one, label):
    """Returns the bytes of the input reports that an interface has sent."""
    events = one.events()
    return [event["bytes"] for event in events if event["event"] == "input" and event["device"] == label]


def values(one, device):
    """Returns the values of the elements of a device's first interface, by type and name."""
    found = next(found for found in one.get("devices")["devices"] if found["device"] == device)
    return {f"{report['type']} {name}": value
            for report in found["interfaces"][0]["reports"] for name, value in report.get("values", {}).items()}


def test_fingers_on_the_surface_are_contacts_of_the_device(bench, visit, tmp_path):
    one = bench("precision-touchpad.json")
    page = visit(one, "#/hidsim%20precision%20touchpad")
    surface = page.get_by_role("application")
    box = surface.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(recorded(page)).to_have_value("needs precision-touchpad.json\ntouch 1 at 25.0% 50.0%\n")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.up()
    expect(recorded(page)).to_have_value(recording(
        "needs precision-touchpad.json", "touch 1 at 25.0% 50.0%", "touch 1 move 50.0% 50.0%", "touch 1 up"))
    tips = [event["changes"].get("digitizers.tipSwitch") for event in one.events() if event["event"] == "input"]
    assert [tip for tip in tips if tip is not None] == [1, 0]
    # By keys: Space holds a finger down where the cursor is.
    surface.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.down(" ")
    page.keyboard.press("ArrowDown")
    page.keyboard.up(" ")
    expect(recorded(page)).to_have_value(recording(
        "needs precision-touchpad.json", "touch 1 at 25.0% 50.0%", "touch 1 move 50.0% 50.0%", "touch 1 up",
        "touch 1 at 55.0% 50.0%", "touch 1 move 55.0% 55.0%", "touch 1 up"))
    script = tmp_path / "fingers.hidscript"
    script.write_text(recorded(page).input_value(), encoding="utf-8")
    done = one.run("test", str(script))
    assert done.returncode == 0, done.stdout


def test_a_stick_that_is_dragged_moves_both_axes_and_springs_back(bench, visit):
    one = bench("gamepad.json")
    page = visit(one, "#/hidsim%20gamepad")
    pad = page.locator(".surface.stick").first
    box = pad.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"])
    x, y = page.get_by_label("leftX", exact=True), page.get_by_label("leftY", exact=True)
    expect(x).to_have_value(x.get_attribute("max"))
    expect(y).to_have_value(y.get_attribute("min"))
    page.mouse.up()
    expect(x).to_have_value("0")
    expect(y).to_have_value("0")


def test_the_keyboard_of_the_user_drives_the_device_until_escape_is_pressed_twice(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    button = page.get_by_role("button", name="Use my keyboard")
    button.click()
    expect(page.locator(".note")).to_have_text("Your keyboard drives the device. Press Escape twice to get it back.")
    page.keyboard.down("Shift")
    page.keyboard.press("a")
    page.keyboard.press("Tab")
    expect(recorded(page)).to_have_value(recording("needs keyboard.json", "press leftShift", "tap a", "tap tab"))
    expect(button).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")
    # What was held is released, and keys are the page's again.
    expect(recorded(page)).to_have_value(recording(
        "needs keyboard.json", "press leftShift", "tap a", "tap tab", "tap escape", "release leftShift"))
    page.keyboard.up("Shift")
    page.keyboard.press("Tab")
    expect(button).not_to_be_focused()
    assert inputs(one, "hidsim keyboard")[-1] == "00 00 00 00 00 00 00 00"


def test_the_pointer_of_the_user_drives_a_mouse(bench, visit):
    one = bench("mouse.json")
    page = visit(one, "#/hidsim%20mouse")
    pad = page.locator(".surface.mouse")
    box = pad.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 15)
    page.mouse.up()
    expect(recorded(page)).to_have_value("needs mouse.json\nmove 10 -5\n")
    page.get_by_role("button", name="Use my pointer").click()
    expect(page.locator(".note")).to_have_text("Your pointer drives the device. Press Escape to get it back.")
    page.mouse.down()
    page.mouse.up()
    page.mouse.wheel(0, 100)
    expect(recorded(page)).to_have_value(recording("needs mouse.json", "move 10 -5", "tap left", "scroll -1"))
    page.evaluate("document.exitPointerLock()")
    expect(page.get_by_role("button", name="Use my pointer")).to_have_attribute("aria-pressed", "false")


def test_a_fault_shows_its_lines_and_the_next_request_has_it(bench, visit):
    one = bench("dualsense.json")
    page = visit(one, "#/DualSense%20Wireless%20Controller")
    page.get_by_text("Faults", exact=True).click()
    group = page.get_by_role("group", name="Next get of feature 5")
    group.get_by_role("button", name="Refuse").click()
    lines = page.locator(".fault-line")
    expect(lines).to_have_text('script: answer once get feature 5 with error\ndevice file: {"on": {"get": "feature", "id": 5}, "error": true}')
    expect(recorded(page)).to_have_value("needs dualsense.json\nanswer once get feature 5 with error\n")
    one.script("host get feature 5 error", "DualSense Wireless Controller")
    one.script("host get feature 5", "DualSense Wireless Controller")
    group.get_by_role("button", name="Short").click()
    expect(lines).to_contain_text('"exact": true}')
    one.script("host get feature 5", "DualSense Wireless Controller")
    answers = [event for event in one.events() if event["event"] == "get" and event["report"] == 5]
    assert [event["answer"] for event in answers] == ["error", "report", "report"]
    lengths = [len(event["bytes"].split()) for event in answers[1:]]
    assert lengths[1] == (lengths[0] - 1) // 2 + 1
    page.get_by_role("button", name="Pull out").click()
    expect(page.locator(".state")).to_have_text("not plugged")
    page.get_by_text("Faults", exact=True).click()
    page.get_by_role("button", name="Plug in again").click()
    expect(page.locator(".state")).to_have_text("plugged: no host has it open")


def test_a_report_descriptor_is_checked_while_it_is_typed_and_plugged(bench, visit):
    one = bench()
    page = visit(one)
    page.get_by_text("From a report descriptor").click()
    text = page.get_by_label("Report descriptor")
    text.fill("05 01 09 06 a1 zz")
    expect(page.locator("#findings")).to_contain_text("line 1, column 16:")
    plug = page.get_by_role("button", name="Plug this device")
    expect(plug).to_be_disabled()
    good = "05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 c0"
    text.fill(f"{good} c0")
    expect(page.locator("#findings")).to_contain_text("byte 23: an End Collection without a Collection before it")
    page.get_by_role("button", name="byte 23:").click()
    assert text.evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)") == "c0"
    assert text.evaluate("one => one.selectionStart") == 3 * 23
    text.fill(good)
    expect(page.locator("#descriptor-state")).to_have_text("Keyboard: 23 bytes; input of 1 bytes")
    page.get_by_label("Name").fill("eight keys")
    plug.click()
    expect(page.locator("h1")).to_have_text("eight keys")
    assert one.get("descriptor?device=eight%20keys")["bytes"] == good
    # The device works: its keys press.
    key = page.locator(".keyboard").get_by_role("button", name="Keyboard LeftShift", exact=True)
    key.click()
    expect(page.locator(".event", has_text="input")).to_have_count(2)


def test_a_device_is_saved_cloned_and_plugged_from_its_file(bench, visit, tmp_path):
    one = bench("gamepad.json")
    page = visit(one, "#/hidsim%20gamepad")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a file").click()
    assert download.value.suggested_filename == "hidsim-gamepad.json"
    path = tmp_path / "saved.json"
    download.value.save_as(path)
    page.get_by_role("button", name="Clone").click()
    expect(page.locator("h1")).to_have_text("hidsim gamepad#2")
    elements = one.get("descriptor?device=hidsim%20gamepad")
    assert one.get("descriptor?device=hidsim%20gamepad%232") == elements
    other = bench(str(path))
    assert other.get("descriptor?device=hidsim%20gamepad") == elements


def test_another_device_is_cloned(bench, visit):
    one = bench()
    other = one.start("run", "mouse.json", "--json")
    try:
        page = visit(one)
        page.locator("#groups a", has_text="hidsim mouse").click()
        page.get_by_role("button", name="Clone").click()
        expect(page.locator("#groups .badge", has_text="simulated")).to_have_count(1)
        page.get_by_label("X +10").click()
        expect(page.locator(".event", has_text="input")).to_have_count(1)
    finally:
        other.terminate()
        other.wait()


def test_collections_and_elements_have_views_of_their_own(bench, visit):
    one = bench("gamepad.json")
    page = visit(one, "#/hidsim%20gamepad")
    page.get_by_role("link", name="Gamepad", exact=True).click()
    expect(page.locator(".crumbs")).to_have_text("hidsim gamepad › Gamepad")
    expect(page.locator("main dl").first).to_contain_text("input 1")
    page.get_by_role("link", name="leftX").first.click()
    expect(page.locator("h2", has_text="leftX")).to_be_visible()
    facts = page.locator("main dl")
    expect(facts).to_contain_text("01:30, genericDesktop.x")
    one.script("axis leftX 100%", "hidsim gamepad")
    value = values(one, "hidsim gamepad")["input genericDesktop.x"]
    expect(facts.locator("output")).to_have_text(str(value))
    bits = facts.locator("code").text_content()
    assert int(bits, 2) == value
    expect(page.locator(".age").first).to_contain_text("s, device")
    page.go_back()
    expect(page.locator(".crumbs")).to_have_text("hidsim gamepad › Gamepad")


def test_pedals_have_a_panel_with_their_mode(bench, visit):
    one = bench("pedals-narrow.json")
    page = visit(one, "#/hidsim%20pedals%20(narrow)")
    panel = page.get_by_role("region", name="States and switches")
    expect(panel.get_by_label("mode", exact=True)).to_have_value("2")
    right = panel.get_by_role("button", name="rightPedal")
    expect(right.locator("xpath=..")).to_contain_text("presses down")
    panel.get_by_label("mode", exact=True).fill("3")
    panel.get_by_role("button", name="Set mode").click()
    expect(right.locator("xpath=..")).to_contain_text("presses pageDown")
    right.hover()
    page.mouse.down()
    expect(right).to_have_attribute("aria-pressed", "true")
    page.mouse.up()
    expect(right).to_have_attribute("aria-pressed", "false")
    expect(recorded(page)).to_have_value(recording("needs pedals-narrow.json", "set mode 3", "tap rightPedal"))


def test_a_stick_has_a_panel_with_its_link_and_its_packets(bench, visit):
    one = bench(command="stick")
    page = visit(one, "#/InputStick")
    panel = page.get_by_role("region", name="Command link")
    state = panel.locator(".link-state")
    expect(state).to_contain_text("no client")
    expect(panel.get_by_label("buffer keyboard")).to_have_attribute("max", "128")
    place = one.get("link?device=InputStick")["link"]
    assert place.startswith("unix:")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(place.removeprefix("unix:"))
        expect(state).to_contain_text("a client is connected")
        client.sendall(bytes([0x55, 0x01]) + bytes(20))
        expect(panel.locator(".packets li").first).to_contain_text("received")
    expect(state).to_contain_text("no client")
    panel.get_by_text("Faults of the link").click()
    panel.get_by_role("button", name="Full buffers").click()
    expect(recorded(page)).to_have_value("needs inputstick.json\nlink overflow 1\n")


def test_a_page_says_that_hidsim_has_ended_and_that_another_one_has_its_port(bench, visit):
    one = bench("keyboard.json")
    page = visit(one)
    port = one.link.split(":")[2].split("/")[0]
    one.process.kill()
    one.process.wait()
    expect(page.locator("#connection")).to_contain_text("not connected")
    again = bench("keyboard.json", "--port", port)
    assert again.link != one.link
    expect(page.locator("#connection")).to_have_text("not connected: hidsim was started again; open the link that it has printed")
    page.goto(again.link)
    expect(page.locator("#connection")).to_have_text("connected")


def test_what_the_keyboard_of_the_user_holds_is_released_when_the_page_closes(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    page.get_by_role("button", name="Use my keyboard").click()
    page.keyboard.down("Control")
    expect(recorded(page)).to_have_value("needs keyboard.json\npress leftCtrl\n")
    other = visit(one, KEYBOARD)
    control = other.locator(".keyboard").get_by_role("button", name="Keyboard LeftControl", exact=True)
    expect(control).to_have_attribute("aria-pressed", "true")
    page.close()
    expect(control).to_have_attribute("aria-pressed", "false")


def test_a_key_that_is_latched_stays_down_in_other_views_and_is_released_by_enter(bench, visit):
    page = visit(bench("keyboard.json", "mouse.json"), KEYBOARD)
    key = page.locator(".keyboard").get_by_role("button", name="Keyboard A", exact=True)
    key.focus()
    page.keyboard.press("Enter")
    expect(key).to_have_attribute("aria-pressed", "true")
    page.locator("#groups a", has_text="hidsim mouse").click()
    expect(page.locator("h1")).to_have_text("hidsim mouse")
    page.locator("#groups a", has_text="hidsim keyboard").click()
    expect(key).to_have_attribute("aria-pressed", "true")
    key.focus()
    page.keyboard.press("Enter")
    expect(key).to_have_attribute("aria-pressed", "false")


def test_a_bench_that_only_shows_has_no_controls_for_states(bench, visit):
    page = visit(bench("pedals-narrow.json", "--read-only"), "#/hidsim%20pedals%20(narrow)")
    expect(page.locator("h1")).to_have_text("hidsim pedals (narrow)")
    expect(page.get_by_role("region", name="States and switches")).to_have_count(0)


def test_an_action_that_fails_does_not_hold_up_the_next_ones(bench, context):
    page = context.new_page()
    page.goto(bench("keyboard.json").link)
    with page.expect_event("pageerror") as failure:
        done = page.evaluate("""async () => {
            const { makeSerial } = await import(new URL("serial.js", location.href));
            const serial = makeSerial();
            const done = [];
            const first = serial(async () => { throw new Error("the first action failed"); });
            serial(() => done.push("second"));
            await first;
            await serial(() => done.push("third"));
            return done;
        }""")
    assert done == ["second", "third"]
    assert failure.value.message == "the first action failed"


def test_a_repeated_action_that_fails_is_carried_out_again_at_the_next_call(bench, context):
    page = context.new_page()
    page.goto(bench("keyboard.json").link)
    with page.expect_event("pageerror") as failure:
        done = page.evaluate("""async () => {
            const { makeRepeated } = await import(new URL("serial.js", location.href));
            const done = [];
            let hasFailed = false;
            const repeated = makeRepeated(async () => {
                if (hasFailed) return done.push("carried out");
                hasFailed = true;
                throw new Error("the first action failed");
            });
            await repeated();
            await repeated();
            return done;
        }""")
    assert done == ["carried out"]
    assert failure.value.message == "the first action failed"
