# SPDX-License-Identifier: Apache-2.0

"""The tutorial of the bench, followed word for word: its commands in terminals, the items of its lists in a browser."""

import importlib.util
import os
import pathlib
import re
import sys
import types
from importlib.machinery import SourceFileLoader

import pytest
from playwright.sync_api import TimeoutError as WaitedTooLong
from playwright.sync_api import expect

from conftest import PROGRAM, ROOT

PAGE = ROOT / "Documentation/hidsim.docc/BenchTutorial.md"
# The milliseconds from one item to the next, for the page, which records them as a pause.
PAUSE = 400
# The forms of items, each with the method that does such items.
ITEMS = []

# The name of the script has no suffix, so that `import` does not find it.
_loader = SourceFileLoader("follow", str(ROOT / "scripts/test.d/follow"))
follow = importlib.util.module_from_spec(importlib.util.spec_from_loader("follow", _loader))
_loader.exec_module(follow)


def item(form):
    """Registers a method that does the items of a form; each {} in it is an argument of the method."""
    pattern = re.compile(r"([^*`]+)".join(re.escape(part) for part in form.split("{}")))

    def register(method):
        ITEMS.append((pattern, method))
        return method

    return register


class Reader:
    """Does in the browser what the lists of the page say."""

    def __init__(self, context, visit, folder):
        self.context, self.visit, self.folder = context, visit, folder
        # The bench, and the report in HTML.
        self.page = self.report = None
        self.terminals = {}
        self.done = 0

    # What `follow` calls

    def do(self, text, terminals):
        """Does an item of a list."""
        self.terminals = terminals
        found = [(method, match.groups()) for pattern, method in ITEMS if (match := pattern.fullmatch(text))]
        if len(found) != 1:
            raise follow.Differs(f"the test has {len(found)} ways to do this item of a list:\n    {text}")
        if self.page:
            # The clock of the page stands still within an item, so that a slow machine records no other pauses.
            self.page.evaluate(f"window.elapsed += {PAUSE}")
        [(method, arguments)] = found
        try:
            method(self, *arguments)
        except (AssertionError, WaitedTooLong) as error:
            raise follow.Differs(f"{text}\n{error}") from error
        self.done += 1

    def compare(self, paragraph, lines):
        """Compares a block with the script of the page, and again when that changes."""
        if not paragraph.startswith("**Recorded** has "):
            raise follow.Differs(f"the test does not know what the block after this paragraph shows:\n    {paragraph}")
        while True:
            script = self.script.input_value()
            try:
                return follow.compare_text(lines, script, "Recorded")
            except follow.Differs as difference:
                try:
                    self.page.wait_for_function("script => document.getElementById('script').value !== script", arg=script)
                except WaitedTooLong:
                    raise difference from None

    # The parts of the page

    @property
    def main(self):
        return self.page.get_by_role("main")

    @property
    def recorded(self):
        return self.page.get_by_role("region", name="Recorded")

    @property
    def script(self):
        return self.recorded.get_by_label("What was done")

    def event(self, text):
        return self.page.get_by_role("log", name="Events").locator(".event", has_text=text)

    def tap(self, button):
        """Clicks a button that holds something down, and waits until the page has written that it is released."""
        before = self.script.input_value()
        button.click()
        expect(self.script).not_to_have_value(before)
        expect(self.script).to_have_value(re.compile(r"\n(tap|release) \S+\n$"))

    # The items

    @item("Open the link in your browser.")
    def open_link(self):
        link = re.search(r"http\S+", "\n".join(self.terminals["first"].printed))[0]
        self.context.add_init_script("window.elapsed = 0; performance.now = () => window.elapsed;")
        self.page = self.visit(types.SimpleNamespace(link=link))

    @item("Click **{}** in the list at the left.")
    def choose_device(self, name):
        self.page.get_by_role("navigation", name="Devices").get_by_role("link", name=name).click()
        expect(self.main.get_by_role("heading", level=1)).to_have_text(name)

    @item("Press **{}** on the drawn keyboard.")
    def press_key(self, cap):
        self.tap(self.main.get_by_role("group", name="Keyboard", exact=True).get_by_text(cap, exact=True))

    @item("Press **{}**.")
    def press_button(self, name):
        self.tap(self.main.get_by_role("group", name="Buttons").get_by_role("button", name=name, exact=True))

    @item("Under **Events**, find `{}`.")
    def find_event(self, text):
        expect(self.event(text)).to_have_count(1)

    @item("Click **Host: switch** at **{}**. The lamp is **{}** now.")
    def switch(self, name, state):
        before = self.script.input_value()
        row = self.main.get_by_role("row", name=name)
        lamp = row.get_by_role("status", name=name)
        old = lamp.text_content()
        row.get_by_role("button", name="Host: switch").click()
        expect(lamp).not_to_have_text(old)
        expect(lamp).to_have_text(state)
        expect(self.script).not_to_have_value(before)

    @item("Click **Expect** at the event `{}`.")
    def click_expect(self, text):
        self.event(text).get_by_role("button", name="Expect", exact=True).click()

    @item("Click **Save**, and move `{}` from your downloads into the folder.")
    def save(self, name):
        with self.page.expect_download() as download:
            self.recorded.get_by_role("button", name="Save", exact=True).click()
        assert download.value.suggested_filename == name
        download.value.save_as(self.folder / name)

    @item("Open `{}` in your browser.")
    def open_report(self, name):
        self.report = self.context.new_page()
        self.report.goto((self.folder / name).as_uri())

    @item("Click the event `{}` in the list under **Timeline**.")
    def click_event(self, text):
        expect(self.report.get_by_role("heading", name="Timeline")).to_be_visible()
        self.report.get_by_role("listbox", name="Events").get_by_role("option", name=text).click()

    @item("Beside the list, find the value **{}** of **{}**.")
    def find_value(self, value, name):
        row = self.report.get_by_role("region", name="The selected event").get_by_role("row", name=name)
        expect(row.get_by_role("cell").first).to_have_text(value)

    @item("Click **Clear** in **Recorded**.")
    def clear(self):
        self.recorded.get_by_role("button", name="Clear", exact=True).click()
        expect(self.script).to_have_value("")

    @item("Choose **{}** in **Add a device**, and click **Plug**.")
    def plug(self, file):
        heading = self.main.get_by_role("heading", level=1)
        before = heading.text_content()
        self.page.get_by_label("Add a device").select_option(label=file)
        self.page.get_by_role("button", name="Plug", exact=True).click()
        expect(heading).not_to_have_text(before)

    @item("Drag the left stick to the right, out of its circle, and release it.")
    def drag(self):
        box = self.main.get_by_title("leftX and leftY").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        slider = self.main.get_by_role("slider", name="leftX")
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + box["width"], y)
        expect(slider).to_have_value(slider.get_attribute("max"))
        self.page.mouse.up()
        expect(slider).to_have_value("0")

    @item("Choose **{}** in **Language**, under the script.")
    def choose_language(self, name):
        expect(self.recorded.locator("label", has_text="Language")).to_be_visible()
        self.recorded.get_by_label("Language").select_option(label=name)


