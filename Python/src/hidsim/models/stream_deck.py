# SPDX-License-Identifier: Apache-2.0
"""The pictures that a program shows on the keys of a Stream Deck.

In a test:

    deck = StreamDeck(hidsim_device("stream-deck.json"))
    deck.wait_for_image(3)
    deck.picture(3).getpixel((36, 36))

As a command, which writes the picture of each key as a PNG file:

    python3 -m hidsim.models.stream_deck FOLDER [--bus BUS] [-- COMMAND...]

Keys have numbers from 0, as in the protocol. Pictures need Pillow; the JPEG files of `images` do not.
"""

from __future__ import annotations

import argparse
import collections
import io
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Deque, Dict, List, NoReturn, Optional

from .. import Bench, BusUnavailable, Device, Ended, Failed, NoProgram

if TYPE_CHECKING:
    from PIL import Image

__tracebackhide__ = True

#: The device file of a Stream Deck with 15 keys.
FILE = "stream-deck.json"
#: The width and height of a picture.
SIZE = 72

# Output report 2: the command of a picture's part, and the bytes before the piece.
_REPORT, _PART, _HEADER = 2, 7, 8
# Feature report 3: the command that resets the device.
_CONTROL, _RESET = 3, 2


class KeyImages:
    """Collects JPEG files from the output reports of a Stream Deck.

    A host can send what it likes. So the number of keys, the length of a file and the number of
    refusals that are kept have limits. A part that does not continue the file of its key is refused,
    and the beginning of that file is dropped.
    """

    #: The limit of a file. The largest JPEG file of 72 x 72 pixels that programs make has a quarter.
    LIMIT = 65_536

    def __init__(self, keys: int = 15) -> None:
        self._keys = keys
        #: The last whole JPEG file of each key that has one, as the host sent it.
        self.images: Dict[int, bytes] = {}
        #: Why reports were refused: the newest 100.
        self.refused: Deque[str] = collections.deque(maxlen=100)
        #: How many reports were refused.
        self.refusals = 0
        # The pieces of files that are not whole.
        self._pieces: Dict[int, List[bytes]] = {}

    def output(self, report: bytes) -> Optional[int]:
        """Takes an output report, its ID first, and returns the key whose file it has completed, if any."""
        if report[:2] == bytes((_REPORT, 0)):  # how programs end a picture that another program began
            self._pieces.clear()
            return None
        if report[:2] != bytes((_REPORT, _PART)):
            return None  # a picture of the whole screen, for example
        if len(report) < _HEADER:
            return self._refuse(f"a part of {len(report)} bytes has no whole header")
        key, last = report[2], report[3]
        length, number = int.from_bytes(report[4:6], "little"), int.from_bytes(report[6:8], "little")
        if key >= self._keys:
            return self._refuse(f"there is no key {key}: the keys are 0 to {self._keys - 1}")
        begun = self._pieces.pop(key, [])
        if number == 0:
            begun = []
        if number != len(begun):
            return self._refuse(f"key {key}: expected part {len(begun)}, found {number}")
        if last > 1:
            return self._refuse(f"key {key}: the mark of the last part is {last}, not 0 or 1")
        if length > len(report) - _HEADER:
            return self._refuse(f"key {key}: a piece of {length} bytes is in a report of {len(report)}")
        if not length and not last:
            return self._refuse(f"key {key}: an empty part that is not the last one")
        if sum(map(len, begun)) + length > self.LIMIT:
            return self._refuse(f"key {key}: a file of more than {self.LIMIT} bytes")
        begun.append(bytes(report[_HEADER:_HEADER + length]))
        if not last:
            self._pieces[key] = begun
            return None
        file = b"".join(begun)
        if not file.startswith(b"\xff\xd8"):
            return self._refuse(f"key {key}: the file is no JPEG file")
        self.images[key] = file
        return key

    def feature(self, report: bytes) -> None:
        """Takes a feature report that the host has set: a reset clears all keys."""
        if report[:2] == bytes((_CONTROL, _RESET)):
            self._pieces.clear()
            self.images.clear()

    def picture(self, key: int) -> Image.Image:
        """Returns the picture of a key as a person sees it: a Pillow image, in RGB.

        Raises `KeyError` if the key has none, `ValueError` if its file cannot be decoded or has
        another size, and `ImportError` if Pillow is missing.
        """
        try:
            from PIL import Image
        except ImportError:
            raise ImportError("pictures of keys need Pillow; run: pip install pillow") from None
        file = self.images[key]
        try:
            with Image.open(io.BytesIO(file), formats=("JPEG",)) as image:
                # The size is in the header. Nothing is decoded before it is checked.
                if image.size != (SIZE, SIZE):
                    raise ValueError(f"key {key}: the picture is {image.size[0]} x {image.size[1]}, not {SIZE} x {SIZE}")
                return image.convert("RGB").rotate(180)
        except (OSError, SyntaxError, Image.DecompressionBombError) as error:
            raise ValueError(f"key {key}: the JPEG file cannot be decoded: {error}") from None

    def _refuse(self, why: str) -> None:
        self.refused.append(why)
        self.refusals += 1


