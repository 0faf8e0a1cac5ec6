"""Results: rows of a run as columns of NumPy, where they lie."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

if TYPE_CHECKING:
    import pandas

from . import _kairos
from .errors import Tag, usage

_REAL, _BOOL, _EVENT, _MODE = range(4)
_VIEWS = {"full": 0, "limits": 1, "unique": 2}


class Signal(np.ndarray):
    """Values of a column, nan where absent, with `name` and `unit`. Slices keep both."""

    name: str
    unit: Optional[str]

    def __array_finalize__(self, source) -> None:
        self.name = getattr(source, "name", "")
        self.unit = getattr(source, "unit", None)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What is computed from it is a plain array: its unit is another one."""
        plain = np.asarray(array)
        return plain[()] if plain.ndim == 0 else plain


def _signal(values: np.ndarray, name: str, unit: Optional[str]) -> Signal:
    view = values.view(Signal)
    view.name, view.unit = name, unit
    return view


class Expectation(NamedTuple):
    """What an `expect` line of the experiment came to."""

    source: str
    passed: bool
    present: bool
    """False: the value does not exist (an event that never came)."""
    value: float
    target: Optional[float]
    within: float
    message: str


class Events:
    """The tags at which an event is present: `t`, `p`, `m`, and `values`, its payloads."""

    def __init__(self, name: str, t: np.ndarray, p: np.ndarray, m: np.ndarray, values: np.ndarray):
        self.name, self.t, self.p, self.m, self.values = name, t, p, m, values

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[Tag]:
        return (Tag(float(t), int(p), int(m)) for t, p, m in zip(self.t, self.p, self.m))

    def __getitem__(self, index: Union[int, slice, np.ndarray]) -> Union[Tag, "Events"]:
        """A number gives one tag; a slice, a mask or a list of numbers the events that it takes."""
        if isinstance(index, (int, np.integer)):
            return Tag(float(self.t[index]), int(self.p[index]), int(self.m[index]))
        return Events(self.name, self.t[index], self.p[index], self.m[index], self.values[index])

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self.t, dtype=dtype)

    def __repr__(self) -> str:
        return f"<{len(self)} times {self.name}{': ' + ', '.join(f'{t:.6g}' for t in self.t[:5]) if len(self) else ''}>"


class Modes:
    """The modes of a machine: `codes` and `names` of every row, and `changes`."""

    def __init__(self, name: str, codes: np.ndarray, names: list[str], result: "Result"):
        self.name, self.names = name, names
        self._codes, self._result = codes, result

    @property
    def codes(self) -> np.ndarray:
        """A number per row, an index of `names`; nan where the machine is not active."""
        return self._codes

    def _texts(self, codes: np.ndarray) -> np.ndarray:
        texts = np.array(self.names + [""], dtype=object)
        return texts[np.where(np.isnan(codes), len(self.names), codes).astype(int)]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self._texts(self._codes), dtype=dtype)

    def __getitem__(self, row):
        """The name of the mode in a row; of a slice or mask an array of names."""
        return self._texts(np.asarray(self._codes[row]))

    def __eq__(self, name):
        """Which rows are in a mode: a mask."""
        return self._texts(self._codes) == name

    __hash__ = None  # type: ignore[assignment]  # as that of an array

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def changes(self) -> list[tuple[Tag, str]]:
        """(tag, mode) at the first row and wherever another mode begins."""
        codes = np.where(np.isnan(self._codes), -1, self._codes)
        if len(codes) == 0:
            return []
        at = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)
        return [(self._result.tag(k), self.names[int(codes[k])] if codes[k] >= 0 else "") for k in at]

    def __repr__(self) -> str:
        return f"<modes of {self.name}: {' -> '.join(name for _, name in self.changes[:8])}>"


class Impulses:
    """The impulses of a signal: `t`, `order` (0: delta, 1: its derivative, ...) and `weight` of each."""

    def __init__(self, name: str, t: np.ndarray, order: np.ndarray, weight: np.ndarray):
        self.name, self.t, self.order, self.weight = name, t, order, weight

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator[tuple[float, int, float]]:
        return zip(self.t.tolist(), self.order.tolist(), self.weight.tolist())

    def __repr__(self) -> str:
        return f"<{len(self)} impulses of {self.name}>"


def _impulse(column) -> Optional[tuple[str, int]]:
    """Whose impulses a column holds, and of which order; None: it holds none."""
    return (column[0].rsplit(".impulse", 1)[0], column[4] - 1) if column[4] > 0 else None


class _Views(Mapping):
    """Names to views that are made when somebody looks."""

    def __init__(self, names, make):
        self._names, self._make = list(names), make

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(f"there is no `{name}` here; there is {', '.join(self._names) or 'nothing'}")
        return self._make(name)

    def __iter__(self):
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {self[name]!r}" for name in self._names) + "}"


