# Names are those of the file they stand in: models of a user's that are called like elements and like models that the library uses inside
# change nothing in the library. For every test of the library, its experiments run again from a file that declares all these names.
. tests/cli/helpers.bash
used=$(cat lib/*.kai | grep -oE '^ *(if [^{]*\{ *)?[a-z_0-9]+(\[[^]]*\])? *: *[A-Z][A-Za-z0-9]*' | grep -oE '[A-Z][A-Za-z0-9]*$' | sort -u)
elements="Se Sf R C I TF GY J0 J1"
names=0
for name in $used $elements; do names=$((names + 1)); done
[ "$names" -ge 20 ] || fail "only $names names were found in the library"
# The experiments of a text, each from its line to the brace that ends it.
experiments() {
    awk '/^experiment /{on=1; depth=0} on{print; for(i=1;i<=length($0);i++){c=substr($0,i,1); if(c=="{")depth++; if(c=="}")depth--} if(depth==0&&/\}/)on=0}' "$1"
}
runs=0
cp -r tests/models/data "$WORK/data"
for test in tests/models/lib_*.kai; do
    base=$(basename "$test")
    cp "$test" "$WORK/$base"
    experiments "$test" > "$WORK/experiments"
    {
        echo "import \"$base\""
        for name in $(echo $used $elements | tr ' ' '\n' | sort -u); do
            grep -qE "^experiment .* of $name\b" "$WORK/experiments" || echo "model $name { param wrong = 1; state none = wrong; none' = -none }"
        done
        cat "$WORK/experiments"
    } > "$WORK/user.kai"
    (cd "$WORK" && "$KAIROS" test "$base" 2>&1 | tail -1) > "$WORK/alone"
    (cd "$WORK" && "$KAIROS" test user.kai 2>&1) > "$WORK/beside" || { tail -20 "$WORK/beside"; fail "$base fails beside models of these names"; }
    [ "$(tail -1 "$WORK/beside")" = "$(cat "$WORK/alone")" ] || fail "$base: $(cat "$WORK/alone") alone, $(tail -1 "$WORK/beside") beside"
    runs=$((runs + 1))
done
[ "$runs" -ge 10 ] || fail "only $runs tests of the library were found"

# The same with functions, and with models that both declare: each file means its own.
cat > "$WORK/a.kai" <<'X'
function f(x) = 2*x
model Gain { input u = 0; signal y = f(u) }
model A { g : Gain(u = 1); signal y = g.y }
X
cat > "$WORK/b.kai" <<'X'
import "a.kai"
function f(x) = 3*x
model Gain { input u = 0; signal y = 10*f(u) }
model B { g : Gain(u = 1); a : A; signal z = f(2) }
experiment e of B { stop = 1; expect final(a.y) == 2; expect final(g.y) == 30; expect final(z) == 6 }
X
exits 0 test "$WORK/b.kai"
# What a file does not import it does not see, though another file of the program declares it.
cat > "$WORK/c.kai" <<'X'
model Lone { p : Partner }
X
cat > "$WORK/d.kai" <<'X'
import "c.kai"
model Partner { signal y = 1 }
model D { l : Lone }
experiment e of D { stop = 1 }
X
exits 1 run "$WORK/d.kai" -o "$WORK/d.csv"
says 'there is no model `Partner`'
says 'import it where it is used'
# Two imports that declare one name: nothing says which is meant.
cat > "$WORK/f.kai" <<'X'
import "a.kai"
import "g.kai"
model F { g : Gain }
experiment e of F { stop = 1 }
X
echo 'model Gain { signal y = 7 }' > "$WORK/g.kai"
exits 1 run "$WORK/f.kai" -o "$WORK/f.csv"
says 'model `Gain` is declared twice'
