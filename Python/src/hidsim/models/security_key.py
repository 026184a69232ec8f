# SPDX-License-Identifier: Apache-2.0
"""A FIDO security key: the firmware of the device file security-key.json. It needs the package `cryptography`.

    def test_login(hidsim_device):
        device = hidsim_device("security-key.json")
        with hidsim.models.security_key.SecurityKey(device) as key:
            …

Without a test, `python3 -m hidsim.models.security_key` plugs such a key; with `-- COMMAND` for as long as a command runs.
"""

from __future__ import annotations

import argparse
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..bench import BUSES, Bench, BusUnavailable
from ..device import Device
from ..stream import Ended, Failed, NoProgram, Told

try:
    from ._authenticator import Authenticator
except ImportError as missing:
    raise ImportError(f"{missing}; the security key needs the package cryptography: pip install cryptography") from None
from ._ctaphid import Link

__tracebackhide__ = True

# The kernel keeps 64 reports for a program that reads a hidraw node. A longer answer comes in
# parts, with this time between them: the answer of a real key takes its time on the wire, too.
_PART, _PAUSE = 32, 0.02
# The limit of packets that wait for an answer. Further ones are dropped; a message has at most 129.
_QUEUE = 1000


class SecurityKey:
    """The firmware of a security key that is plugged: it answers what hosts send to the device, in a thread of its own.

    It answers until `close`, or until the device's bench ends. Before and after, the device file answers what it can without keys.
    """

    def __init__(self, device: Device, presence: bool = True, touch_timeout: float = 30) -> None:
        """Starts the firmware.

        With `presence` False each request that needs a touch waits for `touch`, at most `touch_timeout` seconds.
        A device that has a firmware already, or that is not of security-key.json, raises `ValueError`.
        """
        self._device = device
        self._run = device.bench.run
        self._authenticator = Authenticator()
        self._link = Link(self._authenticator.serve, touch_timeout)
        self._link.presence = self._presence = presence
        self._failure: Optional[Exception] = None
        self._wants_touch = False
        self._losses = 0  # how often the key has lost its power, and the thread does not know it yet
        self._changed = threading.Condition()
        # What the thread carries out, in order; None ends it.
        self._work: queue.SimpleQueue[Optional[Callable[[], List[bytes]]]] = queue.SimpleQueue()
        state = self._run.state(device.name)[0]["state"]
        if "firmware" not in state:
            raise ValueError(f"{device.name!r} is not a device of security-key.json: its file has no state \"firmware\"")
        if state["firmware"]:
            raise ValueError(f"{device.name!r} has a firmware already")
        self._stop = self._run.listen(self._hear)
        try:
            self._run.script("set firmware 1", device=device.name)
            # Channels that the device file has given out stay valid.
            self._link.channels = self._run.state(device.name)[0]["state"]["channel"]
        except BaseException:
            self._stop()
            raise
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> SecurityKey:
        return self

    def __exit__(self, kind: object, *exception: object) -> None:
        try:
            self.close()
        except Exception:
            if kind is None:
                raise

    @property
    def presence(self) -> bool:
        """Whether a person touches the key all the time. If set to True, a request that waits for a touch is granted."""
        return self._presence

    @presence.setter
    def presence(self, is_there: bool) -> None:
        def change(now: float) -> List[bytes]:
            self._link.presence = is_there
            return self._link.touch(now) if is_there else []

        self._presence = is_there
        self._do(change)

    def wait_for_request(self, within: float = 5) -> None:
        """Waits until the host wants the key to be touched. Raises `TimeoutError` if it does not in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._wants_touch or self._failure, within):
                raise TimeoutError(f"no host has asked for a touch of {self._device.name!r} within {within:g} s")
        self._check()

    def touch(self, within: float = 5) -> None:
        """Touches the key as soon as the host wants that; raises `TimeoutError` if it does not in time."""
        self.wait_for_request(within)
        self._do(self._link.touch)

    def _do(self, action: Callable[[float], List[bytes]]) -> None:
        """Has the firmware's thread carry out an action, and waits until it has."""
        done = threading.Event()

        def work() -> List[bytes]:
            packets = action(time.monotonic())
            self._notify()
            done.set()
            return packets

        self._work.put(work)
        if self._thread.is_alive():
            done.wait(5)

    @property
    def credentials(self) -> List[Dict[str, Any]]:
        """The resident credentials, the oldest first: each with `id`, `rp` and `user`, as WebAuthn names them."""
        known = list(self._authenticator.credentials.values())
        return [{"id": one.id, "rp": one.relying_party, "user": dict(one.user)} for one in known]

    @property
    def requests(self) -> List[str]:
        """The newest 1000 requests, the oldest first: `getInfo`, `makeCredential`, `u2fRegister` and so on."""
        return list(self._authenticator.requests)

    @property
    def counter(self) -> int:
        """The number of signatures that the key has made."""
        return self._authenticator.counter

    @property
    def has_pin(self) -> bool:
        """Whether a PIN is set."""
        return self._authenticator.has_pin

    @property
    def pin_retries(self) -> int:
        """How many wrong PINs in a row the key still takes until it is blocked."""
        return self._authenticator.pin_retries

    @property
    def winks(self) -> int:
        """How often a host has made the key wink."""
        return self._link.winks

    def close(self) -> None:
        """Ends the firmware, which forgets its keys. Raises a mistake of the firmware itself, if there was one."""
        self._stop()
        self._work.put(None)
        self._thread.join(5)
        try:
            self._run.script(f"set firmware 0 ; set channel {self._link.channels}", device=self._device.name)
        except (Failed, OSError, ValueError, TimeoutError):
            pass  # the device is no longer there
        except Ended as ended:
            self._take_end(ended)
        self._check()

    def _take_end(self, ended: Ended) -> None:
        """Keeps the reason why hidsim has ended, for a call of the test."""
        if ended.status != 0:
            with self._changed:
                self._failure = self._failure or ended
                self._changed.notify_all()

    def _check(self) -> None:
        if self._failure:
            raise self._failure

    # In the thread that reads the stream.

    def _hear(self, told: Told) -> None:
        event = told.get("event")
        if event == "summary":
            self._work.put(None)
        elif not self._device.has(told.get("device")):
            return
        elif event in ("output", "set") and told.get("type") == "output":
            packet = bytes.fromhex(told["bytes"])
            if self._work.qsize() < _QUEUE:
                self._work.put(lambda: self._link.receive(packet, time.monotonic()))
        elif event == "unplugged":
            with self._changed:
                self._losses += 1
                self._wants_touch = False
            self._work.put(self._lose_power)

    # In the firmware's own thread.

    def _lose_power(self) -> List[bytes]:
        self._link.reset()
        self._authenticator.start()
        with self._changed:
            self._losses -= 1
        return []

    def _notify(self) -> None:
        """Shows callers of `wait_for_request` what the firmware waits for."""
        with self._changed:
            self._failure = self._failure or self._link.failure
            self._wants_touch = not self._losses and self._link.wants_touch(time.monotonic())
            self._changed.notify_all()

    def _serve(self) -> None:
        while True:
            deadline = self._link.deadline
            try:
                work = self._work.get(timeout=None if deadline is None else max(0, deadline - time.monotonic()))
            except queue.Empty:
                packets = self._link.advance(time.monotonic())
            else:
                if work is None:
                    return
                packets = work()
            self._notify()
            for start in range(0, len(packets), _PART):
                if start:
                    time.sleep(_PAUSE)
                try:
                    self._run.report(*map(list, packets[start : start + _PART]), device=self._device.name)
                except (Failed, OSError, ValueError, TimeoutError):
                    break  # the device is unplugged
                except Ended as ended:
                    self._take_end(ended)
                    return


