"""Results of an example as NPY, NPZ, MAT and VCD, read with NumPy and with readers written from the descriptions of the formats: equal
to the CSV. python/tests/others.py asks the programs that they are for.

    formats.py BASE        reads BASE.csv, BASE.npy, …
"""

import struct
import sys

import numpy as np

from columns import read_csv, same


def read_mat(path):
    """Matrices of MAT version 4 by name."""
    matrices = {}
    with open(path, "rb") as file:
        while head := file.read(20):
            kind, rows, columns, imaginary, length = struct.unpack("<5i", head)
            assert imaginary == 0
            name = file.read(length).rstrip(b"\0").decode()
            dtype = {0: "<f8", 20: "<i4", 51: "u1"}[kind]
            data = np.frombuffer(file.read(rows * columns * np.dtype(dtype).itemsize), dtype)
            matrices[name] = data.reshape(columns, rows).T
    return matrices


def texts(matrix):
    return [bytes(column).rstrip(b"\0 ").decode() for column in matrix.T]


def check_mat(columns, path):
    mat = read_mat(path)
    if list(mat)[:6] != ["Aclass", "name", "description", "dataInfo", "data_1", "data_2"]:
        sys.exit(f"the matrices are {list(mat)}")
    if [bytes(line).decode().strip() for line in mat["Aclass"]] != ["Atrajectory", "1.1", "", "binTrans"]:
        sys.exit("Aclass is wrong")
    names, about = texts(mat["name"]), texts(mat["description"])
    for name, values in columns.items():
        k = names.index("time" if name == "t" else name)
        table, row = mat["dataInfo"][0, k], mat["dataInfo"][1, k]
        got = mat["data_2"][row - 1]
        if table != (0 if name == "t" else 2):
            sys.exit(f"{name} is in table {table}")
        if values.dtype.kind == "U":
            modes = about[k].removeprefix("modes ").split(", ")
            got = np.array([modes[int(v)] if v == v else "" for v in got])
        same(values, got, f"MAT, {name}")
    constants = {names[k]: mat["data_1"][mat["dataInfo"][1, k] - 1] for k in range(len(names)) if mat["dataInfo"][0, k] == 1}
    if not all(start == stop for start, stop in constants.values()):
        sys.exit("a parameter changes")
    if list(mat["data_1"][0]) != [columns["t"][0], columns["t"][-1]]:
        sys.exit("data_1 does not begin with the time that the result covers")
    return constants


def check_vcd(columns, path):
    """Changes of modes and times of events."""
    codes, events, changes, unit, now = {}, {}, {}, None, None
    units = {"fs": 1e-15, "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    for line in open(path):
        words = line.split()
        if words[0] == "$timescale":
            unit = float(words[1]) * units[words[2]]
        elif words[0] == "$var":
            codes[words[3]] = (words[1], words[4])
        elif words[0].startswith("#"):
            now = int(words[0][1:]) * unit
        elif line[0] == "1" and codes.get(words[0][1:], ("", ""))[0] == "event":
            events.setdefault(codes[words[0][1:]][1], []).append(now)
        elif line[0] == "s":
            changes.setdefault(codes[words[1]][1], []).append(words[0][1:])
    for kind, name in codes.values():
        values = columns[name]
        if kind == "event":
            times = columns["t"][~np.isnan(values)]
            if len(events.get(name, [])) != len(times) or not np.allclose(events.get(name, []), times, rtol=1e-12, atol=unit):
                sys.exit(f"VCD: the times of {name} differ")
        if kind == "string":
            wanted = [v for k, v in enumerate(values) if k == 0 or v != values[k - 1]]
            if changes[name] != wanted:
                sys.exit(f"VCD: the modes of {name} are {changes[name]}, not {wanted}")
    return len(codes)


def main():
    base = sys.argv[1]
    columns = read_csv(base + ".csv")
    npy, npz = np.load(base + ".npy"), np.load(base + ".npz")
    for name, values in columns.items():
        same(values, npy[name], f"NPY, {name}")
        same(values, npz[name], f"NPZ, {name}")
    constants = check_mat(columns, base + ".mat")
    check_vcd(columns, base + ".vcd")
    units = dict(zip(npz["#names"], npz["#units"]))
    print(f"{len(columns)} columns are the same; units {units}; constants {sorted(constants)}")


main()
