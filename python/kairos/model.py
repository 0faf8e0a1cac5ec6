"""Programs and runs: what is loaded, run, stepped, saved and restored."""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from . import _kairos
from .errors import Diagnostic, RunError, Tag, diagnostic, usage
from .result import Expectation, Result
from .study import Measures, Points, Study, make

Value = Union[float, int, bool, str]
Inputs = Union[str, os.PathLike, Mapping[str, Sequence[float]], Any]

_settings = frozenset(_kairos.setting_names())


class Variable(NamedTuple):
    """A variable of a model."""

    name: str
    kind: str
    """"param", "state", "discrete", "signal", "event", "input" or "mode"."""
    unit: Optional[str]
    description: Optional[str]
    start: float
    """The value before the run; nan: there is none, or it cannot be known."""
    settable: bool


class Experiment(NamedTuple):
    """An experiment of the file."""

    name: str
    model: str
    has_expect: bool
    has_sweep: bool


def _text(value: Value) -> str:
    """A value as the language writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    number = float(value)
    return repr(number) if math.isfinite(number) else ("inf" if number > 0 else "-inf")


class Model:
    """A program: a file or text with its experiments. Made by `load` or `loads`."""

    def __init__(self, path: str, text: Optional[str] = None, *, allow_files: bool = False,
                 allow_external: bool = False, memory: int = 0, seconds: float = 0):
        self.path = path
        self._memory, self._seconds = memory, seconds
        self._text, self._rights = text, {"allow_files": allow_files, "allow_external": allow_external}
        self._program = _kairos.Program(path, text, allow_files, allow_external, memory, seconds)
        self._compiled: dict = {}

    def __repr__(self) -> str:
        return f"<kairos.Model {self.path}: {', '.join(e.name for e in self.experiments) or 'no experiments'}>"

    def __reduce__(self):
        """A model that is sent to another process is read again there."""
        return _read_again, (self.path, self._text, {**self._rights, "memory": self._memory, "seconds": self._seconds})

    @property
    def experiments(self) -> list[Experiment]:
        """The experiments of the file, in order."""
        return [Experiment(*e) for e in self._program.experiments()]

    @property
    def models(self) -> list[str]:
        """The models of the file, then those it imports."""
        return self._program.models()

    def check(self) -> list[Diagnostic]:
        """All errors and warnings of the file."""
        return [diagnostic(raw) for raw in self._program.check()]

    # ---- compiling

    def _arguments(self, experiment: Optional[str], model: Optional[str], set: Optional[Mapping[str, Value]],
                   changes: Mapping[str, Value]):
        experiments = self.experiments
        if experiment is None and model is None and experiments:
            experiment = experiments[0].name
        values = [(name, _text(value)) for name, value in (set or {}).items()]
        settings: list[tuple[str, str]] = []
        for name, value in changes.items():
            (settings if name in _settings else values).append((name, _text(value)))
        return experiment, model, values, settings

    def _compile(self, arguments):
        key = (arguments[0], arguments[1], *(tuple(part) for part in arguments[2:]))
        model = self._compiled.get(key)
        if model is None:
            model = self._program.compile(*arguments)
            if len(self._compiled) >= 32:
                self._compiled.clear()
            self._compiled[key] = model
        return model

    def variables(self, experiment: Optional[str] = None, *, model: Optional[str] = None) -> dict[str, Variable]:
        """The variables of a model with kind, unit, description and value before the run."""
        compiled = self._compile(self._arguments(experiment, model, None, {}))
        return {v[0]: Variable(*v[:6]) for v in compiled.variables() if not v[6]}

    # ---- running

    def run(self, experiment: Optional[str] = None, *, model: Optional[str] = None,
            set: Optional[Mapping[str, Value]] = None, record: Optional[Sequence[str]] = None,
            inputs: Optional[Inputs] = None, pace: float = 0.0,
            progress: Optional[Callable[[float, float], object]] = None, **changes: Value) -> Result:
        """Runs an experiment (the first of the file if none is named) to its end.

        Keywords are settings of the experiment (`stop=5`, `rtol=1e-10`, `solver="taylor"`) or values of parameters and
        start values (`g=1.62`); numbers are taken as `--set` takes them, texts are constant expressions ("50[cm]").
        `set` does the same for names that are no Python names: `set={"a.m": 2}`. `record` names the variables to record
        instead of what the experiment says. `inputs` are values of inputs over time: a file, or a DataFrame or mapping with a
        column `t` and one for each input, whose values hold. `pace` is the ratio of model time to real time, `progress(t, stop)` is called a few times a second; False, or an exception, ends the run.

        A run that fails raises RunError, with the rows up to there in its `result`.
        """
        arguments = self._arguments(experiment, model, set, changes)
        compiled = self._compile(arguments)
        facts = compiled.facts()
        if facts[3] > 0 or facts[4]:
            raise usage(f"experiment {facts[1]} has several runs ({'a sweep' if facts[3] else 'choice = all'})",
                        "use runs(), which gives the result of each")
        simulation = Simulation(self, compiled, record)
        return simulation._finish(inputs, pace, progress)

    def runs(self, experiment: Optional[str] = None, *, model: Optional[str] = None,
             set: Optional[Mapping[str, Value]] = None, **changes: Value) -> Iterator[Result]:
        """The results of all runs of an experiment: every point of its sweep, every outcome of `choice = all`.

        `result.parameters` has the swept values, `result.order` the choices that led to an outcome. A run that fails is a
        result with a `failure`.
        """
        arguments = self._arguments(experiment, model, set, changes)
        compiled = self._compile(arguments)
        sweep = _kairos.Sweep(self._program, compiled, arguments)
        for point in range(sweep.count()):
            variant = sweep.model(point)
            simulation = Simulation(self, variant, None)
            sweep.set(point, simulation._sim)
            for result in simulation._outcomes():
                result.parameters = sweep.values(point)
                yield result
            simulation.close()

    def study(self, experiment: Optional[str] = None, *, runs: int = 100, design: Optional[str] = None, seed: int = 1,
              points: Optional[Points] = None, measure: Optional[Measures] = None,
              keep: Union[bool, Sequence[int], None] = None, threads: int = 0,
              progress: Optional[Callable[[int, int], object]] = None, model: Optional[str] = None,
              set: Optional[Mapping[str, Value]] = None, **changes: Value) -> Study:
        """Many runs, as `kairos study` makes them, in all cores.

        `design` is "random", "latin", "sobol" (values drawn from the distributions of the model) or "grid" (every combination of the
        `sweep` lines); `points`, a DataFrame or a mapping from names to columns, makes a run of each row. `measure` asks for
        more than the `expect` lines do: "max(y)", ["n", "max(y)"] or {"top": "max(y)"}. `keep` names the runs whose trajectories are
        kept, from 0; True keeps all. `progress(runs, of)` is called a few times a second; False ends the study, an exception too.
        A run that fails is a row with its reason. The same arguments give the same numbers, with any number of threads.
        """
        return make(self, self._arguments(experiment, model, set, changes), runs, design, seed, points, measure, keep, threads,
                    progress)

    def simulate(self, experiment: Optional[str] = None, *, model: Optional[str] = None,
                 set: Optional[Mapping[str, Value]] = None, record: Optional[Sequence[str]] = None,
                 **changes: Value) -> "Simulation":
        """A run that has not started, to be stepped. Arguments as for `run`."""
        return Simulation(self, self._compile(self._arguments(experiment, model, set, changes)), record)


class Snapshot:
    """A run at a point of its time. `bytes(snapshot)` is for a file; `Simulation.restore` takes both."""

    def __init__(self, raw):
        self._raw = raw

    def __bytes__(self) -> bytes:
        return self._raw.__bytes__()

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes it to a file."""
        with open(path, "wb") as file:
            file.write(bytes(self))


