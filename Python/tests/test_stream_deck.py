# SPDX-License-Identifier: Apache-2.0
"""The pictures on a Stream Deck's keys: the files that a host sends, and reports that no honest host sends. Without Pillow."""

import os
import subprocess
import sys

import pytest

import hidsim
from hidsim.models import stream_deck
from hidsim.models.stream_deck import KeyImages, StreamDeck

FILE = b"\xff\xd8" + bytes(range(256)) * 8


def part(key, piece, number=0, last=False, length=None):
    """A report with a part of a picture."""
    length = len(piece) if length is None else length
    header = bytes((2, 7, key, last)) + length.to_bytes(2, "little") + number.to_bytes(2, "little")
    return (header + piece).ljust(1024, b"\0")


def parts(key, file, size=1016):
    """The reports of a whole file."""
    pieces = [file[start:start + size] for start in range(0, len(file), size)]
    return [part(key, piece, number, number == len(pieces) - 1) for number, piece in enumerate(pieces)]


def refuses(images, report, why):
    before = dict(images.images), images.refusals
    assert images.output(report) is None
    assert (images.images, images.refusals - 1) == before
    assert why in images.refused[-1]


def test_a_file_of_three_parts_is_that_of_its_key():
    images = KeyImages()
    assert [images.output(report) for report in parts(3, FILE)] == [None, None, 3]
    assert images.images == {3: FILE}
    assert images.refusals == 0


def test_the_files_of_two_keys_may_come_in_turns():
    images = KeyImages()
    other = FILE[:2] + FILE[:1:-1]
    both = [report for pair in zip(parts(0, FILE), parts(14, other)) for report in pair]
    assert [images.output(report) for report in both] == [None, None, None, None, 0, 14]
    assert images.images == {0: FILE, 14: other}


def test_a_new_file_replaces_the_old_one():
    images = KeyImages()
    for file in (FILE, FILE[:500]):
        for report in parts(3, file):
            images.output(report)
    assert images.images == {3: FILE[:500]}


def test_a_file_begins_anew_with_part_0():
    images = KeyImages()
    images.output(parts(3, b"\xff\xd8" + b"old" * 900)[0])
    assert [images.output(report) for report in parts(3, FILE)] == [None, None, 3]
    assert images.images == {3: FILE}


def test_an_empty_report_ends_files_that_are_not_whole():
    images = KeyImages()
    first, second, _ = parts(3, FILE)
    images.output(first)
    images.output(bytes((2,)).ljust(1024, b"\0"))
    assert images.refusals == 0
    refuses(images, second, "key 3: expected part 0, found 1")


def test_a_reset_clears_all_keys():
    images = KeyImages()
    for report in parts(3, FILE):
        images.output(report)
    images.feature(bytes((3, 8, 50)).ljust(32, b"\0"))
    assert images.images == {3: FILE}
    images.feature(bytes((3, 2)).ljust(32, b"\0"))
    assert images.images == {}


def test_other_commands_and_reports_are_no_pictures():
    images = KeyImages()
    for report in (b"", b"\2", b"\2\x08\0\1", b"\1\7\0\1"):
        assert images.output(report) is None
    assert images.images == {} and images.refusals == 0


def test_a_key_that_the_device_does_not_have():
    images = KeyImages()
    for key in (15, 255):
        refuses(images, part(key, FILE[:10], last=True), f"there is no key {key}: the keys are 0 to 14")
    assert KeyImages(keys=32).output(part(31, FILE[:10], last=True)) == 31


@pytest.mark.parametrize("number", [0, 2, 65535])
def test_a_part_that_does_not_continue_the_file_drops_it(number):
    images = KeyImages()
    first, second, third = parts(3, FILE)
    images.output(first)
    if number:
        refuses(images, part(3, FILE[:10], number), f"key 3: expected part 1, found {number}")
        refuses(images, second, "key 3: expected part 0, found 1")
    else:
        images.output(part(3, FILE[:10]))
        refuses(images, third, "key 3: expected part 1, found 2")


def test_a_length_that_the_report_does_not_have():
    images = KeyImages()
    refuses(images, part(3, b"", last=True, length=1017), "a piece of 1017 bytes is in a report of 1024")
    refuses(images, part(3, b"", last=True, length=65535), "a piece of 65535 bytes is in a report of 1024")
    refuses(images, part(3, FILE[:20], last=True)[:20], "a piece of 20 bytes is in a report of 20")


