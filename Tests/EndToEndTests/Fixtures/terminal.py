#!/usr/bin/env python3
"""Runs a command on a terminal of 80 columns, and prints what it wrote, as a terminal gets it.

usage: terminal.py [--signal TEXT] COMMAND [ARGUMENT...]

With --signal the command gets Ctrl-C once it has written TEXT. Control characters are printed as
\\x1b, \\r and so on, each line of output on a line. Exit status: that of the command.
"""

import fcntl
import os
import pty
import struct
import sys
import termios


def main(words):
    text = None
    if words[0] == "--signal":
        text, words = words[1].encode(), words[2:]
    child, terminal = pty.fork()
    if child == 0:
        # The child sets its own size, so that the command never sees another one.
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execvp(words[0], words)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: the last process has closed the terminal
            break
        shown += part
        if text is not None and text in shown:
            os.write(terminal, b"\x03")
            text = None
        if not part:
            break
    for line in shown.decode(errors="replace").split("\r\n"):
        print("".join(c if c.isprintable() else repr(c)[1:-1] for c in line))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
