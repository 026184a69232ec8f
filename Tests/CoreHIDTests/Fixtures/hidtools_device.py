# SPDX-License-Identifier: Apache-2.0
"""Plugs a HID device with hid-tools. Arguments and lines are those of uhid_device.c."""

import select
import sys

from hidtools.uhid import UHIDDevice

name, serial, vendor, product, descriptor = sys.argv[1:6]
types = {UHIDDevice.UHID_FEATURE_REPORT: "feature", UHIDDevice.UHID_OUTPUT_REPORT: "output",
         UHIDDevice.UHID_INPUT_REPORT: "input"}
answers = [(kind, bytes.fromhex(report))
           for kind, report in (word.split(":") for word in sys.argv[6:])]


def say(*words):
    print(*words, flush=True)


def text(data):
    return bytes(data).hex(" ")


class Device(UHIDDevice):
    def answer(self, number, kind):
        return next((list(report) for known, report in answers
                     if known == types[kind] and number in (0, report[0])), None)

    def start(self, flags):
        say("start")

    def stop(self):
        say("stop")

    def open(self):
        say("open")

    def close(self):
        say("close")

    def output_report(self, data, size, kind):
        say("output", text(data[:size]))

    def get_report(self, request, number, kind):
        say("get", types[kind], number)
        report = self.answer(number, kind)
        return (5, []) if report is None else (0, report)

    def set_report(self, request, number, kind, data):
        say("set", types[kind], number, text(data))
        return 5 if self.answer(number, kind) is None else 0


with Device() as device:
    device.name = name
    device.uniq = serial
    device.info = (3, int(vendor, 16), int(product, 16))
    device.rdesc = bytes.fromhex(descriptor)
    device.create_kernel_device()
    waiting = select.poll()
    waiting.register(device.fd, select.POLLIN)
    waiting.register(sys.stdin.fileno(), select.POLLIN)
    while True:
        ready = [file for file, _ in waiting.poll()]
        if device.fd in ready:
            UHIDDevice.dispatch(0)
        if sys.stdin.fileno() in ready:
            # Unbuffered, so that what has been read does not hide from poll.
            line = sys.stdin.buffer.raw.readline().decode()
            if not line:
                break
            device.call_input_event(bytes.fromhex(line.removeprefix("input ")))
