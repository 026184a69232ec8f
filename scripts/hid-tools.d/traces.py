"""What the parts of scripts/hid-tools share: the text of traces, read here without hidsim, and their folders."""

import collections
import gzip
import pathlib
import subprocess

from hidtools.hid import ReportDescriptor

Plan = collections.namedtuple("Plan", "name file folder")


def plans(folder):
    """The traces that FOLDER/traces names, a line each: the name, a tab, the file; and a folder for each."""
    for line in (folder / "traces").read_text().splitlines():
        name, file = line.split("\t")
        yield Plan(name, pathlib.Path(file), folder / name.replace("/", "_"))


def run(*words):
    """Runs a program to its end: its exit status, and what it said."""
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    return path


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "it said nothing")


def last_line(text):
    return first_line("\n".join(reversed(text.splitlines())))


class Device:
    """A device of a trace."""

    def __init__(self):
        # The bus, vendor ID and product ID that hidsim writes if they are unknown.
        self.identity = (3, 0, 0)
        self.descriptor, self.name, self.inputs = b"", None, []

    def head(self):
        return self.descriptor, self.name, self.identity

    def sizes(self):
        """How long its input reports are, by ID, in bytes; by hid-tools' reading of its descriptor."""
        reports = ReportDescriptor.from_bytes(list(self.descriptor)).input_reports
        return {number: -(-report.bitsize // 8) for number, report in reports.items()}


class Trace:
    """The text of a trace: its devices, and its lines with the device that each is of."""

    def __init__(self, path):
        self.path = path
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8", errors="surrogateescape") as file:
            self.lines = file.read().splitlines()
        found, self.places, place = {}, [], 0
        for line in self.lines:
            if line.startswith("D:"):
                place = int(line[2:])
            self.places.append(place)
            if line[:2] not in ("R:", "N:", "I:", "E:"):
                continue
            device, words = found.setdefault(place, Device()), line[2:].split()
            if line[0] == "R":
                device.descriptor = bytes.fromhex("".join(words[1:]))
            elif line[0] == "N":
                device.name = line[2:].strip()
            elif line[0] == "I":
                device.identity = tuple(int(word, 16) for word in words)
            else:
                device.inputs.append(bytes.fromhex("".join(words[2:])))
        self.numbers = {place: number for number, place in enumerate(found)}
        self.devices = list(found.values())

    def of(self, place):
        return self.devices[self.numbers[place]]

    def count(self):
        return sum(len(device.inputs) for device in self.devices)

    def longest(self):
        return max((len(report) for device in self.devices for report in device.inputs), default=0)

    def carried(self, isTimed=True):
        """What a bus carries of it: short reports filled up, and those that are not declared left out.

        Returns the lines, how many were filled up, and how many left out. Without times they are a microsecond apart.
        """
        sizes = [device.sizes() for device in self.devices]
        lines, filled, omitted, count = [], 0, 0, 0
        for place, line in zip(self.places, self.lines):
            if line.startswith("E:"):
                _, time, _, *report = line.split()
                declared = sizes[self.numbers[place]]
                size = declared.get(-1) if -1 in declared else declared.get(int(report[0], 16))
                if size is None:
                    omitted += 1
                    continue
                filled += len(report) < size
                report += ["00"] * (size - len(report))
                if not isTimed:
                    time = f"{count // 1_000_000:06}.{count % 1_000_000:06}"
                line = f"E: {time} {len(report)} {' '.join(report)}"
                count += 1
            lines.append(line)
        return lines, filled, omitted
