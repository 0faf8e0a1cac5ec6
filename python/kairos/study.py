"""Studies: many runs of a model, each reduced to a few numbers."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

if TYPE_CHECKING:
    import pandas

from . import _kairos
from .errors import usage
from .result import Result, Signal, _signal

_DESIGNS = {"random": 0, "latin": 1, "sobol": 2, "grid": 3}
_CHARTS = {"histogram": 0, "scatter": 1, "tornado": 2, "heat": 3}


class Summary(NamedTuple):
    """Statistics of a column of a study."""

    values: int
    """How many runs have a value."""
    mean: float
    half: float
    """The mean lies within mean +- half with 95 % confidence."""
    deviation: float
    least: float
    q05: float
    q25: float
    median: float
    q75: float
    q95: float
    most: float


def _label(source: str) -> str:
    """What an expectation measures: `time_of(hit, 5) ~ 2.6 within 1` measures time_of(hit, 5)."""
    return source.split(" ~ ")[0]


class Study(Mapping):
    """The runs of a study: `s["h"]` are the values of a factor or measure, one for each run, nan where a run has none."""

    def __init__(self, raw, first: int, title: str):
        names, numbers, rows, reasons, runs, columns, total = raw
        table = np.frombuffer(numbers, np.float64).reshape(rows, len(names) + 1)
        self.title = title
        self.factors: list[str] = [n[0] for n in names if n[2]]
        """What was varied."""
        self.measures: list[str] = [_label(n[0]) for n in names if not n[2]]
        """What was measured."""
        self.run: np.ndarray = np.arange(first, first + rows)
        """The number of each run, from 0."""
        self.reasons: dict[int, str] = reasons
        """Why a run failed, by its number."""
        self.total: int = total
        """How many runs the study has; fewer are here if it was interrupted."""
        self.passed: np.ndarray = table[:, -1] == 1
        """Whether all expectations hold, for each run."""
        self.failed: np.ndarray = np.isnan(table[:, -1])
        """Which runs failed."""
        self._columns = {_label(n[0]): (np.ascontiguousarray(table[:, i]), n[1], n[2]) for i, n in enumerate(names)}
        self.trajectories: dict[int, Result] = {}
        """The results of the runs that were kept, by their numbers."""
        for number, recorder in runs:
            result = Result(columns, [recorder], title=f"{title}, run {number}")
            at = number - first
            result.parameters = {name: float(self._columns[name][0][at]) for name in self.factors}
            result.failure = reasons.get(number)
            self.trajectories[number] = result

    def __getitem__(self, name: str) -> Signal:
        """The values of a factor or measure."""
        if name not in self._columns:
            raise KeyError(f"there is no `{name}` in this study; there is {', '.join(self._columns) or 'nothing'}")
        values, unit, _ = self._columns[name]
        return _signal(values, name, unit)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many runs there are."""
        return len(self.run)

    def summary(self, name: str) -> Summary:
        """Mean with its confidence, deviation, extremes and quantiles of a column."""
        return Summary(*_kairos.summary(np.asarray(self[name]).tobytes()))

    def frame(self) -> "pandas.DataFrame":
        """A pandas.DataFrame, one row a run: factors, measures, passed and reason."""
        import pandas

        data: dict[str, Any] = {name: column[0] for name, column in self._columns.items()}
        data["passed"] = self.passed
        data["reason"] = [self.reasons.get(int(run), "") for run in self.run]
        frame = pandas.DataFrame(data, index=pandas.Index(self.run, name="run"))
        frame.attrs["units"] = {name: column[1] for name, column in self._columns.items() if column[1]}
        return frame

    # ---- figures

    def _chosen(self, chart: str, columns: Sequence[str]) -> list[str]:
        for name in columns:
            self[name]
        if chart == "histogram":
            return list(columns) or list(self._columns)
        chosen = []
        for names in (self.factors, self.measures):
            chosen += [n for n in names if n in columns] or names
        return chosen

    def _fan_signals(self, columns: Sequence[str]) -> list[str]:
        if not self.trajectories:
            raise usage("a fan is one of trajectories, and none were kept", "study(..., keep=True)")
        result = next(iter(self.trajectories.values()))
        return list(columns) or [c[0] for c in result._raw_columns if c[1] == 0 and c[4] == 0][:6]

    def figure(self, chart: str = "histogram", *columns: str, kind: str = "svg", width: float = 0,
               height: float = 0) -> bytes:
        """A picture of the study, as `kairos study --chart` draws it: "histogram", "scatter", "tornado", "heat", or "fan" of the
        trajectories that were kept. `columns` chooses factors, measures or signals; `kind` is "svg", "png" or "pdf"."""
        path = "figure." + kind
        if chart == "fan":
            signals = self._fan_signals(columns)
            results = list(self.trajectories.values())
            return _kairos.fan(results[0]._raw_columns, [r._whole() for r in results], signals, path, self.title,
                               float(width), float(height))
        if chart not in _CHARTS:
            raise usage(f"a chart is {', '.join(_CHARTS)} or fan, not {chart!r}")
        data = [(name, self._columns[name][1], self._columns[name][2], self._columns[name][0].tobytes())
                for name in self._chosen(chart, columns)]
        return _kairos.chart(_CHARTS[chart], data, path, self.title, float(width), float(height))

    def plot(self, chart: str = "histogram", *columns: str) -> Any:
        """Draws with matplotlib: "histogram", "scatter", "heat", or "fan" of the trajectories that were kept. Gives the axes."""
        draw = {"histogram": self._plot_histogram, "scatter": self._plot_scatter, "heat": self._plot_heat,
                "fan": self._plot_fan}.get(chart)
        if draw is None:
            raise usage(f"matplotlib draws histogram, scatter, heat or fan, not {chart!r}",
                        "figure() draws a tornado")
        return draw(columns)

    def _name(self, name: str) -> str:
        unit = self._columns[name][1]
        return f"{name} [{unit}]" if unit else name

    def _plot_histogram(self, columns: Sequence[str]):
        import matplotlib.pyplot

        names = self._chosen("histogram", columns)
        _, axes = matplotlib.pyplot.subplots(len(names), 1, squeeze=False, figsize=(6.4, 2.6 * len(names)))
        for ax, name in zip(axes[:, 0], names):
            values = np.asarray(self[name])
            ax.hist(values[np.isfinite(values)], bins="fd")
            ax.set_xlabel(self._name(name))
            ax.set_ylabel("runs")
        axes[0, 0].figure.tight_layout()
        return axes[:, 0]

    def _plot_scatter(self, columns: Sequence[str]):
        import matplotlib.pyplot

        chosen = self._chosen("scatter", columns)
        factors, measures = [n for n in chosen if self._columns[n][2]], [n for n in chosen if not self._columns[n][2]]
        if not factors or not measures:
            raise usage("a scatter needs a factor and a measure")
        _, axes = matplotlib.pyplot.subplots(len(measures), len(factors), squeeze=False,
                                             figsize=(3.2 * len(factors), 2.6 * len(measures)))
        for i, measure in enumerate(measures):
            for k, factor in enumerate(factors):
                axes[i, k].plot(self[factor], self[measure], ".", markersize=3)
                axes[i, k].set_xlabel(self._name(factor))
                axes[i, k].set_ylabel(self._name(measure))
        axes[0, 0].figure.tight_layout()
        return axes

    def _plot_heat(self, columns: Sequence[str]):
        import matplotlib.pyplot

        chosen = self._chosen("heat", columns)
        factors, measures = [n for n in chosen if self._columns[n][2]], [n for n in chosen if not self._columns[n][2]]
        if len(factors) < 2 or not measures:
            raise usage("a map needs two factors and a measure")
        x, y, z = (np.asarray(self[n]) for n in (factors[0], factors[1], measures[0]))
        whole = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
        bins = [len(np.unique(v)) if len(np.unique(v)) <= 40 else int(max(4, min(24, math.sqrt(len(v)) / 3))) for v in (x, y)]
        sums, xs, ys = np.histogram2d(x[whole], y[whole], bins=bins, weights=z[whole])
        counts, _, _ = np.histogram2d(x[whole], y[whole], bins=bins)
        _, ax = matplotlib.pyplot.subplots()
        with np.errstate(invalid="ignore"):
            mesh = ax.pcolormesh(xs, ys, (sums / counts).T)
        ax.figure.colorbar(mesh, label=self._name(measures[0]))
        ax.set_xlabel(self._name(factors[0]))
        ax.set_ylabel(self._name(factors[1]))
        return ax

    def _plot_fan(self, columns: Sequence[str]):
        import matplotlib.pyplot

        signals = self._fan_signals(columns)
        results = list(self.trajectories.values())
        end = max(float(r.t[-1]) for r in results)
        times = np.linspace(min(float(r.t[0]) for r in results), end, 401)
        _, axes = matplotlib.pyplot.subplots(len(signals), 1, sharex=True, squeeze=False, figsize=(6.4, 2.6 * len(signals)))
        for ax, signal in zip(axes[:, 0], signals):
            values = np.array([r.resample(times, [signal])[signal] for r in results])
            left = np.sum(~np.isnan(values), axis=0)
            shown = left * 20 >= left.max()
            q05, q25, q50, q75, q95 = np.nanquantile(values[:, shown], (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)
            ax.fill_between(times[shown], q05, q95, alpha=0.2, color="C0", linewidth=0)
            ax.fill_between(times[shown], q25, q75, alpha=0.4, color="C0", linewidth=0)
            ax.plot(times[shown], q50, color="C0")
            unit = results[0][signal].unit
            ax.set_ylabel(signal + (f" [{unit}]" if unit else ""))
        axes[-1, 0].set_xlabel("t [s]")
        return axes[:, 0]

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.figure().decode()
        except ValueError:
            return None  # nothing to draw

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(self._name(name))}</td><td>{s.mean:.6g} ± {s.half:.2g}</td><td>{s.deviation:.4g}</td>"
            f"<td>{s.q05:.6g}</td><td>{s.median:.6g}</td><td>{s.q95:.6g}</td></tr>"
            for name, s in ((name, self.summary(name)) for name in self._columns))
        return (f"<p>{html.escape(repr(self))}</p>{self._repr_svg_() or ''}<table><tr><th>column</th><th>mean (95 %)</th>"
                f"<th>deviation</th><th>5 %</th><th>median</th><th>95 %</th></tr>{rows}</table>")

    def __repr__(self) -> str:
        failed = int(np.sum(self.failed))
        return f"<kairos.Study of {self.title}: {self.rows} runs{f', {failed} failed' if failed else ''}>"


