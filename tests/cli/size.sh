# tools/check-size finds functions and structures that are too large, with their place, and nothing else.
set -u
mkdir -p "$WORK/top/src/base"
file=$WORK/top/src/base/x.c

# with LINES FIELDS LISTED: a function of so many lines, a structure of so many fields and a list of so many.
with()
{
    {
        echo "int f(int a)"
        echo "{"
        for ((i = 0; i < $1 - 2; i++)); do echo "    a++;"; done
        echo "}"
        echo "typedef struct S"
        echo "{"
        for ((i = 0; i < $2 / 2; i++)); do echo "    int a$i, b$i;  // a, b; c"; done
        echo "    LIST(FIELD)"
        echo "} S;"
        for ((i = 0; i < $3; i++)); do echo "    X(int, c$i) \\"; done
    } >"$file"
}

expect()  # what must be reported, or nothing
{
    out=$(tools/check-size "$WORK/top")
    [ "$out" = "$1" ] || { echo "expected \`$1\`, found \`$out\`"; exit 1; }
}

with 60 40 100
expect ""
with 61 40 0
expect "src/base/x.c:2: function f (lines) has 61, at most 60 are allowed"
with 60 42 0
expect "src/base/x.c:62: structure S (fields) has 42, at most 40 are allowed"