def main(words: Optional[Sequence[str]] = None) -> int:
    """Plugs a security key, runs a command beside it or waits for SIGINT or SIGTERM, and returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 -m hidsim.models.security_key",
        description="Plugs a FIDO security key whose touches are always granted. It forgets its keys when this program ends.",
    )
    parser.add_argument("--bus", choices=BUSES, help="the bus (default: $HIDSIM_BUS, else auto)")
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="after --: the key is plugged while this command runs")
    options = parser.parse_args(words)
    # SIGTERM ends this program as Ctrl-C does: the device is unplugged.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Bench(options.bus) as bench:
            device = bench.plug("security-key.json")
            with SecurityKey(device):
                if options.command:
                    return _run(options.command)
                print(f"{device.name}: plugged into the {bench.bus} bus {device.hidraw or ''}".rstrip(), flush=True)
                signal.pause()
    except KeyboardInterrupt:
        return 130 if options.command else 0
    except BusUnavailable as unavailable:
        print(f"security_key: {unavailable}", file=sys.stderr)
        return 77
    except (NoProgram, Failed, OSError) as failed:
        print(f"security_key: {failed}", file=sys.stderr)
        return 1
    return 0


def _run(command: Sequence[str]) -> int:
    """Runs a command, and returns its exit status as shells have it: 128 and a signal's number, 127 if there is no such program."""
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as error:
        print(f"security_key: {command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return 127
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
