# SPDX-License-Identifier: Apache-2.0
"""The devices of one test, and the bus that they are on."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
from typing import List, Optional, Tuple, Union

from . import events, program
from .device import Device, Unmet
from .stream import Ended, Failed, Kept, Run, Told

__tracebackhide__ = True

#: The names of buses that a caller can choose.
BUSES = ("auto", "kernel", "loopback", "usb")

# The variables by which programs find the bus and the devices, as with `hidsim run -- COMMAND`.
_VARIABLES = ("HIDSIM_BUS", "HIDSIM_BUS_DIR", "HIDSIM_HIDRAW", "HIDSIM_EVDEV")


class BusUnavailable(Exception):
    """A bus that cannot be used here, and why."""


def choose_bus(asked: Optional[str] = None) -> Tuple[str, Optional[str]]:
    """Returns the bus, `kernel`, `loopback` or `usb`, and why /dev/uhid cannot be opened.

    The reason is None if /dev/uhid can be opened, and if the loopback bus or the USB bus is asked for. The bus is
    the one asked for, else that of `$HIDSIM_BUS`, else `auto`. An unknown name raises `ValueError`.

    `auto` is the kernel bus if /dev/uhid can be opened, else the loopback bus, as everywhere in hidsim.
    """
    bus = asked or os.environ.get("HIDSIM_BUS") or "auto"
    if bus not in BUSES:
        raise ValueError(f"unknown bus {bus!r}; expected one of {', '.join(BUSES)}")
    if bus in ("loopback", "usb"):
        return bus, None
    try:
        os.close(os.open("/dev/uhid", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        return "loopback" if bus == "auto" else bus, f"/dev/uhid: {error.strerror}"
    return "kernel", None


class Bench:
    """The devices of one test. `close` unplugs them.

    The bus is `auto`, `kernel`, `loopback` or `usb`; the default is `$HIDSIM_BUS`, else `auto`: the kernel bus if /dev/uhid can
    be opened, else the loopback bus. `bus` says which it is. On the loopback bus the bench has a bus of its own. Until
    `close`, the environment of this process names the devices, for programs that are started: one bench at a time.
    """

    # The limit of input reports in a message, and that of other events: the newest ones are shown.
    _SHOWN = 100

    def __init__(
        self,
        bus: Optional[str] = None,
        folder: Union[str, "os.PathLike[str]", None] = None,
        timeout: Optional[float] = None,
        timeline: int = 0,
    ) -> None:
        """Starts hidsim.

        `folder` is the start of relative paths of device files. `timeout` is the time limit of each wait in
        seconds; the default is 20, and 60 for a device to be plugged. `timeline` is the number of events, and
        of input reports, that `recorded` has.
        """
        self.bus, _ = choose_bus(bus)
        #: The devices of all files that `plug` has plugged, in this order.
        self.devices: List[Device] = []
        self._run: Optional[Run] = None
        self.folder = pathlib.Path(folder or os.getcwd())
        self._happened = Kept(self._SHOWN)
        self._recorded = Kept(timeline) if timeline else None
        self._elements: List[Told] = []
        self._owner = os.getpid()
        self._environment = {name: os.environ.get(name) for name in _VARIABLES}
        found = program.find()
        self._work = _make_folder()
        try:
            os.environ["HIDSIM_BUS"] = self.bus
            if self.bus == "loopback":
                os.environ["HIDSIM_BUS_DIR"] = str(self._work / "bus")
            self.publish()
            variables = program.own_environment()
            # Without this variable hidsim exits with status 77 if the bus is missing; the caller
            # decides whether that skips or fails a test.
            variables.pop("HIDSIM_REQUIRE", None)
            # In a folder without device files, so that a name without a path is that of a shipped
            # file.
            self._run = Run(
                program=found, bus=self.bus, timeout=timeout, environment=variables, folder=self._work, tell=self._take
            )
            self.run.command("events", input=True)
        except Ended as ended:
            self._close()
            if ended.status != 77:
                raise
            raise BusUnavailable("\n".join(ended.errors).replace("hidsim: ", "", 1)) from None
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def run(self) -> Run:
        """The stream that drives the devices: for what they have no method for.

        After `close` it still has its events and errors, and its commands raise `ValueError`.
        """
        assert self._run  # it is None only while the bench is made
        return self._run

    def plug(self, file: Union[str, "os.PathLike[str]"]) -> Device:
        """Plugs the devices of a file, and returns the first when they can be used.

        The bench's `devices` has all of them, in the order of the file.

        A relative path is from the bench's folder, else it is the name of a file that comes with
        hidsim. A path with a folder that does not exist raises `FileNotFoundError`.
        """
        path = self.folder / file
        if len(pathlib.PurePath(file).parts) > 1 and not path.exists():
            raise FileNotFoundError(f"{path} does not exist")
        try:
            result = self.run.command(
                "plug", within=self.run.plug_timeout, file=str(path.absolute() if path.exists() else file)
            )
        except Failed as failed:
            if path.exists():
                raise
            raise Failed(failed.answer, f"{failed}; put files of your own into {self.folder}") from None
        devices = [self._device(told) for told in result["devices"]]
        self.devices += devices
        if self._recorded is not None:
            for told in result["devices"]:
                self._elements += self.run.command("elements", device=told["device"])["interfaces"]
        self.publish()
        return devices[0]

    def publish(self) -> None:
        """Puts the paths of the devices' nodes into the environment."""
        nodes = [path for device in self.devices for path in device.nodes]
        os.environ["HIDSIM_HIDRAW"] = " ".join(path for path in nodes if "hidraw" in path)
        os.environ["HIDSIM_EVDEV"] = " ".join(path for path in nodes if "hidraw" not in path)

    def traffic(self) -> str:
        """Returns what has happened to the devices so far, an event a line."""
        happened = list(self._happened)
        counts = zip(self._happened.missing, ("event", "input report"))
        missing = " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count)
        head = "What happened to the virtual devices, in seconds"
        lines = [f"{head}{f', without the first {missing}' if missing else ''}:"]
        lines += ["  " + events.line(told) for told in happened]
        errors = self._run.errors if self._run else []
        if errors:
            lines += ["hidsim has written to standard error:", *("  " + line for line in errors)]
        return "\n".join(lines)

    def recorded(self) -> Optional[Told]:
        """Returns the timeline for a report: devices with their elements, and events; None if nothing was recorded."""
        if self._recorded is None or not self._elements:
            return None
        return {"devices": self._elements, "before": sum(self._recorded.missing), "after": 0, "events": list(self._recorded)}

    def settle(self) -> None:
        """Waits a moment for events that are on their way. An error of hidsim is left to `close`."""
        if self._run is None:
            return
        told = self._run.has_told_end
        try:
            self._run.command("sync", within=2)
        except Exception:
            self._run.has_told_end = told

    def unmet(self, message: str) -> Unmet:
        """Makes an expectation's failure."""
        return Unmet(f"{message}\n{self.traffic()}")

    def close(self) -> None:
        """Unplugs everything, and restores the environment.

        Raises an error if hidsim crashed or had to be killed, or the error that `run.answer`
        raised, unless a call has raised it before. In a forked process it changes nothing.
        """
        status = self._close()
        if self._run:
            self._run.check(status)

    def _close(self) -> Optional[int]:
        try:
            return self._run.close() if self._run else None
        finally:
            if os.getpid() == self._owner:
                for name, value in self._environment.items():
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value
                shutil.rmtree(self._work, ignore_errors=True)

    def _device(self, told: Told) -> Device:
        """Makes a device of the answer to `plug`."""
        device = Device(self, told["device"], [interface["device"] for interface in told["interfaces"]])
        for interface in told["interfaces"]:
            device._take({"event": "plugged", **interface})
        return device

    def _take(self, told: Told) -> None:
        if told.get("event") in ("hello", "summary"):
            return
        self._happened.append(told)
        if self._recorded is not None:
            self._recorded.append(told)
        for device in self.devices:
            if device.has(told.get("device")):
                device._take(told)


def _make_folder() -> pathlib.Path:
    """A new folder whose path is short enough for sockets in it."""
    for place in (tempfile.gettempdir(), "/tmp", "/dev/shm"):
        if len(os.fsencode(place)) < 50 and os.access(place, os.W_OK):
            break
    return pathlib.Path(tempfile.mkdtemp(prefix="hidsim-", dir=place))
