# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import tempfile

import pytest

pytest_plugins = ["pytester"]


def pytest_collection_finish(session):
    """Writes the tests that will run to the file HIDSIM_TEST_LIST, for scripts/python-tests."""
    if path := os.environ.get("HIDSIM_TEST_LIST"):
        pathlib.Path(path).write_text("".join(f"{item.nodeid}\n" for item in session.items))


@pytest.fixture
def run_tests(pytester, monkeypatch):
    """A function that runs a test file in a pytest of its own, and returns its result.

    With `apart` that pytest is another process.
    """

    def run(text, *options, apart=False, **environment):
        for name in ("HIDSIM_BUS_DIR", "HIDSIM_REQUIRE", "HIDSIM_TEST_LIST", "PYTEST_ADDOPTS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HIDSIM_BUS", "loopback")
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        pytester.makepyfile(test_it=text)
        words = ["-p", "no:cacheprovider", "-rs", *options]
        return pytester.runpytest_subprocess(*words, timeout=60) if apart else pytester.runpytest_inprocess(*words)

    return run


@pytest.fixture
def leftovers(tmp_path, monkeypatch):
    """A function that returns what tests have left: temporary files, and processes that were started with them."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))  # its path is short enough for sockets
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    mark = f"HIDSIM_TEST_MARK={tmp_path}".encode()
    monkeypatch.setenv("HIDSIM_TEST_MARK", str(tmp_path))

    def look():
        found = [path.name for path in folder.glob("hidsim-*")]
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    if int(process) != os.getpid() and mark in file.read().split(b"\0"):
                        found.append(process)
            except OSError:  # the process has ended, or is another user's
                continue
        return found

    yield look
    shutil.rmtree(folder)
