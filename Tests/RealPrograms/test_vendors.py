# SPDX-License-Identifier: Apache-2.0
"""What vendors' drivers make of a device besides input: sensors, I2C buses and GPIO lines."""

import functools
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import time

import pytest

BRIDGES = ["mcp2221.json", "cp2112.json"]
BUSES = ["kernel", "usb"]
LIQUIDCTL = str(pathlib.Path(sys.prefix, "bin/liquidctl"))


@functools.cache
def version(*words):
    """The version that a program prints."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=20)
    return re.search(r"\d+(\.\d+)+", done.stdout)[0]


def until(found, what):
    """Calls the function until its result is true, and returns it; udevd handles its events between two calls."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if result := found():
            return result
        subprocess.run(["udevadm", "settle", "--timeout=20"], check=True)
    raise AssertionError(f"{what}: not within 20 s")


def only(pattern):
    """The only file in /sys with this pattern, when it is there and udevd has handled it."""
    path = until(lambda: next(iter(pathlib.Path("/sys").glob(pattern)), None), pattern)
    subprocess.run(["udevadm", "settle", "--timeout=20"], check=True)
    assert list(pathlib.Path("/sys").glob(pattern)) == [path]
    return path


def i2c_bus():
    return only("bus/i2c/devices/i2c-*").name.removeprefix("i2c-")


def gpio_chip():
    return only("bus/gpio/devices/gpiochip*").name


def i2c(*words):
    """What a program of i2c-tools prints.

    hid-cp2112 waits 50 ms for an answer of the chip, which is too short if other programs use the processor: it is
    called again if it fails.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "timeout": 20}

    def once():
        done = subprocess.run(words, **options)
        return None if done.returncode else done.stdout or "\n"

    return until(once, " ".join(words))


def sensors(run, chip):
    """What `sensors` shows of a chip, as one dictionary."""
    [values] = json.loads(run("sensors", "-j", chip)).values()
    return {name: value for feature in values.values() if isinstance(feature, dict) for name, value in feature.items()}


@pytest.mark.quick
@pytest.mark.parametrize("bus", BUSES)
def test_fans(bus, hidsim_device, run, saw):
    controller = hidsim_device("nzxt-fan-controller.json")
    chip = only("class/hwmon/hwmon*")
    controller.set("fan1", 1234)
    controller.set("fan2", 850)
    # The controller reports each second.
    until(lambda: sensors(run, "nzxtsmart2-*").get("fan2_input") == 850, "850 turns per minute")
    shown = sensors(run, "nzxtsmart2-*")
    assert (shown["fan1_input"], shown["fan3_input"], shown["in0_input"], shown["curr1_input"]) == (1234, 0, 11.9, 0.12)
    # 50 %. The driver shows the duty that the controller reports: 127 of 255.
    (chip / "pwm1").write_text("128")
    controller.expect("duty1", 50, within=5)
    assert [(chip / name).read_text().strip() for name in ("pwm1_enable", "pwm1_mode", "pwm3_enable")] == ["1", "1", "0"]
    saw("lm-sensors", version("sensors", "-v"), "nzxt-fan-controller.json", bus)


@pytest.mark.parametrize("bus", BUSES)
def test_liquidctl(bus, hidsim_device, run, saw):
    controller = hidsim_device("nzxt-fan-controller.json")
    assert "Firmware version    1.5.0" in run(LIQUIDCTL, "initialize")
    run(LIQUIDCTL, "set", "fan1", "speed", "60")
    controller.expect("duty1", 60, within=5)
    controller.set("fan1", 1234)
    # It waits for the next report of speed.
    [shown] = json.loads(run(LIQUIDCTL, "--direct-access", "--json", "status"))
    values = {row["key"]: row["value"] for row in shown["status"]}
    assert (values["Fan 1 speed"], values["Fan 1 duty"]) == (1234, 60)
    saw("liquidctl", importlib.metadata.version("liquidctl"), "nzxt-fan-controller.json", bus, takes="root")


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("device", BRIDGES)
def test_i2c_sensor(device, bus, hidsim_device, run, saw):
    bridge = hidsim_device(device)
    number = i2c_bus()

    def found():
        rows = i2c("i2cdetect", "-y", "-r", number).splitlines()[1:]
        return [word for row in rows for word in row.split()[1:] if word != "--"]

    until(lambda: found() == ["48"], "the sensor, and nothing else")
    # The sensor sends the high byte first, and a word of SMBus begins with the low byte: 30.5 degrees are 1e 80.
    bridge.set("temperature", 0x1E80)
    assert i2c("i2cget", "-y", number, "0x48", "0", "w") == "0x801e\n"
    assert i2c("i2ctransfer", "-y", number, "w1@0x48", "0", "r2") == "0x1e 0x80\n"
    i2c("i2cset", "-y", number, "0x48", "1", "0x60")
    bridge.expect("configuration", 0x60, within=5)
    assert i2c("i2cget", "-y", number, "0x48", "1") == "0x60\n"
    assert run("i2cget", "-y", number, "0x49", "0", status=2) == ""
    saw("i2c-tools", version("i2cget", "-V"), device, bus, takes="root")


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("device", BRIDGES)
def test_temperature(device, bus, hidsim_device, run, saw):
    bridge = hidsim_device(device)
    i2c_devices = pathlib.Path(f"/sys/bus/i2c/devices/i2c-{i2c_bus()}")

    def attach():
        (i2c_devices / "new_device").write_text("tmp75 0x48")
        if list(pathlib.Path("/sys/class/hwmon").iterdir()):
            return True
        (i2c_devices / "delete_device").write_text("0x48")
        return False

    until(attach, "the driver of the sensor")
    for register, degrees in [(0x1E80, 30.5), (-0x0A00, -10)]:
        bridge.set("temperature", register)
        # The driver asks the sensor again only after the time of a measurement.
        until(lambda degrees=degrees: sensors(run, "tmp75-*").get("temp1_input") == degrees, f"{degrees} degrees")
    until(lambda: sensors(run, "tmp75-*").get("temp1_max") == 80, "a limit of 80 degrees")
    saw("lm-sensors", version("sensors", "-v"), device, bus, takes="echo tmp75 0x48 >new_device")


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize(
    ("device", "pin", "written", "direction"), [("mcp2221.json", "gp0", "gp1", ("direction1", 0)),
                                                ("cp2112.json", "gpio0", "level1", ("directions", 2))])
def test_gpio(device, pin, written, direction, bus, hidsim_device, run, saw):
    bridge = hidsim_device(device)
    chip = gpio_chip()
    for level in (1, 0):
        bridge.set(pin, level)
        assert run("gpioget", chip, "0") == f"{level}\n"
    for level in (1, 0):
        run("gpioset", chip, f"1={level}")
        bridge.expect(written, level, within=5)
    bridge.expect(*direction, within=5)
    saw("libgpiod", version("gpioget", "--version"), device, bus, takes="root")


@pytest.mark.parametrize("bus", BUSES)
def test_converters(bus, hidsim_device):
    """Pins 2 and 3 of the MCP2221 are no GPIO lines, but a DAC and an ADC."""
    bridge = hidsim_device("mcp2221.json")
    converters = only("bus/iio/devices/iio:device*")
    bridge.set("adc3", 700)
    assert (converters / "in_voltage1_raw").read_text() == "700\n"
    (converters / "out_voltage0_raw").write_text("21")
    bridge.expect("dac", 21, within=5)
    done = subprocess.run(["gpioget", gpio_chip(), "2"], capture_output=True, text=True, timeout=20)
    assert "No such file or directory" in done.stderr
