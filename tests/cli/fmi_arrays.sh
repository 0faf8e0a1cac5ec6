# Arrays of a model are arrays in FMI 3.0, and their sizes are structural parameters: a chain exported with three masses and set to 5 and to 50 in
# configuration mode by a foreign importer is the chain of `kairos run` with that many. In 2.0 elements are scalars; a hidden model has its sizes.
. tests/cli/fmi.bash
chain=tests/fmi/chain.kai
fmu $chain chain --fmi 3
exits 0 check "$WORK/chain.fmu"
for line in '<UInt64 name="n" ' '<Float64 name="mass.x" .* start="0.33333333333333331 0.66666666666666663 1"' '<UInt64 name="_size_spring" ' \
    '<Boolean name="mass.out_" ' 'providesPerElementDependencies="true"'; do
    grep -q "$line" "$WORK/chain/modelDescription.xml" || fail "no $line"
done
for n in 3 5 50; do
    exits 0 run $chain --set n=$n -o "$WORK/$n.csv" --quiet
    for kind in me "me $cvode" cs; do
        # shellcheck disable=SC2086
        drive chain $kind --set n=$n
        same "$WORK/$n.csv" 1e-6 >"$WORK/why" || fail "$n $kind: $(cat "$WORK/why")"
        [ "$(value n)" -eq $n ] && [ "$(value _size_spring)" -eq $((n - 1)) ] && [ "$(grep -c '^mass.x\[' "$out")" -eq $n ] || fail "$(cat "$out")"
        value "mass.out_.count[$n]" >"$WORK/count" || fail "no events of the last mass"
    done
done
# Values of elements, in the size that is there then; derivatives of elements; the rest as for every FMU.
exits 0 run $chain --set n=4 --set 'mass[4].m=2' --set 'spring[3].k=9' -o "$WORK/4.csv" --quiet
drive chain me --set n=4 --set 'mass.m[4]=2' --set 'spring.k[3]=9' --along 'der(mass.v)[4]/mass.x[3]' --along 'der(mass.v)[4]/mass.x[1]'
same "$WORK/4.csv" 1e-6 >"$WORK/why" || fail "values: $(cat "$WORK/why")"
near "$(value 'der(mass.v)[4]/mass.x[3]')" 4.5 1e-9 && near "$(value 'der(mass.v)[4]/mass.x[1]')" 0 0 || fail "derivatives: $(cat "$out")"
for style in exact before back any saves; do
    drive chain me --set n=5 --style $style
    same "$WORK/5.csv" 1e-6 >"$WORK/why" || fail "$style: $(cat "$WORK/why")"
done
drive chain me --set n=5 --depends
! grep "^depends" "$out" || fail "dependencies"
# --set where it is exported is the size it has, until the importer says another one.
fmu $chain four --fmi 3 --set n=4
drive four me --set 'mass.m[4]=2' --set 'spring.k[3]=9'
same "$WORK/4.csv" 1e-6 >"$WORK/why" || fail "exported with 4: $(cat "$WORK/why")"
drive four me --set n=5
same "$WORK/5.csv" 1e-6 >"$WORK/why" || fail "from 4 to 5: $(cat "$WORK/why")"
fmu $chain hidden --fmi 3 --hide
exits 0 check "$WORK/hidden.fmu"
grep -q '<Float64 name="n" .* variability="constant"' "$WORK/hidden/modelDescription.xml" && ! grep -q 'Dimension valueReference' "$WORK/hidden/modelDescription.xml" ||
    fail "a hidden model has no structural parameters"
drive hidden me
same "$WORK/3.csv" 1e-6 >"$WORK/why" || fail "hidden: $(cat "$WORK/why")"
fmu $chain two
grep -q '<ScalarVariable name="mass\[3\].x" ' "$WORK/two/modelDescription.xml" || fail "2.0 has scalars"
drive two me
same "$WORK/3.csv" 1e-6 >"$WORK/why" || fail "2.0: $(cat "$WORK/why")"