class Simulation:
    """A run that is stepped: from instant to instant, or to any time. Values are read and inputs set by name:
    `s["y"]`, `s["u"] = 3`."""

    def __init__(self, program: Model, compiled, record: Optional[Sequence[str]]):
        self._model = compiled
        self._program = program
        self._chunks: list = []
        wanted = [self._find(name) for name in record] if record is not None else None
        self._sim = _kairos.Sim(compiled, wanted, True, program._seconds, program._memory, 0.0)
        self._columns = self._sim.columns()
        self._units = {v[0]: v[2] for v in compiled.variables()}
        self.ended = False
        """The stop time was reached, or the model said `halt`."""

    def __repr__(self) -> str:
        return f"<kairos.Simulation of {self._model.facts()[0]} at t = {self.now.t:.9g}>"

    def close(self) -> None:
        """Gives its memory back; not needed."""
        self._sim.close()

    # ---- values

    def _find(self, name: str) -> int:
        index = self._model.find(name)
        if index >= 0:
            return index
        near = self._model.nearest(name)
        raise KeyError(f"there is no `{name}`" + (f"; did you mean `{near}`?" if near else ""))

    def __getitem__(self, name: str) -> Optional[float]:
        """The value after the last instant or step; None: absent."""
        return self._sim.get(self._find(name))

    def __setitem__(self, name: str, value: float) -> None:
        """Before the start: parameters and start values. Afterwards: inputs, at the present time."""
        if not self._sim.set(self._find(name), float(value)):
            raise usage(f"`{name}` cannot be set now", "parameters and start values before the start, inputs always")

    def post(self, event: str, value: float = 1.0, t: Optional[float] = None) -> int:
        """Posts an event for an `input event`, or a value for another input, now or at t. The handle is for `cancel`."""
        return self._sim.post(self._find(event), float(value), math.nan if t is None else float(t))

    def inputs(self, values: Inputs) -> None:
        """Values of inputs over time, before the start: a file (a CSV whose first column is t, or any result), or a DataFrame or
        mapping with `t` and a column for each input. A value holds until the next one; nan: nothing new at that time."""
        if isinstance(values, (str, os.PathLike)):
            self._sim.post_inputs(os.fspath(values))
            return
        if "t" not in values:
            raise usage("inputs need a column `t`", "inputs={'t': times, 'u': values}")
        times = [float(t) for t in values["t"]]
        if any(not a <= b for a, b in zip(times, times[1:])) or not all(math.isfinite(t) for t in times):
            raise usage("the times of inputs must be finite and in order")
        for name in values:
            if name != "t":
                self._post_column(str(name), times, [float(v) for v in values[name]])

    def _post_column(self, name: str, times: list[float], column: list[float]) -> None:
        index, start = self._find(name), self.now.t
        kinds = {v[0]: (v[1], v[8]) for v in self._model.variables()}
        if kinds[name][0] != "input":
            raise usage(f"`{name}` is no input")
        if len(column) != len(times):
            raise usage(f"`{name}` has {len(column)} values for {len(times)} times")
        event, last = kinds[name][1], math.nan
        for t, value in zip(times, column):
            if math.isnan(value) or (t < start if event else value == last):
                continue
            last = value
            if not event and t <= start:
                self._sim.set(index, value)
            else:
                self._sim.post(index, value, t)

    def cancel(self, handle: int) -> bool:
        """Takes a posted event back; False: it has gone."""
        return self._sim.cancel(handle)

    @property
    def now(self) -> Tag:
        """The last tag."""
        return Tag(*self._sim.now())

    # ---- going on

    def _note(self, status: int) -> int:
        self.ended = self.ended or status == 2
        return status

    def step(self, limit: Optional[float] = None) -> bool:
        """To the end of the next instant, but not beyond `limit`. False: there was none before the limit or the stop."""
        return self._note(self._sim.step() if limit is None else self._sim.step_to(float(limit))) == 1

    def to(self, t: float) -> "Simulation":
        """To time t, over all instants on the way; it goes on from there as if it had not stopped."""
        self._note(self._sim.to(float(t)))
        return self

    def instants(self, limit: Optional[float] = None) -> Iterator[Tag]:
        """The tags at which instants end, one by one."""
        while self.step(limit):
            yield self.now

    def run(self) -> Result:
        """To the end; all rows since the start."""
        self._note(self._sim.to(math.inf))
        return self.result()

    def interrupt(self) -> None:
        """Ends a run soon that goes on in another thread."""
        self._sim.interrupt()

    # ---- snapshots

    def save(self) -> Snapshot:
        """Everything that changes. Restoring and going on gives the same bits as going on."""
        return Snapshot(self._sim.save())

    def restore(self, snapshot: Union[Snapshot, bytes, bytearray, memoryview]) -> "Simulation":
        """Goes to where the snapshot was taken, by this run or another one of the same experiment, also in another
        process. Rows before it are not kept."""
        raw = snapshot._raw if isinstance(snapshot, Snapshot) else self._sim.read_snapshot(snapshot)
        self._sim.restore(raw)
        self._sim.take()
        self._chunks = []
        self.ended = False
        return self

    # ---- results

    def result(self) -> Result:
        """The rows so far."""
        chunk = self._sim.take()
        if chunk.count() > 0 or not self._chunks:
            self._chunks.append(chunk)
        return self._result(self._chunks, self._expectations())

    def _expectations(self) -> list[Expectation]:
        return [Expectation(*e) for e in self._sim.expect()]

    def _result(self, chunks, expectations) -> Result:
        facts = self._model.facts()
        title = facts[0] + (f", experiment {facts[1]}" if facts[1] else "")
        result = Result(self._columns, list(chunks), title=title, plots=self._model.plots())
        result.expect = expectations
        result.counters = self._sim.counters()
        result.warnings = self._sim.warnings()
        return result

    def _go(self, inputs, pace, progress) -> None:
        if inputs is not None:
            self.inputs(inputs)
        if not pace and progress is None:
            self._note(self._sim.to(math.inf))
            return
        stop = self._model.facts()[5]
        tell = (lambda t: progress(t, stop)) if progress is not None else None
        self._note(self._sim.drive(float(pace), tell, 0.2))

    def _finish(self, inputs=None, pace=0.0, progress=None) -> Result:
        try:
            self._go(inputs, pace, progress)
        except RunError as error:
            error.result = self._result([self._sim.take()], [])
            raise
        result = self.result()
        self.close()
        return result

    def _outcomes(self) -> Iterator[Result]:
        if self._model.facts()[4]:
            for rows, expectations, order, failure in self._sim.explore():
                result = self._result([rows], [Expectation(*e) for e in expectations])
                result.order, result.failure = order, failure
                yield result
            return
        try:
            yield self._finish()
        except RunError as error:
            result = error.result
            result.failure = error.message
            yield result


def _read_again(path: str, text: Optional[str], options: dict) -> Model:
    return Model(path, text, **options)


def load(path: Union[str, os.PathLike], **options) -> Model:
    """Reads a model from a file. Options: `allow_files`, `allow_external`, and limits `memory` (bytes) and `seconds`."""
    name = os.fspath(path)
    if isinstance(name, str) and "{" in name and not os.path.exists(name):
        raise ValueError("load reads a file; a text is read by `kairos.loads(text)`")
    return Model(name, **options)


def loads(text: str, name: str = "<text>", **options) -> Model:
    """The same from a text; `name` is for messages and imports."""
    return Model(name, text, **options)
