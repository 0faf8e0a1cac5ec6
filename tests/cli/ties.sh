# Ladders of equal diodes: behind the first nothing decides which way a current goes but the error of the solver. A tie
# stays what it is; no instant is made of noise. Twenty-five stages took 2,992 instants, and a chain from rest was refused.
set -u
stages() # N KIND
{
    echo 'import "electrical.kai"'
    echo 'model M { g : Ground(); u : VoltageSource(u = 10*sin(100*pi*time)); connect u.b, g.a'
    local before=u.a i
    for i in $(seq "$1"); do
        echo "d$i : Diode(); c$i : Capacitor(C = 1e-5)"
        case $2 in
        coils) echo "l$i : Inductor(L = 1e-3); connect $before, l$i.a; connect l$i.b, d$i.a, c$i.a; connect d$i.b, c$i.b, g.a" ;;
        *) echo "r$i : Resistor(R = $2); l$i : Resistor(R = 100); connect $before, d$i.a; connect d$i.b, r$i.a
            connect r$i.b, c$i.a, l$i.a; connect c$i.b, l$i.b, g.a" ;;
        esac
        [ "$2" = coils ] && before=l$i.b || before=r$i.b
    done
    echo '}'
    # Once the first diode blocks, every capacitor is emptied through its own 100 ohms: by e in 1 ms.
    [ "$2" = coils ] && echo 'experiment e of M { stop = 0.1 }' ||
        echo 'experiment e of M { stop = 0.1; expect at(0.0975, c1.v)/at(0.0985, c1.v) ~ exp(1) within 1e-4
            expect at(0.0975, c2.v)/at(0.0985, c2.v) ~ exp(1) within 1e-4; expect at(0.0975, c2.v) ~ at(0.0975, c1.v) within 1e-5 }'
}
few() # N KIND MOST
{
    stages "$1" "$2" >"$WORK/m.kai"
    timeout 60 "$KAIROS" run "$WORK/m.kai" -o /dev/null 2>"$WORK/err" || { echo "$1 $2 does not run"; cat "$WORK/err"; exit 1; }
    local instants
    instants=$(sed -n 's/.* \([0-9]*\) instants.*/\1/p' "$WORK/err")
    [ "$instants" -le "$3" ] || { echo "$1 $2: $instants instants, $3 would do"; exit 1; }
    [ "$2" = coils ] || timeout 60 "$KAIROS" test "$WORK/m.kai" >"$WORK/out" 2>&1 || { cat "$WORK/out"; exit 1; }
}
few 25 coils 20 # ten of them are the first diode's
few 3 1 20
few 6 1 40
few 4 1e-3 60
exit 0
