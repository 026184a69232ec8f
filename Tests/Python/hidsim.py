# SPDX-License-Identifier: Apache-2.0
"""Drives simulated HID devices by hidsim's stream: one file, no dependencies, Python 3.9 or later.

    with Run() as run:
        keyboard = run.plug("keyboard.json")
        run.report("00 00 04", device=keyboard)
        run.wait(event="output")

The protocol is in hidsim's article "Drive devices by a stream".
"""

import json
import queue
import subprocess
import threading


class Failed(Exception):
    """A command that failed: what hidsim said, with `line`, `column` and `help`."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.answer = answer


class Run:
    """A hidsim, and the devices that it has plugged."""

    def __init__(self, *files, program="hidsim", bus=None, timeout=20):
        """Starts hidsim; `timeout` is how many seconds anything is waited for."""
        words = [program, "run", *files, "--stdio"] + (["--bus", bus] if bus else [])
        self.timeout = timeout
        self.events = []  # that nobody has waited for
        self.answer = None  # called with each request of the host that is left to us: returns what `respond` takes
        self._token = 0
        self._lines = queue.Queue()
        self._lock = threading.Lock()
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self._read, daemon=True).start()
        self.hello = self.wait(event="hello")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _read(self):
        for line in self._process.stdout:
            told = json.loads(line)
            if told.get("event") == "request" and self.answer:
                self.respond(told["request"], **self.answer(told))
            self._lines.put(told)
        self._lines.put(None)

    def _next(self):
        told = self._lines.get(timeout=self.timeout)
        if told is None:
            raise EOFError("hidsim has ended")
        return told

    def write(self, **command):
        """Sends a command, and waits for nothing."""
        with self._lock:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()

    def command(self, name, **values):
        """Sends a command, and returns its result; events that come meanwhile are kept."""
        self._token += 1
        token = self._token
        self.write(command=name, token=token, **{k: v for k, v in values.items() if v is not None})
        while True:
            told = self._next()
            if told.get("token") != token:
                self.events.append(told)
            elif "error" in told:
                raise Failed(told)
            else:
                return told

    def wait(self, **wanted):
        """Returns the next event that has these values."""
        kept, self.events = self.events, []
        while True:
            told = kept.pop(0) if kept else self._next()
            if all(told.get(key) == value for key, value in wanted.items()):
                self.events += kept
                return told
            self.events.append(told)

    def plug(self, file=None, definition=None, delegate=None, wait=None):
        """Plugs a device of a file or of a definition, and returns its label: with wait=False before it can be used."""
        return self.command("plug", file=file, definition=definition, delegate=delegate, wait=wait)["device"]

    def unplug(self, device=None):
        self.command("unplug", device=device)

    def report(self, *reports, device=None):
        """Sends input reports: hexadecimal text, or lists of numbers."""
        self.command("report", reports=list(reports), device=device)

    def script(self, text, device=None, **variables):
        """Plays lines of a script; variables are what $NAME stands for in it."""
        self.command("script", text=text, device=device, set={name: str(value) for name, value in variables.items()})

    def state(self, device=None):
        return self.command("state", device=device)["interfaces"]

    def respond(self, request, **answer):
        """Answers a request that was left to us: bytes=…, error=True, noAnswer=True, usual=True, or nothing for a set request."""
        self.write(command="answer", request=request, **answer)

    def close(self):
        """Unplugs everything, and returns how hidsim has ended."""
        self._process.stdin.close()
        while self._lines.get(timeout=self.timeout) is not None:
            pass
        return self._process.wait(self.timeout)
