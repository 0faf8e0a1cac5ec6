"""Kairos: models that flow and jump, from Python.

    import kairos
    m = kairos.load("ball.kai")
    r = m.run("bounce", g=1.62, stop=5)
    r["y"], r.t, r.events["hit"].t, r.modes["mode"].changes
"""

from . import _kairos
from .errors import (Diagnostic, Error, FileError, LimitError, ModelError, Note, Place, RunError, Tag, UsageError)
from .model import Experiment, Model, Simulation, Snapshot, Variable, load, loads
from .study import Study, Summary
from .result import Difference, Events, Expectation, Impulses, Modes, Result, Signal, compare, read

__version__: str = _kairos.version()

__all__ = [
    "Diagnostic", "Difference", "Error", "Events", "Expectation", "Experiment", "FileError", "Impulses", "LimitError", "Model",
    "ModelError", "Modes", "Note", "Place", "Result", "RunError", "Signal", "Simulation", "Snapshot", "Study", "Summary",
    "Tag", "UsageError", "Variable", "compare", "load", "loads", "read",
]
