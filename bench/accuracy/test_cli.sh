#!/bin/sh
# test_cli.sh - quire-accuracy: a short run passes, a planted fault is found and told so that it can be had again, and
# what is to be refused is, in one line. TAP. QUIRE_EXE is quire-accuracy, QUIRE_FAULTY the same with fault.c (or
# empty), QUIRE_JSON whether there is --json.
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
check "it begins with the verdict" same "$(head -n 1 out)" 'verdict   pass'
check "every tier that is there was run" grep -Eq '^cpu, portable +[1-9][0-9]* +0$' out
check "threads were run, or named as left out" grep -Eq '^cpu, best, 2 threads +[1-9]|left out  threads' out
check "its report is one page" test "$(wc -l <out)" -le 62
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

# The same walk in several processes.
run --quick --seed 7 --n 3000 --type f16 --threads 3
check "several processes compare as much" sh -c '
    grep "^exact  \|^others\|^bounds" first >a; grep "^exact  \|^others\|^bounds" out | cmp - a'
check "and cover as much" passed '138 of 138 kinds'

# The user's own data.
run --quick "$QUIRE_SAMPLE"
check "a file is checked in full" passed 'n up to 2000;'
run --quick --n 100 "$QUIRE_SAMPLE"
check "or its beginning" passed 'n up to 100;'
array '<f8' '(2, 2)' 3ff0000000000000 4000000000000000 7ff0000000000000 fff8000000000001 >special.npy
run --quick special.npy "$QUIRE_SAMPLE"
check "several files, with infinities" passed '12 of 12 kinds'
array '>V2' '(3,)' 3f80 4000 6080 >opaque.npy
run --quick --type bf16 opaque.npy
check "bfloat16 numbers have to be named" passed 'n up to 3'
array '<u2' '(3,)' 3f80 4000 6080 >integers.npy
run --quick integers.npy
check "integers are doubles" passed 'n up to 3'
check "and no bfloat16" grep -q '^exact  *f64 ' out
refuses 1 'bfloat16 needs --type bf16' opaque.npy
printf '1.5\n2e10\n-3\n' >numbers.txt
run --quick numbers.txt
check "a text of numbers" passed 'n up to 3'
tail -c 8000 "$QUIRE_SAMPLE" >sample.f32
run --quick --type f32 sample.f32
check "raw numbers" passed 'n up to 2000;'
run --case special.npy:f64:dot:3:0x5 special.npy
check "one case alone" passed '^run +1 cases'
run --case tie:f32:nrm2:0:0
check "one case of nothing" passed 'n up to 0;'

if [ "$QUIRE_JSON" = yes ]; then
    run --quick --n 500 --json report.json
    check "the report in JSON begins with the verdict" same "$(sed -n 2p report.json)" ' "verdict": "pass",'
    refuses 1 'No such file' --json folder/report.json
fi

# Many vectors a call.
run --many --results 3e5 --threads 2 --n 64
check "many vectors a call" passed '^results +[0-9]+ compared, 0 wrong$'
check "as many as asked for" sh -c '[ "$(sed -n "s/^results  *\([0-9]*\) compared.*/\1/p" out)" -ge 300000 ]'
check "the quick oracles are compared with the slow ones" grep -Eq '^oracles +[1-9][0-9]* answers .*, 0 different$' out
run --many --quick --threads 2 --type e4m3 --n 4096
check "each kind once" passed '184 of 184 kinds'
check "on every tier that is there" grep -Eq '^cpu, portable +[1-9][0-9]* +0$' out
run --many --case every-exponent:f32:asum:70000:0x6 --threads 1
check "a long vector by every method" passed '^pairwise +f32 +0 +[1-9]'
check "is counted as one" grep -Eq '^every-exponent( +0){9} +[1-9]' out
run --many --results 1e5 --threads 1 --operation variance,stddev --type f64 --n 40
check "moments are by exact" passed '^exact +f64( +0){6} +[0-9]* +[1-9]'
check "and are compared with integers of GMP" grep -Eq "^oracles +[1-9][0-9]* answers compared .*, 0 different$" out
check "some vectors go backwards" sh -c '[ "$(sed -n "/ backwards$/{n;s/.* //p}" out)" -gt 1000 ]'
run --many --results 1000 --method kahan
check "without exact there are no moments" passed '^run '
run --many --hours 0.0001 --type f64 --operation dot --method exact --family tie
check "some time, in hours" passed '^exact +f64 +0 +0 +[1-9]'
run --many --case tie:f16:mean:17:0x5
check "one batch alone" passed '^run +1 batches'
if [ "$QUIRE_JSON" = yes ]; then
    run --many --results 1000 --threads 1 --json many.json
    check "the report of many vectors in JSON" grep -q '"verdict": "pass"' many.json
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
    run --quick --place cpu --n 500 --threads 2
    check "a planted fault fails two processes" sh -c "[ $status -eq 1 ] && grep -q '^FAILED: .* dot of ' out"
    run --many --quick --place cpu --type f32 --operation dot
    check "a fault in one vector of many fails the run" test "$status" -eq 1
    check "the verdict says so, too" grep -Eq '^verdict +FAIL$' out
    check "and where that is" grep -q '^FAILED: .* dot of .* f32, .*; cpu, .* vector 77: .* expected, .* got; MPFR' out
    again=$(sed -n 's/^ *again: quire-accuracy //p' out | head -n 1)
    # shellcheck disable=SC2086 # words
    run $again
    check "the batch can be had again" test "$status" -eq 1
    run --many --quick --place cpu --type f32,bf16 --operation sum,asum,nrm2,mean,sumsq --family normal,tie
    check "what has no fault passes beside that" test "$status" -eq 0
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
refuses 2 'is no number' --hours 0
refuses 2 'is for --many' --results 5
refuses 2 'is no number from 1' --threads 0
refuses 2 '--many takes no files' --many "$QUIRE_SAMPLE"
refuses 2 '1000000 elements at the most' --many --n 1000001
refuses 2 'variance and stddev are for --many' --operation sum,variance
refuses 2 'variance and stddev are by exact alone' --many --operation stddev --method kahan,plain
refuses 2 '--case: ' --many --case uniform:f32:sum:10
refuses 1 'No such file' sample
refuses 1 'not of f16 as --type says' --type f16 "$QUIRE_SAMPLE"
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
run --place gpu --many --quick --threads 2 --type bf16
[ "$status" -eq 0 ] || check "--place gpu says in one line why not, of many vectors, too" failed 1 '--place gpu: '
[ "$status" -ne 0 ] || check "--place gpu works, of many vectors, too" passed '184 of 184 kinds'

finish