class StreamDeck(KeyImages):
    """The pictures on the keys of a device that was plugged from `stream-deck.json`.

    `images` and `refused` have what `update` and `wait_for_image` have taken. These count output
    reports, and resets, as expected.
    """

    def __init__(self, device: Device, keys: int = 15) -> None:
        super().__init__(keys)
        self.device = device

    def update(self) -> None:
        """Takes all reports that the host has sent by now."""
        self.device.bench.run.command("sync")
        while self._next(0) is not None:
            pass

    def wait_for_image(self, key: int, within: float = 5) -> bytes:
        """Waits for the next file of a key, and returns it; raises `Unmet` if none comes within some seconds."""
        end = time.monotonic() + within
        while True:
            told = self._next(max(0, end - time.monotonic()))
            if told is None:
                whys = "".join(f"; refused: {why}" for why in self.refused)
                raise self.device.bench.unmet(f"expected a picture of key {key} within {within:g} s, and none came{whys}")
            if told["completed"] == key:
                return self.images[key]

    def _next(self, seconds: float) -> Optional[Dict[str, Any]]:
        """Takes the next report, and returns its event with the key that it has `completed`; None if none comes in time."""
        run = self.device.bench.run
        try:
            told = run.wait(
                within=seconds, device=self.device.has, event=lambda name: name in ("output", "set"),
                bytes=lambda text: text.startswith(("02", "03 02")),
            )
        except TimeoutError:
            return None
        report = bytes.fromhex(told["bytes"])
        if told["type"] == "output":
            told["completed"] = self.output(report)
        else:
            told["completed"] = None
            self.feature(report)
        run.command("consume", event=told["number"])
        return told


def write_png(images: KeyImages, key: int, folder: pathlib.Path) -> pathlib.Path:
    """Writes the picture of a key to `key-03.png` in a folder, and returns the path.

    A program that reads the file meanwhile sees the whole old picture or the whole new one.
    """
    path = folder / f"key-{key:02}.png"
    part = folder / f".key-{key:02}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            images.picture(key).save(file, "PNG")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        sys.exit(_failed(message, 64))


def _arguments(words: List[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="python3 -m hidsim.models.stream_deck",
        usage="%(prog)s FOLDER [--bus BUS] [-- COMMAND...]",
        description="Plugs a Stream Deck, and writes the picture of each key to FOLDER/key-00.png to key-14.png. "
        "Without COMMAND it runs until Ctrl-C.",
        epilog="exit status: that of COMMAND, 128+n if signal n ended it; 0 after Ctrl-C without COMMAND; "
        "1 failed; 64 wrong usage; 69 something is missing",
    )
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path, help="the folder, which is made if it is missing")
    parser.add_argument("--bus", choices=("auto", "kernel", "loopback", "usb"), help="the bus (default: auto)")
    before, command = words, []
    if "--" in words:
        at = words.index("--")
        before, command = words[:at], words[at + 1:]
        if not command:
            parser.error("expected a command after --")
    arguments = parser.parse_args(before)
    arguments.command = command
    return arguments


def _failed(message: str, status: int) -> int:
    print(f"hidsim.models.stream_deck: {message}", file=sys.stderr)
    return status


def _show(deck: StreamDeck, seconds: float, folder: pathlib.Path) -> bool:
    """Takes the next report, and writes the picture that it has completed; False if none comes in time."""
    refusals = deck.refusals
    told = deck._next(seconds)
    if told is None:
        return False
    key = told["completed"]
    if deck.refusals > refusals:
        _failed(f"refused: {deck.refused[-1]}", 0)
    elif key is not None:
        try:
            print(f"key {key}: {write_png(deck, key, folder)}", flush=True)
        except ValueError as error:
            _failed(f"refused: {error}", 0)
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()


def main(words: List[str]) -> int:
    """The command. Returns its exit status."""
    arguments = _arguments(words)
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        return _failed("pictures of keys need Pillow; run: pip install pillow", 69)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    process = None
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        with Bench(arguments.bus) as bench:
            deck = StreamDeck(bench.plug(FILE))
            print(f"{deck.device.name}: plugged into the {bench.bus} bus", flush=True)
            try:
                if arguments.command:
                    process = subprocess.Popen(arguments.command)
                while process is None or process.poll() is None:
                    _show(deck, 0.1, arguments.folder)
            finally:
                if process and process.poll() is None:
                    _stop(process)
            bench.settle()
            while _show(deck, 0, arguments.folder):
                pass
    except KeyboardInterrupt:
        return 0 if process is None else 130
    except (BusUnavailable, NoProgram) as error:
        return _failed(str(error), 69)
    except (Ended, Failed, OSError) as error:
        return _failed(str(error), 1)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
