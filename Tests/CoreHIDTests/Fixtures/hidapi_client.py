# SPDX-License-Identifier: Apache-2.0
"""Uses a HID device with hidapi's Python module. Arguments and lines are those of hidapi_client.c."""

import sys

import hidraw as hid  # its module `hid` is the one for libusb, which sees hardware only


def say(*words):
    print(*words, flush=True)


def quoted(text):
    return '"' + (text or "") + '"'


path, vendor, product = sys.argv[1], int(sys.argv[2], 16), int(sys.argv[3], 16)
for found in hid.enumerate(vendor, product):
    say("found", found["path"].decode(),
        f"{found['vendor_id']:04x}:{found['product_id']:04x}",
        f"usage {found['usage_page']:04x}:{found['usage']:04x}",
        "manufacturer", quoted(found["manufacturer_string"]),
        "product", quoted(found["product_string"]), "serial", quoted(found["serial_number"]))

device = hid.device()
try:
    device.open_path(path.encode())
except OSError as error:
    say("open failed:", error)
    sys.exit(1)
say("manufacturer", quoted(device.get_manufacturer_string()))
say("product", quoted(device.get_product_string()))
say("serial", quoted(device.get_serial_number_string()))
say("open")

for line in sys.stdin:
    command, *words = line.split()
    if command == "read":
        try:
            say("input", bytes(device.read(4096)).hex(" "))
        except OSError:
            say("read failed")
    elif command == "write":
        count = device.write(bytes.fromhex("".join(words)))
        say("wrote", count) if count >= 0 else say("write failed")
    elif command == "get":
        try:
            report = device.get_feature_report(int(words[0]), int(words[1]))
            say("feature", bytes(report).hex(" ")) if report else say("get failed")
        except OSError:
            say("get failed")
    elif command == "set":
        count = device.send_feature_report(bytes.fromhex("".join(words)))
        say("set", count) if count >= 0 else say("set failed")
    else:
        sys.exit(64)
device.close()
