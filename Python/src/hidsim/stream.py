# SPDX-License-Identifier: Apache-2.0
"""Drives virtual HID devices by hidsim's stream: one file, no dependencies, Python 3.9 or later.

    with Run() as run:
        keyboard = run.plug("keyboard.json")
        run.report("00 00 04", device=keyboard)
        run.wait(event="output")

The protocol is in hidsim's article "Drive devices by a stream".
"""

import collections
import json
import os
import select
import subprocess
import threading
import time

# pytest shows a failure at the line of the test, not here.
__tracebackhide__ = True


class Failed(Exception):
    """A command that failed: what hidsim said is in `answer`, with `line`, `column` and `help`."""

    def __init__(self, answer, message=None):
        super().__init__(message or answer["error"])
        self.answer = answer


class Ended(EOFError):
    """A hidsim that has ended although it is needed: its exit `status`, and the `errors` it wrote last, a line each."""

    def __init__(self, status, errors):
        how = f"by signal {-status}" if (status or 0) < 0 else f"with {status}"
        super().__init__("\n  ".join([f"hidsim has ended {how}", *errors]))
        self.status = status
        self.errors = errors


class Run:
    """A hidsim, and the devices that it has plugged.

    Any number of threads may use it. Of events that nobody has waited for the newest 10,000 are kept.
    """

    # How many seconds hidsim waits for a driver of the kernel, and a little.
    _PLUG_SECONDS = 40
    # How many seconds it has to end by itself.
    _CLOSE_SECONDS = 5

    def __init__(self, *files, program="hidsim", bus=None, timeout=20, environment=None, folder=None, tell=None):
        """Starts hidsim, in a folder and with an environment, else those of this process.

        `timeout` is how many seconds anything is waited for; `tell` is called with each event, in another thread.
        """
        words = [program, "run", *files, "--stdio"] + (["--bus", bus] if bus else [])
        self.timeout = timeout
        self.answer = None  # called with each request of the host that is left to us: returns what `respond` takes
        self.events = collections.deque(maxlen=10_000)  # that nobody has waited for
        self._tell = tell
        self._token = 0
        self._results = {}  # by token; None is one that has not come yet
        self._waiting = []  # who waits for an event: a pair of what it must have, and where to put it
        self.has_told_end = False  # whether anybody has got `Ended`
        self._has_ended = False
        self._failure = None
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._errors = collections.deque(maxlen=20)
        # In a session of its own: Ctrl-C is for this process, which then closes it.
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=folder,
            start_new_session=True,
        )  # fmt: skip
        os.set_blocking(self._process.stdin.fileno(), False)
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()
        try:
            self.hello = self.wait(event="hello")
            if self.hello["protocol"] != 1:
                raise RuntimeError(f"this hidsim speaks protocol {self.hello['protocol']}, and this is a client of 1")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    # What hidsim says.

    def _read(self):
        try:
            with self._process.stdout as lines:
                for line in lines:
                    self._take(json.loads(line))
        except Exception as failure:  # of `answer` or `tell`: it is told to who waits
            self._failure = failure
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()

    def _read_errors(self):
        with self._process.stderr as lines:
            for line in lines:
                self._errors.append(line.decode(errors="replace").rstrip())

    def _take(self, told):
        if told.get("event") == "request" and self.answer:
            self.respond(told["request"], **self.answer(told))
        with self._changed:
            if told.get("token") is not None:
                if told["token"] in self._results:  # else nobody waits any more
                    self._results[told["token"]] = told
                    self._changed.notify_all()
                return
            if self._tell:
                self._tell(told)
            for number, (wanted, found) in enumerate(self._waiting):
                if _has(told, wanted):
                    found.append(told)
                    del self._waiting[number]
                    self._changed.notify_all()
                    return
            self.events.append(told)

    def _until(self, is_so, seconds, what):
        """Waits until something is so, which the reading thread makes so."""
        if not self._changed.wait_for(lambda: is_so() or self._has_ended, seconds):
            raise TimeoutError(f"{what} has not come within {seconds:g} s")
        if not is_so():
            raise self._failure or self._ended()

    def _ended(self):
        self.has_told_end = True
        try:
            status = self._process.wait(self._CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        self._readers[1].join(1)  # its last words
        return Ended(status, list(self._errors))

    @property
    def errors(self):
        """The last lines that hidsim has written to standard error."""
        return list(self._errors)

    # What is said to it.

    def write(self, **command):
        """Sends a command, and waits for nothing."""
        rest = memoryview(json.dumps(command, ensure_ascii=False).encode() + b"\n")
        with self._writing:
            if self._process.stdin.closed:
                raise ValueError("this hidsim was closed")
            file = self._process.stdin.fileno()
            poll = select.poll()
            poll.register(file, select.POLLOUT)
            deadline = time.monotonic() + self.timeout
            while rest:
                left = deadline - time.monotonic()
                if left < 0 or not poll.poll(left * 1000):
                    raise TimeoutError(f"hidsim has taken no commands for {self.timeout:g} s")
                try:
                    rest = rest[os.write(file, rest) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise self._ended() from None

    def command(self, name, within=None, **values):
        """Sends a command, and returns its result, which may take so many seconds; events that come meanwhile are kept."""
        seconds = self.timeout if within is None else within
        with self._changed:
            self._token += 1
            token = self._token
            self._results[token] = None
        try:
            self.write(command=name, token=token, **{k: v for k, v in values.items() if v is not None})
            with self._changed:
                self._until(lambda: self._results[token], seconds, f"hidsim's answer to {name}")
        finally:
            with self._changed:
                result = self._results.pop(token)
        if "error" in result:
            raise Failed(result)
        return result

    def wait(self, within=None, **wanted):
        """Returns the next event that has these values, within so many seconds.

        A value may be a function, which says of an event's value whether it is so.
        """
        seconds = self.timeout if within is None else within
        words = " ".join(f"{key}={value!r}" for key, value in wanted.items() if not callable(value))
        with self._changed:
            for told in self.events:
                if _has(told, wanted):
                    self.events.remove(told)
                    return told
            found = []
            waiting = (wanted, found)
            self._waiting.append(waiting)
            try:
                self._until(lambda: found, seconds, f"an event {words}")
            finally:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
        return found[0]

    def plug(self, file=None, definition=None, delegate=None, wait=None):
        """Plugs a device of a file or of a definition, and returns its label: with wait=False before it can be used."""
        within = max(self.timeout, self._PLUG_SECONDS)
        values = {"file": file, "definition": definition, "delegate": delegate, "wait": wait}
        return self.command("plug", within=within, **values)["device"]

    def unplug(self, device=None):
        self.command("unplug", device=device)

    def report(self, *reports, device=None):
        """Sends input reports: hexadecimal text, or lists of numbers."""
        self.command("report", reports=list(reports), device=device)

    def script(self, text, device=None, within=None, **variables):
        """Plays lines of a script, within so many seconds; variables are what $NAME stands for in it."""
        variables = {name: str(value) for name, value in variables.items()}
        self.command("script", within=within, text=text, device=device, set=variables)

    def state(self, device=None):
        return self.command("state", device=device)["interfaces"]

    def respond(self, request, **answer):
        """Answers a request that was left to us: bytes=…, error=True, noAnswer=True, usual=True, or nothing for a set request."""
        self.write(command="answer", request=request, **answer)

    def close(self):
        """Unplugs everything, and returns how hidsim has ended; one that does not end is killed."""
        with self._writing:
            self._process.stdin.close()
        status = None
        for end in (lambda: None, self._process.terminate, self._process.kill):
            end()
            try:
                status = self._process.wait(self._CLOSE_SECONDS)
                break
            except subprocess.TimeoutExpired:
                continue
        for reader in self._readers:
            reader.join(self._CLOSE_SECONDS)
        return status


def _has(told, wanted):
    """Whether an event has these values."""
    return all(
        value(told.get(key)) if callable(value) else told.get(key) == value for key, value in wanted.items()
    )
