"""What the module promises: no copies, values with units, stepping, Ctrl-C, threads, exceptions, misuse."""

import gc
import math
import os
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import kairos
from common import TOP

BALL = TOP / "examples" / "ball" / "model.kai"
OSCILLATOR = """
model B { state x = 1, y = 0; x' = y; y' = -x }
experiment long of B { stop = inf; max_step = 1e-4; record x every 1e6 }
experiment short of B { stop = 1 }
"""
INPUTS = """
model A { input u [km] = 0; input event ping; state x [km] = 0; discrete n = 0; x' = u/1[s]; when ping { n := n + ping } }
experiment e of A { stop = 2 }
"""


class Results(unittest.TestCase):
    def test_columns_are_not_copied(self):
        r = kairos.load(BALL).run()
        self.assertFalse(r["y"].flags.owndata)
        self.assertFalse(r["y"].flags.writeable)
        self.assertEqual(r["y"].ctypes.data, r["y"].ctypes.data)
        y = r["y"]
        del r
        gc.collect()
        self.assertEqual(float(y[0]), 1.0)  # the array keeps what it lies in

    def test_units(self):
        r = kairos.load(BALL).run()
        self.assertEqual((r["y"].unit, r["v"].unit, r.t.unit), ("m", "m/s", "s"))
        self.assertEqual(r["y"][3:5].unit, "m")
        self.assertFalse(hasattr(r["y"] * 2, "unit"))
        self.assertEqual(kairos.load(BALL).variables()["g"].unit, "m/s^2")

    def test_closed_form(self):
        r = kairos.load(BALL).run(g=1.62, set={"e": 0.5}, stop=3, record=["y", "hit"])
        self.assertEqual(list(r), ["y", "hit"])
        self.assertAlmostEqual(r.events["hit"].t[0], math.sqrt(2 / 1.62), delta=1e-12)
        self.assertAlmostEqual(r.events["hit"].t[1], 2 * math.sqrt(2 / 1.62), delta=1e-12)
        self.assertEqual(list(r.events["hit"][:2]), [r.events["hit"][0], r.events["hit"][1]])
        self.assertEqual(len(r.events["hit"][r.events["hit"].t > 1.5]), len(r.events["hit"]) - 1)
        self.assertAlmostEqual(r.at(1.0)["y"], 1 - 0.81, delta=5e-3)

    def test_sides(self):
        r = kairos.load(BALL).run()
        t = r.events["hit"].t[0]
        self.assertAlmostEqual(r.at(t, side="right")["v"], -0.8 * r.at(t, side="left")["v"], delta=1e-15)
        self.assertIsNone(r.at(0.1)["hit"])
        self.assertEqual(r.at(0.1)["mode"], "falling")
        with self.assertRaises(kairos.UsageError):
            r.at(99)
        with self.assertRaises(kairos.UsageError):
            r.at(1, side="above")
        with self.assertRaises(KeyError):
            r["nothing"]

    def test_habits(self):
        r = kairos.load(BALL).run()
        with self.assertRaisesRegex(AttributeError, r'`r\["y"\]`'):
            r.y
        with self.assertRaisesRegex(AttributeError, r"`r.frame\(\)`"):
            r.to_pandas()
        with self.assertRaisesRegex(AttributeError, "a result has no `nothing`"):
            r.nothing
        self.assertFalse(hasattr(r, "_nothing"))
        with self.assertRaisesRegex(ValueError, "kairos.loads"):
            kairos.load("model M { state x = 1; x' = -x }")

    def test_impulses(self):
        r = kairos.loads("model I { event kick = up(time - 0.5); signal f = delta(kick, 3), g = der(f) }\n"
                         "experiment e of I { stop = 1 }").run()
        self.assertEqual(list(r.impulses["f"]), [(0.5, 0, 3.0)])
        self.assertEqual(list(r.impulses["g"]), [(0.5, 1, 3.0)])

    def test_figures(self):
        r = kairos.load(BALL).run()
        self.assertIn("<svg", r._repr_svg_())
        self.assertIn("<table", r._repr_html_())
        self.assertTrue(r.figure("y", ["v"]).startswith(b"<?xml") or b"<svg" in r.figure("y", ["v"]))

    def test_files(self):
        r = kairos.load(BALL).run()
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("csv", "npy", "npz", "mat", "vcd"):
                path = os.path.join(folder, "r." + ending)
                r.save(path)
                back = kairos.read(path)
                self.assertTrue(all(np.array_equal(back[k], r[k], equal_nan=True) for k in ("y", "v", "hit")), ending)
                self.assertEqual(list(np.asarray(back.modes["mode"])), list(np.asarray(r.modes["mode"])))
                self.assertEqual(kairos.compare(path, os.path.join(folder, "r.csv"), relative=0, time=0), [])
            with self.assertRaises(kairos.UsageError):
                r.save(os.path.join(folder, "r.xyz"))
            with self.assertRaises(kairos.FileError):
                kairos.read(os.path.join(folder, "none.csv"))
            kairos.load(BALL).run(e=0.7).save(os.path.join(folder, "other.npz"))
            found = kairos.compare(os.path.join(folder, "r.csv"), os.path.join(folder, "other.npz"), signals=["hit"])
            self.assertEqual([(d.signal, d.tag.p) for d in found], [("hit", 0)])


