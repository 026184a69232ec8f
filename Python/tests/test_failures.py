# SPDX-License-Identifier: Apache-2.0
"""What a failed test says, and what is left of it."""

import os
import subprocess

import pytest

import hidsim


def test_an_expectation_that_is_not_met_tells_what_happened(run_tests, leftovers):
    result = run_tests(
        """
        def test_lamp(hidsim_device):
            keyboard = hidsim_device("keyboard.json")
            keyboard.tap("a")
            keyboard.script("host set led.numLock on")
            keyboard.expect("led.capsLock", "on", within=0.01)
        """,
        apart=True,
    )
    result.assert_outcomes(failed=1)
    # The failure is at the test's own line, without frames of this package.
    result.stdout.fnmatch_lines(
        [
            '>       keyboard.expect("led.capsLock", "on", within=0.01)',
            "E       hidsim.device.Unmet: expected led.capsLock on within 10ms, and it is off",
            "E       What happened to the virtual devices, in seconds:",
            "E         0.?????? *hidsim keyboard: plugged as loopback:*",
            "E         0.?????? *hidsim keyboard: input 00 00 04 00 00 00 00 00  keyboardOrKeypad.keyboardA on",
            "E         0.?????? *hidsim keyboard: input 00 00 00 00 00 00 00 00  keyboardOrKeypad.keyboardA off",
            "E         0.?????? *hidsim keyboard: output 01 (as 00 01)  led.numLock on, by hidsim (*)",
            "test_it.py:5: Unmet",
        ]
    )
    result.stdout.no_fnmatch_line("*__tracebackhide__*")
    assert leftovers() == []


@pytest.mark.parametrize(
    "line, message",
    [
        ("keyboard.wait_for_reader(0.01)", "no program had the device open within 10ms"),
        ("keyboard.wait('get', within=0.01, report=3)", "expected an event get report=3 within 0.01 s, and none came"),
        ("keyboard.script('tap a\\nexpect led.capsLock on')", "script:2:1: expected led.capsLock on, and it is off"),
    ],
)
def test_each_expectation_is_an_assertion(hidsim_device, line, message):
    keyboard = hidsim_device("keyboard.json")
    with pytest.raises(AssertionError) as failure:
        eval(line)
    text = str(failure.value).splitlines()
    assert text[0] == message
    assert text[1] == "What happened to the virtual devices, in seconds:"


