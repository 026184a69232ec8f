# SPDX-License-Identifier: Apache-2.0
"""Drives virtual HID devices by hidsim's stream: one file, no dependencies, Python 3.9 or later.

    with Run() as run:
        keyboard = run.plug("keyboard.json")
        run.report("00 00 04", device=keyboard)
        run.wait(event="output")

The protocol is in hidsim's article "Drive devices by a stream".
"""

from __future__ import annotations

import collections
import heapq
import json
import os
import queue
import select
import subprocess
import threading
import time
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional, Sequence, Tuple, Union

# With this pytest shows a failure at the line of the test, not here.
__tracebackhide__ = True

#: A line of the stream: an event, a result or an error.
Told = Dict[str, Any]
#: An input report: hexadecimal text, or numbers.
Report = Union[str, Sequence[int]]


class NoProgram(Exception):
    """The program hidsim is missing, or the program that was started is not hidsim."""


class Failed(Exception):
    """A command that failed. `answer` is hidsim's answer, with `line`, `column` and `help`."""

    def __init__(self, answer: Told, message: Optional[str] = None) -> None:
        super().__init__(message or answer["error"])
        self.answer = answer


class Ended(EOFError):
    """hidsim has ended too early, or not in time.

    `status` is its exit status: negative for a signal, None if it has not ended. `errors` are the
    first and the last lines of its standard error.
    """

    def __init__(self, status: Optional[int], errors: List[str], program: str = "hidsim") -> None:
        if status is None:
            what = "hidsim has not ended in time"
        elif status < 0:
            what = f"hidsim has ended by signal {-status}"
        else:
            what = f"hidsim has ended with status {status}"
        super().__init__("\n  ".join([f"{what} ({program})", *errors]))
        self.status = status
        self.errors = errors


