# SPDX-License-Identifier: Apache-2.0

"""Timelines: of a run, of traces, and in reports, which are files."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

KEYBOARD_DESCRIPTOR = (
    "05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01 95 05 75 01 05 08 19 01 29 05 91 02 "
    "95 01 75 03 91 01 95 06 75 08 15 00 26 ff 00 05 07 19 00 2a ff 00 81 00 c0")
KEYS = ["00 00 04 00 00 00 00 00", "02 00 04 05 00 00 00 00", "00 00 00 00 00 00 00 00"]


def trace(path, reports=KEYS, name="keys"):
    """Writes a trace with a report every 100 ms, and returns its path."""
    lines = [f"D: 0", f"R: 65 {KEYBOARD_DESCRIPTOR}", f"N: {name}", "I: 3 1209 0001"]
    lines += [f"E: {index // 10:06}.{index % 10 * 100000:06} 8 {report}" for index, report in enumerate(reports)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def rows(page):
    return page.locator(".row")


def test_the_timeline_of_a_run_shows_each_event_as_it_happens(bench, visit):
    one = bench("keyboard.json", "mouse.json")
    page = visit(one, "#!timeline")
    expect(page.locator("h1")).to_have_text("Timeline")
    one.script("tap leftShift+a", "hidsim keyboard")
    expect(rows(page)).to_have_count(4)
    rows(page).nth(1).click()
    detail = page.locator(".detail")
    expect(detail.locator(".byte b")).to_have_text(["02", "00", "04", "00", "00", "00", "00", "00"])
    expect(detail.locator(".values").first.locator("li")).to_have_text(
        ["input keyboardOrKeypad.keyboardLeftShift 1", "input keyboardOrKeypad.keyboardA 1"])
    # Each control is shown as it was at that moment, and not as it is now.
    rows(page).nth(0).click()
    expect(detail.locator(".values").first.locator("li")).to_have_text(["input keyboardOrKeypad.keyboardLeftShift 1"])
    one.script("click left", "hidsim mouse")
    expect(rows(page)).to_have_count(6)
    page.select_option("#bench-device", "hidsim mouse")
    expect(rows(page)).to_have_count(2)
    page.fill("#bench-text", "button 1 0")
    expect(rows(page)).to_have_count(1)
    page.fill("#bench-text", "nothing like it")
    expect(rows(page)).to_have_count(0)


def test_fields_and_bits_mark_each_other(bench, visit, tmp_path):
    page = visit(bench("mouse.json"), "#!timeline")
    page.set_input_files("#open-trace", trace(tmp_path / "keys.hid"))
    expect(page.locator(".shown-trace")).to_have_text("keys.hid: hid-recorder's text")
    rows(page).nth(1).click()
    field = page.get_by_role("row", name="keyboardOrKeypad.keyboardLeftShift 1 byte 0, bit 1")
    field.hover()
    assert page.locator(".bits .marked").evaluate_all("all => all.map(one => one.textContent)") == ["1"]
    assert page.locator(".byte").first.locator(".marked").count() == 1
    page.locator(".byte").nth(2).locator("i").first.hover()
    expect(page.locator(".fields tr.marked th")).to_have_text("6 of 255 usages")
    assert page.locator(".bits .marked").count() == 48


def test_keys_go_through_the_events_and_the_time(bench, visit, tmp_path):
    page = visit(bench(), "#!timeline")
    page.set_input_files("#open-trace", trace(tmp_path / "long.hid", [KEYS[index % 3] for index in range(2000)]))
    expect(page.locator(".count")).to_contain_text("2000 events; 2000 from")
    page.locator(".rows").focus()
    page.keyboard.press("End")
    expect(page.locator(".row[aria-selected=true] time")).to_have_text("199.900000")
    expect(page.locator(".detail")).to_contain_text("Since the previous0.100000 s")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".row[aria-selected=true] time")).to_have_text("0.100000")
    page.keyboard.press("PageDown")
    assert float(page.locator(".row[aria-selected=true] time").text_content()) > 0.5
    for _ in range(4):
        page.keyboard.press("+")
    assert "; 2000 from" not in page.locator(".count").text_content()
    page.keyboard.press("0")
    expect(page.locator(".count")).to_contain_text("2000 events; 2000 from")
    # The rate of reports that come every 100 ms.
    expect(page.locator(".count")).to_contain_text("10.0 input reports a second")
    # Only the rows that can be seen are there.
    assert rows(page).count() < 60
    page.locator(".scrubber").fill("1000")
    expect(page.locator(".row[aria-selected=true] time")).to_have_text("100.000000")


def test_two_traces_are_compared(bench, visit, tmp_path):
    page = visit(bench(), "#!timeline")
    other = [KEYS[0], KEYS[1].replace("04 05", "04 06"), KEYS[2]]
    page.set_input_files("#compare-trace", trace(tmp_path / "a.hid"))
    expect(page.locator("#alert")).to_contain_text("Open a trace first")
    page.set_input_files("#open-trace", trace(tmp_path / "a.hid"))
    expect(rows(page)).to_have_count(3)
    page.set_input_files("#compare-trace", trace(tmp_path / "b.hid", other))
    expect(page.locator(".shown-trace")).to_have_text("a.hid and b.hid: 1 difference")
    expect(rows(page)).to_have_count(6)
    page.locator(".differences button").click()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("first: keys")
    expect(page.locator(".row[aria-selected=true] time")).to_have_text("0.100000")


def test_a_file_that_is_dropped_is_opened_and_one_that_is_no_trace_is_refused(bench, visit, tmp_path):
    page = visit(bench())
    drop = """(text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.hid"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(drop, open(trace(tmp_path / "a.hid"), encoding="utf-8").read())
    expect(page.locator(".shown-trace")).to_have_text("dropped.hid: hid-recorder's text")
    expect(rows(page)).to_have_count(3)
    page.evaluate(drop, "R: 2 05\n")
    expect(page.locator("#alert")).to_contain_text("dropped.hid:1:")
    expect(rows(page)).to_have_count(3)


def test_a_trace_is_replayed_on_a_simulated_device(bench, visit, tmp_path):
    one = bench("keyboard.json")
    page = visit(one, "#!timeline")
    page.set_input_files("#open-trace", trace(tmp_path / "a.hid"))
    device = visit(one, "#/hidsim%20keyboard")
    monitor = one.start("monitor", "keyboard", "--json")
    try:
        expect(device.locator(".state")).to_have_text("open: a host reads it")
        rows(page).nth(1).click()
        page.click("#replay-send")
        reports = []
        for line in monitor.stdout:
            event = json.loads(line)
            if event["event"] == "input":
                reports.append(event["bytes"])
            if len(reports) == 2:
                break
        assert reports == KEYS[1:]
    finally:
        monitor.terminate()
        monitor.wait()
    expect(page.locator("#replay-send")).to_have_text("Send from here")


def open_long_trace(page, path):
    """Opens a trace in which A is down for a minute: its replay does not end by itself."""
    trace(path, KEYS[:1])
    with path.open("a", encoding="utf-8") as file:
        file.write(f"E: 000060.000000 8 {KEYS[2]}\n")
    page.set_input_files("#open-trace", str(path))


def begin_replay(one, page, visit, path):
    """Begins a replay on the keyboard, and returns the key that it holds, on a page of the keyboard."""
    open_long_trace(page, path)
    key = visit(one, "#/hidsim%20keyboard").locator(".keyboard").get_by_role("button", name="Keyboard A", exact=True)
    page.select_option("#replay-on", "hidsim keyboard")
    page.click("#replay-send")
    expect(key).to_have_attribute("aria-pressed", "true")
    return key


def test_a_replay_that_stops_releases_the_keys_of_its_device_also_after_another_one_is_chosen(bench, visit, tmp_path):
    one = bench("keyboard.json", "mouse.json")
    page = visit(one, "#!timeline")
    key = begin_replay(one, page, visit, tmp_path / "a.hid")
    page.select_option("#replay-on", "hidsim mouse")
    page.click("#replay-send")
    expect(page.locator("#replay-send")).to_have_text("Send from here")
    expect(key).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("view", ["this run", "another trace"])
def test_a_replay_releases_the_keys_of_its_device_when_something_else_is_shown(bench, visit, tmp_path, view):
    one = bench("keyboard.json")
    page = visit(one, "#!timeline")
    key = begin_replay(one, page, visit, tmp_path / "a.hid")
    if view == "this run":
        page.click("#live")
    else:
        page.set_input_files("#open-trace", trace(tmp_path / "b.hid"))
    expect(key).to_have_attribute("aria-pressed", "false")


def stop_held_replay(page, path):
    """Begins a replay whose first request is held, stops it, and returns the route of the request; further requests pass."""
    open_long_trace(page, path)
    held = []
    page.route("**/commands", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/commands"):
        page.click("#replay-send")
    while not held:
        page.evaluate("null")
    page.click("#replay-send")
    expect(page.locator("#replay-send")).to_have_text("Send from here")
    return held[0]


def test_a_replay_that_stops_releases_the_keys_after_a_report_that_is_on_its_way(bench, visit, tmp_path):
    one = bench("keyboard.json")
    page = visit(one, "#!timeline")
    report = stop_held_replay(page, tmp_path / "a.hid")
    with page.expect_response(lambda response: "release" in (response.request.post_data or "")):
        report.continue_()
    assert [event["bytes"] for event in one.events() if event["event"] == "input"] == [KEYS[0], KEYS[2]]


def test_a_failed_report_of_a_stopped_replay_does_not_end_the_next_replay(bench, visit, tmp_path):
    one = bench("keyboard.json")
    page = visit(one, "#!timeline")
    report = stop_held_replay(page, tmp_path / "a.hid")
    page.click("#replay-send")
    expect(page.locator("#replay-send")).to_have_text("Stop")
    report.fulfill(status=422, body='{"token": 0, "error": "the report was refused"}')
    expect(page.locator("#alert")).to_contain_text("the report was refused")
    expect(page.locator("#replay-send")).to_have_text("Stop")


@pytest.fixture
def report(bench, tmp_path):
    """A report of two tests, of which one fails, as the address of its file."""
    scripts = tmp_path / "tests"
    scripts.mkdir()
    (scripts / "fails.hidscript").write_text(
        "needs keyboard.json\ntest one\ntap a\ntest two\npress leftShift+b\nexpect led.capsLock on within 20ms\n", encoding="utf-8")
    (scripts / "passes.hidscript").write_text("needs mouse.json\nmove 3 4\n", encoding="utf-8")
    done = bench().run("test", str(scripts), "--html", str(tmp_path / "report.html"))
    assert done.returncode == 1, done.stderr
    return (tmp_path / "report.html").as_uri()


def test_a_report_is_a_file_that_shows_why_a_test_failed(report, context):
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
    page.goto(report)
    expect(page.locator(".summary")).to_have_text("2 scripts: 2 passed, 1 failed, 0 skipped")
    failed = page.locator(".part").first
    expect(failed).to_have_attribute("open", "")
    expect(failed.locator(".script .failed")).to_have_text("expect led.capsLock on within 20ms")
    expect(failed.locator(".message")).to_contain_text("expected led.capsLock on within 20ms")
    expect(failed).to_contain_text("Run it again: hidsim test")
    failed.locator(".row", has_text="keyboardB 1").click()
    expect(failed.locator(".detail .values").first.locator("li")).to_have_text(
        ["input keyboardOrKeypad.keyboardLeftShift 1", "input keyboardOrKeypad.keyboardB 1"])
    passed = page.locator(".part").nth(1)
    expect(passed).not_to_have_attribute("open", "")
    passed.locator("summary").first.click()
    expect(passed.locator(".row", has_text="input")).to_have_count(1)
    page.check("#only-failed")
    expect(passed).to_be_hidden()
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_report_has_a_barrier(report, browser, scheme):
    for width in (1280, 320):
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        page.goto(report)
        page.locator(".row").nth(1).click()
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_timeline_has_a_barrier(bench, browser, scheme, tmp_path):
    one = bench("keyboard.json")
    first, second = trace(tmp_path / "a.hid"), trace(tmp_path / "b.hid", KEYS[:2])
    for width in (1280, 320):
        page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
        page.goto(one.link + "#!timeline")
        page.set_input_files("#open-trace", first)
        expect(rows(page)).to_have_count(3)
        page.set_input_files("#compare-trace", second)
        page.locator(".differences button").first.click()
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.close()


def test_names_in_a_trace_are_never_markup(bench, visit, tmp_path, context):
    name = '<img src=x onerror="window.hacked = 1">'
    one = bench()
    page = visit(one, "#!timeline")
    path = trace(tmp_path / "bad.hid", name=name)
    page.set_input_files("#open-trace", path)
    rows(page).nth(0).click()
    expect(page.locator(".detail dd").first).to_have_text(name)
    one.run("stat", path, "--html", str(tmp_path / "bad.html"))
    file = context.new_page()
    file.goto((tmp_path / "bad.html").as_uri())
    file.locator(".row").nth(0).click()
    expect(file.locator(".detail dd").first).to_have_text(name)
    for one in (page, file):
        assert one.locator("img").count() == 0
        assert one.evaluate("window.hacked") is None


def test_a_refused_report_changes_no_value_and_an_answer_shows_what_the_device_has(bench, visit):
    one = bench("precision-touchpad.json")
    device = "hidsim precision touchpad"
    page = visit(one, "#!timeline")
    element = next(found for found in one.get("descriptor?device=hidsim%20precision%20touchpad")["elements"]
                   if found["type"] == "feature" and found["report"] is not None and found["size"] == 8)
    label = f"feature {element['ownName'] or element['name']}"
    report = element["report"]
    layout = next(found for found in one.get("devices")["devices"][0]["interfaces"][0]["reports"]
                  if found["type"] == "feature" and found["report"] == report)
    changed = layout["bytes"].split()
    place = 1 + element["bit"] // 8
    before = int(changed[place], 16)
    changed[place] = "03"
    one.script(f"answer once set feature {report} with error\nhost set feature {report} bytes {' '.join(changed)} error", device)
    one.script(f"host get feature {report}", device)
    rows(page).filter(has_text="set feature").click()
    detail = page.locator(".detail")
    # The fields are those of the bytes that the host sent.
    expect(detail.locator(".fields tr", has_text=label.split(" ", 1)[1]).locator("td").first).to_have_text("3")
    expect(detail.locator(".values li", has_text=f"{label} 3")).to_have_count(0)
    rows(page).filter(has_text="get feature").click()
    expect(detail.locator(".fields tr", has_text=label.split(" ", 1)[1]).locator("td").first).to_have_text(str(before))


def test_a_report_without_bytes_has_no_values_also_not_of_its_array(bench, visit):
    one = bench("keyboard.json")
    page = visit(one, "#!timeline")
    one.script("answer once get input with error\nhost get input error\nhost get input", "hidsim keyboard")
    array = page.locator(".detail .fields tr", has_text="6 of ").locator("td").first
    rows(page).filter(has_text="get input").nth(0).click()
    expect(array).to_have_text("—")
    rows(page).filter(has_text="get input").nth(1).click()
    expect(array).to_have_text("none selected")


def test_a_page_that_opens_later_knows_what_was_before(bench, visit):
    one = bench("keyboard.json")
    one.script("press leftShift\nhost set led.capsLock on\nsync", "hidsim keyboard")
    number = one.get("devices")["number"]
    page = visit(one, "#!timeline")
    expect(page.locator(".count")).to_contain_text(f"{number} earlier events are not shown")
    one.script("press a", "hidsim keyboard")
    rows(page).first.click()
    for name in ("input keyboardOrKeypad.keyboardLeftShift 1", "output led.capsLock 1", "input keyboardOrKeypad.keyboardA 1"):
        expect(page.locator(".detail .values li", has_text=name)).to_have_count(1)


def test_events_are_shown_by_their_times_also_if_the_trace_has_device_after_device(bench, visit, tmp_path):
    text = ""
    for number in range(20):
        text += f"D: {number}\nR: 65 {KEYBOARD_DESCRIPTOR}\nN: keys {number}\nI: 3 1209 0001\n"
    for number in range(20):
        text += f"D: {number}\n" + "".join(f"E: {second:06}.000000 8 {KEYS[0 if second % 2 else 2]}\n" for second in range(5))
    (tmp_path / "many.hid").write_text(text, encoding="utf-8")
    page = visit(bench(), "#!timeline")
    page.set_input_files("#open-trace", str(tmp_path / "many.hid"))
    expect(page.locator(".count")).to_contain_text("100 events; 100 from")
    times = page.locator(".row time").all_text_contents()
    assert times == sorted(times)
    expect(page.locator(".lane-line")).to_have_count(20)


def test_a_new_device_with_the_name_of_a_removed_one_has_its_own_fields(bench, visit):
    one = bench()
    page = visit(one, "#!timeline")
    vendor = "06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 02 81 02 c0"
    fields = page.locator(".detail .fields tbody tr")
    for index, (descriptor, count) in enumerate(((KEYBOARD_DESCRIPTOR, 9), (vendor, 2))):
        one.post({"command": "plug", "definition": {"hidsim": 1, "name": "again", "vendorID": "0x1209", "productID": "0x0001",
                                                    "reportDescriptor": [{"hex": descriptor}]}})
        one.script("report 02", "again")
        rows(page).filter(has_text="input").nth(index).click()
        expect(fields).to_have_count(count)
        one.post({"command": "unplug", "device": "again"})
    rows(page).filter(has_text="input").nth(0).click()
    expect(fields).to_have_count(9)
