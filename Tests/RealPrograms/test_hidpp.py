# SPDX-License-Identifier: Apache-2.0
"""Programs for Logitech's devices: the kernel's drivers of HID++, Solaar, libratbag and UPower."""

import os
import pathlib
import platform

import pytest

from conftest import lines_until

MOUSE = "Wireless Mouse MX Master 3"
SERVICES = {"org.freedesktop.UPower": "/usr/libexec/upowerd", "org.freedesktop.ratbag1": "/usr/bin/ratbagd"}
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <servicedir>{folder}</servicedir>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""
# What a user has to do for a program that talks to a service of the system bus.
SERVICE = "udevd, a system bus of D-Bus"


@pytest.fixture
def system_bus(tmp_path, start, monkeypatch):
    """A system bus of D-Bus, which starts upowerd and ratbagd when a program needs them."""
    (tmp_path / "bus.conf").write_text(BUS.format(folder=tmp_path))
    for name, program in SERVICES.items():
        (tmp_path / f"{name}.service").write_text(f"[D-BUS Service]\nName={name}\nExec={program}\n")
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/bus")
    with open(tmp_path / "log", "w", encoding="utf-8") as log:
        bus = start("dbus-daemon", f"--config-file={tmp_path}/bus.conf", "--nofork", "--print-address", stderr=log)
    bus.stdout.readline()


@pytest.fixture
def solaar(tmp_path, run):
    """A function that runs Solaar with a configuration of its own, and returns what it prints."""
    return lambda *words: run("solaar", *words, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)})


@pytest.fixture
def saw_solaar(solaar, saw):
    """A function that adds a row of Solaar to the table of programs: for a device file, and a bus."""

    def add(device, bus):
        saw("Solaar", solaar("--version").split()[-1], device, bus, takes="udevd, root or access to hidraw")

    return add


def battery():
    """The folder of the only battery of an HID++ device."""
    found, = pathlib.Path("/sys/class/power_supply").glob("hidpp_battery_*")
    return found


def lower_charge(mouse):
    """The mouse is switched off, and on again with a charge of 20 %. Then the driver reads the charge.

    A report of a new charge (11 ff 08 00 14 05 00) is not enough: Linux 6.12 also reads it as one of the feature 1004, and
    the level is unknown then.
    """
    mouse.expect_anything()
    mouse.script("set charge 20")
    mouse.report("11 ff 04 00 01 01 01")
    # What the wheel can do is what the driver asks last.
    mouse.script("expect event output 17 bytes ff 0e 0? ... within 5s")


@pytest.mark.quick
@pytest.mark.hidsim_bus("kernel")
def test_mouse_scrolls_in_high_resolution(hidsim_device, start, saw):
    mouse = hidsim_device("hidpp-mouse.json")
    evtest = start("evtest", mouse.evdev)
    lines_until(evtest, "Testing ...")
    # The driver has switched the wheel to 15 steps in a detent. A third of a detent is 40 of 120.
    mouse.scroll(5)
    assert "REL_WHEEL_HI_RES), value 40" in lines_until(evtest, "REL_WHEEL")[-1]
    assert "SYN_REPORT" in evtest.stdout.readline()
    mouse.scroll(15)
    seen = lines_until(evtest, "SYN_REPORT")
    assert "REL_WHEEL_HI_RES), value 120" in seen[0]
    assert "REL_WHEEL), value 1" in seen[1]
    saw("hid-logitech-hidpp", platform.release(), "hidpp-mouse.json", "kernel")


@pytest.mark.hidsim_bus("kernel")
def test_mouse_has_a_battery_in_sysfs(hidsim_device, saw):
    mouse = hidsim_device("hidpp-mouse.json")
    folder = battery()
    assert (folder / "model_name").read_text() == f"{MOUSE}\n"
    assert (folder / "capacity_level").read_text() == "Full\n"
    lower_charge(mouse)
    assert (folder / "capacity_level").read_text() == "Low\n"
    saw("hid-logitech-hidpp", platform.release(), "hidpp-mouse.json", "kernel")