class Stepping(unittest.TestCase):
    def test_instants(self):
        s = kairos.load(BALL).simulate()
        times = [tag.t for tag in s.instants(2)]
        r = kairos.load(BALL).run()
        self.assertEqual(times[1:], [float(t) for t in r.events["hit"].t if t <= 2])
        self.assertEqual(s.now.t, 2)
        self.assertFalse(s.ended)
        s.run()
        self.assertTrue(s.ended)

    def test_inputs_in_their_unit(self):
        s = kairos.loads(INPUTS).simulate()
        s["u"] = 3
        self.assertAlmostEqual(s.to(1)["x"], 3, delta=1e-12)
        s.post("u", 0, t=1.5)
        s.post("ping", 2)
        s.post("ping", 40, t=1.2)
        gone = s.post("ping", 1000, t=1.3)
        self.assertTrue(s.cancel(gone))
        s.run()
        self.assertAlmostEqual(s["x"], 4.5, delta=1e-12)
        self.assertEqual(s["n"], 42)
        with self.assertRaises(kairos.UsageError):
            s["n"] = 1
        with self.assertRaises(KeyError):
            s["nothing"]

    def test_snapshots(self):
        s = kairos.load(BALL).simulate()
        s.to(1)
        here = s.save()
        rest = s.to(3)["y"]
        self.assertEqual(s.restore(here).to(3)["y"], rest)
        self.assertEqual(kairos.load(BALL).simulate().restore(bytes(here)).to(3)["y"], rest)
        damaged = bytearray(bytes(here))
        damaged[200] ^= 1
        with self.assertRaises(kairos.Error):
            s.restore(damaged)
        with self.assertRaises(kairos.Error):
            kairos.loads(OSCILLATOR).simulate("short").restore(bytes(here))

    def test_rows_come_together(self):
        s = kairos.load(BALL).simulate(rows="steps")
        first = s.to(1).result()
        whole = s.run()
        self.assertGreater(whole.rows, first.rows)
        self.assertEqual(float(whole.t[-1]), 5.0)

    def test_files_and_pace(self):
        m = kairos.loads(INPUTS)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "in.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("t,u,ping\n0,1,\n1,2,5\n")
            r = m.run(inputs=path)
            seen = []
            begun = time.monotonic()
            paced = m.run(inputs=path, pace=4, progress=lambda t, stop: seen.append((t, stop)))
            self.assertGreaterEqual(time.monotonic() - begun, 0.5)
        self.assertAlmostEqual(r.at(2)["x"], 3, delta=1e-12)
        self.assertTrue(np.array_equal(r["x"], paced["x"]))
        self.assertTrue(seen and all(stop == 2 for _, stop in seen))


