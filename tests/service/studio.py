"""The server of the studio: what it answers, and what it refuses. usage: studio.py PROGRAM FOLDER"""
import base64
import json
import math
import os
import socket
import sys
import threading
import time

from studio_client import Studio, doubles

BALL = """model Ball {
  param g [m/s^2] = 9.81, e = 0.8
  state y [m] = 1, v [m/s] = 0
  event hit = down(y)
  y' = v; v' = -g
  when hit { v := -e*v }
}
experiment bounce of Ball { stop = 1[s]; plot y; plot v against y; expect count(hit) ~ 1 within 0; expect final(y) ~ 7 within 1 }
experiment many of Ball { stop = 0.6[s]; sweep e from 0.25 to 0.75 by 0.25 }
"""
# n is doubled and increased, in either order.
CHOICE = """model Choice {
  discrete a = 0, b = 0, n = 1
  choose {
    when time >= 0.5 and a == 0 { a := 1; n := 2*n }
    when time >= 0.5 and b == 0 { b := 1; n := n + 1 }
  }
}
experiment both of Choice { stop = 1[s]; choice = all; plot n }
"""
FOREVER = """model Forever { state x = 0
  event tick = clock(1[us])
  x' = 1
  when tick { x := x + 1 } }
experiment run of Forever { stop = inf }
"""


def main():
    program, folder = sys.argv[1], os.path.realpath(sys.argv[2])
    work, outside = os.path.join(folder, "work"), os.path.join(folder, "outside")
    os.makedirs(os.path.join(work, "sub"))
    os.makedirs(outside)
    write(work, "ball.kai", BALL)
    write(work, "notes.txt", "not a model")
    write(outside, "secret.kai", "model Secret {}")
    os.symlink(os.path.join(outside, "secret.kai"), os.path.join(work, "link.kai"))
    os.symlink(outside, os.path.join(work, "away"))
    studio = Studio(program, os.path.join(work, "ball.kai"))
    try:
        pages(studio)
        files(studio, work)
        runs(studio)
        rights(studio, outside)
        strangers(studio)
        large(studio)
        forever(studio)
        crowd(studio)
        # After all that it answers as at the beginning.
        assert studio.ask("files")["files"] == ["ball.kai", "sub/new.kai"]
    finally:
        code, said = studio.stop()
    assert code == 0 and "ERROR" not in said and "runtime error" not in said, (code, said)


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def pages(studio):
    status, body, headers = studio.request("GET", f"/{studio.token}/")
    assert status == 200 and b"<html" in body and b"studio.js" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and headers["Referrer-Policy"] == "no-referrer"
    assert studio.request("GET", f"/{studio.token}/engine.json")[0] in (200, 404)  # if it has been built
    for name in ["studio.js", "studio.css", "licences.txt"]:
        assert studio.request("GET", f"/{studio.token}/{name}")[0] == 200, name
    assert studio.request("GET", f"/{studio.token}/other.js")[0] == 404
    assert studio.request("DELETE", f"/{studio.token}/ask")[0] == 405
    assert studio.ask("start")["first"] == "ball.kai"


def files(studio, work):
    assert studio.ask("files")["files"] == ["ball.kai"]  # no links, no other files
    ball = studio.ask("read", path="ball.kai")
    assert ball["text"] == BALL and studio.ask("look", path="ball.kai")["version"] == ball["version"]
    # A save replaces what was read, and nothing else.
    saved = studio.ask("write", path="ball.kai", text=BALL + "// one\n", version=ball["version"])
    assert open(os.path.join(work, "ball.kai")).read() == BALL + "// one\n"
    assert studio.ask("write", path="ball.kai", text="lost", version=ball["version"])["conflict"]
    write(work, "ball.kai", BALL)
    assert studio.ask("look", path="ball.kai")["version"] != saved["version"]
    assert studio.ask("write", path="ball.kai", text="lost", version=saved["version"])["conflict"]
    assert open(os.path.join(work, "ball.kai")).read() == BALL
    assert "version" in studio.ask("write", path="sub/new.kai", text="model New {}", version=None)
    assert studio.ask("write", path="sub/new.kai", text="x", version=None)["conflict"]
    for path in ["../outside/secret.kai", "/etc/passwd", "sub/../../outside/secret.kai", "link.kai", "away/secret.kai", "notes.txt",
                 "sub", "", ".", "..", "sub//new.kai", "./ball.kai", ".hidden.kai", "a" * 5000 + ".kai", "sub/" * 50 + "a.kai", "ball.kai\x00.txt"]:
        assert "error" in studio.ask("read", path=path), path
        assert studio.ask("look", path=path)["version"] is None, path
        assert "error" in studio.ask("write", path=path, text="x", version=None), path
        assert "error" in studio.ask("example", path=path), path
    # The library can be looked at, and nothing beside it.
    assert "model Resistor" in studio.ask("library", path="electrical.kai")["text"]
    for path in ["../examples/ball/model.kai", "/etc/passwd", "nothing.kai", ""]:
        assert "error" in studio.ask("library", path=path), path
    examples = studio.ask("examples")["files"]
    assert "ball/model.kai" in examples and "model Ball" in studio.ask("example", path="ball/model.kai")["text"]


