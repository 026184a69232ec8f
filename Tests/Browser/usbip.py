# SPDX-License-Identifier: Apache-2.0

"""A USB/IP host of one device. Source: Documentation/usb/usbip_protocol.rst of Linux 6.12."""

import socket
import struct


class Host:
    """A host that has imported the device with a name, such as `1-1`."""

    def __init__(self, port, name):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(10)
        self.sequence = 0
        # The numbers of the transfers that bring data: replies do not name the direction.
        self.inputs = set()
        try:
            self.import_device(name)
        except BaseException:
            self.socket.close()
            raise

    def import_device(self, name):
        self.socket.sendall(struct.pack(">HHI32s", 0x0111, 0x8003, 0, name.encode()))
        _, _, status = struct.unpack(">HHI", self.read(8))
        assert status == 0, f"{name} cannot be imported: {status}"
        self.read(312)

    def read(self, count):
        found = b""
        while len(found) < count:
            more = self.socket.recv(count - len(found))
            assert more, "the device has ended the connection"
            found += more
        return found

    def submit(self, endpoint, is_input, length, setup=bytes(8), data=b""):
        """Submits a transfer, and returns its number."""
        self.sequence += 1
        if is_input:
            self.inputs.add(self.sequence)
        head = struct.pack(">IIIII", 1, self.sequence, 1, int(is_input), endpoint)
        self.socket.sendall(head + struct.pack(">IIIII8s", 0, length, 0, 0xFFFFFFFF, 0, setup) + data)
        return self.sequence

    def control(self, kind, request, value, index, length=0, data=b""):
        """Carries out a control transfer; returns its status, and the data from the device."""
        is_input = bool(kind & 0x80)
        setup = struct.pack("<BBHHH", kind, request, value, index, length if is_input else len(data))
        self.submit(0, is_input, length if is_input else len(data), setup, data)
        while True:
            found = self.reply()
            if found[0] == self.sequence:
                return found[1:]

    def reply(self):
        """Returns the number, the status and the data of the next transfer that the device ends."""
        command, sequence, _, _, _, status, length = struct.unpack(">IIIIIiI", self.read(28))
        self.read(20)
        assert command == 3
        return sequence, status, self.read(length) if sequence in self.inputs else b""

    def close(self):
        self.socket.close()
