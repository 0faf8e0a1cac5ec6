"""Results as rows of texts, and names of variables on both sides of an FMU: for same.py and tags.py."""

import csv
import re


def identifier(name):
    """The name of a variable of a model as the FMU of it, imported, has it (docs/language.md)."""
    made = re.sub(r"_?[^A-Za-z0-9_]+", "_", name)
    return made if name.endswith("_") else made.rstrip("_")


def load(path):
    """Titles without units, and rows of texts."""
    rows = [row for row in csv.reader(open(path)) if row and not row[0].startswith("#")]
    return [re.sub(r" \[.*", "", title) for title in rows[0]], rows[1:]


def number(text):
    """None: it is none."""
    try:
        return float(text)
    except ValueError:
        return None
