"""What people who know NumPy and pandas try with results and studies. What needs pandas, matplotlib or scipy is left out where they
are not."""

import concurrent.futures
import copy
import importlib.util
import io
import json
import math
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import unittest

import numpy as np

import kairos
from common import TOP

BALL = TOP / "examples" / "ball" / "model.kai"
DROP = """
model Drop {
  param g [m/s^2] = 9.81, e = 0.8
  param h [m] ~ lognormal(1, 0.2)
  state y [m] = h, v [m/s] = 0
  event hit = down(y)
  discrete n = 0
  y' = v;  v' = -g
  when hit { v := -e*v;  n := n + 1 }
  when n >= 5 { halt }
}
experiment five of Drop { stop = 10[s];  expect time_of(hit, 5) ~ 2.6 within 0.5 }
experiment grid of Drop { stop = 1[s]; sweep e in (0.5, 0.6, 0.7); sweep g in (9, 10); expect final(n) >= 0 }
"""
FAILS = "model A { param a = 1; state x = a; x' = x; assert x < 2 \"too large\" }\nexperiment e of A { stop = 1 }"


def has(module):
    return importlib.util.find_spec(module) is not None


def run_one(e):
    return kairos.load(BALL).run(e=e)


def run_model(pair):
    return pair[0].run("five", h=pair[1])


def fail(text):
    return kairos.loads(text).run()


