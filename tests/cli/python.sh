# The Python module: every example gives the values that `kairos test` has.
. tests/cli/helpers.bash
[ -e "$BUILD/python/kairos/_kairos.abi3.so" ] || { echo "this build has no Python module"; exit 0; }
python() { PYTHONPATH=$BUILD/python KAIROS=$KAIROS /usr/bin/python3 "$@" >"$out" 2>"$err" || { cat "$out"; fail "python3 $*"; }; }
python python/tests/expect.py
prints "are the same"
