# SPDX-License-Identifier: Apache-2.0
"""The Python library streamdeck, and pictures on the keys of a Stream Deck."""

import importlib.metadata
import io
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import lines_until
from PIL import Image

from hidsim.models.stream_deck import KeyImages, StreamDeck

VERSION = importlib.metadata.version("streamdeck")

# Opens the only Stream Deck, and carries out the lines of standard input, which are of Python. `deck`
# is the device, `picture` makes a picture: one colour, and a white corner at the top left. Prints each
# key that goes down or up.
PROGRAM = """
import sys
from PIL import Image
from StreamDeck.DeviceManager import DeviceManager
from StreamDeck.ImageHelpers import PILHelper

def picture(colour):
    image = Image.new("RGB", (72, 72), colour)
    image.paste("white", (0, 0, 24, 24))
    return PILHelper.to_native_key_format(deck, image)

[deck] = DeviceManager().enumerate()
deck.open()
deck.set_key_callback(lambda deck, key, down: print(key, down, flush=True))
print("open", flush=True)
for line in sys.stdin:
    exec(line)
deck.close()
"""


@pytest.fixture
def environment(bus, tmp_path):
    """The environment of the library: it loads hidapi on libusb, which does not find devices of the kernel bus."""
    if bus == "usb":
        return dict(os.environ)
    (tmp_path / "libhidapi-libusb.so").symlink_to(next(pathlib.Path("/usr/lib").glob("*/libhidapi-hidraw.so.0")))
    return {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}


@pytest.fixture
def program(bus, environment, hidsim_device, start):
    """A Stream Deck, and a function that has the library carry out a line of Python; its `stdout` is that of the library."""
    device = hidsim_device("stream-deck.json")
    process = start(sys.executable, "-c", PROGRAM, env=environment, stdin=subprocess.PIPE)
    lines_until(process, "open")

    def say(line):
        process.stdin.write(f"{line}\n")
        process.stdin.flush()

    say.device, say.stdout = device, process.stdout
    return say


def takes(bus):
    return "" if bus == "usb" else "a link libhidapi-libusb.so to libhidapi-hidraw.so.0 in LD_LIBRARY_PATH"


buses = pytest.mark.parametrize("bus", ["kernel", "usb"])


@buses
def test_serial_number_and_firmware(bus, program, saw):
    program("print(deck.deck_type(), deck.key_count(), deck.get_serial_number(), deck.get_firmware_version(), flush=True)")
    assert program.stdout.readline() == "Stream Deck Original 15 AL00H0A00001 1.01.000\n"
    saw("streamdeck", VERSION, "stream-deck.json", bus, takes=takes(bus))


@buses
def test_brightness(bus, program, saw):
    program("deck.set_brightness(30)")
    program.device.script("expect brightness 30 within 10s")
    saw("streamdeck", VERSION, "stream-deck.json", bus, takes=takes(bus))


@buses
def test_reset(bus, program, saw):
    program("deck.reset()")
    program.device.script("expect resets 1 within 10s")
    saw("streamdeck", VERSION, "stream-deck.json", bus, takes=takes(bus))


@buses
def test_keys(bus, program, saw):
    for key in (1, 4, 15):
        program.device.press(f"key{key}")
        assert program.stdout.readline() == f"{key - 1} True\n"
        program.device.release()
        assert program.stdout.readline() == f"{key - 1} False\n"
    saw("streamdeck", VERSION, "stream-deck.json", bus, takes=takes(bus))


@pytest.mark.quick
@buses
def test_picture_of_a_key(bus, program, saw):
    deck = StreamDeck(program.device)
    program("deck.set_key_image(3, picture('red')); deck.set_key_image(14, picture('blue'))")
    deck.wait_for_image(3, within=10)
    deck.wait_for_image(14, within=10)
    assert sorted(deck.images) == [3, 14] and deck.refusals == 0
    for key, colour in ((3, (255, 0, 0)), (14, (0, 0, 255))):
        image = deck.picture(key)
        assert image.size == (72, 72)
        for place, wanted in (((8, 8), (255, 255, 255)), ((64, 8), colour), ((8, 64), colour), ((64, 64), colour)):
            # JPEG changes a colour a little.
            assert all(abs(a - b) < 8 for a, b in zip(image.getpixel(place), wanted)), (key, place, image.getpixel(place))
    saw("streamdeck", VERSION, "stream-deck.json", bus, takes=takes(bus))


@buses
def test_a_picture_of_many_parts(bus, program):
    deck = StreamDeck(program.device)
    program("import os; noise = Image.frombytes('RGB', (72, 72), os.urandom(3 * 72 * 72))")
    program("file = PILHelper.to_native_key_format(deck, noise); deck.set_key_image(0, file); print(file.hex(), flush=True)")
    file = bytes.fromhex(program.stdout.readline())
    assert len(file) > 4 * 1016
    assert deck.wait_for_image(0, within=10) == file


@buses
def test_the_command_writes_pictures(bus, environment, run, tmp_path):
    folder = tmp_path / "keys"
    client = PROGRAM.replace("for line in sys.stdin:\n    exec(line)", "deck.set_key_image(3, picture('red'))")
    output = run(
        sys.executable, "-m", "hidsim.models.stream_deck", str(folder), "--bus", bus, "--", sys.executable, "-c", client,
        env=environment,
    )
    assert f"key 3: {folder}/key-03.png\n" in output
    assert [path.name for path in folder.iterdir()] == ["key-03.png"]
    with Image.open(folder / "key-03.png") as image:
        assert image.format == "PNG" and image.size == (72, 72)
        assert min(image.getpixel((8, 8))) > 247 and image.getpixel((64, 64))[0] > 247 > 8 > image.getpixel((64, 64))[1]


def jpeg(size):
    file = io.BytesIO()
    Image.new("RGB", size, "green").save(file, "JPEG")
    return file.getvalue()


def header(width, height):
    """A whole file of 72 x 72 pixels with another size in its header, which is not the size of its data."""
    file = jpeg((72, 72))
    at = file.index(b"\xff\xc0") + 5
    return file[:at] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + file[at + 4:]


@pytest.mark.parametrize(
    "file, why",
    [
        (jpeg((72, 71)), "the picture is 72 x 71, not 72 x 72"),
        (header(7200, 72), "the picture is 7200 x 72, not 72 x 72"),
        (header(65535, 65535), "the JPEG file cannot be decoded"),
        (jpeg((72, 72))[:-60], "the JPEG file cannot be decoded"),
        (b"\xff\xd8", "the JPEG file cannot be decoded"),
        (b"\xff\xd8" + bytes(1000), "the JPEG file cannot be decoded"),
    ],
)
def test_a_file_that_is_no_picture_of_a_key(file, why):
    images = KeyImages()
    for number, start in enumerate(range(0, len(file), 1016)):
        piece = file[start:start + 1016]
        head = bytes((2, 7, 3, start + 1016 >= len(file))) + len(piece).to_bytes(2, "little") + number.to_bytes(2, "little")
        images.output(head + piece)
    assert images.images == {3: file}
    with pytest.raises(ValueError, match=f"^key 3: {why}"):
        images.picture(3)
