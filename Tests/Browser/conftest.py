# SPDX-License-Identifier: Apache-2.0

"""A browser, and benches for it to look at."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HIDSIM_PROGRAM", str(ROOT / ".build/debug/hidsim"))

expect.set_options(timeout=10_000)


def pytest_collection_finish(session):
    """Writes the tests that will run to the file HIDSIM_TEST_LIST, for scripts/browser-tests."""
    if path := os.environ.get("HIDSIM_TEST_LIST"):
        pathlib.Path(path).write_text("".join(f"{item.nodeid}\n" for item in session.items), encoding="utf-8")


def recording(*lines):
    """Returns a pattern of a recorded script that is these lines.

    On a slow machine the page also records pauses between the lines, and a tap as a press and a release.
    """
    pause = r"(wait \d+ms\n)?"

    def pattern(line):
        verb, _, rest = line.partition(" ")
        text = re.escape(line) + r"\n"
        if verb != "tap":
            return text
        return rf"({text}|press {re.escape(rest)}\n{pause}release {re.escape(rest)}\n)"

    return re.compile("^" + pause.join(pattern(line) for line in lines) + "$")


class Bench:
    """A `hidsim bench`, or another command with a page, on a loopback bus of its own."""

    def __init__(self, folder, arguments, command="bench"):
        self.folder = folder
        self.environment = {**os.environ, "HIDSIM_BUS": "loopback", "HIDSIM_BUS_DIR": folder}
        options = [] if command == "bench" else ["--bench"]
        self.process = subprocess.Popen(
            [PROGRAM, command, *options, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        # hidsim bench prints its link on standard output, the others on standard error.
        lines = self.process.stdout if command == "bench" else self.process.stderr
        found, read = None, []
        for line in lines:
            read.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", line):
                break
        assert found, f"no link in {read!r}"
        self.link = found[0]
        self.lines = read

    def get(self, path):
        """Returns the JSON of a path."""
        with urllib.request.urlopen(self.link + path) as response:
            return json.load(response)

    def events(self):
        """Returns the events of the run up to now."""
        with urllib.request.urlopen(self.link + "events") as response:
            identifier = next(line for line in response if line.startswith(b"id: "))[4:].decode().strip()
        base, end, change = identifier.split("-")
        found = []
        with urllib.request.urlopen(f"{self.link}events?after={base}-0-{change}") as response:
            while len(found) < int(end):
                line = next(response)
                if line.startswith(b"data: "):
                    found.append(json.loads(line[6:]))
        return found

    def post(self, *commands):
        """Posts commands of the stream, as curl does, and returns their results."""
        body = "\n".join(json.dumps({**command, "token": index}) for index, command in enumerate(commands)).encode()
        with urllib.request.urlopen(self.link + "commands", data=body) as response:
            return [json.loads(line) for line in response.read().splitlines()]

    def script(self, text, device=None):
        return self.post({"command": "script", "text": text, **({"device": device} if device else {})})

    def run(self, *arguments, **options):
        """Runs another hidsim on the same bus."""
        return subprocess.run([PROGRAM, *arguments], env=self.environment, capture_output=True, text=True, timeout=60, **options)

    def start(self, *arguments):
        """Starts another hidsim on the same bus."""
        return subprocess.Popen([PROGRAM, *arguments], env=self.environment, stdout=subprocess.PIPE, text=True)

    def pytest(self, test):
        """Runs a test with hidsim's fixtures, in a pytest of its own."""
        environment = {**self.environment, "PYTHONPATH": str(ROOT / "Python/src"), "HIDSIM_PROGRAM": PROGRAM}
        del environment["HIDSIM_BUS_DIR"]
        return subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-q", "-p", "hidsim.pytest_plugin", "-p", "no:cacheprovider", str(test)],
            env=environment, capture_output=True, text=True, timeout=60)

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=30)


@pytest.fixture
def bench():
    """Starts benches: `bench("keyboard.json", "--read-only")`; ends them after the test."""
    running = []
    with tempfile.TemporaryDirectory(prefix="hidsim-browser-") as folder:
        os.chmod(folder, 0o700)

        def start(*arguments, command="bench"):
            running.append(Bench(folder, arguments, command))
            return running[-1]

        yield start
        for one in running:
            one.end()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("HIDSIM_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser):
    found = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    found.set_default_timeout(10_000)
    yield found
    found.close()


@pytest.fixture
def visit(context):
    """Opens a page; the test fails if the page has an error or breaks its policy."""
    problems = []

    def visit(bench, fragment=""):
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text)
                if message.type == "error" and not re.search("net::ERR_|404|422", message.text) else None)
        page.goto(bench.link + fragment)
        expect(page.locator("#connection")).to_have_text("connected")
        return page

    yield visit
    assert problems == []
