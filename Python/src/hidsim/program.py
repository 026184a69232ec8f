# SPDX-License-Identifier: Apache-2.0
"""Where the program `hidsim` is, and the device files that come with it."""

from __future__ import annotations

import os
import pathlib
import shutil
from typing import Any, Dict, Optional, Union

from . import stream
from .stream import NoProgram

__tracebackhide__ = True

# The files that scripts/wheel --program puts into a wheel.
_OURS = pathlib.Path(__file__).parent / "bin" / "hidsim"
_LIBRARY = pathlib.Path(__file__).parent / "Descriptors"


def find() -> str:
    """Returns the path of the program.

    It is the wheel's own, else that of `$HIDSIM_PROGRAM`, else `hidsim` on PATH.
    Raises `NoProgram` if there is none, and if the program that `$HIDSIM_PROGRAM` names is missing.
    """
    if _OURS.exists():
        return str(_OURS)
    named = os.environ.get("HIDSIM_PROGRAM")
    found = shutil.which(named or "hidsim")
    if found:
        return os.path.abspath(found)
    what = f"HIDSIM_PROGRAM is {named!r}, which is not a program that can be started" if named else "there is no hidsim on PATH"
    raise NoProgram(
        f"{what}; this wheel contains no program: set HIDSIM_PROGRAM, for example to .build/release/hidsim, which "
        "scripts/hidsim builds in a checkout of hidsim, or install a wheel made by scripts/wheel --program FILE"
    )


def own_environment() -> Dict[str, str]:
    """Returns the environment of this process, with the folder of the wheel's device files.

    Without a program or device files in the wheel, HIDSIM_LIBRARY becomes an absolute path instead.
    """
    variables = dict(os.environ)
    if _OURS.exists() and _LIBRARY.exists():
        variables["HIDSIM_LIBRARY"] = str(_LIBRARY)
    elif variables.get("HIDSIM_LIBRARY"):
        # The program starts in another folder, so the path must be absolute.
        variables["HIDSIM_LIBRARY"] = os.path.abspath(variables["HIDSIM_LIBRARY"])
    return variables


class Run(stream.Run):
    __doc__ = stream.Run.__doc__

    def __init__(
        self,
        *files: Union[str, "os.PathLike[str]"],
        program: Optional[str] = None,
        environment: Optional[Dict[str, str]] = None,
        **options: Any,
    ) -> None:
        """Starts `program`; by default the one that `hidsim.program.find` returns.

        It takes what `hidsim.stream.Run` does, too: `bus`, `timeout`, `folder` and `tell`.
        """
        super().__init__(
            *files, program=program or find(), environment=own_environment() if environment is None else environment, **options
        )
