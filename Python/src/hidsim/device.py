# SPDX-License-Identifier: Apache-2.0
"""A virtual device of a test, and the actions of its user."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, Dict, List, Optional, SupportsIndex, Union

from .events import nodes_of
from .stream import Failed, Report, Told

if TYPE_CHECKING:
    from .bench import Bench

__tracebackhide__ = True

# The name of a key that needs no quotes in a list of keys: `leftCtrl`, `button.3`.
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.#/-]*")
#: A value of a control, to set or to expect.
Value = Union[bool, int, str]
_VALUE = re.compile(r"on|off|-?[0-9]+|0x[0-9A-Fa-f]+|-?[0-9]+(\.[0-9]+)?[%np]")
# The events that a host causes.
_HOSTS = ("output", "get", "set", "opened", "closed")
# The position of the failure in a script of one line, as messages begin.
_PLACE = re.compile(r"script:1:[0-9]+: ")


class Unmet(AssertionError):
    """An expectation that was not met: its message has what happened to the devices until then."""


class Device:
    """A virtual device that is plugged for a test.

    Names of keys, buttons, axes and lamps are those of scripts: what `hidsim show` prints, and what a device file names
    itself. Pressed keys stay down until `release`, or the end of the test.

    A wrong argument, such as a key that the device does not have, raises `Failed`. An expectation that is not met
    raises `Unmet`, an `AssertionError`. `Ended` is raised if hidsim has ended, `TimeoutError` if it hangs.
    """

    def __init__(self, bench: Bench, name: str, interfaces: List[str]) -> None:
        #: The bench of the device. `bench.run` is the stream, for commands without a method here.
        self.bench = bench
        self._run = bench.run
        #: The name in the device file. A second device of the same name has #2 added, and so on.
        self.name = name
        self._labels = {name, *interfaces}
        self._nodes: Dict[str, List[str]] = {}  # the paths of each plugged interface, by its label

    def __repr__(self) -> str:
        return f"<hidsim device {self.name!r} {' '.join(self.nodes) or 'without nodes'}>"

    # The identity of the device.

    @property
    def nodes(self) -> List[str]:
        """The paths of its nodes on the kernel bus, for each interface hidraw first.

        Empty on the loopback bus, and while the device is unplugged.
        """
        return [path for paths in list(self._nodes.values()) for path in paths]

    @property
    def hidraw(self) -> Optional[str]:
        """The path of its first hidraw node, `/dev/hidraw0`; None on the loopback bus, and while the device is unplugged."""
        return next((path for path in self.nodes if "hidraw" in path), None)

    @property
    def evdev(self) -> Optional[str]:
        """The path of its first evdev node, `/dev/input/event3`.

        None on the loopback bus, while the device is unplugged, and if it has none.
        """
        return next((path for path in self.nodes if "hidraw" not in path), None)

    def has(self, label: Optional[str]) -> bool:
        """Whether events of this label are those of the device or of one of its interfaces."""
        return label in self._labels

    # Actions of the user.

    def tap(self, keys: str) -> None:
        """Presses keys or buttons in order, and releases them in reverse order: `tap("leftCtrl+c")`."""
        self._play(f"tap {_keys(keys)}")

    def press(self, keys: str) -> None:
        """Presses keys or buttons in order; they stay down."""
        self._play(f"press {_keys(keys)}")

    def release(self, keys: Optional[str] = None) -> None:
        """Releases keys or buttons; without names, all that are down."""
        self._play("release" if keys is None else f"release {_keys(keys)}")

    def type(self, text: str, layout: str = "en-US", skip_missing: bool = False) -> None:
        """Types a text, for a host with a keyboard layout: `de-DE`, or `xkb:de(neo)` of the machine's xkb-data.

        Characters that the layout cannot type raise `Failed`, and nothing is typed; with `skip_missing` they are left
        out.
        """
        words = f"type {_quoted(text)} layout {_quoted(layout)}" + (" skip-missing" if skip_missing else "")
        self._play(words, len(text) / 50)

    def click(self, button: Union[str, int] = "left") -> None:
        """Presses and releases a button: `left`, `right`, `middle`, `back`, `forward` or a number."""
        self._play(f"click {_quoted(str(button))}")

    def move(self, x: SupportsIndex, y: SupportsIndex) -> None:
        """Moves to the right and down, in as many reports as necessary."""
        self._play(f"move {operator.index(x)} {operator.index(y)}")

    def scroll(self, amount: SupportsIndex, horizontal: bool = False) -> None:
        """Turns the wheel by detents; with `horizontal` the horizontal one."""
        self._play(f"scroll {operator.index(amount)}{' horizontal' if horizontal else ''}")

    def set(self, control: str, value: Value, *more: Value) -> None:
        """Sets an axis or another control, or several in one report: `set("leftX", "50%", "south", True)`.

        A value is logical, True or `on` the largest, False or `off` 0, or the smallest if 0 is out
        of the range; `50%` of the range, `0.5n` from -1 to 1, `12.5p` in the descriptor's unit.
        """
        if len(more) % 2:
            raise ValueError("each control needs a value after it")
        settings = [control, value, *more]
        pairs = zip(settings[::2], settings[1::2])
        self._play("set " + " ".join(f"{_quoted(control)} {_value(value)}" for control, value in pairs))

    def report(self, report: Report, interface: Optional[str] = None) -> None:
        """Sends an input report, its ID first if it is numbered; zeros fill up a short one.

        It is hexadecimal text, bytes, or a list of numbers. A device with several interfaces for input needs `interface`.
        """
        report = report if isinstance(report, str) else list(report)
        device = self.name if interface is None else f"{self.name}/{interface}"
        try:
            self._run.report(report, device=device)
        except Failed as failed:
            raise _explained(failed) from None

    def script(self, text: str, within: float = 60, **variables: Any) -> None:
        """Plays the lines of a script. `within` is the time limit in seconds; variables are the values of $NAME.

        hidsim carries out the text as it is: pass values from elsewhere as variables.
        """
        try:
            self._run.script(text, device=self.name, within=within, **variables)
        except Failed as failed:
            if failed.answer.get("unmet"):
                raise self.bench.unmet(str(failed)) from None
            raise _explained(failed) from None
        finally:
            self.bench.publish()

    def unplug(self) -> None:
        """Unplugs the device."""
        self._play("unplug")
        self.bench.publish()

    def plug(self) -> None:
        """Plugs the device again, and returns when it can be used; its nodes may have other paths."""
        self._play("plug", self._run.plug_timeout - self._run.timeout)
        self.bench.publish()

    # Expectations.

    def expect(self, control: str, value: Value, within: Optional[float] = None) -> None:
        """Expects that a control which hosts set has a value, now or within some seconds.

        True or `on` is any value but 0.
        """
        bound = f" within {_time(within)}" if within else ""
        self._expect(f"expect {_quoted(control)} {_value(value)}{bound}", within or 0)

    def expect_nothing(self, seconds: float) -> None:
        """Expects no report and no request of the host, from the last expected event on, for some seconds.

        The last expected event is the report that gave a control the value for which `expect` waited, the event
        that `wait` returned, or that of an `expect event` in a script. If there is none, the silence begins when
        the device is plugged.
        """
        self._expect(f"expect nothing for {_time(seconds)}", seconds)

    def expect_nothing_else(self, seconds: Optional[float] = None) -> None:
        """Expects that all reports and requests of the host were expected, until now or for some seconds.

        Those that came before an expected one count, too. At the end of a test this makes the test strict.
        """
        self._expect(f"expect nothing else{_span(seconds)}", seconds or 0)

    def expect_anything(self, seconds: Optional[float] = None) -> None:
        """Counts all that the host has done as expected, until now or for some seconds.

        Events that an expectation has skipped stay unexpected.
        """
        self._expect(f"expect anything{_span(seconds)}", seconds or 0)

    def wait_for_reader(self, seconds: float = 5) -> None:
        """Waits until a program has the device open, and so receives its reports.

        On the kernel's bus its own drivers do not count, but any reader of a node does.
        """
        self._expect(f"wait reader within {_time(seconds)}", seconds)

    def wait(self, event: str, within: float = 5, **values: Any) -> Told:
        """Returns the next event of the device that has these values: `wait("output")["changes"]`.

        The events are those of the stream. "output" is also a request that sets an output report, an event "set" with
        the type "output". An earlier event for which no call has waited can be the next one. An event
        of the host counts as expected, and the events before it are skipped.
        """
        wanted = {"event": event, **values}
        if event == "output":
            wanted = {"event": lambda name: name in ("output", "set"), "type": "output", **values}
        try:
            told = self._run.wait(within=within, device=self.has, **wanted)
        except TimeoutError:
            what = " ".join([event, *(f"{key}={value!r}" for key, value in values.items())])
            missing = sum(self._run.events.missing)
            also = f"; {missing} older events are no longer kept" if missing else ""
            raise self.bench.unmet(f"expected an event {what} within {within:g} s, and none came{also}") from None
        if event in _HOSTS:
            self._run.command("consume", event=told["number"])
        return told

    # Helpers.

    def _play(self, line: str, seconds: float = 0) -> None:
        try:
            self._run.script(line, device=self.name, within=self._run.timeout + seconds)
        except Failed as failed:
            raise _explained(failed) from None

    def _expect(self, line: str, seconds: float) -> None:
        try:
            self._run.script(line, device=self.name, within=self._run.timeout + seconds, beside=True)
        except Failed as failed:
            if not failed.answer.get("unmet"):
                raise _explained(failed) from None
            raise self.bench.unmet(_PLACE.sub("", str(failed))) from None

    def _take(self, told: Told) -> None:
        """Stores the nodes that an event names."""
        event, label = told.get("event"), str(told.get("device"))
        if event in ("plugged", "driver"):
            self._nodes[label] = nodes_of(told) if told["bus"] == "kernel" else []
        elif event in ("unplugged", "unusable"):
            self._nodes.pop(label, None)


def _explained(failed: Failed) -> Failed:
    """The failure of a line that this module wrote: without its place, with the remedy."""
    message = _PLACE.sub("", str(failed))
    return Failed(failed.answer, f"{message}; {failed.answer['help']}" if failed.answer.get("help") else message)


def _quoted(text: object) -> str:
    """A text, quoted as one word of a script."""
    if not isinstance(text, str):
        raise TypeError(f"expected a text, found {text!r}")
    for mark, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("$", "$$")):
        text = text.replace(mark, escape)
    return f'"{text}"'


def _keys(keys: str) -> str:
    """Names of keys, joined by `+`."""
    if not isinstance(keys, str):
        raise TypeError(f"expected keys as a text, such as \"leftCtrl+c\", found {keys!r}")
    names = keys.split("+")
    if len(names) == 1:
        return _quoted(keys)
    for name in names:
        if not _KEY.fullmatch(name):
            raise ValueError(f"{name!r} in {keys!r} cannot be joined with other keys; write \"button 3\" as button.3")
    return keys


def _value(value: Value) -> str:
    """A value of a control."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        text = value
    else:
        text = str(operator.index(value)) if hasattr(value, "__index__") else repr(value)
    if not _VALUE.fullmatch(text):
        raise ValueError(f"{value!r} is not a value; expected one such as True, \"on\", 12, \"50%\", \"0.5n\" or \"12.5p\"")
    return text


def _span(seconds: Optional[float]) -> str:
    """The words for a time in a script, or nothing."""
    return f" for {_time(seconds)}" if seconds is not None else ""


def _time(seconds: float) -> str:
    """A time as scripts have it."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"expected a time as a number of seconds, found {seconds!r}")
    microseconds = round(seconds * 1_000_000)
    if not 0 < microseconds <= 86_400_000_000:
        raise ValueError(f"{seconds!r}: expected a time of more than 0 and up to 86400 seconds")
    for size, unit in ((1_000_000, "s"), (1_000, "ms")):
        if microseconds % size == 0:
            return f"{microseconds // size}{unit}"
    return f"{microseconds}us"
