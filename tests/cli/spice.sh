# Netlists of SPICE: each becomes a model that runs, and what its closed form says is so ("*# expect …" in the netlist).
. tests/cli/helpers.bash

for netlist in tests/netlists/*.cir; do
    name=$(basename "$netlist" .cir)
    model=$WORK/$name.kai
    exits 0 import "$netlist" -o "$model"
    exits 0 check "$model"
    grep -q '^experiment tran of' "$model" || fail "$netlist: no experiment"
    sed -n 's/^\*# /  /p' "$netlist" >"$WORK/expect"
    [ -s "$WORK/expect" ] || fail "$netlist expects nothing"
    sed -i "/^experiment tran of/r $WORK/expect" "$model"
    exits 0 test "$model"
    prints " passed, 0 failed"
done

exits 0 import - <tests/netlists/boost.cir
prints 'S1 : Switch(closed = v_g > 0.5)'
says "<stdin>:10:1: warning[K183]: \`swm\` becomes ideal: ron, roff of the model are not used"

# wrong TEXT MESSAGE: the netlist (behind its title) is refused with that message.
wrong()
{
    printf 'title\n%b\n' "$1" >"$WORK/w.cir"
    exits 1 import "$WORK/w.cir" -o "$WORK/w.kai"
    says "$2"
    [ ! -e "$WORK/w.kai" ] || fail "a wrong netlist was written: $1"
}
wrong 'R1 a 0 {1k' '2:8: error[K180]: `{` is opened here and not closed'
wrong 'R1 a 0 1k\n.subckt s a b\nR2 a b 1' '`.subckt s` is not ended'
wrong 'R1 a 0 1k\n.ends' '`.ends` without a `.subckt`'
wrong 'X1 a 0 s\n.subckt s a b\nX2 a b t\n.ends\n.subckt t a b\nX3 a b s\n.ends' 'contains itself'
wrong 'R1 a 0 1k\nr1 a 0 2k' '3:1: error[K182]: there are two parts `r1`'
wrong 'R1 a 0 4k7' 'is no number of SPICE'
wrong 'R1 a 0 {x}' 'there is no parameter `x`'
wrong '.param x={y} y={x}\nR1 a 0 {x}' 'is defined through itself'
wrong 'R1 a 0' '`R1` has no value'
wrong 'R1 a' 'needs 2 nodes'
wrong 'R1 a b 1\nV1 a b 1' 'no part is connected to ground'
wrong 'M1 d g s b NM\nR1 d 0 1' 'parts of the kind `M` are not understood'
wrong 'E1 a 0 POLY(1) b 0 0 1\nR1 a 0 1' '`POLY` of a controlled source is not understood'
wrong 'F1 a 0 V9 2\nR1 a 0 1' 'there is no part `v9` here'
wrong 'D1 a 0 DX\nR1 a 0 1' 'there is no `.model DX` for `D1`'
wrong 'S1 a 0 b 0 M\n.model M D\nR1 a 0 1' 'needs a model of the type sw'
wrong 'L1 a 0 1\nL2 b 0 1\nK1 L1 L2 1.1' 'a coupling factor is between -1 and 1'
wrong 'L1 a 0 1\nK1 L1 L2 0.5' 'there is no inductor `L2` here'
wrong 'L1 a 0 1\nL2 b 0 1\nL3 c 0 1\nK1 L1 L2 0.9\nK2 L1 L3 0.9\nK3 L2 L3 0.1' 'three coils cannot be coupled'
wrong 'V1 a 0 SFFM(0 1)\nR1 a 0 1' 'the waveform `SFFM` is not understood'
wrong 'V1 a 0 PWL(0 1 2)\nR1 a 0 1' 'PWL needs a value for every time'
wrong 'V1 a 0 PWL(0 1 -1 2)\nR1 a 0 1' 'the times of PWL go back'
wrong 'X1 a 0 b s\n.subckt s a b\nR1 a b 1\n.ends\nR1 a 0 1' '`s` has 2 terminals, `X1` connects 3'
wrong 'X1 a 0 s Q=2\n.subckt s a b\nR1 a b 1\n.ends' '`s` has no parameter `q`'
wrong 'R1 a 0 1\n.ic V(b)=1' 'there is no node `b`'
wrong 'R1 a 0 1\n.ic V(a)=1' 'there is no capacitor at it'
wrong 'R1 a 0 1\n.lib x' '`.lib` is not understood'
wrong '.include w.cir' 'w.cir includes itself'
wrong '.include "nowhere.inc"' 'cannot be read'
wrong 'R1 a 0 1 tc1=3' '`tc1` of `R1` is not understood'

mkdir -p "$WORK/in"
printf 'R2 a 0 2k\n' >"$WORK/outside.inc"
printf 'title\nR1 a 0 1k\n.include ../outside.inc\n' >"$WORK/in/c.cir"
exits 1 import "$WORK/in/c.cir"
says 'K170'
exits 0 import --allow-files "$WORK/in/c.cir"
prints 'R2 : Resistor(R = 2e3)'

# Capitals mean the same: M is milli, MEG is mega.
printf 't\nV1 a 0 1\nR1 a b 1MEG\nR2 b 0 5M\nR3 b 0 2KOhm\n' >"$WORK/c.cir"
exits 0 import "$WORK/c.cir"
prints 'R1 : Resistor(R = 1e6)'
prints 'R2 : Resistor(R = 5e-3)'
prints 'R3 : Resistor(R = 2e3)'

# What is left out is said.
printf 'R9 x 0 1k\nV1 a 0 DC 1 AC 1\nR1 a 0 1k\n.op\n.options reltol=1e-6\n.control\nrun\n.endc\n.tran 1m 1 0.5 1m\n' >"$WORK/c.cir"
exits 0 import "$WORK/c.cir"
says 'is its title: `R9` is no part of the circuit'
says '`AC` is left out'
says '`.op` is left out'
says '`.options` is left out'
says 'the script up to `.endc` is left out'
says 'not from 0.5'
says 'the longest step, 1e-3, is left out'

printf 't\nI1 0 a 10A\nR1 a 0 1k\nC1 a 0 1F\n' >"$WORK/c.cir"
exits 0 import "$WORK/c.cir"
says '`10A` is read in amperes'
says '`1F` has the factor femto'
says 'there is no `.tran`'
prints 'CurrentSource(j = 10)'
prints 'Capacitor(C = 1e-15)'

# The operating point is the start, as in SPICE; with uic it is not.
printf 't\nV1 a 0 12\nR1 a b 2\nL1 b c 3\nC1 c 0 5\nR2 c 0 4\n.tran 0.1 1\n' >"$WORK/op.cir"
exits 0 import "$WORK/op.cir" -o "$WORK/op.kai"
printf 'experiment e of Op { stop = 1; expect at(0, L1.i) ~ 2 within 1e-12; expect final(v_c) ~ 8 within 1e-9 }\n' >>"$WORK/op.kai"
exits 0 test "$WORK/op.kai"
# A capacitor on a source, two that share a node, a coil on a current, all four controlled sources: no `initial` equation could find these.
printf 't\nV1 a 0 5\nC1 a 0 1u\nR1 a b 1k\nC2 b 0 1u\nC3 b 0 2u\nR2 b 0 1k\nI1 0 x 3\nL1 x y 1m\nL2 y 0 1m\nE1 e 0 b 0 2\nRe e f 1k\nC4 f 0 1u
Vs q 0 0\nR4 a q 1k\nF1 0 r Vs 3\nR5 r 0 1k\nC5 r 0 1u\nH1 h 0 Vs 2k\nR6 h s 1k\nL3 s 0 1m\nG1 0 u a 0 1m\nR7 u 0 1k\nC6 u 0 1u\n.tran 1u 1m\n' >"$WORK/op.cir"
exits 0 import "$WORK/op.cir" -o "$WORK/op.kai"
for part in 'C1 : Capacitor(C = 1e-6, v0 = 5)' 'C2 : Capacitor(C = 1e-6, v0 = 2.5)' 'C3 : Capacitor(C = 2e-6, v0 = 2.5)' \
    'L1 : Inductor(L = 1e-3, i0 = 3)' 'C4 : Capacitor(C = 1e-6, v0 = 5)' 'C5 : Capacitor(C = 1e-6, v0 = 15)' \
    'L3 : Inductor(L = 1e-3, i0 = 0.01)' 'C6 : Capacitor(C = 1e-6, v0 = 5)'; do
    grep -qF "$part" "$WORK/op.kai" || { cat "$WORK/op.kai"; fail "the operating point: no $part"; }
done
# Diodes and switches: 12 V over 1k, 0.6 V and 2k; a Zener diode; a bridge; a closed switch.
start() # PARTS PART…: the netlist of these parts starts with these
{
    printf "t\n$1\n.tran 1u 1m\n" >"$WORK/op.cir"
    shift
    exits 0 import "$WORK/op.cir"
    for part in "$@"; do
        prints "$part"
    done
}
start 'V1 a 0 12\nR1 a b 1k\nD1 b c DX\nL1 c d 1m\nC1 d 0 1u\nR2 d 0 2k\n.model DX D(Vfwd=0.6)' \
    'Inductor(L = 1e-3, i0 = 0.0038)' 'Capacitor(C = 1e-6, v0 = 7.6)'
start 'V1 a 0 12\nR1 a z 1k\nD1 0 z DZ\nC1 z 0 1u\nR2 z 0 10k\n.model DZ D(BV=5.1)' 'Capacitor(C = 1e-6, v0 = 5.1)'
start 'V1 a b 10\nD1 a p DX\nD2 b p DX\nD3 0 a DX\nD4 0 b DX\nR1 p 0 10\nC1 p 0 1u\n.model DX D' 'Capacitor(C = 1e-6, v0 = 10)'
start 'V1 a 0 10\nV2 g 0 1\nS1 a b g 0 SX\nD1 0 b DX\nL1 b c 1m\nC1 c 0 1u\nR2 c 0 5\n.model SX SW(VT=0.5)\n.model DX D' \
    'Inductor(L = 1e-3, i0 = 2)' 'Capacitor(C = 1e-6, v0 = 10)'
start 'V1 a 0 5\nB1 b 0 V={V(a)^2}\nR1 b c 1k\nC1 c 0 1u' 'Capacitor(C = 1e-6)'
says 'the run starts from rest or IC'
exits 2 import
exits 2 import tests/netlists/rc.cir -o tests/netlists/rc.cir
exits 4 import "$WORK/none.cir"
exits 4 import tests/netlists/rc.cir -o "$WORK/no/such/folder.kai"
