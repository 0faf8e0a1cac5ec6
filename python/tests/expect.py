"""Every example with `expect`, run through the module: the same values as `kairos test`, bit for bit."""

import os
import re
import sys

import kairos
from common import RIGHTS, TOP, examples, program

LINE = re.compile(r"^(?P<place>.*?):\d+:\d+: VALUE (?P<experiment>\w+)(?P<at>.*?): expect (?P<source>.*): got (?P<value>\S+)$")


def from_program(paths):
    """{(path, experiment): [value, …]} as the program prints them."""
    values = {}
    out = program("test", "--values", "--allow-files", "--allow-external", *paths, check=False)
    for line in out.splitlines():
        found = LINE.match(line)
        if found:
            values.setdefault((found["place"], found["experiment"]), []).append(found["value"])
    return values


def from_module(paths):
    """The same through the module."""
    values = {}
    for path in paths:
        model = kairos.load(path, **RIGHTS)
        for experiment in model.experiments:
            if not experiment.has_expect:
                continue
            got = values.setdefault((str(path), experiment.name), [])
            for result in model.runs(experiment.name):
                got += ["%.17g" % e.value if e.present else "nothing" for e in result.expect]
    return {key: got for key, got in values.items() if got}


def main():
    os.chdir(TOP)
    only = sys.argv[1:]
    paths = [path for path in examples() if not only or any(word in str(path) for word in only)]
    mine, theirs = from_module(paths), from_program(paths)
    for key in sorted(set(mine) | set(theirs)):
        if mine.get(key) != theirs.get(key):
            sys.exit(f"{key}: the module has {mine.get(key)}, kairos test {theirs.get(key)}")
    count = sum(map(len, mine.values()))
    if count < 10:
        sys.exit(f"only {count} values were compared")
    print(f"{count} values of {len(mine)} experiments are the same")


main()
