# SPDX-License-Identifier: Apache-2.0
"""The report of `--hidsim-html`."""

import json
import re

from hidsim import _report

TESTS = """
    import pytest

    def test_passes(hidsim_device):
        hidsim_device("mouse.json").script("move 3 4")

    def test_fails(hidsim_device):
        keyboard = hidsim_device("keyboard.json")
        keyboard.script("press leftShift+b")
        keyboard.expect("led.capsLock", "on", within=0.01)

    def test_skips(hidsim_device):
        hidsim_device("mouse.json")
        pytest.skip("</script> is no reason")

    def test_without_a_device():
        pass
"""


def data(path):
    """Returns the data of a report."""
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_a_report_has_each_test_with_a_device_and_why_it_failed(run_tests, pytester):
    path = pytester.path / "reports" / "all.html"
    result = run_tests(TESTS, "--hidsim-html", "reports/all.html")
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    result.stdout.fnmatch_lines([f"hidsim: the report is {path}"])
    report = data(path)
    assert report["summary"] == "3 tests with devices: 1 passed, 1 failed, 1 skipped"
    parts = {part["title"]: part for part in report["parts"]}
    assert list(parts) == ["test_it.py::test_passes", "test_it.py::test_fails", "test_it.py::test_skips"]
    assert [part["outcome"] for part in report["parts"]] == ["passed", "failed", "skipped"]
    failed = parts["test_it.py::test_fails"]
    assert "expected led.capsLock on within 10ms, and it is off" in failed["message"]
    assert failed["again"] == "pytest test_it.py::test_fails"
    inputs = [event["bytes"] for event in failed["timeline"]["events"] if event["event"] == "input"]
    assert inputs[:2] == ["02 00 00 00 00 00 00 00", "02 00 05 00 00 00 00 00"]
    device, = failed["timeline"]["devices"]
    assert device["device"] == "hidsim keyboard"
    assert "led.capsLock" in [element["name"] for element in device["elements"]["elements"]]


def test_a_report_that_cannot_be_written_is_named_and_the_tests_keep_their_status(run_tests, pytester):
    (pytester.path / "file").write_text("", encoding="utf-8")
    result = run_tests("def test_it(hidsim_device): hidsim_device('mouse.json')", "--hidsim-html", "file/report.html")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["hidsim: --hidsim-html: *file/report.html was not written: *"])


def test_a_test_with_many_events_has_the_latest_ones(run_tests, pytester):
    run_tests(
        "def test_it(hidsim_device): hidsim_device('keyboard.json').script('repeat 1500 ; tap a ; end')", "--hidsim-html", "r.html")
    timeline = data(pytester.path / "r.html")["parts"][0]["timeline"]
    assert len(timeline["events"]) == 1000
    assert timeline["before"] == 3002 - 1000
    assert timeline["events"][-1]["event"] == "unplugged"


def test_a_text_with_a_lone_surrogate_does_not_lose_the_report(run_tests, pytester):
    tests = """
        def test_fails(hidsim_device):
            raise ValueError("bad name \\udc80 of \\U0001f600")
    """
    result = run_tests(tests, "--hidsim-html", "r.html")
    result.assert_outcomes(failed=1)
    part, = data(pytester.path / "r.html")["parts"]
    assert "ValueError: bad name ? of \U0001f600" in part["message"]


def test_a_failed_test_has_the_latest_events_of_all_kinds(run_tests, pytester, monkeypatch):
    monkeypatch.setattr(_report.Writer, "EVENTS", 3)
    tests = """
        def test_fails(hidsim_device):
            hidsim_device("keyboard.json").script("tap a ; tap b")
            assert False
    """
    run_tests(tests, "--hidsim-html", "r.html")
    timeline = data(pytester.path / "r.html")["parts"][0]["timeline"]
    assert [event["event"] for event in timeline["events"]] == ["input", "input", "unplugged"]
    assert timeline["before"] == 6 - 3


def test_timelines_have_a_bound_together(run_tests, pytester, monkeypatch):
    tests = """
        import pytest

        @pytest.mark.parametrize("passes", [True, True, False, True, False])
        def test_it(hidsim_device, passes):
            hidsim_device("mouse.json").script("move 3 4")
            assert passes
    """

    def has_timeline():
        return [part["timeline"] is not None for part in data(pytester.path / "r.html")["parts"]]

    run_tests(tests, "--hidsim-html", "r.html")
    assert has_timeline() == [True, True, True, True, True]
    size = len(json.dumps(data(pytester.path / "r.html")["parts"][0]["timeline"]))
    monkeypatch.setattr(_report.Writer, "ROOM_OF_PASSED", size * 5 // 2)
    monkeypatch.setattr(_report.Writer, "ROOM", size * 3 // 2)
    run_tests(tests, "--hidsim-html", "r.html")
    assert has_timeline() == [True, True, True, False, False]


def test_a_test_whose_fixture_fails_is_in_the_report(run_tests, pytester):
    tests = """
        import pytest

        @pytest.mark.hidsim_bus("what")
        def test_on_no_bus(hidsim_device):
            pass

        @pytest.mark.skip(reason="not today")
        def test_skips(hidsim_device):
            pass

        def test_without_a_device():
            pass
    """
    result = run_tests(tests, "--hidsim-html", "r.html")
    result.assert_outcomes(errors=1, skipped=1, passed=1)
    report = data(pytester.path / "r.html")
    assert report["summary"] == "2 tests with devices: 0 passed, 1 failed, 1 skipped"
    broken, skipped = report["parts"]
    assert broken["title"] == "test_it.py::test_on_no_bus"
    assert broken["outcome"] == "broken"
    assert "unknown bus 'what'" in broken["message"]
    assert broken["timeline"] is None
    assert skipped["outcome"] == "skipped"
    assert "not today" in skipped["message"]


def test_no_report_is_written_if_tests_are_only_collected(run_tests, pytester):
    path = pytester.path / "r.html"
    path.write_text("the last report", encoding="utf-8")
    result = run_tests("def test_it(hidsim_device): pass", "--hidsim-html", "r.html", "--collect-only")
    assert result.ret == 0
    assert path.read_text(encoding="utf-8") == "the last report"
    result.stdout.no_fnmatch_line("hidsim: the report is *")