@pytest.fixture
def package(monkeypatch):
    """Lets the commands of the page find this test's Python, with hidsim's package as if it were installed."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "Python/src"))
    monkeypatch.setenv("PYTEST_PLUGINS", "hidsim.pytest_plugin")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")


def follow_page(page, reader):
    return follow.follow(page, pathlib.Path(PROGRAM).parent.resolve(), False, False, reader.folder, reader)


def test_a_reader_can_do_what_the_tutorial_says_and_sees_what_it_shows(context, visit, package, tmp_path):
    reader = Reader(context, visit, tmp_path)
    commands = follow_page(PAGE, reader)
    # The page is not empty, and its lists are read.
    assert commands > 3 and reader.done > 10


@pytest.mark.parametrize("text, reason", [
    ("- Sing **A** on the drawn keyboard.", "0 ways to do this item"),
    ("1. Click **Clear** in\n   **Recorded**, and sing.", r"0 ways .*\n.*and sing"),
    ("The script:\n\n```\ntap a\n```", "does not know what the block"),
], ids=["an unknown item", "a known item with more", "an unknown block"])
def test_a_page_fails_if_the_test_does_not_understand_a_part_of_it(text, reason, tmp_path):
    page = tmp_path / "Page.md"
    page.write_text(f"{text}\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(follow.Differs, match=reason):
        follow_page(page, Reader(None, None, tmp_path / "folder"))
