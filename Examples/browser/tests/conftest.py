# SPDX-License-Identifier: Apache-2.0
"""A browser in which the page may use all HID devices. It needs `hidsim vm --udev`."""

import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading

import pytest
from playwright.sync_api import expect, sync_playwright

PAGE = pathlib.Path(__file__).resolve().parents[1] / "page"
# Chromium of Debian, and Chrome. Without them, the browser is that of `playwright install chromium`.
BROWSERS = ["chromium", "google-chrome"]
OPTIONS = [
    "--no-sandbox",  # the tests are root in the machine, and Chromium's sandbox refuses root
    # Pages of the browser's own window, which no test sees, would take most of the processor's time.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,OptimizationHints,MediaRouter",
]
# The folders in which these browsers look for policies, and the parts of them that the tests make.
POLICIES = {"/etc/chromium": ["policies"], "/etc/opt": ["chrome/policies", "chrome_for_testing/policies"]}

expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def site():
    """Serves the page, and returns its address. WebHID needs https, or an address of the machine itself."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=PAGE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def policy(site):
    """Has the browser give the page all HID devices without asking: a policy of Chromium, for this address and port.

    Empty file systems hide the folders of policies inside `hidsim vm`. The files of the host do not change.
    """
    if "HIDSIM_VM" not in os.environ:
        pytest.fail("run the tests in a machine of their own: hidsim vm --udev --memory 2G -- python3 -m pytest", pytrace=False)
    for folder, places in POLICIES.items():
        if os.path.isdir(folder):
            subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
            for place in places:
                managed = pathlib.Path(folder, place, "managed")
                managed.mkdir(parents=True)
                (managed / "webhid.json").write_text(json.dumps({"WebHidAllowAllDevicesForUrls": [site]}), encoding="utf-8")


@pytest.fixture(scope="session")
def tab(policy, tmp_path_factory):
    """The tab of a browser that is started once for all tests: that takes ten seconds in User-Mode Linux."""
    path = os.environ.get("CHROMIUM_PATH") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=path, channel=None if path else "chromium", args=OPTIONS)
        yield browser.pages[0]
        browser.close()


@pytest.fixture
def page(tab, site):
    """The page, just loaded. The test fails if a script of the page fails."""
    errors = []

    def note(error):
        errors.append(str(error))

    tab.on("pageerror", note)
    tab.goto(site)
    yield tab
    tab.goto("about:blank")  # closes the devices
    tab.remove_listener("pageerror", note)
    assert errors == []
