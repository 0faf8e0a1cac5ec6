# The example that integrates a model with a loop of its own, through kairos/eval.h, finds the bounces of the closed form:
# t_n = t1 (1 + 2 (e + … + e^(n-1))), v_n = e^n sqrt(2 g h), and those of `kairos run`.
set -eu
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0 # it would have to be built with the sanitizers too
cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
export PKG_CONFIG_PATH=$(dirname "$(find "$WORK/usr" -name kairos.pc)")
cp examples/integrator/main.c examples/integrator/Makefile examples/integrator/model.kai "$WORK"
make --no-print-directory -C "$WORK" CFLAGS="-O1 -Wall -Wextra -Werror" integrator >/dev/null
"$WORK/integrator" "$WORK/model.kai" >"$WORK/output"
[ "$(wc -l <examples/integrator/main.c)" -le 70 ]
awk '{ n = $2; t = $6 + 0; v = $9 + 0; t1 = sqrt(2/9.81); want = t1; f = 1; for (i = 1; i < n; i++) { f *= 0.8; want += 2*f*t1 }
       speed = 0.8^n*sqrt(2*9.81); if (t - want > 1e-10 || want - t > 1e-10 || v - speed > 1e-10 || speed - v > 1e-10) { print "WRONG", $0, want, speed; bad = 1 } }
     END { exit bad || NR != 10 }' "$WORK/output"
"$KAIROS" run "$WORK/model.kai" -o "$WORK/run.csv" --quiet
awk -F, 'NR == FNR { split($0, w, /[ ,]+/); t[++n] = w[6]; next } $2 == 0 && $6 == 1 { k++; if (k <= n && ($1 - t[k] > 1e-10 || t[k] - $1 > 1e-10)) { print "other bounce", $1, t[k]; bad = 1 } }
         END { exit bad || k < 5 }' "$WORK/output" "$WORK/run.csv"