class Arrays(unittest.TestCase):
    def setUp(self):
        self.r = kairos.load(BALL).run()

    def test_slices_masks_and_lists(self):
        r = self.r
        low = r["y"] < 0.1
        self.assertEqual(low.dtype, bool)
        self.assertEqual(r["y"][low].unit, "m")
        self.assertTrue((np.asarray(r["y"][low]) < 0.1).all())
        self.assertEqual(r["y"][::-1][0], r["y"][-1])
        self.assertEqual(list(r["y"][[0, 1]]), [r["y"][0], r["y"][1]])
        self.assertEqual(len(r["y"][(r.t > 1) & (r.t < 2)]), int(((r.t > 1) & (r.t < 2)).sum()))

    def test_functions_of_numpy(self):
        r = self.r
        self.assertIsInstance(np.max(r["y"]), float)
        self.assertEqual(r["y"].max(), 1.0)
        self.assertAlmostEqual(float(np.trapezoid(r["v"], r.t) if hasattr(np, "trapezoid") else np.trapz(r["v"], r.t)), -1, delta=0.02)
        self.assertEqual(np.vstack([r["y"], r["v"]]).shape, (2, r.rows))
        self.assertEqual(np.diff(r.t).min(), 0)
        self.assertFalse(np.isnan(np.gradient(np.asarray(r["y"]))).all())
        self.assertEqual(np.concatenate([r["y"], r["y"]]).shape, (2 * r.rows,))
        self.assertAlmostEqual(float(np.interp(0.1, r.t, r["y"])), 1 - 0.5 * 9.81 * 0.01, delta=1e-3)

    def test_columns_cannot_be_written_and_copies_can(self):
        with self.assertRaises(ValueError):
            self.r["y"][0] = 3
        copied = self.r["y"].copy()
        copied[0] = 3
        self.assertEqual(self.r["y"][0], 1)

    def test_mapping(self):
        r = self.r
        self.assertIn("y", r)
        self.assertEqual(dict(r).keys(), set(r))
        self.assertEqual([name for name, _ in r.items()], list(r))
        self.assertIsNone(r.get("nothing"))
        with self.assertRaisesRegex(KeyError, "there is no `z`"):
            r["z"]

    def test_at_many_times(self):
        r = self.r
        t = r.events["hit"].t[0]
        right, left = r.at(np.array([0.0, t, 99.0])), r.at([0.0, t, 99.0], side="left")
        self.assertAlmostEqual(right["v"][1], -0.8 * left["v"][1], delta=1e-12)
        self.assertTrue(math.isnan(right["y"][2]))
        self.assertEqual(list(right["mode"][:2]), ["falling", "falling"])
        for name in ("y", "v"):
            times = np.linspace(0, 5, 173)
            self.assertEqual([r.at(float(s))[name] for s in times], list(r.at(times)[name]))

    def test_resample(self):
        grid = self.r.resample(11, ["y"])
        self.assertEqual(list(grid), ["t", "y"])
        self.assertEqual(list(grid["t"]), list(np.linspace(0, 5, 11)))
        self.assertEqual(self.r.resample([0.5, 0.25])["v"][1], self.r.at(0.25)["v"])
        with self.assertRaises(KeyError):
            self.r.resample(3, ["nothing"])

    def test_modes(self):
        mode = self.r.modes["mode"]
        self.assertEqual(mode[0], "falling")
        self.assertEqual(mode[-1], "sitting")
        resting = mode == "sitting"
        self.assertEqual(self.r.t[resting][0], mode.changes[1][0].t)
        self.assertEqual(set(np.asarray(mode)), {"falling", "sitting"})

    def test_events(self):
        hit = self.r.events["hit"]
        self.assertEqual(len(np.asarray(hit)), len(hit))
        self.assertEqual(hit[-1].t, hit.t[-1])
        self.assertEqual(len(hit[:3]), 3)
        self.assertEqual([round(tag.t, 6) for tag in hit][:1], [0.451524])
        self.assertTrue((np.diff(hit.t) > 0).all())

    def test_copies_and_pickles(self):
        r = self.r
        for other in (pickle.loads(pickle.dumps(r)), copy.copy(r), copy.deepcopy(r)):
            self.assertEqual(other["y"].tobytes(), r["y"].tobytes())
            self.assertEqual((other["y"].unit, other.title, other.expect), (r["y"].unit, r.title, r.expect))
            self.assertEqual(other.modes["mode"].changes, r.modes["mode"].changes)
            self.assertEqual(other.figure(), r.figure())

    def test_numbers_as_json(self):
        text = json.dumps({"t": self.r.t[:3].tolist(), "y": self.r["y"][:3].tolist()})
        self.assertEqual(json.loads(text)["y"][0], 1.0)

    def test_saved_by_numpy(self):
        file = io.BytesIO()
        np.savez(file, t=self.r.t, **{name: self.r[name] for name in ("y", "v")})
        file.seek(0)
        self.assertEqual(np.load(file)["y"].tobytes(), self.r["y"].tobytes())

    def test_a_run_that_was_looked_at_is_drawn_and_saved(self):
        s = kairos.load(BALL).simulate()
        s.to(1)
        s.result()
        whole = s.run()
        self.assertEqual((whole.t[0], whole.t[-1], whole.events["hit"].t[-1]), (0, 5, kairos.load(BALL).run().events["hit"].t[-1]))
        self.assertIn(b"<svg", whole.figure())
        with tempfile.TemporaryDirectory() as folder:
            whole.save(os.path.join(folder, "r.csv"))
            self.assertEqual(kairos.read(os.path.join(folder, "r.csv"))["y"].tobytes(), whole["y"].tobytes())

    def test_notebooks(self):
        self.assertTrue(self.r._repr_svg_().startswith("<"))
        self.assertIn("<table>", self.r._repr_html_())
        self.assertIn("<svg", self.r._repr_html_())
        self.assertIn("hit", repr(self.r.events))


@unittest.skipUnless(has("pandas"), "pandas is not there")
class Pandas(unittest.TestCase):
    def test_frames(self):
        import pandas

        frame = kairos.load(BALL).run().frame()
        self.assertEqual(frame.attrs["units"]["y"], "m")
        self.assertEqual(str(frame["mode"].dtype), "category")
        self.assertEqual(frame[frame["mode"] == "sitting"]["t"].iloc[0], frame["t"][frame["mode"] == "sitting"].min())
        last = frame.drop_duplicates("t", keep="last").set_index("t")
        self.assertTrue(last.index.is_monotonic_increasing and last.index.is_unique)
        self.assertEqual(frame.groupby("mode", observed=True)["y"].max()["falling"], 1.0)
        timed = last.set_index(pandas.to_timedelta(last.index, unit="s"))["y"].resample("500ms").mean()
        self.assertEqual(len(timed), 11)

    def test_inputs_and_points(self):
        import pandas

        m = kairos.loads("model A { input u = 0; state x = 0; x' = u }  experiment e of A { stop = 3 }")
        r = m.run(inputs=pandas.DataFrame({"t": [0, 1, 2], "u": [1, 0, 2]}))
        self.assertAlmostEqual(r["x"][-1], 1 + 0 + 2, delta=1e-9)
        s = kairos.loads(DROP).study("five", points=pandas.DataFrame({"h": [1.0, 4.0], "e": [0.5, 0.5]}))
        self.assertAlmostEqual(s["time_of(hit, 5)"][1], 2 * s["time_of(hit, 5)"][0], delta=1e-9)
        self.assertEqual(list(s.frame().columns), ["h", "e", "time_of(hit, 5)", "passed", "reason"])


