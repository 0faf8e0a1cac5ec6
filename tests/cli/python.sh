# The Python module: every example gives the values that `kairos test` has, its page shows what comes out, and a wheel of it works
# where nothing else of the build is.
. tests/cli/helpers.bash
[ -e "$BUILD/python/kairos/_kairos.abi3.so" ] || { echo "this build has no Python module"; exit 0; }
python() { KAIROS=$KAIROS PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$@" >"$out" 2>"$err" || { cat "$out"; fail "python3 $*"; }; }
export PYTHONPATH=$BUILD/python
python python/tests/expect.py
prints "are the same"
python python/tests/module.py
python python/tests/document.py
prints "are as they are shown"
python python/tests/snapshots.py ball/ cradle impulse-product
prints "go on as they would have"

# Everything that a header gives away is documented, every public function of the module too.
python -c '
import inspect, sys, kairos
for name in kairos.__all__:
    thing = getattr(kairos, name)
    parts = [thing] + [m for k, m in vars(thing).items() if inspect.isfunction(m) and k[0] != "_"] if inspect.isclass(thing) else [thing]
    missing = [p.__qualname__ for p in parts if not p.__doc__]
    missing += [p.__qualname__ for p in parts if inspect.isfunction(p) and "return" not in p.__annotations__]
    if missing:
        sys.exit(f"{missing}: no docstring or no types")
'

mkdir "$WORK/wheel" "$WORK/site"
(cd python && KAIROS_BUILD=$BUILD PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c \
    'import sys, zipfile, backend; zipfile.ZipFile(sys.argv[1] + "/" + backend.build_wheel(sys.argv[1])).extractall(sys.argv[2])' \
    "$WORK/wheel" "$WORK/site") || fail "no wheel"
[ "$(ls "$WORK/wheel")" = "kairos-$("$KAIROS" --version | cut -d' ' -f2)-cp311-abi3-linux_$(uname -m).whl" ] || fail "$(ls "$WORK/wheel")"
export PYTHONPATH=$WORK/site
cat >"$WORK/use.py" <<'P'
import kairos, sys
assert kairos.__file__.startswith(sys.argv[1]), kairos.__file__
r = kairos.loads('import "electrical.kai"\nmodel A { state x = 1; x\' = -x }\nexperiment e of A { stop = 1 }').run(solver="cvode_bdf")
assert abs(r["x"][-1] - 0.36787944) < 1e-5
assert r.figure(kind="pdf").startswith(b"%PDF")
r.save(sys.argv[1] + "/r.h5")
assert kairos.read(sys.argv[1] + "/r.h5").rows == r.rows
P
python "$WORK/use.py" "$WORK"
