# Every command in docs/*.md and docs/tutorials/*.md runs and prints what the page shows. A page is walked through from top to bottom in a folder of its own:
#   ```kai NAME.kai   is written to the file NAME.kai, and so is ```c NAME.c
#   ```sh             each line is run; `# exit N` behind it is the exit code that it must have (0 if it says nothing)
#   ```text, ```csv   behind an sh block: each line is one that its commands printed; `…` stands for anything
set -u
export PATH=$(dirname "$KAIROS"):$PATH
failed=0
commands=0

run_line()
{
    local line=$1 expected=0 code=0
    case $line in
    *"# exit "*) expected=${line##*# exit } ;;
    esac
    commands=$((commands + 1))
    (cd "$place" && eval "${line%%# exit*}") >>"$WORK/printed" 2>&1 </dev/null || code=$?
    if [ $code -ne "$expected" ]; then
        echo "$page: \`$line\` ends with $code, not $expected"
        cat "$WORK/printed"
        failed=1
    fi
}

see_line()
{
    local pattern
    [ -n "$1" ] || return 0
    # shellcheck disable=SC2016
    pattern=$(printf '%s' "$1" | sed 's/[][\.*^$]/\\&/g; s/…/.*/g')
    grep -qx -- "$pattern" "$WORK/printed" || {
        echo "$page shows a line that is not printed: $1"
        failed=1
    }
}

# Programs that embed the library find it with pkg-config, as after `make install`. With sanitizers they would need them too.
embeds=yes
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && embeds=no

for page in docs/*.md docs/tutorials/*.md; do
    grep -q '^```sh' "$page" || continue
    if grep -q 'pkg-config' "$page"; then
        [ $embeds = yes ] || continue
        cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
        export PKG_CONFIG_PATH=$(dirname "$(find "$WORK/usr" -name kairos.pc)")
        export LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
    fi
    place=$WORK/$(basename "$page" .md)
    mkdir -p "$place"
    ln -s "$PWD/examples" "$place/examples"
    kind=""
    : >"$WORK/printed"
    while IFS= read -r line; do
        case $line in
        '```sh') kind=sh; : >"$WORK/printed" ;;
        '```text' | '```csv') kind=shown ;;
        '```kai '* | '```c '*) kind=file; file=$place/${line##* }; : >"$file" ;;
        '```') kind="" ;;
        '```'*) kind=other ;;
        *)
            case $kind in
            sh) run_line "$line" ;;
            shown) see_line "$line" ;;
            file) printf '%s\n' "$line" >>"$file" ;;
            esac
            ;;
        esac
    done <"$page"
    # What a page writes down is tested and laid out as it should be.
    for file in "$place"/*.kai; do
        [ -e "$file" ] || continue
        "$KAIROS" fmt --check "$file" >/dev/null || { echo "$page: $(basename "$file") is not in canonical layout"; "$KAIROS" fmt - <"$file"; failed=1; }
    done
done
[ $commands -ge 10 ] || { echo "the documents have lost their commands"; failed=1; }
exit $failed
