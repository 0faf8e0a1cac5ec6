# Paper 000: what the examples show on purpose. The ideal ball of 5.5 is Zeno with its accumulation time 90/7; the signal of Fig. 17
# has no value at t = 1.
. tests/cli/helpers.bash
exits 3 run examples/zeno-ball/model.kai -e zeno -o "$WORK/out.csv"
says 'Zeno'
says '12.857142857'
says 'examples/zeno-ball/model.kai:'
exits 3 run examples/zeno-signal/model.kai -e to_the_limit -o "$WORK/out.csv"
says 'x is not a number at t = 1'
