# SPDX-License-Identifier: Apache-2.0
"""The fixture `hidsim_device` of pytest: virtual HID devices for a test."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator

import pytest

from .bench import Bench, BusUnavailable
from .device import Device, Unmet
from .stream import NoProgram

_BUSES = ("loopback", "kernel")
# Older pytests have it not: there the fixture says so, and nothing else is disturbed.
_bench = pytest.StashKey[Bench]() if hasattr(pytest, "StashKey") else None


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("hidsim", "virtual HID devices")
    group.addoption("--hidsim-bus", choices=_BUSES, help="which bus devices are plugged into (else $HIDSIM_BUS; else loopback)")
    group.addoption("--hidsim-require", action="store_true", help="a test whose bus cannot be used here fails, and is not skipped")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "hidsim_bus(bus): the bus that this test's devices are plugged into, whatever is asked for")


@pytest.fixture
def hidsim_device(request: Any) -> Iterator[Callable[[str], Device]]:
    """Plugs devices for the test: `keyboard = hidsim_device("keyboard.json")`.

    A relative path is from the folder of the test's file; else it is the name of a file that comes with hidsim. Each test
    has a loopback bus of its own, or with `--hidsim-bus kernel` the kernel's; the environment says where the devices are, to
    programs that the test starts. The devices are unplugged however the test ends.
    """
    if _bench is None:
        pytest.fail(f"hidsim_device needs pytest 7 or later, and this is {pytest.__version__}", pytrace=False)
    bench = None
    try:
        bench = Bench(_bus(request), folder=request.path.parent)
    except NoProgram as missing:
        problem, can_skip = str(missing), False
    except BusUnavailable as unavailable:
        problem = f"the kernel's bus cannot be used: {unavailable}"
        can_skip = not request.config.getoption("--hidsim-require")
    if bench is None and can_skip:
        pytest.skip(problem)
    elif bench is None:
        pytest.fail(problem, pytrace=False)
    assert bench
    request.node.stash[_bench] = bench
    yield bench.plug
    bench.close()


def _bus(request: Any) -> str:
    marker = request.node.get_closest_marker("hidsim_bus")
    if marker and (len(marker.args) != 1 or marker.kwargs):
        pytest.fail('the mark says which bus: @pytest.mark.hidsim_bus("kernel")', pytrace=False)
    elif marker:
        (bus,) = marker.args
    else:
        bus = request.config.getoption("--hidsim-bus") or os.environ.get("HIDSIM_BUS") or "loopback"
    if bus == "auto":  # hidsim's own default: a test's is a bus of its own
        bus = "loopback"
    if bus not in _BUSES:
        pytest.fail(f"there is no bus {bus!r}: it is one of {', '.join(_BUSES)}", pytrace=False)
    return str(bus)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    if _bench is None:
        return
    report = outcome.get_result()
    bench = item.stash.get(_bench, None)
    if report.when == "teardown" and bench:
        del item.stash[_bench]  # pytest keeps its items to the end
    if not report.failed or bench is None or not (bench.devices or bench.run.errors):
        return
    if call.excinfo is not None and call.excinfo.errisinstance(Unmet):
        return  # its message has it
    if report.when != "teardown":
        bench.settle()
    if hasattr(report.longrepr, "addsection"):
        report.longrepr.addsection("hidsim", bench.traffic())  # in JUnit's XML, too
    else:
        report.sections.append(("hidsim", bench.traffic()))
