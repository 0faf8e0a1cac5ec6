# The installed library can be used by a program that knows only pkg-config.
set -eu
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0 # its users would need the sanitizers too
cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
cat >"$WORK/use.c" <<'END'
#include <kairos/base.h>
#include <kairos/result.h>
#include <stdio.h>
int main(void)
{
    return puts(kaiVersion()) < 0;
}
END
export PKG_CONFIG_PATH=$(dirname "$(find "$WORK/usr" -name kairos.pc)")
cc "$WORK/use.c" -o "$WORK/use" $(pkg-config --cflags --libs kairos)
"$WORK/use"
"$WORK/usr/bin/kairos" --version >/dev/null || "$WORK/usr/bin/kairos" --help >/dev/null
[ -f "$WORK/usr/share/man/man1/kairos.1" ] || [ -f "$WORK/usr/man/man1/kairos.1" ]
