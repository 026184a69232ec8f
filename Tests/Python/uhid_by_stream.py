# SPDX-License-Identifier: Apache-2.0
"""hid-tools' `UHIDDevice` by hidsim's stream: what is written for hid-tools runs with hidsim in the place of uhid.

    python3 -m pytest -p uhid_by_stream tests

With pytest this is the whole change: tests stay as they are, and one that opens /dev/uhid itself fails. Other programs
call `install()` before they import what makes their devices. HIDSIM_PROGRAM names the hidsim that is started.

Needs hid-tools, which reads the report descriptors, and Python 3.9 or later. The protocol is in hidsim's article
"Drive devices by a stream".
"""

import atexit
import collections
import contextlib
import errno
import json
import logging
import os
import pathlib
import select
import subprocess
import sys

import hidtools.hid
import hidtools.uhid
import hidtools.util

logger = logging.getLogger("hidsim.uhid")

# How many seconds hidsim is waited for, which waits for the kernel's driver for 30 s.
TIMEOUT = 60
# How long a get or set request is left to the suite: longer than the kernel waits.
DEADLINE = "10s"


class Stream:
    """The hidsim that has all devices of this program, and what it says."""

    def __init__(self, program):
        self._process = subprocess.Popen(
            [program, "drive", "--bus", "kernel"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._output, False)
        self._begun = b""
        self._events = collections.deque()
        self._results = {}
        self._token = 0
        self._devices = {}
        self.plugged = 0
        # Readable as long as there is something to deliver, which may have been read with something else.
        self._bell, self._ringer = os.pipe()
        self._rings = False
        self._poll = select.epoll()
        self._poll.register(self._output, select.EPOLLIN)
        self._poll.register(self._bell, select.EPOLLIN)

    def fileno(self):
        return self._poll.fileno()

    def write(self, command, **values):
        line = json.dumps({"command": command, **values}) + "\n"
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()

    def command(self, name, **values):
        """Sends a command, and returns its result; events that come meanwhile are kept."""
        self._token += 1
        token = self._token
        self.write(name, token=token, **values)
        while token not in self._results:
            if not select.select([self._output], [], [], TIMEOUT)[0]:
                raise TimeoutError(f"hidsim has said nothing to {name} for {TIMEOUT} s")
            self._read()
        self._ring()
        result = self._results.pop(token)
        if "error" in result:
            raise OSError(errno.EINVAL, result["error"])
        return result

    def plug(self, device, **values):
        """Plugs a device, and returns its label; its driver may ask already."""
        label = self.command("plug", wait=False, **values)["device"]
        self._devices[label] = device
        self.plugged += 1
        return label

    def wait(self, is_done):
        """Delivers what hidsim says until something is so."""
        while not is_done():
            if self._events:
                self._deliver(self._events.popleft())
            elif select.select([self._output], [], [], TIMEOUT)[0]:
                self._read()
            else:
                raise TimeoutError(f"hidsim has said nothing for {TIMEOUT} s")
        self._ring()

    def unplug(self, label):
        with contextlib.suppress(OSError):  # one that no driver took is gone
            self.command("unplug", device=label)
        try:
            self.wait(lambda: not self._events)  # what happened to it before
        finally:
            self.forget(label)

    def forget(self, label):
        """Delivers no more of what has this label: hidsim may give it to another device."""
        self._devices.pop(label, None)

    def deliver(self):
        """Delivers what hidsim has said by now."""
        self._read()
        self.wait(lambda: not self._events)

    def close(self):
        """Lets hidsim end, and returns its status."""
        self._process.stdin.close()
        return self._process.wait(TIMEOUT)

    def _read(self):
        try:
            data = os.read(self._output, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            raise EOFError("hidsim has ended")
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            told = json.loads(line)
            if "token" in told and told["token"] is not None:
                self._results[told["token"]] = told
            else:
                self._events.append(told)

    def _deliver(self, told):
        if "error" in told:  # an answer that came too late
            logger.warning("%s", told["error"])
        device = self._devices.get(told.get("device"))
        if device is not None:
            device._process_one_event(told)

    def _ring(self):
        if bool(self._events) == self._rings:
            return
        self._rings = not self._rings
        if self._rings:
            os.write(self._ringer, b"\0")
        else:
            os.read(self._bell, 1)


class UHIDDevice:
    """What `hidtools.uhid.UHIDDevice` is, by the names that it has."""

    UHID_FEATURE_REPORT = 0
    UHID_OUTPUT_REPORT = 1
    UHID_INPUT_REPORT = 2

    _TYPES = {"feature": UHID_FEATURE_REPORT, "output": UHID_OUTPUT_REPORT, "input": UHID_INPUT_REPORT}
    _NUMBERING = (hidtools.util.BusType.USB, hidtools.util.BusType.I2C)
    _NODES = {"evdev": "input/input*/event*", "hidraw": "hidraw/hidraw*"}

    _poll = select.poll()
    _polling_functions = {}
    _devices = []
    _stream = None

    @classmethod
    def dispatch(cls, timeout=None):
        """Does what is due until nothing has come for `timeout` milliseconds, and says whether there was anything."""
        found = False
        while ready := cls._poll.poll(timeout):
            found = True
            for file, _ in ready:
                if file in cls._polling_functions:
                    cls._polling_functions[file]()
        return found

    @classmethod
    def _append_fd_to_poll(cls, fd, read_function, mask=select.POLLIN):
        UHIDDevice._poll.register(fd, mask)
        UHIDDevice._polling_functions[fd] = read_function

    @classmethod
    def _remove_fd_from_poll(cls, fd):
        UHIDDevice._poll.unregister(fd)
        del UHIDDevice._polling_functions[fd]

    @classmethod
    def _common_stream(cls):
        if UHIDDevice._stream is None:
            stream = Stream(os.environ.get("HIDSIM_PROGRAM", "hidsim"))
            UHIDDevice._stream = stream
            cls._append_fd_to_poll(stream.fileno(), stream.deliver)
            atexit.register(close)
        return UHIDDevice._stream

    def __init__(self):
        self.name = None
        self.phys = ""  # hidsim gives the device one of its own
        self.uniq = f"uhid_{os.urandom(16).hex()}"
        self.hid_id = 0
        self.parsed_rdesc = None
        self._rdesc = None
        self._info = None
        self._bustype = None
        self._sys_path = None
        self._label = None
        self._is_known = self._is_open = self._is_started = self._is_destroyed = False
        self._fd = self._common_stream().fileno()
        UHIDDevice._devices.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if not self._is_destroyed:
            self.destroy()

    # What the device is.

    @property
    def fd(self):
        """What to poll: readable when there is something to dispatch. All devices have the same."""
        return self._fd

    @property
    def rdesc(self):
        return self._rdesc

    @rdesc.setter
    def rdesc(self, rdesc):
        if isinstance(rdesc, str):
            rdesc = hidtools.hid.ReportDescriptor.from_string(f"R: {rdesc}")
        elif not isinstance(rdesc, hidtools.hid.ReportDescriptor):
            rdesc = hidtools.hid.ReportDescriptor.from_bytes(rdesc)
        self.parsed_rdesc = rdesc
        self._rdesc = rdesc.bytes

    @property
    def info(self):
        return self._info

    @info.setter
    def info(self, info):
        self._info = info
        self._bustype = hidtools.util.BusType(info[0])

    @property
    def bus(self):
        return self._bustype

    @property
    def vid(self):
        return self._info and self._info[1]

    @property
    def pid(self):
        return self._info and self._info[2]

    # What the kernel has made of it.

    @property
    def sys_path(self):
        return self._sys_path

    def walk_sysfs(self, kind, glob=None):
        glob = glob or self._NODES.get(kind)
        if self._sys_path is None or glob is None:
            return ()
        return tuple(self._sys_path.glob(glob))

    @property
    def device_nodes(self):
        return [f"/dev/input/{path.name}" for path in self.walk_sysfs("evdev")]

    @property
    def hidraw_nodes(self):
        return [f"/dev/{path.name}" for path in self.walk_sysfs("hidraw")]

    # What it does.

    def create_kernel_device(self):
        """Plugs the device, and returns when its driver is done with it; callbacks are called meanwhile."""
        if None in (self.name, self._rdesc, self._info, self.phys):
            raise hidtools.uhid.UHIDIncompleteException("name, rdesc and info say what the device is")
        definition = {
            "hidsim": 1,
            "name": self.name,
            "vendorID": self.vid,
            "productID": self.pid,
            "serialNumber": self.uniq,
            "transport": int(self.bus),
            "reportDescriptor": {"hex": bytes(self._rdesc).hex()},
        }
        self._label = self._stream.plug(self, definition=definition, delegate={"deadline": DEADLINE})
        self._stream.wait(lambda: self._is_known)

    def destroy(self):
        if self._label is not None:
            self._stream.unplug(self._label)
            self._label = None
        self._has_gone()
        UHIDDevice._devices.remove(self)
        self._is_destroyed = True

    def call_input_event(self, data):
        """Sends an input report, and returns when the kernel has it."""
        if self._label is None:
            raise OSError(errno.ENODEV, "the device is not plugged")
        self._stream.command("report", device=self._label, bytes=bytes(data).hex())

    def create_report(self, data, global_data=None, reportID=None, application=None):
        if self.parsed_rdesc is None:
            return []
        return self.parsed_rdesc.create_report(data, global_data, reportID, application)

    # What the kernel does, to be overridden.

    def start(self, flags):
        logger.debug("start")

    def stop(self):
        logger.debug("stop")

    def open(self):
        logger.debug("open")

    def close(self):
        logger.debug("close")

    def set_report(self, req, rnum, rtype, data):
        return errno.EIO

    def get_report(self, req, rnum, rtype):
        return errno.EIO, []

    def output_report(self, data, size, rtype):
        logger.debug("output")

    def _process_one_event(self, told):
        event = told.get("event")
        if event in ("plugged", "driver"):
            if event == "driver":
                self._has_gone()
            self._has_come(told["node"])
        elif event == "unusable":
            logger.warning("%s: %s", self.name, told["message"])
            if not self._is_known:  # hidsim has forgotten it
                self._stream.forget(self._label)
                self._label = None
            self._is_known = True
            self._has_gone()
        elif event == "opened":
            self._is_open = True
            self.open()
        elif event == "closed":
            self._is_open = False
            self.close()
        elif event == "output":
            data = list(bytes.fromhex(told["raw"]))
            self.output_report(data, len(data), self._TYPES[told["type"]])
        elif event == "request":
            self._answer(told)

    def _has_come(self, node):
        self._sys_path = pathlib.Path("/sys/class/hidraw", pathlib.Path(node).name, "device").resolve()
        self.hid_id = int(self._sys_path.name.rpartition(".")[2], 16)
        self._is_known = True
        parsed = self.parsed_rdesc
        types = (parsed.feature_reports, parsed.output_reports, parsed.input_reports)
        self._is_started = True
        self.start(sum(any(r.numbered for r in reports.values()) << bit for bit, reports in enumerate(types)))

    def _has_gone(self):
        if self._is_open:
            self._is_open = False
            self.close()
        if self._is_started:
            self._is_started = False
            self.stop()

    def _answer(self, told):
        number, request, rtype = told["report"] or 0, told["request"], self._TYPES[told["type"]]
        if told["kind"] == "get":
            failure, data = self.get_report(request, number, rtype)
            data = list(data)
            if number == 0 and self.bus in self._NUMBERING and data[:1] == [0]:
                del data[0]  # which hidsim puts there, as the kernel's driver for hardware does
            answer = {"error": True} if failure else {"bytes": data}
        else:
            data = list(bytes.fromhex(told["raw"]))
            answer = {"error": True} if self.set_report(request, number, rtype, data) else {}
        self._stream.write("answer", request=request, **answer)


def install():
    """Puts this `UHIDDevice` in the place of that of hid-tools."""
    real = hidtools.uhid.UHIDDevice
    if real is UHIDDevice:
        return
    for name, module in list(sys.modules.items()):
        if name != "hidtools.uhid" and getattr(module, "UHIDDevice", None) is real:
            raise RuntimeError(f"{name} was imported before, and has the UHIDDevice of hid-tools")
    hidtools.uhid.UHIDDevice = UHIDDevice


def close():
    """Lets hidsim end, if it was started; returns its status."""
    stream, UHIDDevice._stream = UHIDDevice._stream, None
    if stream is None:
        return 0
    UHIDDevice._remove_fd_from_poll(stream.fileno())
    return stream.close()


# What pytest calls.


def _watch(event, arguments):
    if event == "open" and arguments[0] in ("/dev/uhid", b"/dev/uhid"):
        raise RuntimeError("/dev/uhid was opened by the tests themselves")


def pytest_load_initial_conftests():
    install()
    sys.addaudithook(_watch)


def pytest_terminal_summary(terminalreporter):
    count = UHIDDevice._stream.plugged if UHIDDevice._stream else 0
    terminalreporter.write_line(f"{count} devices were plugged by hidsim's stream")
