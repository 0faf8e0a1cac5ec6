# The ball as an FMU: a binary that needs libc and libm and shows the 44 functions of FMI 2.0 only; importers of every manner
# (that stop at z = 0, before it, that go back, ask in any order, never say that a step is over, save and restore all the
# time) find every impact of the closed form, t_n = t1 (1 + 2 (e + … + e^(n-1))), to 1e-8, and none twice.
. tests/cli/fmi.bash
fmu $ball ball
so=$WORK/ball/binaries/linux64/Ball.so
[ "$(nm -D --defined-only "$so" | grep -c ' T fmi2')" -eq 44 ] || fail "symbols: $(nm -D --defined-only "$so")"
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" || {
    [ "$(nm -D --defined-only "$so" | wc -l)" -eq 44 ] || fail "more than the functions of the standard is to be seen"
    [ "$(readelf -d "$so" | grep NEEDED | grep -vcE 'libc\.so|libm\.so|ld-linux')" -eq 0 ] || fail "$(readelf -d "$so" | grep NEEDED)"
}
for style in plain exact before back any silent saves; do
    drive ball me --style $style -v
    [ "$(value hit.count)" -eq 29 ] || fail "$style: $(value hit.count) impacts"
    [ "$(value instants)" -eq 30 ] || fail "$style: $(value instants) instants"
    [ "$(value mode)" -eq 2 ] || fail "$style: it does not rest"
    awk '$1 == "instant" && n++ > 0 { if (n == 2) { want = sqrt(2/9.81); f = 0.8*2*want } else { want += f; f *= 0.8 }
         d = $2 - want; if (d > 1e-8 || -d > 1e-8) { print "impact", n - 1, $2, want; bad = 1 } } END { exit bad || n != 30 }' "$out" ||
        fail "$style: another time"
done
# The state in which one goes on is the one that was saved, to the bit: also after every tag of an instant.
drive ball me
cp "$out" "$WORK/plain"
drive ball me --style saves
diff "$WORK/plain" "$out" >/dev/null || fail "a restored state goes on differently"
# An importer that steps over its events finds each once and late. (Ever later: with e = 1 the ball is back above 0 each time.)
drive ball me --style over --stop 3
[ "$(value hit.count)" -ge 5 ] || fail "over: $(value hit.count) impacts"
drive ball cs
[ "$(value hit.count)" -eq 29 ] && near "$(value v)" 0.006854237114710117 1e-12 || fail "Co-Simulation: $(cat "$out")"
cp "$out" "$WORK/plain"
drive ball cs --style saves
diff "$WORK/plain" "$out" >/dev/null || fail "a restored step goes on differently"
# Another parameter than that of the text; the compiled model; the model of standard input.
drive ball cs --set e=0.5
[ "$(value hit.count)" -eq 10 ] || fail "e = 0.5: $(value hit.count) impacts" # the first with 0.5^(n-1) sqrt(2 g) < 0.01
fmu $ball hidden --hide
[ ! -e "$WORK/hidden/resources/model.kai" ] || fail "--hide shows the text"
drive hidden me
[ "$(value hit.count)" -eq 29 ] || fail "--hide: $(value hit.count)"
"$KAIROS" export - -o "$WORK/in.fmu" <$ball || fail "standard input"
fmu $ball whole --whole-instants
drive whole me
[ "$(value hit.count)" -eq 29 ] && [ "$(value rounds)" -eq 30 ] || fail "--whole-instants: $(cat "$out")"
# The same text gives the same archive.
fmu $ball again
cmp "$WORK/ball.fmu" "$WORK/again.fmu" || fail "two exports differ"
exits 2 export $ball
says "export needs -o"
exits 2 export $ball -o "$WORK/x.fmu" --fmi 4
says "the versions are 2 and 3"
exits 4 export $ball -o "$WORK/no/x.fmu"
says "cannot be written"
exits 1 export examples/external/model.kai -o "$WORK/x.fmu" --allow-external
says "this model cannot be an FMU"
[ ! -e "$WORK/x.fmu" ] || fail "a file was left behind"
