# A block of C in a model (tests/block/ball.c): states that are reset, an indicator, its own times, rounds as tags, inputs that jump, an end, what it
# says when it fails; several at once; saved and restored bit for bit. Values are closed forms.
. tests/cli/helpers.bash
cc -shared -fPIC -Wall -Wextra -Werror -Iinclude -o "$WORK/ball.so" tests/block/ball.c || fail "no compiler"
cat >"$WORK/balls.kai" <<'K'
external Ball = "ball:ball"
model Balls {
  a : Ball; b : Ball(e = 0.5, g = 2); c : Ball(period = 0.25)
  b.push = if time >= 1.5 then 4 else 0        // upwards from then on: y'' = 2
  event impact = a.clicks_1 > 0.5
  discrete before = 0
  when impact { before := a.clicks_2 }
}
experiment e of Balls {
  stop = 2
  record a.y, a.v, a.clicks_1, a.clicks_2, b.y, b.v, c.event_
  expect time_of(impact, 1) ~ sqrt(2/9.81) within 1e-11
  expect at(0.6, a.y) ~ 0.8*sqrt(2*9.81)*(0.6 - sqrt(2/9.81)) - 9.81/2*(0.6 - sqrt(2/9.81))^2 within 1e-8
  expect final(before) == 0 "the click is a tag before the clack"
  expect final(a.clicks_1) == 3; expect final(a.clicks_2) == 3
  expect at(1.6, b.y) ~ 0.26 within 1e-7 "1 - t^2, from 1 on t - 1 - (t - 1)^2, which is 0.25 and at rest at 1.5, then 0.25 + (t - 1.5)^2"
  expect final(c.event_) == 0; expect at(1.3, c.event_) == 1
  expect at(0.6, a.energy) ~ 0.64*9.81 within 1e-7
}
K
exits 1 check "$WORK/balls.kai"
says "error[K171]"
exits 0 test --allow-external "$WORK/balls.kai"
exits 0 run --allow-external "$WORK/balls.kai" -o "$WORK/whole.csv" --checkpoint 0.3 --quiet
(exec "$KAIROS" run --allow-external "$WORK/balls.kai" -o "$WORK/cut.csv" --checkpoint 0.3 --quiet --pace 4) &
pid=$!
until [ -f "$WORK/cut.csv.checkpoint" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
exits 0 resume "$WORK/cut.csv"
cmp "$WORK/whole.csv" "$WORK/cut.csv" || fail "resumed, it is another run"

# It ends the run after 20 bounces, and fails with a sentence.
printf 'external Ball = "ball:ball"\nmodel M { b : Ball(e = 0.5) }\nexperiment e of M { stop = 9 }\n' >"$WORK/end.kai"
exits 0 run --allow-external "$WORK/end.kai" -o /dev/null
says "halted: Ball ends the run"
exits 3 run --allow-external "$WORK/end.kai" --set b.g=-1 -o /dev/null
says "block b fails in its commit at t = 0: the ball falls upwards"
printf 'external Ball = "ball:nothing"\nmodel M { b : Ball }\nexperiment e of M { stop = 9 }\n' >"$WORK/none.kai"
exits 1 check --allow-external "$WORK/none.kai"
says "error[K172]"
# Start values of states, in the model and from outside.
printf 'external Ball = "ball:ball"\nmodel M { b : Ball(y = 4, g = 2, e = 0) }\nexperiment e of M { stop = 2.5; expect at(1, b.y) ~ 3 within 1e-8; expect at(2, 1, b.v) ~ -4 within 1e-8 }\n' >"$WORK/high.kai"
exits 0 test --allow-external "$WORK/high.kai"
# A sweep makes each run anew.
printf 'external Ball = "ball:ball"\nmodel M { b : Ball }\nexperiment e of M { stop = 1; sweep b.g in (2, 8); expect final(b.clicks_1) >= 1 }\n' >"$WORK/sweep.kai"
exits 0 test --allow-external "$WORK/sweep.kai"