@pytest.mark.hidsim_bus("kernel")
def test_solaar_shows_the_mouse(hidsim_device, solaar, saw_solaar):
    hidsim_device("hidpp-mouse.json").script("set charge 50")
    shown = solaar("show")
    assert "1: MX Master 3 Wireless Mouse" in shown
    assert "Firmware: MPM 19.01.B0015" in shown
    assert "Sensitivity (DPI)        : 1000" in shown
    assert "Scroll Wheel Resolution        : True" in shown
    assert "Has 8 reprogrammable keys:" in shown
    assert "Battery: 50%, discharging, next level 20%." in shown
    saw_solaar("hidpp-mouse.json", "kernel")


@pytest.mark.hidsim_bus("kernel")
def test_solaar_diverts_a_button(hidsim_device, solaar, saw_solaar):
    mouse = hidsim_device("hidpp-mouse.json")
    solaar("config", "MX Master 3", "divert-keys", "Mouse Gesture Button", "Diverted")
    mouse.script("expect divertGesture 1 ; expect divertBack 0")
    saw_solaar("hidpp-mouse.json", "kernel")


@pytest.mark.hidsim_bus("kernel")
def test_ratbagctl_sets_the_dpi(hidsim_device, run, saw, system_bus):
    mouse = hidsim_device("hidpp-mouse.json")
    name = f"Logitech {MOUSE}"
    assert name in run("ratbagctl", "list")
    assert run("ratbagctl", name, "dpi", "get") == "1000dpi\n"
    run("ratbagctl", name, "dpi", "set", "1600")
    mouse.script("expect dpi 1600")
    saw("libratbag", run("ratbagctl", "--version").strip(), "hidpp-mouse.json", "kernel", takes=SERVICE)


@pytest.mark.hidsim_bus("kernel")
def test_upower_follows_the_battery(hidsim_device, run, start, saw, system_bus):
    mouse = hidsim_device("hidpp-mouse.json")
    shown = run("upower", "--dump")
    assert f"model:                {MOUSE}\n" in shown
    assert "battery-level:       full\n" in shown
    monitor = start("upower", "--monitor-detail")
    lines_until(monitor, "Monitoring activity")
    lower_charge(mouse)
    lines_until(monitor, "battery-level:       low", within=60)
    saw("UPower", run("upower", "--version").split()[-1], "hidpp-mouse.json", "kernel", takes=SERVICE)


@pytest.fixture
def unifying(hidsim_device, run):
    """A function that plays a script on the interface hidpp of a Unifying Receiver, whose mouse can be used."""
    receiver = hidsim_device("unifying-receiver.json")

    def play(text):
        receiver.script(text)

    # What the mouse's wheel can do is what the driver asks last.
    play("@hidpp expect event output 17 bytes 01 0e 0? ... within 20s")
    run("udevadm", "settle")
    return play


def event_node(name):
    """The path of the only evdev node with this name."""
    folders = pathlib.Path("/sys/class/input").glob("event*")
    found, = (folder.name for folder in folders if (folder / "device/name").read_text() == f"{name}\n")
    return f"/dev/input/{found}"


@pytest.mark.hidsim_bus("usb")
def test_unifying_receiver_has_a_mouse(unifying, start, saw):
    evtest = start("evtest", event_node("Logitech MX Master 3"))
    lines_until(evtest, "Testing ...")
    unifying("@hidpp set mouseLeft on mouseX 5 mouseY -3 ; @hidpp set mouseLeft off mouseX 0 mouseY 0 mouseWheel 15")
    seen = "".join(lines_until(evtest, "SYN_REPORT") + lines_until(evtest, "SYN_REPORT"))
    for expected in "BTN_LEFT), value 1", "REL_X), value 5", "REL_Y), value -3", "BTN_LEFT), value 0":
        assert expected in seen
    assert "REL_WHEEL_HI_RES), value 120" in seen
    saw("hid-logitech-dj", platform.release(), "unifying-receiver.json", "usb")


@pytest.mark.hidsim_bus("usb")
def test_solaar_shows_the_unifying_receiver_and_its_mouse(unifying, solaar, saw_solaar):
    shown = solaar("show")
    assert "Unifying Receiver\n" in shown
    assert "Serial       : 4E525831" in shown
    assert "Has 1 paired device(s) out of a maximum of 6." in shown
    assert "1: MX Master 3 Wireless Mouse" in shown
    assert "Serial number: 4D584D33" in shown
    assert "Battery: 100%, discharging, next level 50%." in shown
    saw_solaar("unifying-receiver.json", "usb")


