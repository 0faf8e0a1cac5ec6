# Numbers are the shortest that read back as the same double.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M {
  signal a = 0.1, b = 1/3, c = 0.1 + 0.2, d = 1e300*10, e = -2, f = 5e-324, g = 123456789012
  state x = 0
  x' = 0
}
experiment e of M { stop = 1; record a, b, c, d, e, f, g }
END
exits 0 run "$WORK/m.kai"
row=$(sed -n 2p "$out" | cut -d, -f4-)
[ "$row" = "0.1,0.3333333333333333,0.30000000000000004,1e+301,-2,5e-324,123456789012" ] ||
    [ "$row" = "0.1,0.3333333333333333,0.30000000000000004,1e301,-2,5e-324,123456789012" ] || fail "row: $row"
