# SPDX-License-Identifier: Apache-2.0
"""liquidctl and a Kraken X63."""

import importlib.metadata
import json
import pathlib
import sys

import pytest

VERSION = importlib.metadata.version("liquidctl")
# Without this option liquidctl uses the kernel's driver nzxt-kraken3 where there is one.
TAKES = "--direct-access, if the kernel has nzxt-kraken3"

buses = pytest.mark.parametrize("bus", ["kernel", "usb"])


@pytest.fixture
def liquidctl(run):
    """A function that runs liquidctl, and returns the first device of its JSON output, or None."""

    def call(*words):
        output = run(str(pathlib.Path(sys.prefix, "bin/liquidctl")), "--direct-access", "--json", *words)
        return next(iter(json.loads(output)), None)

    return call


def values(told):
    return {row["key"]: row["value"] for row in told["status"]}


@buses
def test_list(bus, hidsim_device, liquidctl, saw):
    hidsim_device("cooler.json")
    told = liquidctl("list", "--verbose")
    assert told["description"] == "NZXT Kraken X (X53, X63 or X73)"
    assert (told["vendor_id"], told["product_id"], told["serial_number"]) == (0x1e71, 0x2007, "KRAKEN-1")
    saw("liquidctl", VERSION, "cooler.json", bus, takes=TAKES)


@pytest.mark.quick
@buses
def test_initialize(bus, hidsim_device, liquidctl, saw):
    cooler = hidsim_device("cooler.json")
    told = values(liquidctl("initialize"))
    assert told == {"Firmware version": "2.1.0", "Pump Ring LEDs": "detected", "Pump Logo LEDs": "detected"}
    cooler.script("expect isReady 1 ; expect interval 1")
    saw("liquidctl", VERSION, "cooler.json", bus, takes=TAKES)


@buses
def test_status_has_the_values_that_the_test_has_set(bus, hidsim_device, liquidctl, saw):
    cooler = hidsim_device("cooler.json")
    liquidctl("initialize")
    assert values(liquidctl("status")) == {"Liquid temperature": 30.5, "Pump speed": 1800, "Pump duty": 50}
    cooler.set("temperature", 41, "tenths", 7, "pumpSpeed", 2650)
    assert values(liquidctl("status")) == {"Liquid temperature": 41.7, "Pump speed": 2650, "Pump duty": 50}
    saw("liquidctl", VERSION, "cooler.json", bus, takes=TAKES)


@buses
def test_a_fixed_speed_of_the_pump_arrives(bus, hidsim_device, liquidctl, saw):
    cooler = hidsim_device("cooler.json")
    liquidctl("initialize")
    liquidctl("set", "pump", "speed", "75")
    cooler.script("expect duty 75 within 5s")
    assert values(liquidctl("status"))["Pump duty"] == 75
    saw("liquidctl", VERSION, "cooler.json", bus, takes=TAKES)


@buses
def test_a_curve_of_the_pump_arrives(bus, hidsim_device, liquidctl, saw):
    cooler = hidsim_device("cooler.json")
    liquidctl("initialize")
    liquidctl("set", "pump", "speed", "20", "30", "40", "50", "50", "100")
    report = bytes.fromhex(cooler.wait("output", report=0x72)["bytes"])
    assert report[:4] == bytes((0x72, 1, 0, 0))
    # From 30 % at 20 degrees to 50 % at 40 degrees, to 100 % at 50 degrees and above.
    assert list(report[4:25]) == list(range(30, 51))
    assert list(report[34:44]) == [100] * 10
    saw("liquidctl", VERSION, "cooler.json", bus, takes=TAKES)


@buses
def test_the_colours_of_ring_and_logo_arrive(bus, hidsim_device, liquidctl, saw):
    cooler = hidsim_device("cooler.json")
    liquidctl("initialize")
    liquidctl("set", "ring", "color", "fixed", "ff8001")
    liquidctl("set", "logo", "color", "pulse", "000040")
    for state, value in {"ringRed": 255, "ringGreen": 128, "ringBlue": 1, "logoMode": 6, "logoRed": 0, "logoBlue": 64}.items():
        cooler.script(f"expect {state} {value}")
    saw("liquidctl", VERSION, "cooler.json", bus, takes=TAKES)
