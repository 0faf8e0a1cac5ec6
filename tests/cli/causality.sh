# Strokes, dependent storages and clashes per set of modes, against assignments made by hand (SCAP, Karnopp et al.).
set -eu
cat >"$WORK/m.kai" <<'END'
model Series "Se, R, I and C in series: both storages integral" {
  s : Se(e = 1); r : R(r = 1); l : I(i = 1); c : C(c = 1); j : J1
  bond s -> j; bond j -> r; bond j -> l; bond j -> c
}
END
"$KAIROS" check --print causality "$WORK/m.kai" >"$WORK/out"
cat >"$WORK/expected" <<'END'
bond graph 1 of 1: 5 elements and junctions, 4 bonds, 0 switched
  one set of modes:
    s ->| j
    j |-> r
    j ->| l
    j |-> c
    l integral
    c integral
END
diff "$WORK/expected" "$WORK/out"
# Two inertias on one J1: the second follows the first. A stroke at the element is effort in.
"$KAIROS" check --print causality examples/cradle/model.kai >"$WORK/cradle"
grep -q '^    m2 derivative, depends on m1$' "$WORK/cradle"
[ "$(grep -c '^  F13' "$WORK/cradle")" -eq 4 ]
# Ports of a storage with a matrix are listed one by one.
"$KAIROS" check --print causality -e plates tests/models/bond_multiport_c.kai >"$WORK/plates"
[ "$(grep -c '^    p port 2 integral$' "$WORK/plates")" -eq 1 ]
[ "$(grep -c '^    p port 2 derivative, depends on its other ports$' "$WORK/plates")" -eq 1 ]
