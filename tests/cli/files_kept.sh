# No file is lost: results never replace what the model was read from, two runs never write one file, and a disk that is full or a
# folder that may not be written end in a sentence with the rows that there was room for.
. tests/cli/helpers.bash

# ---- output = input
mkdir "$WORK/m"
printf '0,1\n1,2\n' >"$WORK/m/table.csv"
echo 'model Part { param k = 1 }' >"$WORK/m/part.kai"
printf 'import "part.kai"\nmodel M { p : Part; state x = 0; x'"'"' = table("table.csv", time) }\nexperiment e of M { stop = 1 }\n' >"$WORK/m/m.kai"
ln -s m.kai "$WORK/m/link.csv"
ln "$WORK/m/table.csv" "$WORK/m/hard.csv"
tar cf "$WORK/before.tar" -C "$WORK" m
for file in m.kai part.kai table.csv link.csv hard.csv ../m/./m.kai; do
    exits 2 run "$WORK/m/m.kai" -o "$WORK/m/$file"
    says "the model reads this file"
    exits 2 explain "$WORK/m/m.kai" -o "$WORK/m/$file"
done
for command in "graph" "prove" "plot"; do
    "$KAIROS" $command "$WORK/m/m.kai" -o "$WORK/m/m.kai" >"$out" 2>"$err" && fail "$command over its model"
done
tar df "$WORK/before.tar" -C "$WORK" || fail "an input has changed"

# ---- two runs on one file
printf 'model M { state x = 1; x'"'"' = -x }\nexperiment e of M { stop = inf; max_step = 1e-3; record x every 0.01 }\n' >"$WORK/long.kai"
"$KAIROS" run "$WORK/long.kai" -o "$WORK/both.csv" --time 60 2>/dev/null &
process=$!
while [ ! -s "$WORK/both.csv.part" ]; do sleep 0.01; done
exits 4 run "$ball" -o "$WORK/both.csv"
says "another run is writing it"
kill -INT $process
wait $process
grep -q "^stopped" "$WORK/both.csv.status" || fail "the first run lost its file"
[ "$(head -1 "$WORK/both.csv")" = "t,p,m,x" ] || fail "the file is not the first run's"
exits 0 run "$ball" -o "$WORK/both.csv" # when it is over the next may

# ---- no room, no right
if mkdir "$WORK/small" && mount -t tmpfs -o size=300k tmpfs "$WORK/small" 2>/dev/null; then
    exits 4 run "$WORK/long.kai" --time 20 -o "$WORK/small/r.csv"
    says "cannot be written"
    [ "$(tail -c 1 "$WORK/small/r.csv.part" | od -An -c | tr -d ' ')" = '\n' ] || fail "the last row is torn"
    [ "$(wc -l <"$WORK/small/r.csv.part")" -gt 1000 ] || fail "the rows are lost"
    # A checkpoint that has no room leaves the one before it whole.
    exits 4 run "$WORK/long.kai" --time 20 --checkpoint 1 -o "$WORK/small/c.csv"
    rm "$WORK/small/r.csv.part"
    "$KAIROS" resume --quiet "$WORK/small/c.csv" >"$out" 2>"$err"
    grep -q "damaged" "$err" && fail "the checkpoint is torn"
    # A model that is laid out anew keeps its text.
    yes 'model A { param   k = 1 }' | head -4000 | awk '{ sub("A", "A" NR); print }' >"$WORK/small/fmt.kai" 2>/dev/null
    head -c 1000000 /dev/zero >"$WORK/small/fill" 2>/dev/null
    cp "$WORK/small/fmt.kai" "$WORK/fmt.kai"
    exits 4 fmt "$WORK/small/fmt.kai"
    cmp "$WORK/fmt.kai" "$WORK/small/fmt.kai" || fail "fmt lost the model"
    umount "$WORK/small"
fi
exits 4 run "$ball" -o /dev/full
says "cannot be written"
exits 4 run "$ball" -o "$WORK/no/such/folder.csv"
one_line "$err"
mkdir "$WORK/locked"
chmod 555 "$WORK/locked"
if ! touch "$WORK/locked/x" 2>/dev/null; then # root may write anywhere
    exits 4 run "$ball" -o "$WORK/locked/r.csv"
    one_line "$err"
fi

# ---- fmt: links stay links, rights stay rights
printf 'model   A { param k=1 }\n' >"$WORK/a.kai"
ln -s a.kai "$WORK/b.kai"
chmod 640 "$WORK/a.kai"
exits 0 fmt "$WORK/b.kai"
[ -L "$WORK/b.kai" ] && [ "$(stat -c %a "$WORK/a.kai")" = 640 ] || fail "fmt changed more than the text"
[ "$(ls "$WORK" | grep -c '^a\.kai')" -eq 1 ] || fail "fmt left a file behind"

# Two studies in one table: the second says so, and the first loses nothing.
cat >"$WORK/study.kai" <<'M'
model M { param k ~ uniform(1, 2); state x = 1; x' = -k*x }
experiment r of M { stop = 1 }
M
touch "$WORK/study.csv.part"
flock "$WORK/study.csv.part" "$KAIROS" study "$WORK/study.kai" --runs 3 -o "$WORK/study.csv" >"$out" 2>"$err"
[ $? -eq 4 ] || fail "two studies write one table"
says "another study is writing it"
exits 0 study "$WORK/study.kai" --runs 3 -o "$WORK/study.csv" -q
[ "$(wc -l <"$WORK/study.csv")" = 4 ] || fail "the study has not its three rows"