def test_a_host_that_does_something_is_an_assertion(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    host = os.environ["HIDSIM_PROGRAM"]
    words = f'until "{host}" set "hidsim keyboard" output 01; do :; done'
    with subprocess.Popen(["sh", "-c", words], stdout=subprocess.DEVNULL) as process:
        try:
            with pytest.raises(AssertionError, match="^expected nothing for 10s, and this came"):
                keyboard.expect_nothing(10)
            keyboard.wait("output")
        finally:
            process.kill()


@pytest.mark.parametrize(
    "expectation",
    [
        lambda keyboard: keyboard.expect("led.capsLock", "on", within=20),
        lambda keyboard: keyboard.wait("output", changes={"led.capsLock": 1}),
        lambda keyboard: keyboard.script("expect only event output bytes 02 within 20s"),
    ],
)
def test_a_report_right_behind_the_one_that_was_expected_is_not_nothing(hidsim_device, expectation):
    keyboard = hidsim_device("keyboard.json")
    keyboard.script("host send output bytes 02\nhost send output bytes 03 ; sync")
    expectation(keyboard)
    with pytest.raises(AssertionError, match="^expected nothing for 600s, and this came after the last event"):
        keyboard.expect_nothing(600)
    with pytest.raises(AssertionError, match="^expected nothing else, and this came"):
        keyboard.expect_nothing_else()


def test_whatever_came_is_expected_where_a_test_says_so(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.script("host send output bytes 02\nhost send output bytes 03")
    keyboard.expect_anything()
    keyboard.expect_nothing(0.01)
    keyboard.expect_nothing_else(0.01)


def test_any_failure_has_what_happened_in_a_section(run_tests, leftovers):
    result = run_tests(
        """
        def test_other(hidsim_device):
            hidsim_device("keyboard.json").tap("a")
            assert 1 == 2
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E       assert 1 == 2", "*- hidsim -*", "What happened to the virtual devices*", "*keyboardA on", "*keyboardA off"]
    )
    assert leftovers() == []


def test_a_hidsim_that_dies_is_an_error_with_its_last_words(run_tests, leftovers, tmp_path):
    program = tmp_path / "dying"
    program.write_text(
        # It reads the commands "end" and "events", answers the second, and exits at the third.
        '#!/bin/sh\necho \'{"event":"hello","protocol":1}\'\nread line\nread line\necho \'{"result":"events","token":1}\'\n'
        "read line\necho 'Fatal error: out of luck' >&2\nexit 3\n"
    )
    program.chmod(0o755)
    text = 'def test_it(hidsim_device):\n    hidsim_device("keyboard.json")\n'
    result = run_tests(text, HIDSIM_PROGRAM=str(program))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E       hidsim.stream.Ended: hidsim has ended with status 3 ({program})", "E         Fatal error: out of luck"])
    assert leftovers() == []


def test_a_hidsim_that_dies_after_the_last_command_is_an_error(run_tests, leftovers):
    result = run_tests(
        """
        import os, signal

        def test_it(hidsim_device):
            run = hidsim_device("keyboard.json").bench.run
            os.kill(run._process.pid, signal.SIGKILL)
            run._process.wait()
        """
    )
    assert result.parseoutcomes() == {"passed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["E       hidsim.stream.Ended: hidsim has ended by signal 9 (*"])
    assert leftovers() == []


def test_what_an_answer_raises_is_the_tests_whether_it_waits_or_not(run_tests, leftovers):
    result = run_tests(
        """
        import pytest

        @pytest.fixture
        def keyboard(hidsim_device):
            keyboard = hidsim_device("keyboard.json")
            keyboard.bench.run.answer = lambda request: {}["nothing"]
            keyboard.bench.run.command("delegate", device=keyboard.name)
            return keyboard

        def test_waits(keyboard):
            keyboard.script("host get input")

        def test_does_not_wait(keyboard):
            run = keyboard.bench.run
            run.write(command="script", text="host get input", device=keyboard.name)
            run._readers[0].join()

        def test_next(hidsim_device):
            hidsim_device("keyboard.json").tap("a")
        """
    )
    assert result.parseoutcomes() == {"passed": 2, "failed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["* ERROR at teardown of test_does_not_wait *", "E*KeyError: 'nothing'", "* test_waits *", "E*KeyError: 'nothing'"])
    assert leftovers() == []


def test_devices_are_unplugged_however_a_test_ends(run_tests, leftovers):
    result = run_tests(
        """
        import os, pytest, subprocess

        @pytest.fixture
        def broken(hidsim_device):
            hidsim_device("keyboard.json")
            raise ValueError

        def test_passes(hidsim_device):
            hidsim_device("keyboard.json")
            assert os.environ["HIDSIM_BUS"] == "loopback"
            words = [os.environ["HIDSIM_PROGRAM"], "list"]
            assert subprocess.run(words, stdout=subprocess.PIPE).stdout.count(b"hidsim keyboard") == 1

        def test_fails(hidsim_device):
            hidsim_device("keyboard.json")
            assert False

        def test_breaks(broken):
            pass

        def test_is_interrupted(hidsim_device):
            hidsim_device("keyboard.json")
            raise KeyboardInterrupt
        """,
        apart=True,
    )
    assert result.parseoutcomes() == {"passed": 1, "failed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["*KeyboardInterrupt*"])
    assert leftovers() == []


def test_the_environment_is_as_before(run_tests):
    result = run_tests(
        """
        import os
        before = {name: os.environ.get(name) for name in os.environ if name.startswith("HIDSIM_")}
        def test_first(hidsim_device):
            os.environ["SEEN"] = os.environ["HIDSIM_BUS_DIR"]
        def test_second():
            assert {name: os.environ.get(name) for name in os.environ if name.startswith("HIDSIM_")} == before
        def test_third(hidsim_device):
            assert os.environ["HIDSIM_BUS_DIR"] != os.environ["SEEN"]
            assert not os.path.exists(os.environ["SEEN"])
        """
    )
    result.assert_outcomes(passed=3)


def test_a_missing_program_is_said_with_what_to_do(run_tests):
    text = "def test_it(hidsim_device): pass"
    result = run_tests(text, HIDSIM_PROGRAM="/nonexistent/hidsim")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["HIDSIM_PROGRAM is '/nonexistent/hidsim', which is not a program*scripts/wheel --program FILE"])


@pytest.mark.skipif(os.path.exists("/dev/uhid"), reason="the kernel's bus is there")
@pytest.mark.parametrize("options, environment", [(["--hidsim-bus", "kernel"], {}), ([], {"HIDSIM_BUS": "kernel"})])
def test_where_the_kernels_bus_cannot_be_used_tests_are_skipped_with_the_reason(run_tests, options, environment):
    text = "def test_it(hidsim_device): pass"
    result = run_tests(text, *options, **environment)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*the kernel's bus cannot be used: *uhid*"])
    source = " ".join(options) or "HIDSIM_BUS=kernel"
    result.stdout.fnmatch_lines([f"hidsim: kernel bus ({source}; /dev/uhid: *)"])
    for value in "", "0":
        run_tests(text, *options, **environment, HIDSIM_REQUIRE=value).assert_outcomes(skipped=1)
    for more, variables in (["--hidsim-require"], {}), ([], {"HIDSIM_REQUIRE": "1"}):
        result = run_tests(text, *options, *more, **environment, **variables)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["the kernel's bus cannot be used: *uhid*"])


@pytest.mark.skipif(os.path.exists("/dev/uhid"), reason="the kernel's bus is there")
@pytest.mark.parametrize("asked", [None, "auto"])
def test_without_the_kernels_bus_auto_is_the_loopback_bus_also_where_a_bus_is_required(run_tests, asked):
    text = """
        import hidsim, os, pytest

        @pytest.mark.parametrize("mark", [None, pytest.param("auto", marks=pytest.mark.hidsim_bus("auto"))])
        def test_it(hidsim_device, mark):
            assert hidsim_device("keyboard.json").bench.bus == os.environ["HIDSIM_BUS"] == "loopback"

        def test_bench():
            with hidsim.Bench() as bench:
                assert bench.bus == "loopback"
        """
    result = run_tests(text, HIDSIM_BUS=asked or "", HIDSIM_REQUIRE="1")
    result.assert_outcomes(passed=3)
    source = f"HIDSIM_BUS={asked}" if asked else "auto"
    result.stdout.fnmatch_lines([f"hidsim: loopback bus ({source}; /dev/uhid: *)"])


def test_the_bus_that_was_asked_for_is_named_in_the_header(run_tests):
    text = "def test_it(hidsim_device): pass"
    run_tests(text).stdout.fnmatch_lines(["hidsim: loopback bus (HIDSIM_BUS=loopback)"])
    result = run_tests(text, "--hidsim-bus", "loopback", HIDSIM_BUS="kernel")
    result.stdout.fnmatch_lines(["hidsim: loopback bus (--hidsim-bus loopback)"])


def test_a_bus_that_is_none_is_said(run_tests):
    result = run_tests("def test_it(hidsim_device): pass", HIDSIM_BUS="bluetooth")
    result.assert_outcomes(errors=1)
    message = "unknown bus 'bluetooth'; expected one of auto, kernel, loopback, usb"
    result.stdout.fnmatch_lines([f"hidsim: {message} (HIDSIM_BUS=bluetooth)", message])


def test_older_pytests_are_not_disturbed(run_tests, monkeypatch):
    # As if pytest had no StashKey.
    monkeypatch.setattr("hidsim.pytest_plugin._bench", None)
    result = run_tests("def test_other(): pass\ndef test_it(hidsim_device): pass")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["hidsim_device needs pytest 7 or later, and this is *"])


def test_what_happened_is_in_junits_xml(run_tests, tmp_path):
    text = """
        def test_other(hidsim_device):
            hidsim_device("keyboard.json").tap("a")
            assert 1 == 2
        """
    run_tests(text, "--junit-xml", str(tmp_path / "report.xml"))
    assert "keyboardOrKeypad.keyboardA on" in (tmp_path / "report.xml").read_text()


def test_what_a_test_used_is_not_kept(run_tests):
    result = run_tests(
        """
        import gc, weakref
        def test_first(hidsim_device):
            global bench
            bench = weakref.ref(hidsim_device("keyboard.json").bench)
        def test_second():
            gc.collect()
            assert bench() is None
        """
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    "text, message",
    [
        ("#!/nonexistent/loader\n", "cannot be started: No such file or directory; the file exists, but may be built for another"),
        ("\x7fELF", "cannot be started: Exec format error; the file exists, but may be built for another"),
        ("#!/bin/sh\necho Hello\n", r"wrote a line that is not of the stream, b'Hello\\n'; check that it is hidsim"),
        ("#!/bin/sh\nprintf '\\377\\n'\n", r"wrote a line that is not of the stream, b'\\xff\\n'; check that it is hidsim"),
        ("#!/bin/sh\necho '{\"event\":\"hello\"}'\n", "uses protocol None; expected 1"),
    ],
)
def test_a_program_that_is_no_hidsim_is_said(tmp_path, text, message):
    program = tmp_path / "program"
    program.write_text(text)
    program.chmod(0o755)
    with pytest.raises(hidsim.NoProgram) as failure:
        hidsim.Run(program=str(program))
    assert str(failure.value).startswith(f"{program} {message}".replace("\\\\", "\\"))


def test_the_beginning_and_the_end_of_what_hidsim_wrote_is_told(tmp_path):
    program = tmp_path / "dying"
    program.write_text("#!/bin/sh\necho 'Fatal error: first' >&2\nseq 1 200 >&2\necho last >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(hidsim.Ended) as failure:
        hidsim.Run(program=str(program))
    lines = str(failure.value).split("\n  ")
    assert lines[0] == f"hidsim has ended with status 3 ({program})"
    assert lines[1] == "Fatal error: first" and lines[-1] == "last"
    assert "… 122 lines left out" in lines


def test_what_was_mistyped_is_no_expectation_that_was_not_met(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    for text in ('tap "$"', "tap ${a"):
        with pytest.raises(hidsim.Failed):
            keyboard.script(text)