@pytest.mark.hidsim_bus("usb")
def test_solaar_sees_that_the_mouse_is_out_of_range(unifying, solaar, saw_solaar):
    unifying("@hidpp set linked 0")
    assert "unknown (device is offline)" in solaar("show")
    saw_solaar("unifying-receiver.json", "usb")


@pytest.mark.hidsim_bus("usb")
def test_ratbagctl_sets_the_dpi_of_the_mouse_behind_a_receiver(unifying, run, saw, system_bus):
    run("ratbagctl", "Logitech MX Master 3", "dpi", "set", "2000")
    unifying("@hidpp expect dpi 2000")
    saw("libratbag", run("ratbagctl", "--version").strip(), "unifying-receiver.json", "usb", takes=SERVICE)


@pytest.mark.hidsim_bus("usb")
def test_upower_shows_the_battery_behind_a_receiver(unifying, run, saw, system_bus):
    shown = run("upower", "--dump")
    assert f"model:                {MOUSE}\n" in shown
    assert "serial:               4d-58-4d-33\n" in shown
    assert "battery-level:       full\n" in shown
    saw("UPower", run("upower", "--version").split()[-1], "unifying-receiver.json", "usb", takes=SERVICE)


@pytest.fixture
def lightspeed(hidsim_device, run):
    """A function that plugs a Lightspeed Receiver, and returns it when the drivers have asked its mouse everything."""

    def plug():
        receiver = hidsim_device("hidpp-receiver.json")
        # The voltage of the battery is what the driver asks last, and for the second time.
        asked = "@hidpp expect event output 17 bytes 01 06 0? ... within 20s"
        receiver.script(f"{asked} ; {asked}")
        run("udevadm", "settle")
        return receiver

    return plug


@pytest.mark.parametrize("bus", [pytest.param("kernel", marks=pytest.mark.quick), "usb"])
def test_lightspeed_receiver_has_a_mouse(bus, lightspeed, start, saw):
    receiver = lightspeed()
    evtest = start("evtest", event_node("Logitech G Pro"))
    lines_until(evtest, "Testing ...")
    receiver.script("@mouse press left ; @mouse move 300 -5")
    seen = "".join(lines_until(evtest, "SYN_REPORT") + lines_until(evtest, "SYN_REPORT"))
    for expected in "BTN_LEFT), value 1", "REL_X), value 300", "REL_Y), value -5":
        assert expected in seen
    saw("hid-logitech-dj", platform.release(), "hidpp-receiver.json", bus)


@pytest.mark.hidsim_bus("usb")
def test_solaar_shows_the_lightspeed_receiver_and_its_mouse(lightspeed, solaar, saw_solaar):
    lightspeed()
    shown = solaar("show")
    assert "Lightspeed Receiver\n" in shown
    assert "Has 1 paired device(s) out of a maximum of 1." in shown
    assert "1: G Pro Wireless Gaming Mouse" in shown
    assert "Polling Rate (ms)        : 2" in shown
    assert "Battery: 70% 3926mV , discharging." in shown
    saw_solaar("hidpp-receiver.json", "usb")


@pytest.mark.hidsim_bus("usb")
def test_solaar_sets_the_report_rate(lightspeed, solaar, saw_solaar):
    receiver = lightspeed()
    solaar("config", "G Pro", "report_rate", "4")
    receiver.script("@hidpp expect reportInterval 4")
    saw_solaar("hidpp-receiver.json", "usb")


@pytest.mark.parametrize("bus", ["kernel", "usb"])
def test_upower_follows_the_battery_behind_a_receiver(bus, lightspeed, run, start, saw, system_bus):
    receiver = lightspeed()
    assert "percentage:          70%\n" in run("upower", "--dump")
    monitor = start("upower", "--monitor-detail")
    lines_until(monitor, "Monitoring activity")
    receiver.report("11 01 06 00 0e 46 00", interface="hidpp")
    lines_until(monitor, "percentage:          6%", within=60)
    saw("UPower", run("upower", "--version").split()[-1], "hidpp-receiver.json", bus, takes=SERVICE)
