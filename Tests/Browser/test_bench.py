# SPDX-License-Identifier: Apache-2.0

"""The page of `hidsim bench` in a browser: what it shows, and what arrives on the bus."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import ROOT, recording

KEYBOARD = "#/hidsim%20keyboard"


def key(page, name):
    return page.locator(".keyboard").get_by_role("button", name=name, exact=True)


def test_the_list_has_groups_that_are_sorted_and_not_empty(bench, visit):
    one = bench("mouse.json", "keyboard.json", "gamepad.json", "inputstick.json")
    page = visit(one)
    expect(page.locator("#count")).to_have_text("4 devices")
    names = page.locator("#groups h2").all_text_contents()
    assert names == sorted(names)
    assert all(section.locator("a").count() > 0 for section in page.locator("#groups .group").all())
    one.script("tap a", "hidsim keyboard")
    expect(page.locator(".event")).to_have_count(2)
    page.select_option("#grouping", "parent")
    # The members of the stick are a group, and the stick itself is one of the others.
    expect(page.locator("#groups h2")).to_have_text(["InputStick", "simulated here"])
    expect(page.locator("#groups .group").nth(0).locator("a")).to_have_count(4)
    expect(page.locator("#groups .group").nth(1).locator("a")).to_have_count(4)
    expect(page.locator(".event")).to_have_count(2)
    page.fill("#search", "1209:0002")
    expect(page.locator("#groups a")).to_have_count(1)
    expect(page.locator("#groups a .name")).to_have_text("hidsim mouse")


def test_a_key_that_is_held_on_the_page_is_down_on_the_bus(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    other = visit(one, KEYBOARD)
    monitor = one.start("monitor", "keyboard", "--json")
    try:
        expect(page.locator(".state")).to_have_text("open: a host reads it")
        button = key(page, "Keyboard A")
        button.hover()
        page.mouse.down()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(key(other, "Keyboard A")).to_have_attribute("aria-pressed", "true")
        page.mouse.up()
        expect(button).to_have_attribute("aria-pressed", "false")
        reports = []
        for line in monitor.stdout:
            event = json.loads(line)
            if event["event"] == "input":
                reports.append(event["bytes"])
            if len(reports) == 2:
                break
        assert reports == ["00 00 04 00 00 00 00 00", "00 00 00 00 00 00 00 00"]
    finally:
        monitor.terminate()
        monitor.wait()
    expect(page.locator(".state")).to_have_text("plugged: no host has it open")


def test_the_keyboard_alone_reaches_a_key_and_holds_it(bench, visit):
    page = visit(bench("keyboard.json"))
    page.locator("#search").focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "A":
            break
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("hidsim keyboard")
    expect(page.locator("#main")).to_be_focused()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.keyboard') !== null"):
            break
    expect(key(page, "Keyboard Escape")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(key(page, "Keyboard Grave Accent and Tilde")).to_be_focused()
    page.keyboard.press("ArrowRight")
    one = key(page, "Keyboard 1 and Bang")
    expect(one).to_be_focused()
    page.keyboard.down(" ")
    expect(one).to_have_attribute("aria-pressed", "true")
    page.keyboard.up(" ")
    expect(one).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Enter")
    expect(one).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(one).to_have_attribute("aria-pressed", "false")


def test_a_lamp_that_a_host_sets_changes_alone(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    lamps = page.get_by_role("status")
    caps = lamps.and_(page.get_by_label("Caps Lock"))
    expect(caps).to_have_text("off")
    page.evaluate("""() => {
      window.changes = 0;
      new MutationObserver(() => { window.changes += 1; }).observe(document.getElementById("groups"), {childList: true, subtree: true});
    }""")
    one.script("host set led.capsLock on")
    expect(caps).to_have_text("on")
    expect(lamps.and_(page.get_by_label("Num Lock"))).to_have_text("off")
    assert page.evaluate("window.changes") == 0


def saved(page, language):
    """Saves what was recorded in a language, and returns the text."""
    page.select_option("#language", language)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    return open(download.value.path(), encoding="utf-8").read()


def test_what_is_done_passes_when_it_is_played(bench, visit, tmp_path):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    key(page, "Keyboard A").click()
    expect(page.locator("#script")).to_have_value(recording("needs keyboard.json", "tap a"))
    page.locator("tr", has=page.get_by_label("Caps Lock")).get_by_role("button").click()
    page.get_by_role("log").locator(".event", has_text="output").get_by_role("button", name="Expect").click()
    page.get_by_label("Type a text").fill('Say "hi" for $5')
    page.get_by_role("button", name="Type", exact=True).click()
    expect(page.locator("#script")).to_have_value(re.compile(r'type "Say \\"hi\\" for \$\$5"'))
    expect(page.locator("#alert")).to_be_hidden()

    text = saved(page, "script")
    assert "host set led.capsLock on\n" in text
    assert re.search(r"expect event output bytes 02 within \d+s\n", text)
    script = tmp_path / "recorded.hidscript"
    script.write_text(text, encoding="utf-8")
    found = one.run("test", str(script))
    assert found.returncode == 0, found.stdout + found.stderr

    test = tmp_path / "test_recorded.py"
    test.write_text(saved(page, "pytest"), encoding="utf-8")
    found = one.pytest(test)
    assert found.returncode == 0, found.stdout + found.stderr

    swift = saved(page, "swift")
    assert '@Test("recorded", .virtualDevice("keyboard.json"))' in swift
    assert 'let hidsimKeyboard = try HIDTestDevice.named("hidsim keyboard")' in swift
    assert '  try await hidsimKeyboard.play("tap a")' in swift

    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Play")).to_be_enabled()
    expect(page.locator("#alert")).to_be_hidden()


def test_a_recording_in_swift_is_a_test_that_compiles_and_passes(bench, visit):
    page = visit(bench("keyboard.json"), KEYBOARD)
    key(page, "Keyboard A").click()
    expect(page.locator("#script")).to_have_value(recording("needs keyboard.json", "tap a"))
    page.get_by_role("button", name="Host: switch Caps Lock").click()
    page.get_by_role("button", name="Expect").click()
    expect(page.locator("#script")).to_have_value(re.compile("expect event output"))
    # The tests of HIDTesting compile and run this file.
    text = (ROOT / "Tests/HIDTestingTests/RecordedTest.swift").read_text(encoding="utf-8")
    assert saved(page, "swift") == text[text.index("import HIDTesting"):]


def test_the_members_of_a_composite_are_in_the_list_too(bench, visit):
    page = visit(bench("inputstick.json", "keyboard.json"))
    entries = page.locator("#groups a .name")
    expect(page.locator("#count")).to_have_text("2 devices")
    expect(entries).to_have_text(
        ["InputStick/raw", "InputStick/consumer", "hidsim keyboard", "InputStick", "InputStick/keyboard", "InputStick/mouse"])
    page.locator("#groups a", has_text="InputStick/mouse").click()
    expect(page.locator("h1")).to_have_text("InputStick/mouse")
    # Its view is that of the member alone, with a link to the composite.
    expect(page.locator(".interface")).to_have_count(1)
    page.locator(".crumbs a").click()
    expect(page.locator("h1")).to_have_text("InputStick")
    expect(page.locator(".interface")).to_have_count(4)
    page.get_by_role("link", name="InputStick/keyboard", exact=True).last.click()
    expect(page.locator("h1")).to_have_text("InputStick/keyboard")


def test_two_devices_of_one_name_are_recorded_apart(bench, visit, tmp_path):
    one = bench("keyboard.json", "keyboard.json")
    page = visit(one, KEYBOARD)
    key(page, "Keyboard A").click()
    expect(page.locator("#script")).to_have_value(recording("needs keyboard.json", "tap a"))
    page.goto(one.link + "#/hidsim%20keyboard%232")
    expect(page.locator("h1")).to_have_text("hidsim keyboard#2")
    key(page, "Keyboard B").click()
    expect(page.locator("#script")).to_have_value(re.compile("tap b"))
    script = tmp_path / "recorded.hidscript"
    script.write_text(saved(page, "script"), encoding="utf-8")
    found = one.run("test", str(script))
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_held_key_stays_down_while_other_devices_come(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    button = key(page, "Keyboard A")
    button.hover()
    page.mouse.down()
    expect(button).to_have_attribute("aria-pressed", "true")
    one.post({"command": "plug", "file": "mouse.json"})
    expect(page.locator("#count")).to_have_text("2 devices")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.mouse.up()
    expect(button).to_have_attribute("aria-pressed", "false")
    inputs = page.get_by_role("log").locator(".event", has_text="input")
    expect(inputs).to_have_count(2)


def test_a_page_that_is_closed_releases_its_keys(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    other = visit(one, KEYBOARD)
    key(page, "Keyboard A").hover()
    page.mouse.down()
    expect(key(other, "Keyboard A")).to_have_attribute("aria-pressed", "true")
    page.close(run_before_unload=False)
    expect(key(other, "Keyboard A")).to_have_attribute("aria-pressed", "false")


def test_the_drawn_keyboard_has_the_labels_of_a_layout(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    expect(key(page, "Keyboard Y")).to_have_text("Y")
    page.select_option("#layout", "de-DE")
    expect(key(page, "Keyboard Y")).to_have_text("Z")
    page.get_by_label("Type a text").fill("zß")
    page.get_by_role("button", name="Type", exact=True).click()
    expect(page.locator("#script")).to_have_value(re.compile('type "zß" layout de-DE'))
    expect(page.get_by_role("log")).to_contain_text("keyboardY 1")


def test_a_layout_of_xkb_data_labels_the_keys_and_types(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    expect(page.get_by_label("Layout of xkb-data")).to_be_hidden()
    page.select_option("#layout", label="one of this machine…")
    field = page.get_by_label("Layout of xkb-data")
    expect(field).to_be_focused()
    field.fill("de(nix)")
    field.press("Enter")
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text('no layout "de(nix)"')
    expect(key(page, "Keyboard Q")).to_have_text("Q")
    field.fill("de(neo)")
    field.press("Enter")
    expect(key(page, "Keyboard Q")).to_have_text("X")
    expect(page.get_by_label("Layout of xkb-data")).to_have_value("de(neo)")
    page.get_by_label("Type a text").fill("x")
    page.get_by_role("button", name="Type", exact=True).click()
    expect(page.locator("#script")).to_have_value(re.compile(r'type "x" layout xkb:de\(neo\)'))
    expect(page.get_by_role("log")).to_contain_text("keyboardQ 1")
    page.select_option("#layout", "en-US")
    expect(key(page, "Keyboard Q")).to_have_text("Q")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_no_label_of_the_drawn_keyboard_is_cut_off(bench, browser, width, scheme):
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(bench("keyboard.json").link + KEYBOARD)
    expect(key(page, "Keypad ENTER")).to_have_text("Enter")
    cut = page.locator(".keyboard button").evaluate_all("""all => all.filter((button) => {
        const text = document.createRange();
        text.selectNodeContents(button);
        const [inner, outer] = [text.getBoundingClientRect(), button.getBoundingClientRect()];
        return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom;
    }).map((button) => button.textContent)""")
    page.close()
    assert cut == []


def test_the_names_of_a_gamepad_are_on_its_sticks_and_whole_in_its_rows(bench, visit):
    page = visit(bench("gamepad.json"), "#/hidsim%20gamepad")
    expect(page.locator(".stick-pad")).to_have_text(["leftX and leftY", "rightX and rightY"])
    names = page.locator("#main th a")
    expect(names.get_by_text("rightTrigger")).to_be_visible()
    # A name that breaks has a box for each of its lines.
    assert names.evaluate_all("all => all.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent)") == []


def test_axes_and_buttons_of_a_gamepad(bench, visit):
    one = bench("gamepad.json")
    page = visit(one, "#/hidsim%20gamepad")
    page.get_by_role("button", name="south").click()
    last = page.get_by_role("log").locator(".event", has_text="input").last
    # The release of a button and the movement of an axis are commands of their own, in no order.
    expect(last).to_contain_text("button 1 0")
    slider = page.get_by_role("slider", name="leftX")
    slider.fill(slider.get_attribute("max"))
    expect(last).to_contain_text("genericDesktop.x")
    hat = page.get_by_role("radiogroup").get_by_role("radio", name="north", exact=True)
    hat.check()
    expect(page.get_by_role("log").locator(".event", has_text="hatSwitch 0").or_(
        page.get_by_role("log").locator(".event", has_text=re.compile("[hH]at")))).to_have_count(1)


def test_devices_are_plugged_and_unplugged_on_the_page(bench, visit):
    one = bench()
    page = visit(one)
    expect(page.locator("#count")).to_have_text("0 devices")
    page.select_option("#library", "keyboard.json")
    page.get_by_role("button", name="Plug").click()
    expect(page.locator("h1")).to_have_text("hidsim keyboard")
    assert "hidsim keyboard" in one.run("list").stdout
    key(page, "Keyboard B").hover()
    page.mouse.down()
    expect(key(page, "Keyboard B")).to_have_attribute("aria-pressed", "true")
    # Another program removes the device while a key is down.
    one.post({"command": "unplug", "device": "hidsim keyboard"})
    expect(page.locator("h1")).to_have_text("This device is gone")
    page.mouse.up()
    expect(page.locator("#count")).to_have_text("0 devices")


def test_a_device_of_another_program_is_read_and_set(bench, visit):
    one = bench()
    page = visit(one)
    other = one.start("run", "keyboard.json", "--json")
    expect(page.locator("#groups a .name")).to_have_text("hidsim keyboard")
    expect(page.locator("#groups .badge")).to_have_text("other hidsim")
    page.locator("#groups a").click()
    expect(page.locator(".state")).to_have_text("open: the page reads its reports")
    shift = page.locator("tr", has_text="Keyboard LeftShift")
    expect(shift.locator("output")).to_have_text("0")
    assert one.run("tap", "leftShift", "--to", "keyboard").returncode == 0
    expect(shift.locator("output")).to_have_text(re.compile(r"^0 at \d"))
    page.get_by_label("New value of Caps Lock").fill("1")
    page.get_by_role("button", name="Set Caps Lock").click()
    expect(page.locator("tr", has_text="Caps Lock").locator("output")).to_have_text("1, sent by this page")
    for line in other.stdout:
        event = json.loads(line)
        if event["event"] == "output":
            assert event["bytes"] == "02"
            break
    page.goto(one.link)
    for line in other.stdout:
        if json.loads(line)["event"] == "closed":
            break
    other.terminate()
    other.wait()
    expect(page.locator("#count")).to_have_text("0 devices")


def test_a_device_that_refuses_is_known_after_its_first_report(bench, visit, tmp_path):
    device = {"hidsim": 1, "name": "refuser", "vendorID": "0x1209", "productID": 1,
              "interfaces": [{"reportDescriptor": [{"hex": "05 01 09 02 a1 01 05 09 19 01 29 08 15 00 25 01 75 01 95 08 81 02 c0"}],
                              "behaviours": [{"on": {"get": "input"}, "error": True}]}]}
    file = tmp_path / "refuser.json"
    file.write_text(json.dumps(device), encoding="utf-8")
    one = bench()
    page = visit(one)
    other = one.start("run", str(file))
    page.locator("#groups a").click()
    cell = page.locator("tr", has_text="Button 1").locator("output")
    expect(cell).to_contain_text("refused")
    assert one.run("send", "01", "--to", "refuser").returncode == 0
    expect(cell).to_have_text(re.compile(r"^1 at "))
    other.terminate()
    other.wait()


def test_names_of_devices_are_never_markup(bench, visit, tmp_path):
    name = "<img src=x onerror=\"document.title='broken'\"> </script><b>bold</b>"
    device = {"hidsim": 1, "name": name, "vendorID": "0x1209", "productID": 1,
              "reportDescriptor": [{"hex": "06 00 ff 09 01 a1 01 15 00 25 01 75 01 95 08 09 01 81 02 c0"}]}
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(device), encoding="utf-8")
    page = visit(bench(str(file)))
    page.locator("#groups a").click()
    expect(page.locator("h1")).to_have_text(name)
    assert page.locator("img, b b, h1 b, nav b").count() == 0
    assert page.title() == "hidsim bench"


def test_a_bench_that_only_shows_has_no_controls(bench, visit):
    page = visit(bench("keyboard.json", "--read-only"), KEYBOARD)
    expect(page.locator("#readonly")).to_be_visible()
    expect(key(page, "Keyboard A")).to_be_disabled()
    expect(page.get_by_label("Type a text")).to_have_count(0)
    expect(page.get_by_role("button", name="Unplug and remove")).to_have_count(0)


def test_an_error_is_shown_and_the_control_falls_back(bench, visit):
    page = visit(bench("keyboard.json"), KEYBOARD)
    page.get_by_label("Send an input report").fill("zz")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("zz")
    expect(page.locator("#script")).to_have_value("")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#alert")).to_be_hidden()


def test_the_page_says_when_the_bench_has_ended(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, KEYBOARD)
    one.end()
    expect(page.locator("#connection")).to_contain_text("not connected")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", KEYBOARD, "#/hidsim%20gamepad", "#/hidsim%20mouse"])
def test_no_view_has_a_barrier(bench, browser, scheme, fragment):
    one = bench("keyboard.json", "gamepad.json", "mouse.json")
    for width in (1280, 320):
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        page.goto(one.link + fragment)
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("#groups a")).to_have_count(3)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.close()