def test_a_report_without_a_whole_header():
    images = KeyImages()
    for length in range(2, 8):
        refuses(images, part(3, FILE[:10], last=True)[:length], f"a part of {length} bytes has no whole header")


def test_a_mark_of_the_last_part_that_is_none():
    refuses(KeyImages(), part(3, FILE[:10], last=2), "the mark of the last part is 2, not 0 or 1")


def test_a_file_that_is_no_jpeg_file():
    for file in (b"BM" + bytes(100), b"\xff"):
        refuses(KeyImages(), part(3, file, last=True), "key 3: the file is no JPEG file")


def test_a_file_without_an_end_takes_no_more_than_the_limit():
    images = KeyImages()
    piece = b"\xff\xd8" + bytes(1014)
    number = 0
    while not images.refusals:
        images.output(part(3, piece, number))
        number += 1
        assert number < 100
    assert images.refused[-1] == "key 3: a file of more than 65536 bytes"
    assert images._pieces == {}


def test_empty_parts_without_an_end_take_no_memory():
    images = KeyImages()
    refuses(images, part(3, b""), "key 3: an empty part that is not the last one")
    assert images._pieces == {}


def test_an_empty_last_part_ends_a_file():
    images = KeyImages()
    images.output(part(3, FILE[:100]))
    assert images.output(part(3, b"", 1, last=True)) == 3
    assert images.images == {3: FILE[:100]}


def test_the_newest_refusals_are_kept_and_all_are_counted():
    images = KeyImages()
    for _ in range(250):
        images.output(part(99, b""))
    assert len(images.refused) == 100 and images.refusals == 250


def test_a_picture_without_pillow_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pictures of keys need Pillow; run: pip install pillow"):
        KeyImages().picture(3)


def send(device, *reports):
    for report in reports:
        device.script(f"host send output 2 bytes {report[1:].hex()}")


def test_a_device_has_the_file_that_its_host_has_sent(hidsim_device):
    device = hidsim_device("stream-deck.json")
    deck = StreamDeck(device)
    send(device, *parts(3, FILE), *parts(4, FILE[:100]))
    assert deck.wait_for_image(3) == FILE
    assert deck.images == {3: FILE}
    deck.update()
    assert deck.images == {3: FILE, 4: FILE[:100]}
    device.script("expect pictures 2")
    device.expect_nothing_else()
    device.script(f"host set feature 3 bytes 02 {'00' * 30}")
    deck.update()
    assert deck.images == {}


def test_other_reports_are_left_to_the_test(hidsim_device):
    device = hidsim_device("stream-deck.json")
    deck = StreamDeck(device)
    device.script(f"host set feature 3 bytes 08 19 {'00' * 29}")
    deck.update()
    device.script("expect brightness 25")
    assert device.wait("set")["bytes"].startswith("03 08 19")
    device.expect_nothing_else()


def test_a_picture_that_does_not_come_is_unmet_and_refusals_are_named(hidsim_device):
    device = hidsim_device("stream-deck.json")
    send(device, part(99, FILE[:10], last=True))
    with pytest.raises(hidsim.Unmet, match="expected a picture of key 3 within 0.2 s, and none came; refused: there is no key 99"):
        StreamDeck(device).wait_for_image(3, within=0.2)


@pytest.mark.parametrize("words", [[], ["--bus", "none", "folder"], ["folder", "--"], ["folder", "other"]])
def test_wrong_usage_of_the_command(words, capsys):
    with pytest.raises(SystemExit) as exit:
        stream_deck.main(words)
    assert exit.value.code == 64
    assert capsys.readouterr().err.startswith("usage: python3 -m hidsim.models.stream_deck FOLDER")


def test_the_command_without_pillow(tmp_path):
    (tmp_path / "PIL.py").write_text("raise ImportError\n")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "hidsim.models.stream_deck", str(tmp_path / "keys"), "--", "true"],
        env={**os.environ, "PYTHONPATH": paths}, stderr=subprocess.PIPE, text=True, timeout=30,
    )
    assert done.returncode == 69
    assert done.stderr == "hidsim.models.stream_deck: pictures of keys need Pillow; run: pip install pillow\n"
    assert not (tmp_path / "keys").exists()
