"""Results of examples in every format, read by the programs that they are for: equal to the CSV."""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import pandas
import scipy.io

import kairos
from common import TOP, program
from columns import read_csv, same

EXAMPLES = ["ball", "impulsive-ball", "cradle", "sigma-delta", "billiard"]


def mat_columns(path):
    """A trajectory as the scripts of Modelica people take it apart."""
    mat = scipy.io.loadmat(path, chars_as_strings=False)
    names = ["".join(column).rstrip() for column in mat["name"].T]
    about = ["".join(column).rstrip() for column in mat["description"].T]
    columns = {}
    for k, name in enumerate(names):
        table, row = mat["dataInfo"][0, k], mat["dataInfo"][1, k]
        values = mat["data_1" if table == 1 else "data_2"][row - 1]
        if about[k].startswith("modes "):
            modes = about[k][6:].split(", ")
            values = np.array([modes[int(v)] if v == v else "" for v in values])
        columns["t" if name == "time" else name] = values
    return columns


def hdf5_column(file, name):
    """Numbers, or the names of an enumeration."""
    values = file[name][:]
    enum = h5py.check_enum_dtype(file[name].dtype)
    if enum is None:
        return values.astype(float)
    names = {value: text for text, value in enum.items()}
    return np.array([names[v] for v in values])


def check_example(example, folder):
    base = os.path.join(folder, "r")
    for ending in ("csv", "npy", "npz", "mat", "h5", "vcd"):
        program("run", f"examples/{example}/model.kai", "-q", "-o", f"{base}.{ending}", check=False)
    if not os.path.exists(base + ".vcd"):  # several runs
        os.path.exists(base + ".csv") or sys.exit(f"{example} has no result")
    columns = read_csv(base + ".csv")
    npy, npz, mat = np.load(base + ".npy"), np.load(base + ".npz"), mat_columns(base + ".mat")
    frame = pandas.DataFrame(npy)
    with h5py.File(base + ".h5") as file:
        for name, values in columns.items():
            same(values, npy[name], f"{example}.npy, {name}")
            same(values, npz[name], f"{example}.npz, {name}")
            same(values, mat[name], f"{example}.mat, {name}")
            same(values, hdf5_column(file, name), f"{example}.h5, {name}")
            same(values, frame[name], f"pandas of {example}, {name}")
    if os.path.exists(base + ".vcd"):
        check_vcd(base, example)
        check_module(base, columns, example)
    for ending in ("csv", "npy", "npz", "mat", "h5", "vcd"):
        if os.path.exists(f"{base}.{ending}"):
            os.unlink(f"{base}.{ending}")
    return len(columns["t"])


def check_vcd(base, example):
    """GTKWave takes it, and has the modes and events that the CSV has."""
    subprocess.run(["vcd2fst", base + ".vcd", base + ".fst"], check=True, capture_output=True)
    back = subprocess.run(["fst2vcd", base + ".fst"], check=True, capture_output=True, text=True).stdout
    result = kairos.read(base + ".vcd")
    names = {line.split()[3]: line.split()[4] for line in back.splitlines() if line.startswith("$var event")}
    for code, name in names.items():
        times = len(set(np.round(result.events[name].t / 1e-12)))
        found = sum(line == "1" + code for line in back.splitlines())
        if found != times:
            sys.exit(f"{example}.vcd: GTKWave has {found} times of {name}, the result {times}")


def check_module(base, columns, example):
    """The module reads all of them, and pandas has the same."""
    for ending in ("csv", "npy", "npz", "mat", "h5", "vcd"):
        frame = kairos.read(f"{base}.{ending}").frame()
        for name, values in columns.items():
            got = frame[name]
            got = got.astype(object).where(got.notna(), "") if values.dtype.kind == "U" else got
            same(values if values.dtype.kind == "U" else values.astype(float), got, f"{ending} of {example} through the module, {name}")


def check_live(folder):
    """An HDF5 file is read while it is written."""
    path = os.path.join(folder, "live.h5")
    child = subprocess.Popen([os.environ["KAIROS"], "run", "examples/ball/model.kai", "-q", "--set", "e=1", "--stop", "200000",
                              "-o", path], cwd=TOP)
    rows = 0
    while rows == 0 and child.poll() is None:
        try:
            with h5py.File(path + ".part", "r", libver="latest", swmr=True) as file:
                rows = len(file["t"])
        except (OSError, KeyError):
            pass
    child.terminate()
    child.wait()
    if rows == 0:
        sys.exit("nothing could be read while the file was written")
    return rows


def main():
    os.chdir(TOP)
    with tempfile.TemporaryDirectory() as folder:
        rows = sum(check_example(example, folder) for example in EXAMPLES)
        live = check_live(folder)
    print(f"{rows} rows are the same in all formats; {live} rows were read from a file that was being written")


main()
