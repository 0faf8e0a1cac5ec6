# src/result/powers.h is what tools/make-powers.c makes.
set -eu
cc -O1 tools/make-powers.c -o "$WORK/make-powers"
"$WORK/make-powers" | cmp - src/result/powers.h
