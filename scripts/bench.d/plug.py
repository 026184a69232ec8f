"""How long hid-tools takes for a plugged device until a program can open its node: plug.py DEVICES."""

import json
import os
import sys
import time

from hidtools.uhid import UHIDDevice

# A vendor page with 8 bytes in, without report IDs.
DESCRIPTOR = bytes.fromhex("0600ff0901a101150026ff007508950809018102c0")


def main():
    devices = []
    for number in range(int(sys.argv[1])):
        start = time.monotonic_ns()
        device = UHIDDevice()
        device.name, device.info, device.phys = "hidsim bench", (3, 0x1209, 1), f"plug-bench-{number}"
        device.rdesc = DESCRIPTOR
        device.create_kernel_device()
        # sysfs has the device of the node before /dev has the node.
        while not any(map(os.path.exists, device.hidraw_nodes)):
            if time.monotonic_ns() - start > 10_000_000_000:
                sys.exit(f"device {number} has no hidraw node after 10 s")
            UHIDDevice.dispatch(10)
        os.close(os.open(device.hidraw_nodes[0], os.O_RDWR))
        print(json.dumps({"bench": "plug", "number": number, "time": time.monotonic_ns() - start}), flush=True)
        devices.append(device)


if __name__ == "__main__":
    main()