def runs(studio):
    run = studio.ask("run", path="ball.kai", text=BALL)
    assert run["diagnostics"] == [] and [e["name"] for e in run["experiments"]] == ["bounce", "many"]
    assert run["panels"] == [{"signals": ["y"]}, {"signals": ["v"], "against": "y"}], run["panels"]
    one = run["runs"][0]
    assert [e["passed"] for e in one["expects"]] == [True, False] and one["expects"][0]["line"] == 7
    t, column = doubles(one["t"]), [c["name"] for c in run["columns"]].index("y")
    assert one["rows"] == len(t) and t[0] == 0 and t[-1] == 1 and t == sorted(t)
    # Extremes are those of the closed form: it starts at 1 and comes down to 0 at sqrt(2/g).
    y = doubles(one["values"][column])
    assert max(y) == 1 and abs(min(y)) < 1e-12
    hits = [f for f in one["fired"] if f["kind"] == "crossing"]
    assert len(hits) == 1 and abs(hits[0]["t"] - math.sqrt(2 / 9.81)) < 1e-12 and hits[0]["position"]["line"] == 3, hits
    # The instant has three tags; at the last the speed is turned round.
    instant = studio.ask("instant", path="ball.kai", text=BALL, t=hits[0]["t"])
    assert instant["tags"] == [[-1, 0], [0, 0], [1, 0]] and instant["t"] == hits[0]["t"], instant
    v = next(c for c in instant["values"] if c["name"] == "v")
    speed = math.sqrt(2 * 9.81)
    assert v["changes"] and abs(v["at"][0] + speed) < 1e-9 and abs(v["at"][2] - 0.8 * speed) < 1e-9, v
    # A slider, and one of a parameter that is gone.
    slow = studio.ask("run", path="ball.kai", text=BALL, set={"g": 1.0, "gone": 3})
    assert slow["runs"][0]["status"] == "end" and not slow["runs"][0]["fired"]
    gone = studio.ask("run", path="ball.kai", text=BALL, experiment="gone")
    assert gone["experiment"] == "bounce"
    moon = studio.ask("run", path="ball.kai", text=BALL, set={"g": 1.62})
    assert moon["runs"][0]["expects"][0]["passed"] is False and not moon["runs"][0]["fired"]
    many = studio.ask("run", path="ball.kai", text=BALL, experiment="many")
    assert [r["label"] for r in many["runs"]] == ["e = 0.25", "e = 0.5", "e = 0.75"], [(r["label"], r.get("status"), r.get("failure")) for r in many["runs"]]
    # One of them is asked about: its own restitution turns the speed round.
    for member, e in enumerate([0.25, 0.5, 0.75]):
        instant = studio.ask("instant", path="ball.kai", text=BALL, experiment="many", t=hits[0]["t"], member=member)
        v = next(c for c in instant["values"] if c["name"] == "v")
        assert abs(v["at"][2] - e * speed) < 1e-9, (member, v)
        text = base64.b64decode(studio.ask("result", path="ball.kai", text=BALL, experiment="many", member=member)["bytes"]).decode()
        rows = [line.split(",") for line in text.splitlines()[1:]]
        assert any(row[1] == "1" and abs(float(row[4]) - e * speed) < 1e-9 for row in rows), (member, text[-300:])
    assert "error" in studio.ask("instant", path="ball.kai", text=BALL, experiment="many", t=1, member=3)
    outcomes(studio)
    wrong = studio.ask("run", path="ball.kai", text=BALL.replace("-g", "-gg"))
    assert "runs" not in wrong and wrong["diagnostics"][0]["data"]["help"] == "did you mean `g`?"
    assert "<svg" in studio.ask("diagram", path="ball.kai", text=BALL, kind="blocks")["svg"]
    assert "steps" in studio.ask("explain", path="ball.kai", text=BALL)["text"]
    # x must be followed for all of the time, y is over after a moment: x is what keeps steps short then. Stretches lie side by side.
    limits = studio.ask("explain", path="ball.kai", text="model M { state x = 0, y = 1, z = 1; x' = 50*z; z' = -50*x; y' = -y }\n"
                        "experiment e of M { stop = 10[s]; solver = rk45 }")["limits"]
    assert limits[0]["from"] == 0 and limits[-1]["to"] == 10 and all(a["to"] == b["from"] for a, b in zip(limits, limits[1:]))
    assert len(limits) <= 240 and {s.get("state") for s in limits[10:-1]} <= {"x", "z"}, limits[10:20]
    assert base64.b64decode(studio.ask("result", path="ball.kai", text=BALL)["bytes"]).startswith(b"t,p,m,")