class Kept:
    """The newest events in order: a number of input reports, and as many other events, which input reports do not displace."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._count = 0
        self._kept: Tuple[Deque[Tuple[int, Told]], Deque[Tuple[int, Told]]] = (collections.deque(), collections.deque())
        self.missing = [0, 0]  # the numbers of dropped other events and of dropped input reports

    def __iter__(self) -> Iterator[Told]:
        return (told for _, told in heapq.merge(*map(list, self._kept), key=lambda pair: pair[0]))

    def append(self, told: Told) -> None:
        is_input = told.get("event") == "input"
        kept = self._kept[is_input]
        self._count += 1
        kept.append((self._count, told))
        if len(kept) > self._limit:
            kept.popleft()
            self.missing[is_input] += 1

    def remove(self, told: Told) -> None:
        kept = self._kept[told.get("event") == "input"]
        kept.remove(next(pair for pair in kept if pair[1] is told))

    def clear(self) -> None:
        for kept in self._kept:
            kept.clear()


class _Ends:
    """The first and the last lines of a text."""

    _LIMIT = 40

    def __init__(self) -> None:
        self._first: List[str] = []
        self._last: Deque[str] = collections.deque(maxlen=self._LIMIT)
        self._count = 0

    def append(self, line: str) -> None:
        self._count += 1
        (self._first if len(self._first) < self._LIMIT else self._last).append(line)

    def lines(self) -> List[str]:
        last = list(self._last)
        left = self._count - len(self._first) - len(last)
        return self._first + ([f"… {left} lines left out"] if left > 0 else []) + last


class Run:
    """A hidsim, and the devices that it has plugged.

    Any number of threads may use it. Commands run one after the other, except scripts with `beside`. Events for which
    no call has waited are kept: the newest 10,000 input reports and 10,000 others.

    The devices are unplugged when this process ends, however it ends. If it has forked, they stay until the forked
    process ends, too, or until `close`. A forked process cannot use them.
    """

    # The default time limits in seconds: of each wait, and of the plugging of a device.
    _SECONDS = 20
    _PLUG_SECONDS = 60
    # The events that are kept for a call, and for a handler.
    _EVENTS = 10_000
    # The time in seconds that hidsim has to end by itself.
    _CLOSE_SECONDS = 5

    def __init__(
        self,
        *files: Union[str, "os.PathLike[str]"],
        program: str = "hidsim",
        bus: Optional[str] = None,
        timeout: Optional[float] = None,
        environment: Optional[Dict[str, str]] = None,
        folder: Union[str, "os.PathLike[str]", None] = None,
        tell: Optional[Callable[[Told], None]] = None,
        on_output: Optional[Callable[[Told], None]] = None,
        on_request: Optional[Callable[[Told], Optional[Dict[str, Any]]]] = None,
    ) -> None:
        """Starts hidsim, in the folder and with the environment of this process unless others are given.

        `timeout` is the time limit of each wait in seconds; the default is 20, and 60 for a device to be plugged. `tell` is
        called with each event, in another thread, and cannot wait for hidsim. `on_output` is called with each output report of
        the host, sent either way, and `on_request` with each delegated request; both may wait for hidsim. The name
        of a file is never read as an option.
        """
        words = [program, "drive", *map(_path, files)] + ([f"--bus={bus}"] if bus else [])
        self._timeout = timeout
        # Called with each delegated request of the host, in another thread. Returns the arguments
        # of `respond`.
        self.answer: Optional[Callable[[Told], Dict[str, Any]]] = None
        self.events = Kept(self._EVENTS)  # those for which no call has waited
        self.program = program
        #: Called with each output report of the host: an event `output`, or `set` of an output report.
        self.on_output = on_output
        #: Called with each delegated request of the host, unless `answer` is set. Returns the arguments of `respond`, or None for
        #: the usual answer.
        self.on_request = on_request
        # The events for the handlers, and the thread that calls them.
        self._handled: "queue.Queue[Optional[Told]]" = queue.Queue(self._EVENTS)  # None ends the thread
        self._handler: Optional[threading.Thread] = None
        self._listeners: List[Callable[[Told], None]] = [tell] if tell else []
        self._token = 0
        self._results: Dict[int, Optional[Told]] = {}  # by token; None until the result arrives
        # The calls that wait for an event: the values it must have, and the list that receives it.
        self._waiting: List[Tuple[Dict[str, Any], List[Told]]] = []
        self.has_told_end = False  # True if a call has raised the reason why hidsim has ended
        self._has_ended = False
        self._failure: Optional[BaseException] = None  # the error that ended the reading thread or that of the handlers
        self._owner = os.getpid()
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._is_cut = False  # True if a timeout has cut a command: hidsim has only a part of it
        self._errors = _Ends()
        try:
            # In a session of its own: Ctrl-C interrupts only this process, which then closes
            # hidsim.
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=folder,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            reason = f"{program} cannot be started: {error.strerror}"
            if os.path.exists(program):
                reason += "; the file exists, but may be built for another kind of machine or C library"
            raise NoProgram(reason) from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input, self._output, self._error = self._process.stdin, self._process.stdout, self._process.stderr
        os.set_blocking(self._input.fileno(), False)
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()
        try:
            self.hello = self.wait(event="hello")
            if self.hello.get("protocol") != 1:
                raise NoProgram(f"{program} uses protocol {self.hello.get('protocol')}; expected 1")
            # If this process dies, hidsim ends at the end of its input, and stops unfinished
            # commands.
            self.write(command="end", when="input", token=0)
        except BaseException:
            self.close()
            raise

    @property
    def timeout(self) -> float:
        """The default time limit of calls in seconds, except those that plug a device.

        Once it is set, those have it, too.
        """
        return self._SECONDS if self._timeout is None else self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._timeout = seconds

    @property
    def plug_timeout(self) -> float:
        """The time limit in seconds of calls that plug a device."""
        return self._PLUG_SECONDS if self._timeout is None else self._timeout

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: object, *exception: object) -> None:
        status = self.close()
        if kind is None:
            self.check(status)

    # The output of hidsim.

    def _read(self) -> None:
        try:
            with self._output as lines:
                for line in lines:
                    self._take(self._parsed(line))
        except Exception as failure:
            # Also an error of `answer`, `tell` or a listener. A waiting call or `check` raises it.
            self._failure = self._failure or failure
            self.has_told_end = False
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()

    def _parsed(self, line: bytes) -> Told:
        try:
            told = json.loads(line.decode())
            if isinstance(told, dict):
                return told
        except ValueError:
            pass
        raise NoProgram(f"{self.program} wrote a line that is not of the stream, {line[:200]!r}; check that it is hidsim")

    def _read_errors(self) -> None:
        with self._error as lines:
            for line in lines:
                self._errors.append(line.decode(errors="replace").rstrip())

    def _take(self, told: Told) -> None:
        if told.get("event") == "request" and self.answer:
            answer = self.answer(told)
            try:
                self._say({"command": "answer", "request": told["request"], **answer})
            except BrokenPipeError:
                pass  # hidsim has ended; waiting calls raise that
        elif self._handler_of(told):
            self._hand_over(told)
        with self._changed:
            if told.get("token") is not None:
                if told["token"] in self._results:  # else its caller has given up
                    self._results[told["token"]] = told
                    self._changed.notify_all()
                return
            for listener in self._listeners:
                listener(told)
            for number, (wanted, found) in enumerate(self._waiting):
                if _has(told, wanted):
                    found.append(told)
                    del self._waiting[number]
                    self._changed.notify_all()
                    return
            self.events.append(told)

    def _handler_of(self, told: Told) -> Optional[Callable[[Told], Any]]:
        """The function that handles an event, if there is one."""
        event = told.get("event")
        if event == "output" or event == "set" and told.get("type") == "output":
            return self.on_output
        return self.on_request if event == "request" else None

    def _hand_over(self, told: Told) -> None:
        """Has the handlers' thread call the handler of an event."""
        if self._has_ended:
            return
        if self._handler is None:
            self._handler = threading.Thread(target=self._handle, daemon=True)
            self._handler.start()
        try:
            self._handled.put_nowait(told)
        except queue.Full:
            raise RuntimeError(f"`on_output` and `on_request` are {self._EVENTS} events behind: they must be faster") from None

    def _handle(self) -> None:
        """Calls the handlers of events, in order, until one raises an error."""
        try:
            while True:
                told = self._handled.get()
                if told is None:
                    return
                handler = self._handler_of(told)
                answer = handler(told) if handler else None
                if told.get("event") == "request":
                    self.respond(told["request"], **({"usual": True} if answer is None else answer))
        except BaseException as failure:  # an outcome of pytest, too
            if isinstance(failure, ValueError) and self._input.closed:
                return  # `close` came before the answer
            with self._changed:
                # A waiting call or `check` raises it.
                self._failure = self._failure or failure
                self.has_told_end = False
                self._has_ended = True
                self._changed.notify_all()

    def _check_waiter(self) -> None:
        """Raises an error in the reading thread, which would wait for itself, and in a forked process."""
        self._check_owner()
        if threading.current_thread() in self._readers:
            raise ValueError(
                "`tell`, `answer` and listeners cannot wait for hidsim, since the thread that calls them reads what it says: "
                "call this in another thread, or after `wait`; `respond` waits for nothing"
            )

    def _until(self, is_so: Callable[[], Any], seconds: float, what: str) -> None:
        """Waits until a condition holds that the reading thread changes."""
        if not self._changed.wait_for(lambda: is_so() or self._has_ended, seconds):
            raise TimeoutError(f"{what} did not come within {seconds:g} s")
        if not is_so():
            raise self._end()

    def _end(self) -> BaseException:
        """The reason why hidsim has ended, as an error for the caller."""
        self.has_told_end = True
        if self._failure:
            return self._failure
        status: Optional[int] = None
        try:
            status = self._process.wait(self._CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        self._readers[1].join(1)  # until its last lines are read
        return Ended(status, self.errors, self.program)

    @property
    def errors(self) -> List[str]:
        """The first and the last lines that hidsim has written to standard error."""
        return self._errors.lines()

    # The input of hidsim.

    def write(self, **command: Any) -> None:
        """Sends a command, and does not wait for its result."""
        try:
            self._say(command)
        except BrokenPipeError:
            raise self._end() from None

    def _say(self, command: Told) -> None:
        self._check_owner()
        with self._writing:
            self._write(command, self.timeout)

    def _check_owner(self) -> None:
        """Raises an error in a forked process: it has no reading thread, and locks may be held by threads that it lacks."""
        if os.getpid() != self._owner:
            raise ValueError("this hidsim belongs to the process that forked this one; start one in this process")

    def _write(self, command: Told, seconds: float) -> None:
        if self._input.closed:
            raise ValueError("this hidsim was closed")
        line = json.dumps(command, ensure_ascii=False).encode() + b"\n"
        if self._is_cut:
            line = b"\n" + line
        rest = memoryview(line)
        file = self._input.fileno()
        poll = select.poll()
        poll.register(file, select.POLLOUT)
        deadline = time.monotonic() + seconds
        while rest:
            left = deadline - time.monotonic()
            if not poll.poll(max(0, left) * 1000):
                self._is_cut = self._is_cut or len(rest) < len(line)
                raise TimeoutError(f"hidsim has not read the command {command.get('command')} within {seconds:g} s")
            try:
                rest = rest[os.write(file, rest) :]
            except BlockingIOError:
                continue
        self._is_cut = False

    def command(self, name: str, within: Optional[float] = None, **values: Any) -> Told:
        """Sends a command, and returns its result. `within` is the time limit in seconds. Events that arrive meanwhile are kept."""
        seconds = self.timeout if within is None else within
        self._check_waiter()
        with self._changed:
            self._token += 1
            token = self._token
            self._results[token] = None
        result: Optional[Told] = None
        try:
            self.write(command=name, token=token, **{k: v for k, v in values.items() if v is not None})
            with self._changed:
                self._until(lambda: self._results[token], seconds, f"hidsim's answer to {name}")
        finally:
            with self._changed:
                result = self._results.pop(token)
            if not result:
                self._give_up(token)
        assert result
        if "error" in result:
            raise Failed(result)
        return result

    def _give_up(self, token: int) -> None:
        """Makes hidsim stop a command whose caller has given up, so that other commands can run."""
        if self._has_ended or not self._writing.acquire(timeout=0):
            return
        try:
            self._write({"command": "cancel", "of": token, "token": 0}, 0)
        except (OSError, ValueError):
            pass
        finally:
            self._writing.release()

    def wait(self, within: Optional[float] = None, **wanted: Any) -> Told:
        """Returns the next event that has these values. `within` is the time limit in seconds.

        An earlier event for which no call has waited can be the next one; the oldest comes first.
        A value may be a function that returns whether it accepts the event's value.
        """
        seconds = self.timeout if within is None else within
        words = " ".join(f"{key}={value!r}" for key, value in wanted.items() if not callable(value))
        self._check_waiter()
        with self._changed:
            for told in self.events:
                if _has(told, wanted):
                    self.events.remove(told)
                    return told
            found: List[Told] = []
            waiting = (wanted, found)
            self._waiting.append(waiting)
            try:
                self._until(lambda: found, seconds, f"an event with {words}" if words else "an event")
            finally:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
        return found[0]

    def follow(self, within: Optional[float] = None, **wanted: Any) -> Iterator[Told]:
        """Yields the events that have these values, oldest first, as `wait` returns them, until hidsim ends.

        Raises `TimeoutError` if none comes `within` these seconds; without it, there is no limit.
        """
        while True:
            try:
                yield self.wait(within=threading.TIMEOUT_MAX if within is None else within, **wanted)
            except Ended as ended:
                if ended.status == 0:
                    return
                raise

    def listen(self, listener: Callable[[Told], None]) -> Callable[[], None]:
        """Calls a function with each event from now on, as `tell`; returns a function that ends this. Other calls still get them."""
        def call(told: Told) -> None:
            listener(told)

        with self._changed:
            self._listeners = [*self._listeners, call]

        def stop() -> None:
            with self._changed:
                self._listeners = [other for other in self._listeners if other is not call]

        return stop

    def plug(
        self,
        file: Optional[str] = None,
        definition: Optional[Dict[str, Any]] = None,
        delegate: Optional[Dict[str, Any]] = None,
        wait: Optional[bool] = None,
    ) -> str:
        """Plugs the devices of a file or of a definition, and returns the label of the first.

        With wait=False it returns before the devices can be used. `command("list")` returns the labels of all devices.
        """
        values = {"file": file, "definition": definition, "delegate": delegate, "wait": wait}
        label: str = self.command("plug", within=self.plug_timeout, **values)["devices"][0]["device"]
        return label

    def unplug(self, device: Optional[str] = None) -> None:
        """Unplugs a device, and forgets it."""
        self.command("unplug", device=device)

    def report(self, *reports: Report, device: Optional[str] = None) -> None:
        """Sends input reports: hexadecimal text, or lists of numbers."""
        self.command("report", reports=list(reports), device=device)

    def script(
        self,
        text: str,
        device: Optional[str] = None,
        within: Optional[float] = None,
        beside: Optional[bool] = None,
        **variables: Any,
    ) -> None:
        """Plays the lines of a script. `within` is the time limit in seconds; variables are the values of $NAME.

        With `beside` the script may only wait and expect, and other commands run meanwhile.
        """
        variables = {name: str(value) for name, value in variables.items()}
        self.command("script", within=within, text=text, device=device, beside=beside, set=variables)

    def state(self, device: Optional[str] = None) -> List[Told]:
        """The values that a device stores, an object for each interface."""
        interfaces: List[Told] = self.command("state", device=device)["interfaces"]
        return interfaces

    def respond(self, request: int, **answer: Any) -> None:
        """Answers a request that was delegated: bytes=…, error=True, none=True, usual=True, or nothing for a set request."""
        self.write(command="answer", request=request, **answer)

    def close(self) -> Optional[int]:
        """Unplugs all devices, and returns hidsim's exit status.

        Waiting calls end. A hidsim that does not end is killed. In a forked process it only closes
        that process's copy of hidsim's input, and returns None.
        """
        status: Optional[int] = None
        if os.getpid() != self._owner:
            self._input.close()
            return status
        try:
            # A thread that is writing a command has this time to finish.
            if self._writing.acquire(timeout=self._CLOSE_SECONDS):
                try:
                    # Closing the input is not enough: a forked process may have it open, too.
                    self._write({"command": "end", "token": 0}, 0)
                except (OSError, ValueError):
                    pass
                finally:
                    self._input.close()
                    self._writing.release()
            ends: List[Optional[Callable[[], None]]] = [None, self._process.terminate, self._process.kill]
            for end in ends:
                if end:
                    end()
                try:
                    status = self._process.wait(self._CLOSE_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    continue
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        for reader in self._readers:
            reader.join(self._CLOSE_SECONDS)
        self._end_handlers()
        return status

    def _end_handlers(self) -> None:
        """Waits until the handlers have had all events, or for 5 s."""
        handler = self._handler
        if handler is None or handler is threading.current_thread():
            return
        try:
            self._handled.put_nowait(None)
        except queue.Full:
            return  # they are behind; the thread is a daemon
        handler.join(self._CLOSE_SECONDS)

    def check(self, status: Optional[int]) -> None:
        """Raises an error unless hidsim has ended with status 0 or 1.

        Raises the error of `answer`, `tell`, a listener or a handler instead if one of them has raised one.
        An error that a call has raised already is not raised again. In a forked process it does
        nothing.
        """
        if os.getpid() != self._owner or self.has_told_end:
            return
        if self._failure:
            raise self._end()
        if status not in (0, 1):  # 1: a command has failed
            self.has_told_end = True
            raise Ended(status, self.errors, self.program)


def _path(file: Union[str, "os.PathLike[str]"]) -> str:
    """A file's name as an argument that is never read as an option."""
    name = os.fspath(file)
    return f"./{name}" if name.startswith("-") else name


def _has(told: Told, wanted: Dict[str, Any]) -> bool:
    """Whether an event has these values."""
    return all(
        value(told.get(key)) if callable(value) else told.get(key) == value for key, value in wanted.items()
    )
