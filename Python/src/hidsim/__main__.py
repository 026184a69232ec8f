# SPDX-License-Identifier: Apache-2.0
"""The hidsim that tests use, as a command: `python3 -m hidsim devices`."""

import os
import sys

from . import NoProgram, program

try:
    found = program.find()
except NoProgram as missing:
    sys.exit(f"hidsim: {missing}")
os.execve(found, ["hidsim", *sys.argv[1:]], program.own_environment())