def outcomes(studio):
    """choice = all: each order is a run, with its own instant."""
    run = studio.ask("run", path="ball.kai", text=CHOICE)
    assert run["points"] == 2 and run["more"] is False, run
    column = [c["name"] for c in run["columns"]].index("n")
    assert sorted(doubles(r["values"][column])[-1] for r in run["runs"]) == [3, 4]  # 2*1 + 1 and 2*(1 + 1)
    ends = [doubles(r["values"][column])[-1] for r in run["runs"]]
    for member, end in enumerate(ends):
        instant = studio.ask("instant", path="ball.kai", text=CHOICE, t=0.5, member=member)
        n = next(c for c in instant["values"] if c["name"] == "n")
        assert n["at"][-1] == end and "line" in run["runs"][member]["label"], (member, n, run["runs"][member]["label"])


def rights(studio, outside):
    for text in ['import "../outside/secret.kai"', f'import "{outside}/secret.kai"', 'import "away/secret.kai"', 'import "link.kai"']:
        assert studio.ask("check", path="ball.kai", text=text)["diagnostics"], text
    external = 'external function f(x) = "libm.so.6:erf"\nmodel M { signal s = f(1) }'
    assert studio.ask("run", path="ball.kai", text=external)["diagnostics"]
    assert "error" in studio.ask("check", path="../ball.kai", text="model M {}")
    assert "error" in studio.ask("check", path="/etc/x.kai", text="model M {}")
    assert not studio.ask("check", path="sub/new.kai", text='import "../ball.kai"\nmodel M { b : Ball() }')["diagnostics"]


