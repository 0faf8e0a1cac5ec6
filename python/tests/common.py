"""What the tests share: the repository, its examples, the program."""

import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("KAIROS", str(TOP / "build" / "kairos"))
RIGHTS = {"allow_files": True, "allow_external": True}


def program(*arguments, check=True):
    """Runs the program and gives what it printed."""
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=TOP, check=check, capture_output=True, text=True).stdout


def examples():
    """The models of the examples, as paths from the top folder."""
    return sorted(path.relative_to(TOP) for path in (TOP / "examples").rglob("*.kai"))
