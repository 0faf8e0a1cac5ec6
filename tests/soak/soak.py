"""An hour, or as long as is wanted, of the studio, the language server and the library, each one process from the first second to the
last: random questions and models, runs that are stopped, snapshots, studies (soak.c). Their memory must stay where it is after the
warm-up, and nothing may fail. usage: soak.py BUILD SECONDS [SEED]"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
from lsp_client import Client  # noqa: E402
from studio_client import Studio  # noqa: E402

SHARE = float(os.environ.get("KAIROS_SOAK_SHARE", "0.05"))  # of a core, of each of the three
FOREVER = "model F { state x = 0; event tick = clock(1[us]); x' = 1; when tick { x := x + 1 } }\nexperiment run of F { stop = inf }\n"
WHAT = ["check", "run", "run", "instant", "complete", "hover", "symbols", "references", "format", "explain", "figure", "result", "words", "stop"]


class Watch:
    """The memory of a process, second by second."""

    def __init__(self, name, pid):
        self.name, self.pid, self.points = name, pid, []

    def look(self, t):
        try:
            with open(f"/proc/{self.pid}/status") as file:
                size = next(line for line in file if line.startswith("VmRSS"))
        except (OSError, StopIteration):
            return
        self.points.append((t, int(size.split()[1]) / 1024))

    def used(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def verdict(self, seconds):
        """What it takes after the warm-up (a quarter of the time) against the last quarter, and its slope between."""
        later = [p for p in self.points if p[0] >= seconds / 4]
        warm = [m for t, m in later if t < seconds / 2]
        end = [m for t, m in later if t >= 3 * seconds / 4]
        if len(warm) < 2 or len(end) < 2:
            return False, f"{self.name}: it ended early"
        mean_t, mean_m = statistics.fmean(t for t, _ in later), statistics.fmean(m for _, m in later)
        slope = sum((t - mean_t) * (m - mean_m) for t, m in later) / sum((t - mean_t) ** 2 for t, _ in later)
        before, after = statistics.median(warm), statistics.median(end)
        flat = after <= 1.1 * before + 4
        words = f"{self.name}: {before:.1f} MB after the warm-up, {after:.1f} MB at the end, {3600 * slope:+.2f} MB an hour, largest {max(m for _, m in later):.1f} MB"
        return flat, words


def position(rng, text):
    lines = text.split("\n")
    line = rng.randrange(len(lines))
    return {"line": line, "character": rng.randrange(len(lines[line]) + 1)}


def ask_studio(studio, rng, texts):
    path, text = rng.choice(texts)
    if rng.random() < 0.1:
        text = text[: rng.randrange(len(text))]
    what = rng.choice(WHAT)
    if what == "stop":
        page = str(rng.random())
        thread = threading.Thread(target=lambda: studio.ask("run", page=page, path="f.kai", text=FOREVER))
        thread.start()
        time.sleep(0.1)
        while thread.is_alive():
            studio.ask("stop", page=page)
            thread.join(0.1)
        return
    more = {"settings": {"stop": 0.5}} if what in ("run", "figure", "result") and rng.random() < 0.5 else {}
    where = position(rng, text)
    answer = studio.ask(what, page="p", path=path, text=text, position=where, range={"start": where, "end": where}, t=rng.random(),
                        format="svg" if what == "figure" else rng.choice(["csv", "npz", "mat", "vcd"]), **more)
    assert isinstance(answer, dict)


def ask_server(client, rng, texts, version):
    path, text = rng.choice(texts)
    uri = "file:///" + path
    client.open(uri, text)
    for _ in range(3):
        cut = text[: rng.randrange(len(text))]
        client.change(uri, version, cut)
        where = position(rng, cut)
        method = rng.choice(["hover", "completion", "definition", "documentSymbol", "formatting"])
        reply = client.ask("textDocument/" + method, textDocument={"uri": uri}, position=where, options={"tabSize": 2, "insertSpaces": True})
        assert "result" in reply or "error" in reply
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    client.notes.clear()


def repeat(watch, end, action, counts):
    """Does it again and again, resting in between as long as the share of a core asks for."""
    while time.monotonic() < end:
        before = watch.used()
        try:
            action()
            counts[watch.name] = counts.get(watch.name, 0) + 1
        except Exception as error:  # noqa: BLE001: whatever goes wrong is a failure
            counts.setdefault("failures", []).append(f"{watch.name}: {error!r}")
            if len(counts["failures"]) > 20:
                return
        rest = (watch.used() - before) * (1 / SHARE - 1)
        time.sleep(max(0.0, min(rest, end - time.monotonic())))


def main():
    build, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(top, "examples")) for name in names if name.endswith(".kai"))
    texts = [(os.path.basename(path), open(path).read()) for path in files]
    texts = [(path, text) for path, text in texts if "import" not in text and len(text) < 20000]
    counts, random_of = {}, [random.Random(seed + i) for i in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(os.path.join(build, "kairos"), folder, "--time", "10")
        client = Client(os.path.join(build, "kairos"))
        client.start()
        # Blocks that malloc keeps for a thread count as in use: without them the floor is exact.
        exact = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.tcache_count=0")
        soak = subprocess.Popen([os.path.join(build, "tests", "soak_library"), str(seconds), str(seed), *files], env=exact, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        watches = [Watch("studio", studio.process.pid), Watch("lsp", client.process.pid), Watch("library", soak.pid)]
        began = time.monotonic()
        end = began + seconds
        versions = iter(range(10**9))
        threads = [
            threading.Thread(target=repeat, args=(watches[0], end, lambda: ask_studio(studio, random_of[0], texts), counts)),
            threading.Thread(target=repeat, args=(watches[1], end, lambda: ask_server(client, random_of[1], texts, next(versions)), counts)),
        ]
        for thread in threads:
            thread.start()
        while time.monotonic() < end - 0.2:
            for watch in watches:
                watch.look(time.monotonic() - began)
            time.sleep(min(1.0, seconds / 40))
        spent = sum(w.used() for w in watches[:2])
        for thread in threads:
            thread.join()
        code, said = studio.stop()
        closed = client.close()[1]
        out, err = soak.communicate(timeout=120)
    failures = counts.get("failures", [])
    failures += [f"studio: exit {code}: {said}"] * (code != 0 or "ERROR" in said) + [f"lsp: exit {closed}"] * (closed != 0)
    failures += [f"library: exit {soak.returncode}: {err[-2000:]}"] * (soak.returncode != 0)
    done, _, looks, first, last, most, opened = [int(word) for word in out.split()] if out.split() else [0] * 7
    failures += [f"library: {last - first} bytes more are in use after all is closed than after the first jobs"] * (last != first)
    print(f"seed {seed}, {seconds:.0f} s: {counts.get('studio', 0)} questions to the studio, {counts.get('lsp', 0)} texts edited, {done} jobs of the library, "
          f"{spent:.0f} s of processor time of studio and lsp")
    for watch in watches:
        flat, words = watch.verdict(seconds)
        print(words)
        if not flat and seconds >= 60:  # before that everything is warm-up
            failures.append(f"{watch.name}: its memory grows")
    print(f"library: with all closed {first} bytes in use after the first jobs, {last} at the end, at most {most} in {looks} looks; "
          f"with models open at most {opened / 2**20:.1f} MB")
    for failure in failures:
        print("FAILED " + failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
