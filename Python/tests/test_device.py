# SPDX-License-Identifier: Apache-2.0
"""What a device does and expects, on the bus of the run: the stream plays both ends."""

import concurrent.futures
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys

import pytest

import hidsim

# A recording of the devices "End-to-end one" and "End-to-end two".
TWO_DEVICES = pathlib.Path(__file__).parents[2] / "Tests/EndToEndTests/Fixtures/two-devices.hid"


def inputs(device, count):
    return [device.wait("input")["bytes"] for _ in range(count)]


def test_a_chord_is_pressed_in_order_and_let_go_of_in_reverse(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.tap("leftCtrl+c")
    assert inputs(keyboard, 4) == [
        "01 00 00 00 00 00 00 00",
        "01 00 06 00 00 00 00 00",
        "01 00 00 00 00 00 00 00",
        "00 00 00 00 00 00 00 00",
    ]


def test_what_is_pressed_stays_down(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.press("leftShift")
    keyboard.tap("a")
    keyboard.release()
    assert [report[:8] for report in inputs(keyboard, 4)] == ["02 00 00", "02 00 04", "02 00 00", "00 00 00"]


def test_a_text_is_typed_for_the_layout_of_the_host(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.type("z@", layout="de-DE")
    # z is the key that is Y on a US keyboard; @ is AltGr and Q.
    assert [report[:8] for report in inputs(keyboard, 6)] == [
        *("00 00 1c", "00 00 00", "40 00 00", "40 00 14", "40 00 00", "00 00 00")
    ]
    with pytest.raises(hidsim.Failed, match=r"the layout de-DE cannot type \"ñ\" \(character 2\)"):
        keyboard.type("añ", layout="de-DE")
    keyboard.type("añ", layout="de-DE", skip_missing=True)
    assert [report[:8] for report in inputs(keyboard, 2)] == ["00 00 04", "00 00 00"]
    with pytest.raises(hidsim.Failed, match="there is no layout \"xx\""):
        keyboard.type("a", layout="xx")


def test_a_text_is_typed_whatever_is_in_it(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.type('"\n$x;#\\')
    changes = [keyboard.wait("input")["changes"] for _ in range(20)]
    pressed = [name.partition(".keyboard")[2] for change in changes for name, value in change.items() if value]
    assert pressed == [
        *("LeftShift", "LeftAposAndDouble", "ReturnEnter", "LeftShift", "4AndDollar", "X"),
        *("SemiColonAndColon", "LeftShift", "3AndHash", "BackslashAndPipe"),
    ]
    keyboard.tap("z")
    assert "keyboardOrKeypad.keyboardZ" in keyboard.wait("input")["changes"]  # nothing in between


def test_a_mouse_moves_clicks_and_scrolls(hidsim_device):
    mouse = hidsim_device("mouse.json")
    mouse.move(10, -5)
    mouse.click("right")
    mouse.scroll(-3)
    mouse.scroll(2, horizontal=True)
    assert inputs(mouse, 5) == ["00 0a fb 00 00", "02 00 00 00 00", "00 00 00 00 00", "00 00 00 fd 00", "00 00 00 00 02"]


def test_controls_are_set_in_one_report(hidsim_device):
    pad = hidsim_device("gamepad.json")
    pad.set("leftX", "100%", "south", True)
    assert len(pad.wait("input")["changes"]) == 2


def test_a_report_is_text_bytes_or_numbers(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    for report, key in (("00 00 04", "A"), (b"\x00\x00\x05", "B"), ([0, 0, 6], "C")):
        keyboard.report(report)
        assert keyboard.wait("input")["changes"][f"keyboardOrKeypad.keyboard{key}"] == 1


def test_a_lamp_that_the_host_lights_is_expected(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.expect("led.capsLock", "off")
    keyboard.script("host set led.$LAMP on", LAMP="capsLock")
    keyboard.expect("led.capsLock", "on", within=5)
    keyboard.expect("led.capsLock", True)
    keyboard.expect("led.capsLock", 1)
    assert keyboard.wait("output")["changes"] == {"led.capsLock": 1}


def test_twins_and_interfaces_are_apart(hidsim_device):
    first, second, stick = (hidsim_device(name) for name in ("keyboard.json", "keyboard.json", "inputstick.json"))
    assert (first.name, second.name) == ("hidsim keyboard", "hidsim keyboard#2")
    second.tap("b")
    assert second.wait("input")["device"] == "hidsim keyboard#2"
    stick.tap("a")
    assert stick.wait("input")["device"] == "InputStick/keyboard"
    stick.report("01 e9 00", interface="consumer")
    assert stick.wait("input", report=1)["device"] == "InputStick/consumer"
    with pytest.raises(hidsim.Unmet):
        first.wait("input", within=0.01)


def test_a_file_with_several_devices_is_several_devices(hidsim_device):
    first = hidsim_device(TWO_DEVICES)
    keyboard = hidsim_device("keyboard.json")
    assert first.name == "End-to-end one"
    assert [device.name for device in first.bench.devices] == ["End-to-end one", "End-to-end two", "hidsim keyboard"]
    second = first.bench.devices[1]
    second.report("02 00")
    assert second.wait("input")["bytes"] == "02 00"
    second.unplug()
    second.wait("unplugged")
    first.report("01")
    keyboard.tap("a")


def test_a_device_is_pulled_out_and_plugged_in_again(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    keyboard.wait("plugged")
    keyboard.unplug()
    keyboard.wait("unplugged")
    keyboard.plug()
    keyboard.wait("plugged")
    keyboard.tap("a")


def test_a_file_of_the_test_comes_before_a_shipped_one(hidsim_device, request):
    own = request.path.parent / "keyboard.json"
    definition = '{"hidsim": 1, "name": "own", "vendorID": 4617, "productID": 9, "reportDescriptor": {"hex": "%s"}}'
    own.write_text(definition % "05 01 09 06 a1 01 05 08 19 01 29 05 95 05 75 01 91 02 95 01 75 03 91 03 c0")
    try:
        assert hidsim_device("keyboard.json").name == "own"
    finally:
        own.unlink()
    assert hidsim_device("keyboard.json").name == "hidsim keyboard"


# Texts that would become another command if they were not checked or quoted.
HOSTILE = [
    "a ; unplug", "a\nunplug", 'a" ; unplug ; tap "a', "a\\", "$x", "${x}", "#", "", "+", "a+", "a+b ; unplug", "a+$x", 'a+"b',
    "a+b\nunplug", "\0", "a within 1s",
]  # fmt: skip


def test_no_text_becomes_another_command(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    for text in HOSTILE:
        for call in (
            lambda: keyboard.tap(text),
            lambda: keyboard.press(text),
            lambda: keyboard.release(text),
            lambda: keyboard.click(text),
            lambda: keyboard.set(text, "on"),
            lambda: keyboard.set("a", text),
            lambda: keyboard.expect(text, "on"),
            lambda: keyboard.expect("led.capsLock", text),
            lambda: keyboard.report(text or "xx"),
        ):
            with pytest.raises((hidsim.Failed, ValueError)):
                call()
    assert [told["event"] for told in keyboard.bench.run.events] == ["plugged"]  # nothing else


def test_a_time_is_a_time(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    for wrong in (float("nan"), float("inf"), -1, 0, 90_000):
        with pytest.raises((ValueError, OverflowError)):
            keyboard.expect_nothing(wrong)


def test_an_unknown_key_is_an_error_that_says_what_to_do(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    with pytest.raises(hidsim.Failed, match='^unknown key or button "leftShitf"; did you mean "leftShift"'):
        keyboard.press("leftShitf")


def test_a_hidsim_that_hangs_is_an_error_in_time(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    run = keyboard.bench.run
    run.timeout = 0.2
    os.kill(run._process.pid, signal.SIGSTOP)
    # kill() returns before all threads have stopped.
    os.waitid(os.P_PID, run._process.pid, os.WSTOPPED)
    try:
        with pytest.raises(TimeoutError, match="answer to script"):
            keyboard.tap("a")
        with pytest.raises(TimeoutError, match="has not read the command"):
            keyboard.script("# " + "x" * 1_000_000)
    finally:
        os.kill(run._process.pid, signal.SIGCONT)
        run.timeout = 20
    # hidsim ignores the command of which it has only a part, and runs the next one.
    keyboard.tap("b")


def test_what_nobody_waits_for_any_more_keeps_nothing_waiting(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    with pytest.raises(TimeoutError, match="answer to script"):
        keyboard.script("wait 60m", within=0.1)
    keyboard.tap("a")


def test_an_expectation_stands_beside_what_other_threads_do(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = [pool.submit(keyboard.expect, f"led.{lamp}", "on", within=60) for lamp in ("capsLock", "numLock")]
        keyboard.press("leftShift")
        keyboard.script("host set led.capsLock on\nhost set led.numLock on")
        for lamp in waiting:
            lamp.result()


def test_what_happened_before_many_reports_is_not_forgotten(hidsim_device):
    mouse = hidsim_device("mouse.json")
    keyboard = hidsim_device("keyboard.json")
    keyboard.script("host set led.capsLock on")
    mouse.bench.run.report(*["00 01 00 00"] * 11_000, device=mouse.name)
    keyboard.wait("output")
    assert "led.capsLock on" in mouse.bench.traffic()
    with pytest.raises(hidsim.Unmet, match="and none came; 1[0-9]{3} older events are no longer kept"):
        keyboard.wait("output", within=0.01)


def test_a_device_whose_name_begins_another_ones_is_another(hidsim_device, tmp_path):
    file = {"hidsim": 1, "vendorID": 1, "productID": 1, "reportDescriptor": {"hex": "05 01 09 06 a1 01 05 08 19 01 29 05 15 00 25 01 75 01 95 05 91 02 95 03 91 01 c0"}}
    for name in ("USB", "USB/PS2"):
        (tmp_path / f"{len(name)}.json").write_text(json.dumps({**file, "name": name}))
    first, second = (hidsim_device(tmp_path / f"{size}.json") for size in (3, 7))
    second.script("host set led.capsLock on")
    second.wait("output")
    with pytest.raises(hidsim.Unmet):
        first.wait("output", within=0.01)
    first.script("host set led.numLock on")
    assert first.wait("output")["device"] == "USB"


def test_the_stream_finds_its_program_as_tests_do(monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with hidsim.Run(bus="loopback") as run:
        assert run.plug("keyboard.json") == "hidsim keyboard"


def test_the_stream_plugs_all_devices_of_a_file():
    with hidsim.Run(bus="loopback") as run:
        assert run.plug(str(TWO_DEVICES)) == "End-to-end one"
        assert [told["device"] for told in run.command("list")["devices"]] == ["End-to-end one", "End-to-end two"]


def test_a_process_that_was_forked_does_not_keep_it(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(reader, 1)  # meanwhile it has hidsim's input open
        os._exit(0)
    try:
        # 0: hidsim has ended by itself. A signal would have given another status.
        assert keyboard.bench.run.close() == 0
    finally:
        os.write(writer, b"x")
        os.waitpid(child, 0)


def test_a_process_that_was_forked_leaves_it_to_its_parent(hidsim_device):
    keyboard = hidsim_device("keyboard.json")
    bench = keyboard.bench
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with pytest.raises(ValueError, match="the process that forked this one"):
                keyboard.tap("a")
            with bench, bench.run:
                pass
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    keyboard.tap("a")
    assert os.path.exists(os.environ["HIDSIM_BUS_DIR"])


def test_a_closed_bench_says_so_and_keeps_what_happened():
    with hidsim.Bench() as bench:
        keyboard = bench.plug("keyboard.json")
    assert [told["event"] for told in bench.run.events] == ["plugged", "unplugged", "summary"]
    for call in (lambda: bench.plug("keyboard.json"), lambda: keyboard.tap("a"), lambda: bench.run.plug("keyboard.json")):
        with pytest.raises(ValueError, match="^this hidsim was closed$"):
            call()


def test_what_was_wrong_is_raised_once():
    with pytest.raises(hidsim.Ended, match="by signal 9"):
        with hidsim.Run(bus="loopback") as run:
            run._process.kill()
            run._process.wait()
    with hidsim.Run(bus="loopback") as run:
        run._process.kill()
        with pytest.raises(hidsim.Ended, match="by signal 9"):
            run.plug("keyboard.json")


@pytest.mark.parametrize("last", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(1)"])
def test_devices_are_gone_when_the_process_is(tmp_path, last):
    program = f"""
import os, signal, threading
import hidsim
bench = hidsim.Bench()
print(bench.run._process.pid, flush=True)
keyboard = bench.plug("keyboard.json")
threading.Thread(target=keyboard.expect_nothing, args=[3000]).start()
threading.Thread(target=keyboard.script, args=["wait 60m"], kwargs={{"within": 3600}}).start()
while len(bench.run._results) < 2:
    pass
{last}
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as process:
        pidfd = os.pidfd_open(int(process.stdout.readline()))
    assert select.select([pidfd], [], [], 60)[0], "hidsim is still there"
    os.close(pidfd)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda keyboard: keyboard.tap(["leftCtrl", "c"]), TypeError),
        (lambda keyboard: keyboard.set("led.capsLock", 0.5), ValueError),
        (lambda keyboard: keyboard.expect("led.capsLock", "off", within="2"), TypeError),
    ],
)
def test_what_is_no_argument_is_said(hidsim_device, call, error):
    with pytest.raises(error, match="such as|found '2'"):
        call(hidsim_device("keyboard.json"))


def test_a_file_whose_name_begins_with_a_dash_is_a_file(tmp_path):
    trace = tmp_path / "trace"
    with pytest.raises(hidsim.Ended) as failure:
        hidsim.Run(f"--record={trace}", bus="loopback", folder=tmp_path)
    assert failure.value.status == 66
    assert not trace.exists()
    with pytest.raises(hidsim.Ended) as failure:
        hidsim.Run(bus=f"--record={trace}", folder=tmp_path)
    assert failure.value.status == 64
    assert not trace.exists()
    shutil.copy(pathlib.Path(os.environ["HIDSIM_LIBRARY"]) / "keyboard.json", tmp_path / "--keyboard.json")
    with hidsim.Run("--keyboard.json", bus="loopback", folder=tmp_path) as run:
        run.wait(event="plugged")


# A hidsim that never answers commands with a certain word.
_SLOW = """#!{python}
import json, sys
print('{{"event": "hello", "protocol": 1}}', flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if command["command"] == "end" and "when" not in command:
        break
    if {word!r} not in line and command.get("token"):
        device = {{"device": "it", "interfaces": []}}
        print(json.dumps({{"result": "it", "token": command["token"], "device": "it", "devices": [device]}}), flush=True)
"""


@pytest.fixture
def slow(tmp_path, monkeypatch):
    def make(word):
        program = tmp_path / "slow"
        program.write_text(_SLOW.format(python=sys.executable, word=word))
        program.chmod(0o755)
        monkeypatch.setenv("HIDSIM_PROGRAM", str(program))

    return make


def test_a_function_that_the_reading_thread_calls_cannot_wait_for_hidsim():
    def tell(told):
        if told["event"] == "plugged":
            run.report("00 00 04", device=told["device"])

    # Without the check the call would wait for its own thread, until the timeout.
    with pytest.raises(ValueError, match="^`tell`, `answer` and listeners cannot wait for hidsim"):
        with hidsim.Run(bus="loopback", tell=tell, timeout=60) as run:
            run.plug("keyboard.json")


def test_handlers_of_output_reports_wait_for_hidsim_and_those_of_requests_answer():
    seen = []

    def on_output(told):
        seen.append(told["bytes"])
        run.report("00 00 04 00 00 00 00 00", device=told["device"])

    with hidsim.Run(bus="loopback", on_output=on_output) as run:
        run.plug("keyboard.json")
        run.command("events", input=True)
        run.script("host send output bytes 02")
        assert run.wait(event="input")["bytes"] == "00 00 04 00 00 00 00 00"
        assert seen == ["02"]

    requests = []

    def on_request(told):
        requests.append(told["kind"])
        return None if len(requests) == 1 else {"bytes": "06 09"}

    with hidsim.Run(bus="loopback", on_request=on_request) as run:
        run.plug("faulty.json", delegate={"get": True})
        run.write(command="script", text="host get feature 1\nhost get feature 6", token="s")
        assert run.wait(event="get")["answer"] in ("report", "error")
        assert run.wait(event="get")["bytes"] == "06 09"
        assert requests == ["get", "get"]


def test_an_error_of_a_handler_is_raised_by_the_next_wait():
    def on_output(told):
        raise KeyError("lamp")

    with pytest.raises(KeyError, match="lamp"):
        with hidsim.Run(bus="loopback", on_output=on_output) as run:
            run.plug("keyboard.json")
            run.script("host send output bytes 02")
            run.wait(event="never")


def test_events_are_followed_until_hidsim_ends():
    with hidsim.Run("keyboard.json", bus="loopback") as run:
        device = run.wait(event="plugged")["device"]
        run.command("events", input=True)
        run.report("00 00 04 00 00 00 00 00", "00 00 00 00 00 00 00 00", device=device)
        told = []
        for event in run.follow(within=20, event="input"):
            told.append(event["bytes"])
            if len(told) == 2:
                run.write(command="end", token=0)
        assert told == ["00 00 04 00 00 00 00 00", "00 00 00 00 00 00 00 00"]
    with hidsim.Run(bus="loopback") as run, pytest.raises(TimeoutError):
        next(run.follow(within=0.01, event="input"))


def test_a_timeout_holds_for_plugging_too(slow):
    slow('"plug"')
    with hidsim.Run(timeout=0.5) as run:
        with pytest.raises(TimeoutError, match="^hidsim's answer to plug did not come within 0.5 s$"):
            run.plug("keyboard.json")
        run.timeout = 0.25
        with pytest.raises(TimeoutError, match=" within 0.25 s$"):
            run.plug("keyboard.json")
    with hidsim.Bench(timeout=0.5) as bench:
        with pytest.raises(TimeoutError, match=" within 0.5 s$"):
            bench.plug("keyboard.json")
    slow('"text": "plug"')
    with hidsim.Bench(timeout=0.5) as bench:
        device = bench.plug("keyboard.json")
        with pytest.raises(TimeoutError, match=" within 0.5 s$"):
            device.plug()


def test_without_a_timeout_a_device_has_more_time_than_other_commands(slow):
    slow("none")
    with hidsim.Run() as run:
        assert (run.timeout, run.plug_timeout) == (20, 60)
