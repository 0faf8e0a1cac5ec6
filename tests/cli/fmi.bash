# For the scripts about FMUs: `. tests/cli/fmi.bash`.
. tests/cli/helpers.bash
importer=$BUILD/tests/fmi_importer
export TMPDIR=$WORK  # where FMUs are unpacked

# fmu MODEL NAME [OPTION…]: exports and unpacks to $WORK/NAME.
fmu()
{
    local model=$1 name=$2
    shift 2
    exits 0 export "$model" -o "$WORK/$name.fmu" "$@"
    rm -rf "${WORK:?}/$name"
    python3 -m zipfile -e "$WORK/$name.fmu" "$WORK/$name"
}

# drive NAME me|cs [OPTION…]: the importer's values at the end in $out.
drive()
{
    local name=$1
    shift
    timeout -s KILL 60 "$importer" "$WORK/$name" "$@" >"$out" 2>"$err" || fail "importer $name $*: exit code $?"
}

# The CVODE loop of the importer, empty where SUNDIALS is not installed: then the fixed step is driven twice.
cvode=
! ldd "$importer" | grep -q sundials || cvode=--cvode

# value NAME: of what drive printed.
value() { awk -v name="$1" '$1 == name { print $2; found = 1 } END { exit !found }' "$out"; }
# near A B WITHIN
near() { awk -v a="$1" -v b="$2" -v w="$3" 'BEGIN { d = a - b; exit !(d <= w && -d <= w) }'; }

# same RESULT WITHIN: what drive printed has the values of the last row of a result (relative to 1 or to their size), and as
# many events.
same()
{
    awk -v within="$2" '
        # FMI 3.0 has m[2].x as an element of m.x
        function of(name, tail,    rest, at) {
            if ((name tail) in v) return name tail
            while (match(name, /\[[0-9]+\]/)) { rest = rest substr(name, RSTART, RLENGTH); name = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH) }
            return name tail rest
        }
        NR == FNR { v[$1] = $2; next }
        FNR == 1 { n = split($0, h, ","); for (i = 1; i <= n; i++) sub(/ \[.*/, "", h[i]); next }
        /^#/ { next }
        { k = split($0, w, ","); for (i = 4; i <= k; i++) { last[i] = w[i]; if (w[i] != "") count[i]++ } }
        END {
            for (i = 4; i <= n; i++) {
                count_name = of(h[i], ".count")
                name = of(h[i], "")
                if (count_name in v) { if (v[count_name] != count[i] + 0) { print count_name, v[count_name], "instead of", count[i] + 0; bad = 1 } seen++ }
                else if ((name in v) && last[i] ~ /^[-+0-9.e]+$/) {
                    d = v[name] - last[i]; s = last[i] < 0 ? -last[i] : last[i]; if (s < 1) s = 1; seen++
                    if (d > within * s || -d > within * s) { print name, v[name], "instead of", last[i]; bad = 1 }
                }
            }
            exit bad || !seen
        }' "$out" "$1"
}

# by_hand NAME [PLATFORM]: the FMU of tests/fmi/NAME.c as $WORK/NAME.fmu.
by_hand()
{
    local folder=$WORK/$1/binaries/${2:-linux64}
    mkdir -p "$folder"
    cc -shared -fPIC -O1 -o "$folder/$1.so" "tests/fmi/$1.c" -lm || fail "no compiler"
    cp "tests/fmi/$1.xml" "$WORK/$1/modelDescription.xml"
    (cd "$WORK/$1" && rm -f "../$1.fmu" && python3 -m zipfile -c "../$1.fmu" modelDescription.xml binaries)
}
hand() { by_hand hand; }

# sample NAME…: these examples, or what FMI_EXAMPLES says: `all` that have no `choose`, or names.
sample()
{
    case ${FMI_EXAMPLES:-} in
        "") echo "$*" ;;
        all) grep -L choose examples/*/model.kai | xargs -n1 dirname | xargs -n1 basename ;;
        *) echo "$FMI_EXAMPLES" ;;
    esac
}
# within NAME: what the values at the end of an example and of its FMU agree to.
within()
{
    case $1 in
        argesim-c5) echo 0.05 ;; # it ends 0.35 µs after an event, on a time scale of 0.37 µs
        oregonator) echo 1e-4 ;; # its own tolerance is 1e-5
        *) echo 1e-5 ;;
    esac
}
