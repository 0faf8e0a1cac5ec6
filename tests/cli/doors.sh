# Files of strangers at every door: archives, descriptions, netlists, results, inputs and lists that want more than there is or say what
# cannot be. Each ends in a sentence, soon and in little memory. (Models: hostile.sh; folders and rights: policy.sh, files_kept.sh.)
. tests/cli/helpers.bash
case $BUILD in *asan*) ;; *) ulimit -v 2000000 ;; esac
mkdir -p "$WORK/d" && cd "$WORK/d" || exit 1
python3 - <<'E' || fail "no files to try"
import struct, zipfile

def archive(name, entries):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for path, text, *mode in entries:
            info = zipfile.ZipInfo(path)
            info.external_attr = mode[0] if mode else 0
            z.writestr(info, text, zipfile.ZIP_DEFLATED)

head = '<?xml version="1.0"?>\n'
description = "modelDescription.xml"
archive("bomb.fmu", [(description, b"\0" * (100 << 20))])
archive("link.fmu", [(description, b"/etc/passwd", 0xA1ED0000)])
archive("outside.fmu", [("../../evil", "x"), (description, "<a/>")])
archive("entities.fmu", [(description, head + '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')])
archive("deep.fmu", [(description, head + "<a>" * 50000 + "</a>" * 50000)])
archive("attributes.fmu", [(description, head + "<a " + " ".join(f'a{i}="x"' for i in range(40000)) + "/>")])
archive("many.fmu", [(f"f{i}", "") for i in range(30000)])

def array(shape, kind):
    text = ("{'descr': %s, 'fortran_order': False, 'shape': %s, }" % (kind, shape)).ljust(200) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + b"\0" * 64

rows = "[('t','<f8'),('p','<i4'),('m','<i4'),('x','<f8')]"
for name, shape in ("huge", f"({2**60},)"), ("negative", "(-5,)"), ("nan", "(nan,)"):
    open(name + ".npy", "wb").write(array(shape, rows))
open("nested.npy", "wb").write(array("(1,)", "[" * 5000))
open("rows.mat", "wb").write(struct.pack("<iiiii", 0, 2**31 - 1, 2**31 - 1, 0, 7) + b"Aclass\0" + b"\0" * 40)
open("head.h5", "wb").write(b"\x89HDF\r\n\x1a\n" + b"\xff" * 500)
open("names.vcd", "w").write("$var real 99999999999 " + "!" * 100000 + " x $end\n")
open("bytes.csv", "wb").write(bytes(range(256)) * 100)
open("one.csv", "w").write("t,p,m,x\n0,0,0,1\n")
open("large.csv", "w").write("t,p,m,x\n0,0,0,1e308\n1,0,0,-1e308\n2,0,0,1e-320\n")
open("none.csv", "w").write("t,p,m,x\n0,0,0,nan\n1,0,0,nan\n")
open("wide.csv", "w").write("t," + ",".join(f"x{i}" for i in range(300000)) + "\n0" + ",1" * 300000 + "\n")
open("back.csv", "w").write("t,u\n1,1\n0,2\n")

chain = "".join(f".param a{i}={{a{i + 1}}}\n" for i in range(20000))
open("parameters.cir", "w").write("t\n" + chain + "R1 1 0 {a0}\n.end")
open("inside.cir", "w").write("t\n" + "".join(f".subckt s{i} a\n" for i in range(5000)))
open("uses.cir", "w").write("t\n" + "".join(f".subckt s{i} a\nX1 a s{i + 1}\n.ends\n" for i in range(3000)) + "X1 1 s0\nR1 1 0 1\n.end")
open("brackets.cir", "w").write("t\nR1 a 0 {" + "(" * 100000 + "1}\n")
open("itself.cir", "w").write("t\n.include itself.cir\n")
E
echo "model M { input u = 0; state x = 0; x' = u }
experiment r of M { stop = 1 }" >m.kai

# door CODE SENTENCE ARGUMENT…
door()
{
    local code=$1 sentence=$2
    shift 2
    exits "$code" "$@"
    [ -z "$sentence" ] || says "$sentence"
}
door 1 "would unpack to" check bomb.fmu
door 1 "symbolic link" check link.fmu
door 1 "outside its folder" check outside.fmu
door 1 "document type" check entities.fmu
door 1 "nested too deeply" check deep.fmu
door 1 "too many attributes" check attributes.fmu
door 1 "no modelDescription.xml" check many.fmu
for file in huge.npy negative.npy nan.npy nested.npy head.h5 names.vcd; do
    [ $file != head.h5 ] || ls "$BUILD"/lib/kairos/libkairos-hdf5.so >/dev/null 2>&1 || continue
    door 4 "no result that can be read" plot $file
    door 4 "no result that can be read" compare one.csv $file
done
door 4 "" plot rows.mat
door 4 "no result" compare bytes.csv one.csv
door 0 "" plot large.csv
grep -q "×10³⁰⁶" "$out" || fail "the axis of the largest numbers is not one of numbers"
door 0 "" plot none.csv -o f.svg
door 2 "is no input of model M" run m.kai --input wide.csv
door 2 "comes behind" run m.kai --input back.csv
door 1 "stand before those that they read" import parameters.cir -o n.kai
door 1 "more than 500 deep" import inside.cir -o n.kai
door 1 "more than 500 deep" import uses.cir -o n.kai
door 1 "" import brackets.cir -o n.kai
door 1 "" import itself.cir -o n.kai

# Messages to a language server whose lengths are wrong.
for header in "Content-Length: -1" "Content-Length: 99999999999999999999" "Content-Length: x" "X: 1" "Content-Length:"; do
    printf '%s\r\n\r\n{"jsonrpc":"2.0"}' "$header" | timeout 10 "$KAIROS" lsp >"$out" 2>"$err"
    [ $? -lt 124 ] || fail "lsp, $header"
done
head -c 200000 /dev/zero | timeout 10 "$KAIROS" lsp >"$out" 2>"$err"
says "no message of the Language Server Protocol"

# A full disk: what is printed and lost is an error, and what is no file is not replaced by one.
ln -s /dev/full full
for command in "explain m.kai" "prove m.kai" "test m.kai" "run m.kai" "--help"; do
    # shellcheck disable=SC2086
    "$KAIROS" $command >/dev/full 2>"$err"
    [ $? -eq 4 ] || fail "$command: its output is lost, and it does not say so"
    says "standard output cannot be written"
done
for command in "export m.kai" "explain m.kai --json"; do
    # shellcheck disable=SC2086
    door 4 "it is no file" $command -o full
    [ -L full ] || fail "$command has replaced a device"
done
door 4 "too large" fmt full
