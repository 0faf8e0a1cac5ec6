"""A snapshot to a file in the middle of every example, resumed by a new process: the rest is the same, bit for bit.

    snapshots.py            all examples
    snapshots.py rest PATH EXPERIMENT SNAPSHOT      what the new process does: a digest of the rest
"""

import hashlib
import os
import subprocess
import sys
import tempfile

import kairos
from common import RIGHTS, TOP, examples


failed = []


def digest(result):
    """Of all rows and expectations."""
    state = hashlib.sha256()
    state.update(result.tags.tobytes())
    for name in result:
        state.update(name.encode() + result[name].tobytes())
    state.update(repr([e.value for e in result.expect if e.present]).encode())
    return f"{result.rows} {state.hexdigest()}"


def finish(simulation):
    """The digest of what follows; a run that fails is that far, and why."""
    try:
        return digest(simulation.run())
    except kairos.RunError as error:
        return digest(simulation.result()) + error.message


def rest(path, experiment, snapshot):
    """Resumes it."""
    simulation = kairos.load(path, **RIGHTS).simulate(experiment)
    with open(snapshot, "rb") as file:
        simulation.restore(file.read())
    return finish(simulation)


def single_runs(only):
    """(path, experiment, compiled stop) of experiments that are one run."""
    for path in examples():
        if only and not any(word in str(path) for word in only):
            continue
        model = kairos.load(path, **RIGHTS)
        for experiment in model.experiments:
            if experiment.has_sweep:
                continue
            try:
                facts = model._compile(model._arguments(experiment.name, None, None, {})).facts()
            except kairos.ModelError:
                continue  # some show what is refused
            if not facts[4]:
                yield model, str(path), experiment.name, facts[5]


def middle(model, experiment, stop):
    """Where to stop: half of the way that the run goes."""
    try:
        end = model.run(experiment).t[-1]
    except kairos.RunError as error:
        end = error.result.t[-1] if error.result.rows else 0.0
    return min(end, stop) / 2


def check(model, path, experiment, stop, folder):
    """False: it has no middle, its run fails at its first instant."""
    simulation = model.simulate(experiment)
    half = middle(model, experiment, stop)
    if half == 0:
        return False
    simulation.to(half)
    snapshot = os.path.join(folder, "snapshot")
    simulation.save().save(snapshot)
    simulation.result()
    simulation._chunks = []
    here = finish(simulation)
    there = subprocess.run([sys.executable, __file__, "rest", path, experiment, snapshot], capture_output=True, text=True)
    if there.stdout.strip() != here.strip():
        print(f"{path}, {experiment}: {here} here, {there.stdout} {there.stderr} in the new process")
        failed.append(path)
    return True


def main():
    os.chdir(TOP)
    if sys.argv[1:2] == ["rest"]:
        print(rest(*sys.argv[2:]))
        return
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in single_runs(sys.argv[1:]):
            count += check(*case, folder)
    if count == 0 or failed:
        sys.exit(f"{len(failed)} of {count} runs do not go on as they would have")
    print(f"{count} runs go on as they would have")


main()