class Result(Mapping):
    """What a run recorded: a row per tag. `r["y"]` is a column, `r.t` the times, `r.tags` all of the tag."""

    def __init__(self, columns: list, chunks: list, *, title: Optional[str] = None, plots: Optional[list] = None):
        self._raw_columns = columns
        self._chunks = chunks
        self._index = {column[0]: i for i, column in enumerate(columns)}
        self._arrays: dict[int, np.ndarray] = {}
        self._plots = plots or []
        self.title = title
        self.expect: list[Expectation] = []
        """The expectations of the experiment."""
        self.counters: dict = {}
        """What the run did: instants, steps, rejected, ..."""
        self.warnings: list[str] = []
        self.parameters: dict[str, float] = {}
        """Of a run of a sweep: the swept values."""
        self.order: Optional[str] = None
        """Of an outcome of choice = all: the choices that led to it."""
        self.label: str = ""
        """Of a run of a file with several: what leads its rows."""
        self.failure: Optional[str] = None
        """Of a run that did not reach its end: why."""

    # ---- columns

    # What people write who know pandas or other programs: answered, not done.
    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._index:
            raise AttributeError(f"a column is read as an item: `r[\"{name}\"]`")
        habits = {"to_pandas": "r.frame()", "to_frame": "r.frame()", "dataframe": "r.frame()", "df": "r.frame()", "time": "r.t",
                  "to_csv": "r.save(\"result.csv\")", "columns": "list(r)", "names": "list(r)", "signals": "list(r)"}
        raise AttributeError(f"a result has no `{name}`" + (f": write `{habits[name]}`" if name in habits else ""))

    def _array(self, index: int) -> np.ndarray:
        array = self._arrays.get(index)
        if array is None:
            dtype = np.int32 if index in (-2, -1) else np.float64
            parts = [np.frombuffer(chunk.column(index), dtype) for chunk in self._chunks]
            array = parts[0] if len(parts) == 1 else np.concatenate(parts)
            self._arrays[index] = array
        return array

    @property
    def t(self) -> Signal:
        """The time of every row."""
        return _signal(self._array(-3), "t", "s")

    @property
    def tags(self) -> np.ndarray:
        """t, p and m of every row, as an array of records."""
        tags = np.empty(len(self._array(-3)), dtype=[("t", "<f8"), ("p", "<i4"), ("m", "<i4")])
        tags["t"], tags["p"], tags["m"] = self._array(-3), self._array(-2), self._array(-1)
        return tags

    def tag(self, row: int) -> Tag:
        """The tag of a row."""
        return Tag(float(self._array(-3)[row]), int(self._array(-2)[row]), int(self._array(-1)[row]))

    def __getitem__(self, name: str) -> Signal:
        """The values of a column over all rows, nan where absent; of a mode its number."""
        index = self._index.get(name)
        if index is None:
            raise KeyError(f"there is no `{name}` in this result; there is {', '.join(self._index) or 'nothing'}")
        return _signal(self._array(index), name, self._raw_columns[index][2])

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._array(-3))

    def _of_kind(self, kind: int) -> list[str]:
        return [column[0] for column in self._raw_columns if column[1] == kind]

    def _event_names(self) -> list[str]:
        return self._of_kind(_EVENT)

    def _present(self, name: str) -> np.ndarray:
        return np.flatnonzero(~np.isnan(self._array(self._index[name])))

    @property
    def events(self) -> Mapping[str, Events]:
        """Events by name: when they are present, and with what."""
        def make(name: str) -> Events:
            at = self._present(name)
            return Events(name, self._array(-3)[at], self._array(-2)[at], self._array(-1)[at],
                          self._array(self._index[name])[at])
        return _Views(self._event_names(), make)

    @property
    def modes(self) -> Mapping[str, Modes]:
        """Modes by the name of their column."""
        return _Views(self._of_kind(_MODE), lambda name: Modes(
            name, self._array(self._index[name]), self._raw_columns[self._index[name]][3], self))

    @property
    def impulses(self) -> Mapping[str, Impulses]:
        """Impulses by the name of their signal."""
        found: dict[str, list[tuple[int, int]]] = {}
        for name, index in self._index.items():
            whose = _impulse(self._raw_columns[index])
            if whose is not None:
                found.setdefault(whose[0], []).append((whose[1], index))

        def make(name: str) -> Impulses:
            parts = []
            for order, index in found[name]:
                weights = self._array(index)
                at = np.flatnonzero(~np.isnan(weights) & (weights != 0))
                parts += [(float(self._array(-3)[k]), int(k), order, float(weights[k])) for k in at]
            parts.sort(key=lambda part: (part[1], part[2]))
            return Impulses(name, np.array([part[0] for part in parts]),
                            np.array([part[2] for part in parts], dtype=int), np.array([part[3] for part in parts]))
        return _Views(found, make)

    # ---- values at a time

    def _value(self, index: int, row: int):
        value = self._array(index)[row]
        if np.isnan(value):
            return None
        column = self._raw_columns[index]
        return column[3][int(value)] if column[1] == _MODE else float(value)

    def at(self, t, side: str = "right") -> dict[str, Any]:
        """All values at time t: the limit from the left or from the right, on straight lines between rows. Events are
        those of the rows at t itself, None elsewhere. For an array of times: arrays, nan where there is no value; of modes their
        names."""
        if side not in ("left", "right"):
            raise usage(f"side is \"left\" or \"right\", not {side!r}")
        if np.ndim(t) > 0:
            return self._at_all(np.asarray(t, dtype=np.float64), side, list(self._index))
        times = self._array(-3)
        if len(times) == 0 or not times[0] <= t <= times[-1]:
            raise usage(f"t = {t:g} lies outside of the result, which goes from "
                        f"{times[0] if len(times) else 'nowhere'} to {times[-1] if len(times) else 'nowhere'}")
        first = int(np.searchsorted(times, t, "left"))
        last = int(np.searchsorted(times, t, "right")) - 1
        if first <= last:
            row = first if side == "left" else last
            return {name: self._value(index, row) for name, index in self._index.items()}
        part = (t - times[first - 1]) / (times[first] - times[first - 1])
        return {name: self._between(index, first - 1, first, part) for name, index in self._index.items()}

    def _at_all(self, t: np.ndarray, side: str, names: Sequence[str]) -> dict[str, np.ndarray]:
        times = self._array(-3)
        out = np.isnan(t) | (t < times[0]) | (t > times[-1]) if len(times) else np.ones(t.shape, bool)
        first = np.clip(np.searchsorted(times, t, "left"), 0, max(len(times) - 1, 0))
        last = np.clip(np.searchsorted(times, t, "right") - 1, 0, max(len(times) - 1, 0))
        exact = first <= last
        row = np.where(exact, first if side == "left" else last, np.clip(first - 1, 0, None))
        values = {}
        for name in names:
            column, kind = self._array(self._index[name]), self._raw_columns[self._index[name]][1]
            if len(column) == 0:
                values[name] = np.full(t.shape, np.nan)
                continue
            found = column[row].copy()
            if kind == _REAL:
                width = np.where(exact, 1.0, times[first] - times[row])
                found = np.where(exact, found, found + (t - times[row]) / width * (column[first] - found))
            elif kind == _EVENT:
                found[~exact] = np.nan
            found[out] = np.nan
            values[name] = found if kind != _MODE else self.modes[name]._texts(found)
        return values

    def resample(self, times, signals: Optional[Sequence[str]] = None) -> dict[str, np.ndarray]:
        """The values of signals (all if none are named) at these times, or at so many equal steps from start to end: right
        limits, on straight lines between rows; nan outside of the result. Gives `t` too."""
        if np.ndim(times) == 0:
            times = np.linspace(float(self._array(-3)[0]), float(self._array(-3)[-1]), int(times))
        times = np.asarray(times, dtype=np.float64)
        for name in signals or ():
            self[name]
        return {"t": times, **self._at_all(times, "right", list(signals if signals is not None else self._index))}

    def _between(self, index: int, before: int, after: int, part: float):
        kind = self._raw_columns[index][1]
        if kind == _EVENT:
            return None
        if kind != _REAL:
            return self._value(index, before)
        a, b = self._array(index)[before], self._array(index)[after]
        value = a + part * (b - a)
        return None if np.isnan(value) else float(value)

    # ---- for others

    def _whole(self):
        """One recorder with all rows."""
        if len(self._chunks) != 1:
            self._chunks = [_kairos.record(*self._bytes())]
        return self._chunks[0]

    def _bytes(self):
        return (self._array(-3).tobytes(), self._array(-2).tobytes(), self._array(-1).tobytes(),
                [self._array(i).tobytes() for i in range(len(self._raw_columns))])

    def __reduce__(self):
        """Results can be pickled, and so travel between processes."""
        facts = {name: value for name, value in vars(self).items() if name[0] != "_"}
        return _unpickle, (self._raw_columns, self._bytes(), self._plots, facts)

    def frame(self) -> "pandas.DataFrame":
        """A pandas.DataFrame: t, p, m and the columns; modes are categories."""
        import pandas

        data = {"t": self._array(-3), "p": self._array(-2), "m": self._array(-1)}
        names = {name: name if name not in data else name + "_" for name in self._index}
        for name, index in self._index.items():
            column = self._raw_columns[index]
            values = self._array(index)
            if column[1] == _MODE:
                values = pandas.Categorical.from_codes(np.where(np.isnan(values), -1, values).astype(int), column[3])
            data[names[name]] = values
        frame = pandas.DataFrame(data)
        frame.attrs["units"] = {names[c[0]]: c[2] for c in self._raw_columns if c[2]}
        return frame

    def save(self, path, view: str = "full") -> None:
        """Writes the result; the ending says how: .csv, .npy, .npz, .mat, .h5 or .vcd."""
        import os

        if view not in _VIEWS:
            raise usage(f"a view is full, limits or unique, not {view!r}")
        _kairos.write(os.fspath(path), self._raw_columns, self._whole(), _VIEWS[view], self.title)

    # ---- figures

    def _panels(self, signals: Sequence[str]) -> list:
        if signals:
            return [(list(s) if not isinstance(s, str) else [s], None) for s in signals]
        plots = [(names, against) for names, against in self._plots if all(name in self._index for name in names)]
        if plots:
            return plots
        return [([c[0]], None) for c in self._raw_columns if c[1] in (_REAL, _BOOL) and _impulse(c) is None][:6]

    def figure(self, *signals, kind: str = "svg", width: float = 0, height: float = 0) -> bytes:
        """The figure that `kairos plot` draws: "svg", "png" or "pdf". Each signal, or list of signals, is a panel;
        without any the `plot` lines of the experiment."""
        return _kairos.figure(self._raw_columns, self._whole(), self._panels(signals), "figure." + kind, self.title,
                              float(width), float(height))

    def plot(self, *signals, axes=None) -> Any:
        """Draws with matplotlib: a panel for each signal or list of signals; jumps are gaps. Gives the axes."""
        import matplotlib.pyplot

        panels = self._panels(signals)
        if axes is None:
            _, axes = matplotlib.pyplot.subplots(len(panels), 1, sharex=True, squeeze=False)
            axes = axes[:, 0]
        axes = np.atleast_1d(axes)
        times, p = self._array(-3), self._array(-2)
        cuts = np.flatnonzero((times[1:] == times[:-1]) & (p[1:] > p[:-1]) & (p[1:] >= 1)) + 1
        for ax, (names, against) in zip(axes, panels):
            x = times if against is None else self._array(self._index[against])
            for name in names:
                ax.plot(np.insert(x, cuts, np.nan), np.insert(self[name], cuts, np.nan), label=name)
            unit = self[names[0]].unit
            ax.set_ylabel(", ".join(names) + (f" [{unit}]" if unit else ""))
        axes[-1].set_xlabel("t [s]" if panels and panels[-1][1] is None else (panels[-1][1] if panels else ""))
        if self.title:
            axes[0].set_title(self.title)
        return axes

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.figure().decode()
        except ValueError:
            return None  # nothing to draw

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(c[0])}</td><td>{html.escape(c[2] or '')}</td>"
            f"<td>{html.escape(str(self._value(i, -1) if self.rows else ''))}</td></tr>"
            for i, c in enumerate(self._raw_columns[:40]))
        return (f"<p>{html.escape(repr(self))}</p>{self._repr_svg_() or ''}<table><tr><th>column</th><th>unit</th>"
                f"<th>last value</th></tr>{rows}</table>")

    def __repr__(self) -> str:
        to = f", t = {self._array(-3)[0]:.6g} to {self._array(-3)[-1]:.6g}" if self.rows else ""
        return f"<kairos.Result{' of ' + self.title if self.title else ''}: {self.rows} rows{to}>"


