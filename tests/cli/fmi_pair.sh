# Two FMUs, an event that crosses from one to the other and comes back with a payload: as in one model. And inputs: a crossing
# of an input is an event, whether it flows (Model Exchange) or jumps (Co-Simulation).
. tests/cli/fmi.bash
exits 0 run tests/fmi/both.kai -o "$WORK/both.csv" --quiet
for version in 2 3; do
    fmu tests/fmi/ball.kai a --fmi $version
    fmu tests/fmi/counter.kai b --fmi $version
    "$BUILD/tests/fmi_pair" "$WORK/a" "$WORK/b" 0.01 3 a.hit=b.e b.back.value=a.kick.value b.back=a.kick >"$out" 2>"$err" || fail "fmi_pair: $?"
    same "$WORK/both.csv" 1e-8 >"$WORK/why" || fail "$version: $(cat "$WORK/why")"
    [ "$(value a.hit.count)" -eq 4 ] && [ "$(value b.back.count)" -eq 1 ] || fail "$version: $(cat "$out")"
done

# Derivatives: of rates by the model's own Jacobian, of outputs and by inputs by differences; in 3.0 the adjoint ones too.
cat >"$WORK/linear.kai" <<'END'
model Linear {
  input u = 0.5
  output w = 2*x + 3*u
  state x = 1, y = 2
  x' = -3*x + 2*y
  y' = x*y + 7*u
}
experiment e of Linear { stop = 0.1 }
END
for version in 2 3; do
    fmu "$WORK/linear.kai" linear --fmi $version
    drive linear me --along 'der(x)/x' --along 'der(x)/y' --along 'der(y)/x' --along 'der(y)/y' --along 'der(y)/u' --along w/x --along w/u
    near "$(value 'der(x)/x')" -3 1e-12 && near "$(value 'der(x)/y')" 2 1e-12 || fail "$version: $(cat "$out")"
    near "$(value 'der(y)/x')" "$(value y)" 1e-12 && near "$(value 'der(y)/y')" "$(value x)" 1e-12 || fail "$version: $(cat "$out")"
    near "$(value 'der(y)/u')" 7 1e-8 && near "$(value w/x)" 2 1e-8 && near "$(value w/u)" 3 1e-8 || fail "$version: $(cat "$out")"
done
