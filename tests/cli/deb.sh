# make deb: the package has what it should, says what it needs, and runs unpacked anywhere: with nothing of this machine but libc where
# one may change the root.
. tests/cli/helpers.bash
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0 # it would need the sanitizers
command -v dpkg-shlibdeps >/dev/null || exit 0                        # not a Debian
COMPRESS=gzip tools/make-deb "$BUILD" "$WORK" >"$out" 2>"$err" || fail "tools/make-deb"
package=$(ls "$WORK"/kairos_*.deb)
for field in Package Version Architecture Depends Description; do
    dpkg-deb -f "$package" | grep -q "^$field: ." || fail "no $field"
done
dpkg-deb -f "$package" Depends | grep -q '^libc6' || fail "the core depends on libc6"
! dpkg-deb -f "$package" Depends | grep -qE 'cairo|gvc|sundials|z3' || fail "what only parts need is recommended, not needed"
root=$WORK/root
dpkg-deb -x "$package" "$root"
for file in bin/kairos include/kairos/kairos.h share/kairos/lib/electrical.kai share/man/man1/kairos.1.gz share/doc/kairos/README.md \
    share/doc/kairos/docs/tutorial.md share/doc/kairos/examples/ball/model.kai share/bash-completion/completions/kairos \
    share/zsh/vendor-completions/_kairos share/fish/vendor_completions.d/kairos.fish share/mime/packages/kairos.xml; do
    [ -s "$root/usr/$file" ] || fail "no $file in the package"
done
xmllint --noout "$root/usr/share/mime/packages/kairos.xml" || fail "the MIME type"
find "$root" -name 'libkairos.so.*' | grep -q . || fail "no library"
find "$root" -name kairos.pc | grep -q . || fail "no kairos.pc"

# From where it was unpacked, with an empty environment.
example=$root/usr/share/doc/kairos/examples
(cd "$WORK" && env -i "$root/usr/bin/kairos" test "$example/boost" "$example/carts") >"$out" 2>"$err" || fail "it does not run unpacked"
grep -q ' 0 failed' "$out" || fail "its examples fail"
env -i "$root/usr/bin/kairos" plot "$example/ball/model.kai" -o "$WORK/ball.html" 2>"$err" || fail "no page"
env -i "$root/usr/bin/kairos" graph "$example/boost/model.kai" -o "$WORK/boost.svg" 2>"$err" || fail "no schematic"

# A root of its own: the package and libc, no /proc.
if [ "$(id -u)" = 0 ]; then
    for library in $(ldd "$root/usr/bin/kairos" | grep -oE '/[^ ]+'); do
        mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"
    done
    chroot "$root" /usr/bin/kairos --version >"$out" 2>"$err" || fail "it does not start in a clean root"
    chroot "$root" /usr/bin/kairos test /usr/share/doc/kairos/examples/boost >"$out" 2>"$err" || fail "it does not find its models in a clean root"
    grep -q ' 0 failed' "$out" || fail "the example fails in a clean root"
    chroot "$root" /usr/bin/kairos plot /usr/share/doc/kairos/examples/ball/model.kai -o /ball.svg 2>"$err" || fail "no figure in a clean root"
    ! chroot "$root" /usr/bin/kairos plot /usr/share/doc/kairos/examples/ball/model.kai -o /ball.png 2>"$err" || fail "PNG without Cairo"
    says "libcairo" # a part whose library is missing says which
fi

# Completions: every option that the help of a command lists, and the words of a setting.
bash -n "$root/usr/share/bash-completion/completions/kairos" || fail "completion for bash"
completed() { bash -c 'source "$1"; shift; COMP_WORDS=(kairos "$@"); COMP_CWORD=$#; _kairos; echo "${COMPREPLY[@]}"' - "$root/usr/share/bash-completion/completions/kairos" "$@"; }
[ "$(completed pl)" = plot ] || fail "kairos pl<tab> is not plot"
[ "$(completed run --solver tay)" = taylor ] || fail "--solver tay<tab> is not taylor"
[ "$(completed graph m.kai --kind sch)" = schematic ] || fail "--kind sch<tab> is not schematic"
for command in run plot check test explain prove graph fmt import resume; do
    exits 0 $command --help
    completed $command -- >"$WORK/completed"
    for option in $(grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+'); do
        grep -qw -- "$option" "$WORK/completed" || fail "$command $option is not completed"
        grep -q -- "$option\b" "$root/usr/share/zsh/vendor-completions/_kairos" || fail "zsh does not know $command $option"
        grep -q -- "_from $command' -l ${option#--}\b" "$root/usr/share/fish/vendor_completions.d/kairos.fish" || fail "fish does not know $command $option"
    done
done
command -v zsh >/dev/null && { zsh -n "$root/usr/share/zsh/vendor-completions/_kairos" || fail "completion for zsh"; }
command -v fish >/dev/null && { fish -n "$root/usr/share/fish/vendor_completions.d/kairos.fish" || fail "completion for fish"; }
exits 2 --completions tcsh
one_line "$err"
exits 2 --completions
exit 0
