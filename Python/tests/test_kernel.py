# SPDX-License-Identifier: Apache-2.0
"""Programs of others on the kernel's bus: `scripts/python-tests --kernel` runs these where there is one."""

import os
import pathlib
import re
import select

import pytest

pytestmark = pytest.mark.hidsim_bus("kernel")

README = pathlib.Path(__file__).parents[1] / "README.md"


def test_hidapi_lights_a_lamp(hidsim_device):
    hidraw = pytest.importorskip("hidraw", reason="hidapi for Python is needed")
    keyboard = hidsim_device("keyboard.json")
    host = hidraw.device()
    host.open_path(keyboard.hidraw.encode())
    try:
        keyboard.wait_for_reader(10)
        keyboard.tap("a")
        assert host.read(8, 10_000) == [0, 0, 4, 0, 0, 0, 0, 0]
        assert host.write([0x00, 0x02]) == 2
        keyboard.expect("led.capsLock", "on", within=10)
    finally:
        host.close()


def test_evdev_reads_a_key(hidsim_device):
    evdev = pytest.importorskip("evdev", reason="python-evdev is needed")
    keyboard = hidsim_device("keyboard.json")
    host = evdev.InputDevice(keyboard.evdev)
    try:
        assert host.name == "hidsim keyboard"
        keyboard.tap("leftShift+a")
        keys = []
        while len(keys) < 4 and select.select([host], [], [], 10)[0]:
            keys += [(event.code, event.value) for event in host.read() if event.type == evdev.ecodes.EV_KEY]
        shift, a = evdev.ecodes.KEY_LEFTSHIFT, evdev.ecodes.KEY_A
        assert keys == [(shift, 1), (a, 1), (a, 0), (shift, 0)]
    finally:
        host.close()


@pytest.mark.hidsim_bus("auto")
def test_auto_is_the_kernels_bus(hidsim_device):
    assert hidsim_device("keyboard.json").bench.bus == os.environ["HIDSIM_BUS"] == "kernel"


def test_without_a_word_the_bus_is_the_kernels(pytester, monkeypatch):
    monkeypatch.delenv("HIDSIM_BUS", raising=False)
    pytester.makepyfile(
        """
        import hidsim

        def test_it(hidsim_device):
            assert hidsim_device("keyboard.json").bench.bus == "kernel"

        def test_bench():
            with hidsim.Bench() as bench:
                assert bench.plug("keyboard.json").hidraw
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["hidsim: kernel bus (auto)"])


def test_nodes_are_those_of_the_environment_and_new_ones_after_plugging(hidsim_device):
    keyboard, mouse = hidsim_device("keyboard.json"), hidsim_device("mouse.json")
    assert os.environ["HIDSIM_BUS"] == "kernel"
    assert os.environ["HIDSIM_HIDRAW"].split() == [keyboard.hidraw, mouse.hidraw]
    assert os.environ["HIDSIM_EVDEV"].split() == [keyboard.evdev, mouse.evdev]
    assert all(os.path.exists(path) for path in keyboard.nodes + mouse.nodes)
    keyboard.unplug()
    assert keyboard.nodes == [] and keyboard.hidraw is None and keyboard.evdev is None
    assert os.environ["HIDSIM_HIDRAW"] == mouse.hidraw
    keyboard.plug()
    assert os.path.exists(keyboard.hidraw) and keyboard.evdev in os.environ["HIDSIM_EVDEV"]


def test_nodes_of_all_devices_of_a_file_are_those_of_the_environment(hidsim_device):
    first = hidsim_device(README.parents[1] / "Tests/EndToEndTests/Fixtures/two-devices.hid")
    second = first.bench.devices[1]
    assert first.hidraw and second.hidraw and first.hidraw != second.hidraw
    assert os.environ["HIDSIM_HIDRAW"].split() == [first.hidraw, second.hidraw]
    second.unplug()
    assert os.environ["HIDSIM_HIDRAW"] == first.hidraw


def test_the_example_of_the_readme_passes_and_fails_with_what_happened(pytester, monkeypatch):
    pytest.importorskip("hidraw", reason="hidapi for Python is needed")
    program, test, *_ = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)
    pytester.makepyfile(lamp=program, test_lamp=test)
    words = ["-p", "no:cacheprovider", "--hidsim-bus", "kernel", "--hidsim-require"]
    pytester.runpytest_inprocess(*words).assert_outcomes(passed=1)
    # The program has a bug. The test waits for the output report instead of 2 s: the correct
    # program has lit the LED by then.
    pytester.makepyfile(lamp=program.replace("0x02]", "0x01]"))
    expectation = 'keyboard.expect("led.capsLock", "on", within=2)'
    assert expectation in test
    pytester.makepyfile(test_lamp=test.replace(expectation, 'keyboard.wait("output"); keyboard.expect("led.capsLock", "on")'))
    result = pytester.runpytest_inprocess(*words)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E  *hidsim.device.Unmet: expected led.capsLock on, and it is off",
            "E  *What happened to the virtual devices, in seconds:",
            "E  * hidsim keyboard: plugged as /dev/hidraw* /dev/input/event* after * ms",
            "E  * hidsim keyboard: input 00 00 04 00 00 00 00 00  keyboardOrKeypad.keyboardA on",
            "E  * hidsim keyboard: output 01 (as 00 01)  led.numLock on",
        ]
    )


def test_the_test_of_the_front_page_passes_and_fails_as_shown_there(pytester):
    page = (README.parents[1] / "README.md").read_text()
    program, test = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    shown = re.search(r"^With the bug it fails:\n\n```\n(.*?)^```$", page, re.M | re.S)[1]
    words = ["-p", "no:cacheprovider", "--hidsim-bus", "kernel", "--hidsim-require"]
    pytester.makepyfile(my_led_app=program, test_lamp=test)
    pytester.runpytest_inprocess(*words).assert_outcomes(passed=1)
    wrong = program.replace("0x02]", "0x01]")
    assert wrong != program
    pytester.makepyfile(my_led_app=wrong)
    result = pytester.runpytest_inprocess(*words)
    result.assert_outcomes(failed=1)
    lines = [re.sub(r"\d\.\d{6}", "*", line) for line in shown.splitlines() if line != "…"]
    assert len(lines) == 3
    result.stdout.fnmatch_lines(lines)