class Inputs(unittest.TestCase):
    TEXT = "model A { input u = 0; input event ping; state x = 0; discrete n = 0; x' = u; when ping { n := n + ping } }\n" \
           "experiment e of A { stop = 3 }"

    def test_sampled_signals(self):
        t = np.array([0, 0.5, 1, 2])
        r = kairos.loads(self.TEXT).run(inputs={"t": t, "u": [1, np.nan, 3, 0], "ping": [np.nan, 5, np.nan, 7]})
        self.assertAlmostEqual(r["x"][-1], 1 * 1 + 3 * 1, delta=1e-9)
        self.assertEqual(r["n"][-1], 12)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "u.csv")
            with open(path, "w") as file:
                file.write("t,u,ping\n0,1,\n0.5,,5\n1,3,\n2,0,7\n")
            same = kairos.loads(self.TEXT).run(inputs=path)
        self.assertEqual(same["x"].tobytes(), r["x"].tobytes())

    def test_mistakes(self):
        m = kairos.loads(self.TEXT)
        for inputs in ({"u": [1]}, {"t": [1, 0], "u": [1, 2]}, {"t": [0], "x": [1]}, {"t": [0, 1], "u": [1]}):
            with self.assertRaises(kairos.UsageError):
                m.run(inputs=inputs)
        with self.assertRaises(KeyError):
            m.run(inputs={"t": [0], "uu": [1]})


