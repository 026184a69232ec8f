# SPDX-License-Identifier: Apache-2.0
"""SDL, in three versions."""

import os
import pathlib
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(sys.prefix)
VERSIONS = sorted(path.name.removeprefix("sdl-") for path in TOOLS.glob("sdl-*"))

# Prints the name and GUID of the first game controller, then each of its events.
PROGRAM = """
import ctypes, sys
import sdl2
sdl2.SDL_Init(sdl2.SDL_INIT_GAMECONTROLLER)
assert sdl2.SDL_NumJoysticks() == 1, sdl2.SDL_NumJoysticks()
assert sdl2.SDL_IsGameController(0)
pad = sdl2.SDL_GameControllerOpen(0)
print(sdl2.SDL_GameControllerName(pad).decode(), flush=True)
event = sdl2.SDL_Event()
while sdl2.SDL_WaitEventTimeout(ctypes.byref(event), 20_000):
    if event.type in (sdl2.SDL_CONTROLLERBUTTONDOWN, sdl2.SDL_CONTROLLERBUTTONUP):
        name = sdl2.SDL_GameControllerGetStringForButton(event.cbutton.button).decode()
        print(name, event.cbutton.state, flush=True)
"""


@pytest.mark.quick
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("bus", ["kernel", "usb"])
def test_dualsense_is_mapped(bus, version, hidsim_device, start, saw):
    pad = hidsim_device("dualsense.json")
    environment = {
        **os.environ, "PYSDL2_DLL_PATH": str(TOOLS / f"sdl-{version}" / "sdl2dll" / "dll"),
        "SDL_VIDEODRIVER": "dummy", "SDL_JOYSTICK_HIDAPI": "0",
    }
    sdl = start(sys.executable, "-c", PROGRAM, env=environment, stderr=subprocess.STDOUT)
    assert "PS5" in sdl.stdout.readline()
    pad.wait_for_reader(10)
    for control, button in [("cross", "a"), ("circle", "b"), ("square", "x"), ("triangle", "y"), ("ps", "guide")]:
        pad.set(control, True)
        assert sdl.stdout.readline() == f"{button} 1\n"
        pad.set(control, False)
        assert sdl.stdout.readline() == f"{button} 0\n"
    saw("SDL", version, "dualsense.json", bus, takes="SDL_JOYSTICK_HIDAPI=0")
