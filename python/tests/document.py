"""The code of docs/python.md, run: what it shows is what comes out. What needs pandas or matplotlib is left out where they are not."""

import doctest
import importlib.util
import os
import re
import sys
import tempfile

from common import TOP

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NEEDS = {"frame(": "pandas", ".plot(": "matplotlib"}


def main():
    text = (TOP / "docs" / "python.md").read_text()
    model = re.search(r"```kai\n(.*?)```", (TOP / "README.md").read_text(), re.S).group(1)
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", "docs/python.md", 0)
    test.examples = [example for example in test.examples
                     if all(importlib.util.find_spec(module) for sign, module in NEEDS.items() if sign in example.source)]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("ball.kai", "w", encoding="utf-8") as file:
            file.write(model)
        os.environ.setdefault("MPLBACKEND", "Agg")
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    if result.failed or result.attempted < 30:
        sys.exit(f"{result.failed} of {result.attempted} examples fail")
    print(f"{result.attempted} examples of docs/python.md are as they are shown")


main()