class Studies(unittest.TestCase):
    def test_closed_form(self):
        s = kairos.loads(DROP).study("five", runs=400, measure={"top": "max(y)", "n": "n"})
        factor = 1 + 2 * (0.8 + 0.64 + 0.512 + 0.4096)
        wanted = np.sqrt(2 * np.asarray(s["h"]) / 9.81) * factor
        self.assertLess(np.abs(s["time_of(hit, 5)"] - wanted).max(), 1e-9)
        self.assertEqual(s["top"].tobytes(), s["h"].tobytes())
        self.assertEqual((s.factors, s["h"].unit, s["top"].unit), (["h"], "m", "m"))
        m = s.summary("time_of(hit, 5)")
        self.assertLess(abs(m.mean - math.sqrt(2 / 9.81) * factor * math.exp(0.04 / 8)), 1.54 * m.half)
        self.assertEqual(m.least, s["time_of(hit, 5)"].min())

    def test_the_same_as_the_program(self):
        m = kairos.loads(DROP)
        a, b = m.study("five", runs=60, threads=1), m.study("five", runs=60, threads=2)
        self.assertEqual(a["time_of(hit, 5)"].tobytes(), b["time_of(hit, 5)"].tobytes())
        with tempfile.TemporaryDirectory() as folder:
            path, table = os.path.join(folder, "drop.kai"), os.path.join(folder, "t.csv")
            with open(path, "w") as file:
                file.write(DROP)
            os.spawnv(os.P_WAIT, os.environ["KAIROS"], ["kairos", "study", path, "-e", "five", "--runs", "60", "-q", "-o", table, "--figure",
                                                        os.path.join(folder, "f.svg"), "--chart", "scatter"])
            rows = np.genfromtxt(table, delimiter=",", skip_header=1, usecols=(1, 2))
        self.assertEqual(rows[:, 0].tolist(), a["h"].tolist())
        self.assertEqual(rows[:, 1].tolist(), a["time_of(hit, 5)"].tolist())

    def test_trajectories_and_pictures(self):
        m = kairos.loads(DROP)
        s = m.study("five", runs=40, keep=[3, 17])
        self.assertEqual(list(s.trajectories), [3, 17])
        again = m.run("five", h=float(s["h"][17]))
        self.assertEqual(s.trajectories[17]["y"].tobytes(), again["y"].tobytes())
        self.assertEqual(s.trajectories[17].parameters, {"h": float(s["h"][17])})
        self.assertEqual(len(m.study("five", runs=10, keep=True).trajectories), 10)
        for chart in ("histogram", "scatter", "tornado", "fan"):
            self.assertIn(b"<svg", s.figure(chart))
        self.assertIn(b"<svg", m.study("grid", design="grid").figure("heat"))
        self.assertIn("<table>", s._repr_html_())
        with self.assertRaises(kairos.UsageError):
            s.figure("pie")
        with self.assertRaises(kairos.UsageError):
            m.study("five", runs=3).figure("fan")
        with self.assertRaises(kairos.UsageError):
            s.figure("heat")  # one factor

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not there")
    def test_plots(self):
        os.environ.setdefault("MPLBACKEND", "Agg")
        s = kairos.loads(DROP).study("grid", design="grid", keep=True)
        self.assertEqual(len(s.plot("histogram", "e")), 1)
        self.assertEqual(s.plot("scatter").shape, (1, 2))
        self.assertEqual(s.plot("heat").get_xlabel(), "e")
        self.assertEqual(s.plot("fan", "y")[0].get_ylabel(), "y [m]")

    def test_designs(self):
        m = kairos.loads(DROP)
        self.assertEqual(m.study("grid", design="grid").rows, 6)
        self.assertEqual(m.study("five", design="sobol", runs=8).rows, 8)
        h = np.asarray(m.study("five", design="latin", runs=10)["h"])
        self.assertEqual(int((h < 1).sum()), 5)
        for call in (lambda: m.study("five", design="best"), lambda: m.study("five", h=1), lambda: m.study("five", runs=0),
                     lambda: m.study("five", points={"h": []})):
            with self.assertRaises(kairos.UsageError):
                call()
        with self.assertRaises(kairos.Error):
            m.study("five", measure="max(nothing)")

    def test_failed_runs_are_rows(self):
        s = kairos.loads(FAILS).study(points={"a": [0.1, 1.0, 0.2]})
        self.assertEqual(s.failed.tolist(), [False, True, False])
        self.assertIn("too large", s.reasons[1])

    def test_progress(self):
        calls = []
        m = kairos.loads(DROP.replace("stop = 10[s];", "stop = 10[s]; max_step = 1e-4;"))

        def stop(done, total):
            calls.append((done, total))
            return False

        s = m.study("five", runs=10000, progress=stop)
        self.assertTrue(calls and s.rows < 10000 and s.total == 10000)

        def wrong(done, total):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            m.study("five", runs=10000, progress=wrong)


class Interrupts(unittest.TestCase):
    def test_control_c_ends_a_study(self):
        m = kairos.loads(DROP.replace("stop = 10[s];", "stop = 10[s]; max_step = 1e-4;"))
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            m.study("five", runs=1000000)
        timer.join()


class Processes(unittest.TestCase):
    def test_pool(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            results = pool.map(run_one, [0.5, 0.7, 0.9])
            again = pool.map(run_model, [(kairos.loads(DROP), 1.0), (kairos.loads(DROP), 2.0)])
            with self.assertRaises(kairos.RunError) as caught:
                pool.apply(fail, (FAILS,))
        self.assertEqual([r["y"].unit for r in results], ["m"] * 3)
        self.assertLess(results[0].events["hit"].t[1], results[2].events["hit"].t[1])
        self.assertAlmostEqual(again[1].expect[0].value, math.sqrt(2) * again[0].expect[0].value, delta=1e-9)
        self.assertAlmostEqual(caught.exception.tag.t, math.log(2), delta=1e-6)

    def test_threads(self):
        models = [kairos.loads(DROP) for _ in range(4)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda m: m.run("five", h=1.0).t[-1], models))
        self.assertEqual(len(set(ends)), 1)

    def test_one_model_in_many_threads(self):
        m = kairos.loads(DROP)
        m.run("five")
        found, errors = [], []

        def work():
            try:
                found.append(float(m.run("five").t[-1]))
            except Exception as error:  # noqa: BLE001
                errors.append(error)
        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(errors, [])
        self.assertEqual(len(set(found)), 1)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts this in the background has it ignored
    unittest.main()