class Control(unittest.TestCase):
    def test_interrupt(self):
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            kairos.loads(OSCILLATOR).run("long")

    def test_threads(self):
        """The interpreter goes on while a run computes, and the run can be ended from outside."""
        s = kairos.loads(OSCILLATOR).simulate("long")
        thread = threading.Thread(target=lambda: s.to(math.inf))
        thread.start()
        time.sleep(0.1)
        with self.assertRaises(RuntimeError):
            s.to(1)
        s.interrupt()
        thread.join(20)
        self.assertFalse(thread.is_alive())
        self.assertGreater(s.now.t, 0)

    def test_progress_raises(self):
        def wrong(t, stop):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            kairos.loads(INPUTS).run(pace=2, progress=wrong)

    def test_limits(self):
        with self.assertRaises(kairos.LimitError):
            kairos.loads(OSCILLATOR, seconds=0.2).run("long")


class Mistakes(unittest.TestCase):
    def test_model(self):
        with self.assertRaises(kairos.ModelError) as caught:
            kairos.loads("model A { param g = 1; state x = 1; x' = -gg*x; y' = 1 }\nexperiment e of A { stop = 1 }",
                         name="a.kai").run()
        error = caught.exception
        self.assertEqual((error.code, error.place.file, error.place.line), ("K020", "a.kai", 1))
        self.assertIn("`g`", error.help)
        self.assertGreater(len(error.diagnostics), 1)
        self.assertIn("^^", str(error))

    def test_run(self):
        m = kairos.loads("model A { state x = 1; x' = x; assert x < 2 \"too large\" }\nexperiment e of A { stop = 1 }")
        with self.assertRaises(kairos.RunError) as caught:
            m.run()
        self.assertAlmostEqual(caught.exception.tag.t, math.log(2), delta=1e-6)
        self.assertGreater(caught.exception.result.rows, 1)
        self.assertIn("too large", str(caught.exception))

    def test_calls(self):
        m = kairos.load(BALL)
        for call in (lambda: m.run("nothing"), lambda: m.run(nothing=1), lambda: m.run(solver="magic"),
                     lambda: m.run(rtol=-1), lambda: kairos.load("no/such.kai")):
            with self.assertRaises(kairos.Error):
                call()
        with self.assertRaises(KeyError):
            m.run(record=["nothing"])
        sweep = kairos.loads("model D { param a = 1; state x = 1; x' = -a*x }\n"
                             "experiment e of D { stop = 1; sweep a in (1, 2) }")
        with self.assertRaises(kairos.UsageError):
            sweep.run()
        self.assertEqual([r.parameters for r in sweep.runs()], [{"a": 1.0}, {"a": 2.0}])

    def test_misuse_of_handles(self):
        raw = kairos._kairos
        for call in (lambda: raw.Program(), lambda: raw.Model(), lambda: raw.Recorder(), lambda: raw.Sim(1, 2, 3),
                     lambda: raw.study(1), lambda: raw.chart(0), lambda: raw.fan([], 1, 2), lambda: raw.record(1, 2, 3, 4),
                     lambda: raw.summary(1.0), lambda: raw.figure(1, 2), lambda: raw.write("x.csv", [], None, 0, None), lambda: raw.read(3)):
            with self.assertRaises(TypeError):
                call()
        for call in (lambda: raw.record(b"", b"", b"", [b"12345678"]), lambda: raw.record(b"12345678", b"", b"", []),
                     lambda: raw.chart(0, [("a", None, True, b"12345678"), ("b", None, False, b"")], "x.svg", None, 0.0, 0.0),
                     lambda: raw.chart(9, [], "x.svg", None, 0.0, 0.0), lambda: raw.fan([], [], ["x"], "x.svg", None, 0.0, 0.0)):
            with self.assertRaises(ValueError):
                call()
        s = kairos.load(BALL).simulate()
        s.close()
        with self.assertRaises(ValueError):
            s.to(1)
        with self.assertRaises(IndexError):
            kairos.load(BALL).run()._chunks[0].column(99)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts this in the background has it ignored
    unittest.main()
