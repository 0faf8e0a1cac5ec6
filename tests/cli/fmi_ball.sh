# The ball as an FMU: a binary that needs libc and libm and shows the 44 functions of FMI 2.0 (or the 75 of 3.0) only; importers of every manner
# (that stop at z = 0, before it, that go back, ask in any order, never say that a step is over, save and restore all the
# time) find every impact of the closed form, t_n = t1 (1 + 2 (e + … + e^(n-1))), to 1e-8, and none twice.
. tests/cli/fmi.bash
# binary FILE COUNT
binary()
{
    local version=$((2 + ($2 == 75)))
    [ "$(nm -D --defined-only "$1" | grep -c " T fmi$version")" -eq "$2" ] || fail "symbols: $(nm -D --defined-only "$1")"
    grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && return
    [ "$(nm -D --defined-only "$1" | wc -l)" -eq "$2" ] || fail "more than the functions of the standard is to be seen"
    [ "$(readelf -d "$1" | grep NEEDED | grep -vcE 'libc\.so|libm\.so|ld-linux')" -eq 0 ] || fail "$(readelf -d "$1" | grep NEEDED)"
}
impacts()
{
    awk '$1 == "instant" && n++ > 0 { if (n == 2) { want = sqrt(2/9.81); f = 0.8*2*want } else { want += f; f *= 0.8 }
         d = $2 - want; if (d > 1e-8 || -d > 1e-8) { print "impact", n - 1, $2, want; bad = 1 } } END { exit bad || n != 30 }' "$out"
}
for version in 2 3; do
    fmu $ball ball --fmi $version
    binary "$WORK"/ball/binaries/*/Ball.so $((version == 2 ? 44 : 75))
    for style in plain exact before back any silent saves; do
        drive ball me --style $style -v
        [ "$(value hit.count)" -eq 29 ] || fail "$style: $(value hit.count) impacts"
        [ "$(value instants)" -eq 30 ] || fail "$style: $(value instants) instants"
        [ "$(value mode)" -eq 2 ] || fail "$style: it does not rest"
        impacts || fail "$style: another time"
    done
    # The state in which one goes on is the one that was saved, to the bit: also after every tag of an instant.
    for kind in me cs; do
        drive ball $kind
        cp "$out" "$WORK/plain"
        drive ball $kind --style saves
        diff "$WORK/plain" "$out" >/dev/null || fail "$kind: a restored state goes on differently"
    done
    [ "$(value hit.count)" -eq 29 ] && near "$(value v)" 0.006854237114710117 1e-12 || fail "Co-Simulation: $(cat "$out")"
    drive ball cs --style silent # without event mode
    [ "$(value hit.count)" -eq 29 ] || fail "Co-Simulation without events: $(cat "$out")"
    # An importer that steps over its events finds each of them once, if late.
    drive ball me --style over --stop 2
    [ "$(value hit.count)" -eq 3 ] || fail "over: $(value hit.count) impacts"
done
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
fmu $ball again --fmi 3
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
