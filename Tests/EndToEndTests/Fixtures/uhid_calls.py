# SPDX-License-Identifier: Apache-2.0
"""Prints what a device that hid-tools plugs is told, and what its client gets: by uhid, or with `stream` by hidsim's stream."""

import fcntl
import os
import sys
import threading
import time

if sys.argv[1] == "stream":
    sys.path.insert(0, sys.argv[2])
    import uhid_by_stream

    uhid_by_stream.install()

from hidtools.uhid import UHIDDevice

# Input, output and feature reports of 2 bytes on a vendor's page.
PLAIN = "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02 09 01 81 02 09 02 91 02 09 03 b1 02 c0"
NUMBERED = (
    "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02"
    " 85 01 09 01 81 02 85 02 09 02 91 02 85 03 09 03 b1 02 c0"
)


def text(data):
    return bytes(data).hex(" ")


class Device(UHIDDevice):
    failure = 0
    started = False

    def start(self, flags):
        self.started = True
        print("start", flags)

    def stop(self):
        print("stop")

    def open(self):
        print("open")

    def close(self):
        print("close")

    def output_report(self, data, size, rtype):
        print("output", rtype, size, text(data[:size]))

    def get_report(self, req, rnum, rtype):
        print("get", rnum, rtype)
        return self.failure, [rnum, 7, 8]

    def set_report(self, req, rnum, rtype, data):
        print("set", rnum, rtype, text(data))
        return self.failure


def ask(device, code, data):
    """Makes a request of hidraw's, which waits for the device."""
    answers = []

    def wait():
        buffer = bytearray(data)
        try:
            count = fcntl.ioctl(node, 0xC000_4800 | len(buffer) << 16 | code, buffer)
            answers.append((count, text(buffer)))
        except OSError as error:
            answers.append(error.strerror)

    with open(device.hidraw_nodes[0], "r+b", buffering=0) as node:
        thread = threading.Thread(target=wait)
        thread.start()
        while thread.is_alive():
            UHIDDevice.dispatch(10)
        thread.join()
    UHIDDevice.dispatch(10)
    print("answer", *answers)


def use(name, rdesc, number):
    print(name)
    with Device() as device:
        device.name = name
        device.info = (3, 0x1209, 0x0101)
        device.rdesc = bytes.fromhex(rdesc)
        device.uniq = "uhid calls"
        device.create_kernel_device()
        while not (device.started and device.hidraw_nodes):
            UHIDDevice.dispatch(10)
        uevent = (device.sys_path / "uevent").read_text().splitlines()
        print(*sorted(line for line in uevent if not line.startswith("HID_PHYS")))
        print(int(device.sys_path.name[15:], 16) == device.hid_id, device.device_nodes)
        number = [number] if number else []
        with open(device.hidraw_nodes[0], "r+b", buffering=0) as node:
            UHIDDevice.dispatch(10)
            for report in [number + [1, 2], number + [3, 4]]:
                device.call_input_event(report)
                print("input", text(node.read(64)))
            node.write(bytes([2] * len(number) or [0]) + bytes([5, 6]))
            UHIDDevice.dispatch(10)
        UHIDDevice.dispatch(10)
        feature = 3 if number else 0
        for device.failure in (0, 5):
            ask(device, 7, [feature, 0, 0])  # HIDIOCGFEATURE
            ask(device, 6, [feature, 9, 10])  # HIDIOCSFEATURE
    print(device in UHIDDevice._devices)


use("uhid plain", PLAIN, 0)
use("uhid numbered", NUMBERED, 1)


class Controller(UHIDDevice):
    """A Switch Pro Controller, as far as Linux's driver talks to it while it takes it: each output wants an input."""

    RDESC = (
        "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 3f"
        " 85 21 09 01 81 02 85 30 09 02 81 02 85 81 09 03 81 02"
        " 85 01 09 04 91 02 85 10 09 05 91 02 85 80 09 06 91 02 c0"
    )

    def output_report(self, data, size, rtype):
        if data[0] == 0x80:
            print("hand-shake", data[1])
            self.call_input_event([0x81, data[1]] + [0] * 62)
        elif data[0] == 1:
            print("subcommand", data[10])
            answer = [0x21] + [0] * 63
            answer[13:15] = [0x80, data[10]]
            answer[17] = 3  # of the device's information: a Pro Controller
            self.call_input_event(answer)


def shake_hands():
    print("hand-shake")
    with Controller() as device:
        device.name = "uhid controller"
        device.info = (3, 0x057E, 0x2009)
        device.rdesc = bytes.fromhex(Controller.RDESC)
        device.create_kernel_device()
        end = time.monotonic() + 20
        while len(device.device_nodes) < 2 and time.monotonic() < end:
            UHIDDevice.dispatch(10)
        print((device.sys_path / "driver").resolve().name, len(device.device_nodes))


shake_hands()
