# SPDX-License-Identifier: Apache-2.0
"""The report of `--hidsim-html`: the tests with virtual devices as one HTML file."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys
from typing import Any, Dict, Optional

from . import program
from .bench import Bench
from .stream import NoProgram


class Writer:
    """Collects the tests that use devices, and writes the report when they have run."""

    #: The number of events that a test which failed has in the report.
    EVENTS = 20_000
    #: The same for a test that passed.
    EVENTS_OF_PASSED = 1000
    #: The bytes of JSON that the timelines of all tests which failed have together.
    ROOM = 128 << 20
    #: The same for all tests that passed.
    ROOM_OF_PASSED = 16 << 20

    def __init__(self, config: Any, path: str) -> None:
        worker = getattr(config, "workerinput", {}).get("workerid")
        found = pathlib.Path(os.path.expandvars(os.path.expanduser(path))).absolute()
        self._path = found.with_name(f"{found.stem}-{worker}{found.suffix}") if worker else found
        self._room = {True: self.ROOM, False: self.ROOM_OF_PASSED}  # what is left for tests that failed, and for others
        self._parts: Dict[str, Dict[str, Any]] = {}
        self._problem: Optional[str] = None

    def take(self, item: Any, report: Any, bench: Optional[Bench]) -> None:
        """Adds a phase of a test that uses devices; another test is left out."""
        part = self._parts.get(item.nodeid)
        if part is None:
            # Without a bench, the fixture has failed, or a mark skips the test.
            if bench is None and "hidsim_device" not in getattr(item, "fixturenames", ()):
                return
            part = {"title": item.nodeid, "outcome": "passed", "duration": 0, "message": None, "output": None, "timeline": None}
            part["again"] = f"pytest {shlex.quote(item.nodeid)}"
            self._parts[item.nodeid] = part
        part["duration"] += round(report.duration * 1e6)
        if report.failed and part["outcome"] != "failed":
            part["outcome"] = "failed" if report.when == "call" else "broken"
            part["message"] = report.longreprtext
        elif report.skipped and part["outcome"] == "passed":
            part["outcome"] = "skipped"
            part["message"] = report.longreprtext or None
        if report.when == "teardown":
            part["output"] = "".join(f"{title}\n{text}\n" for title, text in report.sections if text.strip()) or None
        timeline = bench.recorded() if bench and report.when == "teardown" else None
        if timeline:
            failed = part["outcome"] in ("failed", "broken")
            limit = self.EVENTS if failed else self.EVENTS_OF_PASSED
            events = timeline["events"]
            timeline["before"] += max(0, len(events) - limit)
            timeline["events"] = events[-limit:]
            size = len(json.dumps(timeline))
            if size <= self._room[failed]:
                self._room[failed] -= size
                part["timeline"] = timeline

    def pytest_sessionfinish(self) -> None:
        """Writes the file. pytest's exit status stays that of the tests."""
        parts = list(self._parts.values())
        counts = {word: sum(part["outcome"] == word for part in parts) for word in ("passed", "failed", "broken", "skipped")}
        failed = counts["failed"] + counts["broken"]
        data = {
            "title": "pytest",
            "summary": f"{len(parts)} test{'' if len(parts) == 1 else 's'} with devices: {counts['passed']} passed, {failed} failed, "
            f"{counts['skipped']} skipped",
            "environment": [
                ["Command", shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])],
                ["Folder", os.getcwd()],
                ["Python", platform.python_version()],
                ["System", platform.platform()],
            ],
            "parts": parts,
        }
        # A lone surrogate of a text, which has no UTF-8, becomes "?".
        text = json.dumps(data, ensure_ascii=False).encode(errors="replace")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(
                [program.find(), "html", "-", str(self._path), "--force"],
                input=text,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except (NoProgram, OSError) as error:
            self._problem = str(error)
            return
        if done.returncode != 0:
            self._problem = done.stdout.decode(errors="replace").strip()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says where the report is, or why it is not there."""
        if self._problem:
            terminalreporter.write_line(f"hidsim: --hidsim-html: {self._path} was not written: {self._problem}", red=True)
        else:
            terminalreporter.write_line(f"hidsim: the report is {self._path}")
