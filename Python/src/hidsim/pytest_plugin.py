# SPDX-License-Identifier: Apache-2.0
"""The fixture `hidsim_device` of pytest: virtual HID devices for a test."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Optional

import pytest

from . import _report
from .bench import BUSES, Bench, BusUnavailable, choose_bus
from .device import Device, Unmet
from .stream import NoProgram

# Versions before pytest 7 have no StashKey. With them only the fixture fails, with a message.
_bench = pytest.StashKey[Bench]() if hasattr(pytest, "StashKey") else None


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("hidsim", "virtual HID devices")
    group.addoption(
        "--hidsim-bus",
        choices=BUSES,
        help="the bus that devices are plugged into (default: $HIDSIM_BUS, else auto: the kernel bus if /dev/uhid can be opened, "
        "else the loopback bus)",
    )
    group.addoption(
        "--hidsim-require",
        action="store_true",
        help="fail a test whose bus cannot be used here, instead of skipping it; HIDSIM_REQUIRE=1 does the same",
    )
    group.addoption(
        "--hidsim-html",
        metavar="PATH",
        help="write the tests that use hidsim_device as one HTML file, with what happened to their devices; pytest-xdist's "
        "workers write a file each: PATH is report-gw0.html for report.html",
    )


def pytest_configure(config: Any) -> None:
    path = config.getoption("--hidsim-html")
    # The process that starts workers runs no tests itself, and --collect-only runs none.
    if path and not getattr(config.option, "numprocesses", None) and not config.option.collectonly:
        config.pluginmanager.register(_report.Writer(config, path), "hidsim-html")
    config.addinivalue_line(
        "markers", "hidsim_bus(bus): the bus for the devices of this test; it overrides --hidsim-bus and HIDSIM_BUS"
    )


def pytest_report_header(config: Any) -> str:
    option, variable = config.getoption("--hidsim-bus"), os.environ.get("HIDSIM_BUS")
    source = f"--hidsim-bus {option}" if option else f"HIDSIM_BUS={variable}" if variable else "auto"
    try:
        bus, problem = choose_bus(option)
    except ValueError as error:
        return f"hidsim: {error} ({source})"
    return f"hidsim: {bus} bus ({'; '.join(filter(None, [source, problem]))})"


def _is_required(config: Any) -> bool:
    return bool(config.getoption("--hidsim-require")) or os.environ.get("HIDSIM_REQUIRE", "") not in ("", "0")


@pytest.fixture
def hidsim_device(request: Any) -> Iterator[Callable[[str], Device]]:
    """Plugs devices for the test: `keyboard = hidsim_device("keyboard.json")`.

    A relative path is from the folder of the test's file; else it is the name of a file that comes with hidsim. `--hidsim-bus`,
    HIDSIM_BUS or a mark chooses the bus; the default is the kernel bus if /dev/uhid can be opened, else a loopback bus of the
    test. Programs that the test starts find the devices by the environment. The devices are unplugged however the test ends.
    """
    if _bench is None:
        pytest.fail(f"hidsim_device needs pytest 7 or later, and this is {pytest.__version__}", pytrace=False)
    try:
        bus, _ = choose_bus(_asked(request))
    except ValueError as error:
        pytest.fail(str(error), pytrace=False)
    bench = None
    try:
        writer = request.config.pluginmanager.get_plugin("hidsim-html")
        bench = Bench(bus, folder=request.path.parent, timeline=writer.EVENTS if writer else 0)
    except NoProgram as missing:
        problem, can_skip = str(missing), False
    except BusUnavailable as unavailable:
        problem = f"the kernel's bus cannot be used: {unavailable}"
        can_skip = not _is_required(request.config)
    if bench is None and can_skip:
        pytest.skip(problem)
    elif bench is None:
        pytest.fail(problem, pytrace=False)
    assert bench
    request.node.stash[_bench] = bench
    yield bench.plug
    bench.close()


def _asked(request: Any) -> Optional[str]:
    marker = request.node.get_closest_marker("hidsim_bus")
    if marker and (len(marker.args) != 1 or marker.kwargs):
        pytest.fail('the mark hidsim_bus takes one bus: @pytest.mark.hidsim_bus("kernel")', pytrace=False)
    bus: Optional[str] = marker.args[0] if marker else request.config.getoption("--hidsim-bus")
    return bus


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    if _bench is None:
        return
    report = outcome.get_result()
    bench = item.stash.get(_bench, None)
    writer = item.config.pluginmanager.get_plugin("hidsim-html")
    if writer:
        if report.when == "call" and bench and not report.skipped:
            bench.settle()
        writer.take(item, report, bench)
    if report.when == "teardown" and bench:
        del item.stash[_bench]  # pytest keeps its items to the end
    if not report.failed or bench is None or not (bench.devices or bench.run.errors):
        return
    if call.excinfo is not None and call.excinfo.errisinstance(Unmet):
        return  # its message already has the traffic
    if report.when != "teardown":
        bench.settle()
    if hasattr(report.longrepr, "addsection"):
        report.longrepr.addsection("hidsim", bench.traffic())  # this is in JUnit's XML, too
    else:
        report.sections.append(("hidsim", bench.traffic()))
