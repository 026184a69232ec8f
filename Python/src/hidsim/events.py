# SPDX-License-Identifier: Apache-2.0
"""Events of the stream as lines for people, mostly in the words of `hidsim run`."""

from typing import List

from .stream import Told

# Controls whose names begin so are switches: their values 0 and 1 are shown as off and on.
_SWITCHES = ("led.", "keyboardOrKeypad.", "button ", "button.")


def line(told: Told) -> str:
    """Returns an event as a line: its time in seconds, the device, what happened."""
    seconds, microseconds = divmod(told["time"], 1_000_000)
    return f"{seconds}.{microseconds:06}  {told.get('device') or 'hidsim'}: {_words(told)}"


def nodes_of(told: Told) -> List[str]:
    """Returns what can be opened of the device of an event: its hidraw node, or its address on another bus; its evdev nodes."""
    return ([told["node"]] if told["node"] else []) + told["eventNodes"]


def _words(told: Told) -> str:
    by = f", by {told['client']} ({told['process']})" if told.get("client") else ""
    by += f", by {told['by']}" if told.get("by") else ""
    event = told.get("event")
    if event == "plugged":
        nodes = f"as {' '.join(found)}" if (found := nodes_of(told)) else f"without nodes, driver {told['driver'] or 'none'},"
        return f"plugged {nodes} after {_milliseconds(told['ready'])}"
    if event == "driver":
        return f"driver changed to {told['driver'] or 'none'}: {' '.join(nodes_of(told)) or 'no nodes'}"
    if event == "unusable":
        return f"cannot be used any more: {told['message']}"
    if event in ("opened", "closed", "unplugged"):
        return f"{event}{by}"
    if event == "input":
        return f"input{_number(told)} {_bytes(told['bytes'])}{_changes(told)}"
    if event == "output":
        return f"output{_received(told)}{by}"
    if event == "set":
        return f"set {told['type']}{_received(told)}: {_outcome(told, 'accepted')}{by}"
    if event == "get":
        return f"get {told['type']}{_number(told)}: {_outcome(told, 'answered ' + _bytes(str(told['bytes'])))}{_undeclared(told)}{by}"
    if event == "request":
        what = f"{told['kind']} {told['type']}{_number(told)}"
        return f"request {told['request']}: {what}{' ' + _bytes(told['bytes']) if told['bytes'] else ''}{_undeclared(told)}{by}"
    if event == "lost":
        plural = "" if told["count"] == 1 else "s"
        if told.get("type") == "input":
            return f"clients lost {told['count']} input report{plural}, because they read too slowly"
        return f"the device dropped {told['count']} input report{plural}, because too many were waiting"
    if event == "usb":
        return f"usb: {told['message']}"
    if event == "fidelity":
        source = "by the kernel's driver" if told.get("byDriver") else "warning"
        return f"{source}: {told['message']}"
    if "error" in told:
        return f"error: {told['error']}"
    shown = {key: value for key, value in told.items() if key not in ("event", "device", "time")}
    return f"{event} {shown}"


def _number(told: Told) -> str:
    return "" if told.get("report") is None else f" {told['report']}"


def _received(told: Told) -> str:
    raw = "" if told["raw"] == told["bytes"] else f" (as {_bytes(told['raw'])})"
    unhandled = "" if told.get("handled", True) else ", which no behaviour matches"
    return f"{_number(told)} {_bytes(told['bytes'])}{raw}{_changes(told)}{_undeclared(told)}{unhandled}"


def _bytes(text: str) -> str:
    """Returns hexadecimal bytes; of more than 128 the first 128, and how many there are."""
    count = (len(text) + 1) // 3
    return text if count <= 128 else f"{text[: 3 * 128 - 1]} … ({count} bytes)"


def _changes(told: Told) -> str:
    changes = [
        f"{name} {('off', 'on')[value] if name.startswith(_SWITCHES) and value in (0, 1) else value}"
        for name, value in told["changes"].items()
    ]
    return "  " + ", ".join(changes) if changes else ""


def _outcome(told: Told, words: str) -> str:
    if told["answer"] == "none":
        return "no answer"
    return f"{'refused' if told['answer'] == 'error' else words} after {_milliseconds(told['latency'])}"


def _undeclared(told: Told) -> str:
    return "" if told["declared"] else ", which the descriptor does not declare"


def _milliseconds(microseconds: int) -> str:
    return f"{microseconds / 1000:.3f} ms"