Points = Union[Mapping[str, Sequence[float]], Any]
Measures = Union[str, Sequence[str], Mapping[str, str]]


def _measures(measure: Optional[Measures]) -> list[tuple[str, str]]:
    if measure is None:
        return []
    if isinstance(measure, str):
        return [(measure, measure)]
    if isinstance(measure, Mapping):
        return [(str(name), text) for name, text in measure.items()]
    return [(text, text) for text in measure]


def _points(compiled, points: Points) -> tuple[list[int], bytes]:
    """The variables that a table of points names, and its values row by row. A DataFrame is a mapping too."""
    names = [str(name) for name in points.keys()]
    values = np.array([np.asarray(points[name], dtype=np.float64) for name in points.keys()])
    if values.ndim != 2 or values.size == 0:
        raise usage("points are a mapping from names to columns of the same length")
    variables = []
    for name in names:
        index = compiled.find(name)
        if index < 0:
            near = compiled.nearest(name)
            raise KeyError(f"there is no `{name}`" + (f"; did you mean `{near}`?" if near else ""))
        variables.append(index)
    return variables, np.ascontiguousarray(values.T).tobytes()


def make(model, arguments, runs: int, design: Optional[str], seed: int, points: Optional[Points],
         measure: Optional[Measures], keep, threads: int, progress) -> Study:
    """Behind Model.study."""
    if design is not None and design not in _DESIGNS:
        raise usage(f"a design is {', '.join(_DESIGNS)}, not {design!r}")
    compiled = model._compile((*arguments, [(name, _final(text)) for name, text in _measures(measure)]))
    facts = compiled.facts()
    title = facts[0] + (f", experiment {facts[1]}" if facts[1] else "")
    number = _DESIGNS[design] if design is not None else (3 if not facts[6] and facts[3] > 0 else 0)
    variables, values = (None, b"") if points is None else _points(compiled, points)
    wanted = keep if keep is None or isinstance(keep, bool) else [int(run) for run in keep]
    raw = _kairos.study(compiled, 4 if points is not None else number, int(runs), int(seed), int(threads), 0, -1, variables,
                        values, wanted, progress)
    return Study(raw, 0, title)


def _final(text: str) -> str:
    """A name alone is its final value."""
    return f"final({text})" if text.replace("_", "a").replace(".", "a").replace("[", "").replace("]", "").isalnum() else text
