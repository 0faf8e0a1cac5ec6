"""Results as columns, for the tests of the formats: what a CSV has, and whether another file has the same."""

import csv
import math
import sys

import numpy as np


def read_csv(path):
    """{name: values}: numbers, nan where absent, or texts of modes."""
    with open(path, newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    columns = {}
    for name, *values in zip(*rows):
        name = name.split(" [")[0]  # its unit
        try:
            columns[name] = np.array([float(v) if v else math.nan for v in values])
        except ValueError:
            columns[name] = np.array(values)
    return columns


def same(a, b, what):
    """The same numbers, nan where nan is; the same texts."""
    a, b = np.asarray(a), np.asarray(b)
    fine = a.shape == b.shape and (np.array_equal(a, b, equal_nan=True) if a.dtype.kind == "f" else list(a) == list(b))
    if not fine:
        sys.exit(f"{what} differs from the CSV")
