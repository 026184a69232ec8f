"""A client of a stick's link, in plain Python: sends packets, and prints the answers.

usage: stick_client.py PLACE STEP...

A step is hex, the content of a packet from the command's byte on, which waits for its answer; with ! in front of it
no answer is asked for. "status" waits for the next status. Prints the content of each answer without the zeros at
its end. PLACE is unix:PATH, tcp:PORT or a terminal. Exit status 3: the stick closed the link.
"""

import os
import socket
import struct
import sys
import zlib


def connected(place):
    if place.startswith("unix:"):
        link = socket.socket(socket.AF_UNIX)
        link.connect(place[5:])
        return link.detach()
    if place.startswith("tcp:"):
        return socket.create_connection(("127.0.0.1", int(place[4:]))).detach()
    return os.open(place, os.O_RDWR | os.O_NOCTTY)


class Stick:
    def __init__(self, place):
        self.link, self.bytes = connected(place), b""
        self.noise = b""  # what came before a packet

    def send(self, content, wants_answer):
        blocks = -(-(len(content) + 4) // 16)
        content = content + bytes(16 * blocks - 4 - len(content))
        packet = bytes([0x55, (0x80 if wants_answer else 0) | blocks]) + struct.pack(">I", zlib.crc32(content)) + content
        try:
            os.write(self.link, packet)
        except (BrokenPipeError, ConnectionResetError):
            pass  # what the stick said before it closed the link is still there

    def read(self, count):
        while len(self.bytes) < count:
            try:
                more = os.read(self.link, 4096)
            except ConnectionResetError:
                more = b""
            if not more:
                print("closed:", (self.noise + self.bytes).decode(errors="replace").strip())
                sys.exit(3)
            self.bytes += more
        found, self.bytes = self.bytes[:count], self.bytes[count:]
        return found

    def packet(self, command):
        """The content of the next packet with a command; others are skipped."""
        while True:
            head = self.read(2)
            if head[0] != 0x55:
                self.noise, self.bytes = self.noise + head[:1], head[1:] + self.bytes
                continue
            self.noise = b""
            payload = self.read((head[1] & 0x1F) * 16)
            if struct.unpack(">I", payload[:4])[0] != zlib.crc32(payload[4:]):
                print("wrong CRC")
                continue
            if payload[4] == command:
                return payload[4:]


def main():
    stick = Stick(sys.argv[1])
    for step in sys.argv[2:]:
        if step == "status":
            command = 0x2F
        else:
            content = bytes.fromhex(step.lstrip("!"))
            stick.send(content, not step.startswith("!"))
            if step.startswith("!"):
                continue
            command = content[0]
        print(stick.packet(command).rstrip(b"\0").hex(" "), flush=True)


main()