def strangers(studio):
    """Other pages and programs of this computer."""
    question = json.dumps({"do": "files"})
    assert studio.post(question)[0] == 200
    assert studio.post(question, Origin=None)[0] == 200
    for token in ["0" * 32, studio.token[:-1], studio.token[:-1] + "x", "x", studio.token.upper() + "A"]:
        assert studio.post(question, token=token)[0] == 403, token
    for path in ["/", "/ask", "//ask", "/../ask", f"/{studio.token}", f"/x/{studio.token}/ask", "/%2e%2e/%2e%2e/etc/passwd"]:
        assert studio.request("GET", path)[0] in (400, 403, 404), path
        assert studio.request("POST", path, question, {"Content-Type": "application/json"})[0] in (400, 403, 404), path
    for path in ["../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc/passwd", "studio.js/.."]:
        assert studio.request("GET", f"/{studio.token}/{path}")[0] in (400, 403, 404), path
    for origin in ["http://evil.example", "null", f"http://127.0.0.1:{studio.port + 1}", f"https://127.0.0.1:{studio.port}", f"http://127.0.0.1:{studio.port}.evil.example", ""]:
        assert studio.post(question, Origin=origin)[0] == 403, origin
    # A name that was pointed at this computer.
    for host in ["evil.example", f"evil.example:{studio.port}", "127.0.0.1"]:
        assert studio.post(question, Origin=None, Host=host)[0] == 403, host
    for site in ["cross-site", "same-site", "none"]:
        assert studio.post(question, Sec_Fetch_Site=site)[0] == 403, site
    assert studio.post(question, Sec_Fetch_Site="same-origin")[0] == 200
    # What a form can send without being asked.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]:
        assert studio.post(question, Content_Type=kind)[0] == 400, kind
    for body in ["", "{", "[" * 100000, "null", '"x"', "{}", '{"do": 3}', '{"do":"check"}', '{"do":"run","text":5}', "\x00", '{"do":"read","path":7}']:
        status, reply = studio.post(body)
        assert status in (200, 400), (body[:20], status)
        assert status == 400 or "error" in json.loads(reply), body[:20]
    # It listens to this computer only.
    ours = [line.split()[1:4] for line in open("/proc/net/tcp").readlines()[1:]]
    listening = [local for local, _, state in ours if state == "0A" and local.endswith(f":{studio.port:04X}")]
    assert listening == [f"0100007F:{studio.port:04X}"], listening


def large(studio):
    head = f"POST /{studio.token}/ask HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nContent-Type: application/json\r\n"
    # 1 GB is refused before it is read.
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as one:
        one.sendall((head + f"Content-Length: {10**9}\r\n\r\n").encode() + b"x" * 1000)
        assert b" 413 " in one.recv(1000)
    for length in ["-5", "99999999999999999999", "abc"]:
        with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as one:
            one.sendall((head + f"Content-Length: {length}\r\n\r\n").encode())
            reply = one.recv(1000)
            assert reply == b"" or b" 400 " in reply or b" 413 " in reply or b" 411 " in reply, (length, reply)
    # There are no websockets: neither a handshake nor broken frames lead anywhere.
    for frames in [b"", b"\x81\xff" + b"\xff" * 8, b"\x8f\x00\x88\x80", os.urandom(4000)]:
        with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as one:
            one.sendall((f"GET /{studio.token}/ask HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode() + frames)
            assert b" 101 " not in one.recv(1000)
    # A client that goes away in the middle.
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as one:
        one.sendall((head + "Content-Length: 5000\r\n\r\n{").encode())
    assert len(studio.ask("files")["files"]) == 2


def forever(studio):
    """A run without an end is ended by a newer one of its page, by `stop`, or by its limits; others go on meanwhile."""
    answers = {}

    def run(name, page):
        answers[name] = studio.ask("run", page=page, path="ball.kai", text=FOREVER)["runs"][0]["status"]

    def begun():
        """The run of page a is on its way: how far it is."""
        for _ in range(1000):
            reached = studio.ask("progress", page="a")["reached"]
            if reached is not None:
                return reached
            time.sleep(0.01)
        raise AssertionError("the run does not begin")

    first = threading.Thread(target=run, args=("first", "a"))
    first.start()
    begun()
    assert studio.ask("run", page="b", path="ball.kai", text=BALL)["runs"][0]["status"] == "end"
    assert first.is_alive()
    assert studio.ask("run", page="a", path="ball.kai", text=BALL)["runs"][0]["status"] == "end"
    first.join(10)
    assert answers["first"] == "stopped", answers
    second = threading.Thread(target=run, args=("second", "a"))
    second.start()
    seen = begun()
    assert studio.ask("progress", page="b")["reached"] is None
    assert studio.ask("progress", page="a")["reached"] >= seen
    studio.ask("stop", page="a")
    second.join(10)
    assert answers["second"] == "stopped", answers


def crowd(studio):
    """200 at once: all are answered."""
    found = []

    def one(number):
        try:
            if number % 3 == 0:
                found.append(studio.post(json.dumps({"do": "files"}))[0])
            else:
                question = {"do": "run", "page": str(number), "path": "ball.kai", "text": BALL}
                found.append(studio.post(json.dumps(question))[0])
        except OSError as error:
            found.append(repr(error))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 200 and set(found) <= {200, 503}, {str(f): found.count(f) for f in set(found)}
    assert found.count(200) >= 60


main()
