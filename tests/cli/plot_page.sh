# kairos plot -o page.html: one file that needs no other; its rows are those of the result, exactly; names cannot break out of it.
. tests/cli/helpers.bash

exits 0 plot $ball -o "$WORK/ball.html"
[ ! -s "$err" ] || fail "nothing to say"
head -1 "$WORK/ball.html" | grep -qx '<!doctype html>' || fail "no page"
tail -1 "$WORK/ball.html" | grep -qx '</html>' || fail "the page is not whole"
! grep -qE '(src|href)=|https?://|@import|fetch\(|XMLHttp' "$WORK/ball.html" || fail "the page asks for something outside"
for part in '"name":"y","unit":"[m]","kind":"real"' '"name":"hit","unit":"","kind":"event"' '"modes":["falling","sitting"]' \
    '"panels":[' '"kind":"crossing"' '"text":"down(y)"' 'event hit = down(y)'; do
    grep -qF -- "$part" "$WORK/ball.html" || fail "the page does not have $part"
done
exits 0 plot $ball -o "$WORK/again.html"
cmp -s "$WORK/ball.html" "$WORK/again.html" || fail "not the same file"

# A result: the first chunk is 12 bytes (rows, run 0, how many), then t as doubles behind a byte that says so.
exits 0 run $ball -o "$WORK/ball.csv" --quiet
exits 0 plot "$WORK/ball.csv" -o "$WORK/result.html"
rows=$(($(wc -l <"$WORK/ball.csv") - 1))
sed -n '/id="rows"/{n;p;q}' "$WORK/result.html" | base64 -d >"$WORK/chunk"
[ "$(od -An -tu4 -N12 "$WORK/chunk" | tr -s ' ')" = " 0 0 $rows" ] || fail "not $rows rows of run 0"
od -An -v -w8 -tf8 -j13 -N$((8 * rows)) "$WORK/chunk" >"$WORK/t"
tail -n +2 "$WORK/ball.csv" | cut -d, -f1 | paste -d' ' - "$WORK/t" | awk '$1 + 0 != $2 + 0 { print; bad++ } END { exit bad > 0 || NR < 30 }' ||
    fail "the times of the page are not those of the result"

# Only the times wanted; several runs; a name or title that looks like the end of an element.
exits 0 plot "$WORK/ball.csv" -o "$WORK/part.html" --from 1 --to 2 --title '</script><b>&'
! grep -qF '</script><b>' "$WORK/part.html" || fail "the title broke out"
sed -n '/id="rows"/{n;p;q}' "$WORK/part.html" | base64 -d >"$WORK/chunk"
inside=$(tail -n +2 "$WORK/ball.csv" | awk -F, '$1 >= 1 && $1 <= 2' | wc -l)
[ "$(od -An -tu4 -j8 -N4 "$WORK/chunk" | tr -d ' ')" = "$inside" ] || fail "not the $inside rows from 1 to 2"
cat >"$WORK/sweep.kai" <<'E'
model M { param a = 1; state x = 1; x' = -a*x }
experiment e of M { stop = 1; sweep a in (1, 2, 3); plot x }
E
exits 0 plot "$WORK/sweep.kai" -o "$WORK/sweep.html"
grep -qF '"runs":["a = 1","a = 2","a = 3"]' "$WORK/sweep.html" || fail "three runs with their names"
exits 0 plot examples/impulsive-ball/model.kai -o "$WORK/impulse.html"
grep -qE '"of":[0-9]+,"order":0' "$WORK/impulse.html" || fail "impulses belong to their signals"

# What cannot be drawn leaves no file.
exits 2 plot "$WORK/ball.csv" -o "$WORK/none.html" --from 7 --to 8
says "nothing to draw from t = 7 to t = 8"
exits 2 plot "$WORK/ball.csv" -o "$WORK/none.html" --signals nothing
exits 4 plot $ball -o "$WORK/no/none.html"
[ ! -e "$WORK/none.html" ] && [ ! -e "$WORK/none.html.part" ] || fail "a file is left"

# The script, where there is a Node to run it: it reads back what the program packed, and its pyramids find the extremes.
command -v node >/dev/null || exit 0
cat src/plot/page/data.js src/plot/page/scale.js >"$WORK/page.js"
cat >>"$WORK/page.js" <<'E'
const fs = require('fs'), page = fs.readFileSync(process.argv[2], 'utf8'), csv = fs.readFileSync(process.argv[3], 'utf8');
const head = JSON.parse(page.match(/id="head">([^]*?)<\/script>/)[1]), rows = page.match(/id="rows">([^]*?)<\/script>/)[1];
const assert = (good, what) => { if (!good) { console.log(what); process.exit(1); } };
decode(head, rows, () => {}).then(([run]) => {
    const lines = csv.trim().split('\n').slice(1).map(line => line.split(','));
    assert(run.t.length === lines.length, 'rows');
    head.columns.forEach((column, i) => lines.forEach((line, row) => {
        const text = line[3 + i], value = run.columns[i][row];
        const same = text === '' ? value !== value : column.kind === 'mode' ? column.modes[value] === text : value === Number(text);
        assert(same, `${column.name} in row ${row}: ${value} is not ${text}`);
    }));
    assert(head.columns.find(c => c.name === 'hit').kind === 'event', 'hit is an event although the CSV does not say so');
    assert(run.instants.length === 29 && run.firedAt(0).length === 0, 'instants');
    const values = Float64Array.from({length: 5000}, (_, i) => i % 7 === 0 ? NaN : Math.sin(i * i));
    const pyramid = new Pyramid(values, new Uint8Array(5000));
    for (let k = 0; k < 3000; k++) {
        const from = (k * 7919) % 5000, to = from + (k * 104729) % (5001 - from), part = [...values.slice(from, to)].filter(v => v === v);
        pyramid.extremes(from, to);
        assert(pyramid.low === Math.min(...part) && pyramid.high === Math.max(...part), `extremes of ${from} to ${to}`);
    }
    assert(valueText(-4.42944691807) === '−4.42945' && valueText(2.5e-16) === '2.5·10⁻¹⁶' && valueText(NaN) === '·', 'numbers');
    assert(tickValues(0, 5, 10).step === 0.5 && tickText(-0, 0.5) === '0.0', 'ticks');
}).catch(error => { console.log(error); process.exit(1); });
E
node "$WORK/page.js" "$WORK/result.html" "$WORK/ball.csv" || fail "the script"
