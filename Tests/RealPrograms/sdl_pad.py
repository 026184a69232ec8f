# SPDX-License-Identifier: Apache-2.0
"""A small program that uses SDL. It opens the first controller or joystick, and prints what SDL says of it, a JSON list a line.

`sdl_pad.py controller` opens a game controller: buttons and axes have names. `sdl_pad.py joystick` opens a joystick: they have
numbers. Each line of standard input is a command: `rumble LOW HIGH`, `led RED GREEN BLUE`, `player NUMBER`, `force LEVEL`. The
program ends with its standard input, or after 30 seconds without an event and a command.
"""

import ctypes
import json
import select
import sys
import time

import sdl2

BUTTONS = (sdl2.SDL_CONTROLLERBUTTONDOWN, sdl2.SDL_CONTROLLERBUTTONUP)
JOYSTICK_BUTTONS = (sdl2.SDL_JOYBUTTONDOWN, sdl2.SDL_JOYBUTTONUP)


def say(*words):
    print(json.dumps(words), flush=True)


class Pad:
    """What was opened."""

    def __init__(self, is_controller):
        self.is_controller = is_controller
        self.joystick = self.haptic = None

    def open(self, number):
        kind = sdl2.SDL_JoystickGetDeviceType(number)
        if self.is_controller:
            if not sdl2.SDL_IsGameController(number):
                say("no controller", sdl2.SDL_JoystickNameForIndex(number).decode())
                return
            controller = sdl2.SDL_GameControllerOpen(number)
            kind = sdl2.SDL_GameControllerGetType(controller)
            self.joystick = sdl2.SDL_GameControllerGetJoystick(controller)
        else:
            self.joystick = sdl2.SDL_JoystickOpen(number)
        say("opened", sdl2.SDL_JoystickName(self.joystick).decode(), kind, sdl2.SDL_JoystickPath(self.joystick).decode())

    def tell(self, event):
        """Prints an event, and says whether it was one of the pad."""
        if event.type == sdl2.SDL_JOYDEVICEADDED and not self.joystick:
            self.open(event.jdevice.which)
        elif self.is_controller and event.type in BUTTONS:
            say("button", sdl2.SDL_GameControllerGetStringForButton(event.cbutton.button).decode(), event.cbutton.state)
        elif self.is_controller and event.type == sdl2.SDL_CONTROLLERAXISMOTION:
            say("axis", sdl2.SDL_GameControllerGetStringForAxis(event.caxis.axis).decode(), event.caxis.value)
        elif not self.is_controller and event.type in JOYSTICK_BUTTONS:
            say("button", event.jbutton.button, event.jbutton.state)
        elif not self.is_controller and event.type == sdl2.SDL_JOYAXISMOTION:
            say("axis", event.jaxis.axis, event.jaxis.value)
        elif not self.is_controller and event.type == sdl2.SDL_JOYHATMOTION:
            say("hat", event.jhat.hat, event.jhat.value)
        else:
            return False
        return True

    def obey(self, name, *numbers):
        """Carries out a command, and prints its result."""
        if name == "rumble":
            say(name, sdl2.SDL_JoystickRumble(self.joystick, *numbers, 20_000))
        elif name == "led":
            say(name, sdl2.SDL_JoystickSetLED(self.joystick, *numbers))
        elif name == "player":
            sdl2.SDL_JoystickSetPlayerIndex(self.joystick, *numbers)
            say(name, 0)
        elif name == "force":
            self.haptic = self.haptic or sdl2.SDL_HapticOpenFromJoystick(self.joystick)
            effect = sdl2.SDL_HapticEffect(type=sdl2.SDL_HAPTIC_CONSTANT)
            effect.constant.direction.type = sdl2.SDL_HAPTIC_CARTESIAN
            effect.constant.direction.dir[0] = 1
            effect.constant.length = 10_000
            effect.constant.level = numbers[0]
            number = sdl2.SDL_HapticNewEffect(self.haptic, ctypes.byref(effect))
            say(name, sdl2.SDL_HapticRunEffect(self.haptic, number, 1))


def main():
    sdl2.SDL_SetHint(sdl2.SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, b"1")
    assert sdl2.SDL_Init(sdl2.SDL_INIT_GAMECONTROLLER | sdl2.SDL_INIT_HAPTIC) == 0, sdl2.SDL_GetError()
    version = sdl2.SDL_version()
    sdl2.SDL_GetVersion(ctypes.byref(version))
    say("version", f"{version.major}.{version.minor}.{version.patch}")
    pad, event, last = Pad(sys.argv[1] == "controller"), sdl2.SDL_Event(), time.monotonic()
    while time.monotonic() - last < 30:
        while sdl2.SDL_PollEvent(ctypes.byref(event)):
            if pad.tell(event):
                last = time.monotonic()
        if select.select([sys.stdin], [], [], 0.005)[0]:
            words = sys.stdin.readline().split()
            if not words:
                break
            pad.obey(words[0], *map(int, words[1:]))
            last = time.monotonic()
    sdl2.SDL_Quit()


main()