def _unpickle(columns, data, plots, facts) -> Result:
    result = Result(columns, [_kairos.record(*data)], plots=plots)
    vars(result).update(facts)
    return result


class Difference(NamedTuple):
    """The first place where two results differ in a signal."""

    signal: str
    run: str
    """Of results with several runs: which."""
    tag: Tag
    text: str


def compare(first, second, *, absolute: float = 0.0, relative: float = 1e-6, time: Optional[float] = None,
            signals: Sequence[str] = ()) -> list[Difference]:
    """Compares two files with results, as `kairos compare` does: the first difference of each signal that differs. `relative`
    is to the largest magnitude of a signal, `time` in seconds (None: a millionth of what the results cover)."""
    import os

    raw = _kairos.compare(os.fspath(first), os.fspath(second), float(absolute), float(relative),
                          float("nan") if time is None else float(time), list(signals))
    return [Difference(signal, run, Tag(*tag), text) for signal, run, tag, text in raw]


def read(path) -> Union[Result, list[Result]]:
    """Reads a result of any format, by what the file holds. A file with several runs gives a list."""
    import os

    columns, recorders, labels, remark = _kairos.read(os.fspath(path))
    results = []
    for recorder, label in zip(recorders, labels):
        result = Result(columns, [recorder])
        result.label, result.failure = label, remark
        results.append(result)
    return results[0] if len(results) == 1 else results
