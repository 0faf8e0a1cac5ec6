# Scripts can fail: `set -e` ends none at a command that is turned round by `!`, so that `! grep -q warning FILE` checks nothing unless
# something follows it (`|| fail`), or it is the last line, whose status is that of the script.
. tests/cli/helpers.bash
# toothless FILE…: lines that check nothing.
toothless()
{
    awk '
    FNR == 1 { last = "" }
    last != "" && /[^ \t]/ { print last; last = "" }
    /^[ \t]*! / && !/\|\|/ && !/\\$/ { last = FILENAME ":" FNR ": " $0 }' "$@"
}
printf 'set -e\n! true\n! true || exit 1\nif ! true; then\n    ! false\nfi\n! false\n' >"$WORK/script"
[ "$(toothless "$WORK/script" | cut -d: -f2 | tr '\n' ' ')" = "2 5 " ] || fail "$(toothless "$WORK/script")"
found=$(toothless tests/cli/*.sh tests/cli/*.bash)
[ -z "$found" ] || fail "these lines check nothing:
$found"
