# Every sentence with which a run can fail is said by a test: tools/run-messages lists those of the sources. What is left out there
# are sentences about memory, and those whose model nobody has found yet; a new sentence without a test fails here.
. tests/cli/helpers.bash
command -v python3 >/dev/null || { echo "no python3: not asked"; exit 0; }
tools/run-messages >"$out" || fail "a sentence that no test says: $(cat "$out")"
[ "$(tools/run-messages --list | wc -l)" -ge 60 ] || fail "the sentences are not found in the sources any more"
