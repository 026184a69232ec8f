# SPDX-License-Identifier: Apache-2.0
"""What the tests with programs of other projects share: the table of what was seen, and programs that run beside a test."""

import json
import os
import pathlib
import signal
import subprocess
import threading

import pytest

LOGS = pathlib.Path(__file__).resolve().parents[2] / ".build/real-programs"


def pytest_configure(config):
    config.addinivalue_line("markers", "quick: a test of less than two seconds that is part of each run of scripts/test")


def pytest_collection_modifyitems(items):
    """The parameter `bus` of a test is also the bus of its devices."""
    for item in items:
        if bus := getattr(item, "callspec", None) and item.callspec.params.get("bus"):
            item.add_marker(pytest.mark.hidsim_bus(bus))


def pytest_collection_finish(session):
    """Adds the tests that will run to the file HIDSIM_TEST_LIST, for scripts/real-programs."""
    if path := os.environ.get("HIDSIM_TEST_LIST"):
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{item.nodeid}\n" for item in session.items)


@pytest.fixture(autouse=True)
def limit():
    """Ends a test that takes more than two minutes."""

    def stop(*_):
        raise TimeoutError("the test took more than 120 seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    yield
    signal.alarm(0)


@pytest.fixture
def saw(request):
    """A function that adds a row to the table of programs, if the test passes.

    `saw("SDL", "2.32.10", "dualsense.json", "usb", takes="SDL_JOYSTICK_HIDAPI=0")`: the program, its version, the
    device file, the bus, and what else it takes, if anything. `sees=False` says that the program does not see the device
    on this bus.
    """
    rows = []

    def add(program, version, device, bus, takes="", sees=True):
        assert os.environ.get("HIDSIM_BUS", bus) == bus, "the devices are on another bus"
        row = {"program": program, "version": version, "device": device, "bus": bus, "takes": takes}
        rows.append(row if sees else {**row, "sees": False})

    before = request.session.testsfailed
    yield add
    if request.session.testsfailed == before and LOGS.is_dir():
        with open(LOGS / "rows", "a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def run():
    """A function that runs a program to its end, and returns its standard output; a status other than 0 fails the test."""

    def run(*words, status=0, timeout=20, **options):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, **options)
        assert done.returncode == status, f"{words[0]} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def start(request):
    """A function that starts a program, and returns its process; it is killed when the test ends."""

    def start(*words, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, **options}
        process = subprocess.Popen(words, **options)
        request.addfinalizer(lambda: (process.kill(), process.wait()))
        return process

    return start


def lines_until(process, wanted, within=20):
    """Reads a process's lines up to the first that contains the wanted text, and returns them.

    It fails if the output ends before, and kills the process if the time is over.
    """
    found = []
    timer = threading.Timer(within, process.kill)
    timer.start()
    try:
        for line in process.stdout:
            found.append(line.rstrip("\n"))
            if wanted in line:
                return found
    finally:
        timer.cancel()
    raise AssertionError(f"{wanted!r} is not in the output of {process.args}: {found}")
