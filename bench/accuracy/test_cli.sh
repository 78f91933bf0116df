#!/bin/sh
# test_cli.sh - quire-accuracy: a short run passes, a planted fault is found and told so that it can be had again, and what
# is to be refused is, in one line. TAP. QUIRE_EXE is quire-accuracy, QUIRE_FAULTY the same with fault.c (or empty),
# QUIRE_JSON whether there is --json.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/../../tests/cli/tap.sh"
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY

# passed WORDS: the last run found nothing, and its report has these words.
passed() {
    [ "$status" -eq 0 ] && [ ! -s err ] && grep -Eq '^verdict +pass$' out && grep -Eq "$1" out
}

# A short run over everything: every kind of case, and one page.
run --quick --seed 1
check "a quick run passes, on all kinds of cases" passed '828 of 828 kinds'
check "every tier that is there was run" grep -Eq '^cpu, portable +[1-9][0-9]* +0$' out
check "threads were run, or named as left out" grep -Eq '^cpu, best, 2 threads +[1-9]|left out  threads' out
check "its report is one page" test "$(wc -l <out)" -le 60
run --seconds 0.001
check "what the time did not reach is named" grep -Eq '^left out .* kinds of cases: the time was over' out

# One seed, one walk.
report='sed /^date/d;/^command/d;/^run/d'
run --quick --seed 7 --n 3000 --type f16
$report out >first
run --quick --seed 7 --n 3000 --type f16
$report out >second
check "the same seed gives the same report" cmp first second
run --quick --seed 8 --n 3000 --type f16
$report out | sed '/^seed/d' >second
check "another seed gives another" sh -c '! sed /^seed/d first | cmp -s - second'

# The user's own data.
run --quick "$QUIRE_SAMPLE"
check "a file is checked in full" passed 'n up to 2000;'
run --quick --n 100 "$QUIRE_SAMPLE"
check "or its beginning" passed 'n up to 100;'
array '<f8' '(2, 2)' 3ff0000000000000 4000000000000000 7ff0000000000000 fff8000000000001 >special.npy
run --quick special.npy "$QUIRE_SAMPLE"
check "several files, with infinities" passed '12 of 12 kinds'
run --case special.npy:f64:dot:3:0x5 special.npy
check "one case alone" passed '^run +1 cases'
run --case tie:f32:nrm2:0:0
check "one case of nothing" passed 'n up to 0;'

if [ "$QUIRE_JSON" = yes ]; then
    run --quick --n 500 --json report.json
    check "the report in JSON" grep -q '"verdict": "pass"' report.json
    refuses 1 'No such file' --json folder/report.json
fi

# A fault that is there is found.
if [ -n "$QUIRE_FAULTY" ]; then
    right=$QUIRE_EXE
    QUIRE_EXE=$QUIRE_FAULTY
    run --quick --place cpu --n 500
    check "a planted fault fails the run" test "$status" -eq 1
    check "the verdict says so" grep -Eq '^verdict +FAIL$' out
    check "and where it is" grep -q '^FAILED: .* dot of .* f32, .* to f32; cpu, .* expected, .* got$' out
    again=$(sed -n 's/^ *again: quire-accuracy //p' out | head -n 1)
    # shellcheck disable=SC2086 # words
    run $again
    check "it can be had again" test "$status" -eq 1
    run --quick --place cpu --n 500 --operation sum,asum,nrm2,mean
    check "what has no fault passes beside it" test "$status" -eq 0
    QUIRE_EXE=$right
fi

# Refusals.
refuses 2 'did you mean --json?' --jason
refuses 2 '--quick takes no value' --quick=3
refuses 2 '--type needs a value' --type
refuses 2 'none of f16, bf16' --type f80
refuses 2 'none of sum' --operation sum,,
refuses 2 'none of exact' --method sloppy
refuses 2 'none of uniform' --family lumpy
refuses 2 'none of cpu, gpu, all' --place moon
refuses 2 'none of cpu, gpu, all' --place cpu,gpu
refuses 2 'is no seed' --seed -1
refuses 2 'is no number from 1' --n 0
refuses 2 'is not a whole number' --n 1.5
refuses 2 'is no number' --seconds 0
refuses 2 'neither an option nor an .npy file' sample
refuses 2 'brings its own' --type f32 "$QUIRE_SAMPLE"
refuses 2 "--case: 'uniform:f32:sum:10' is no" --case uniform:f32:sum:10
refuses 2 '--case: ' --case uniform:f32:sum:10:1 --family normal
refuses 2 '--case: ' --case special.npy:f64:sum:9:1 special.npy
refuses 1 'too little memory' --n 1e15
refuses 1 'No such file' missing.npy
printf notnumpy >wrong.npy
refuses 1 'not an .npy file' wrong.npy
for arguments in '--quick --n 10' --help --version; do
    if [ -w /dev/full ]; then
        : >out
        ran="$arguments >/dev/full"
        # shellcheck disable=SC2086 # words
        "$QUIRE_EXE" $arguments >/dev/full 2>err
        status=$?
        check "quire-accuracy $ran fails" failed 1 'standard output: No space left'
    fi
done
run --place gpu --quick --n 1000
[ "$status" -eq 0 ] || check "--place gpu says in one line why not" failed 1 '--place gpu: '
[ "$status" -ne 0 ] || check "--place gpu works" passed '828 of 828 kinds'

finish
