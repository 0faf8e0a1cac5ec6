# The Python module as people who know NumPy and pandas use it: arrays, frames, inputs, studies, threads and processes.
. tests/cli/helpers.bash
[ -e "$BUILD/python/kairos/_kairos.abi3.so" ] || { echo "this build has no Python module"; exit 0; }
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg KAIROS
/usr/bin/python3 python/tests/users.py >"$out" 2>"$err" || fail "python/tests/users.py"
