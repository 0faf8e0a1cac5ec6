"""How long a keystroke takes to its diagnostics, in a text of so many lines. usage: lsp_speed.py PROGRAM [LINES]"""
import resource
import statistics
import sys
import time

from lsp_client import Client

lines = int(sys.argv[2]) if len(sys.argv) > 2 else 2000


def model(number):
    return f"""model Ball{number} "one of many" {{
  param g [m/s^2] = 9.81 "gravity", e = 0.8
  state y [m] = 1 "height", v [m/s] = 0
  event hit = down(y)
  modes {{
    initial mode falling {{ y' = v; v' = -g; when hit {{ v := -e*v }}; on hit if abs(v) < 0.01 -> resting {{ y := 0 }} }}
    mode resting {{ y' = 0; v' = 0 }}
  }}
}}
experiment bounce{number} of Ball{number} {{ stop = 5[s]; expect count(hit) ~ 29 within 0 }}
"""


text = "".join(model(i) for i in range(lines // 10))
client = Client(sys.argv[1])
client.start()
uri = "file:///tmp/speed.kai"
client.open(uri, text)
client.diagnostics(uri)
times = []
for stroke in range(2, 42):
    changed = text.replace("v' = -g;", "v' = -gg;", 1) if stroke % 2 == 0 else text
    begun = time.perf_counter()
    client.change(uri, stroke, changed)
    said = client.diagnostics(uri)
    times.append(time.perf_counter() - begun)
    assert (len(said["diagnostics"]) > 0) == (stroke % 2 == 0)
client.close()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
busy = (used.ru_utime + used.ru_stime) / (len(times) + 1)
print(f"{text.count(chr(10))} lines: {1000 * statistics.median(times):.1f} ms (median of {len(times)}), {1000 * max(times):.1f} ms at most, {1000 * busy:.1f} ms of a processor each")
