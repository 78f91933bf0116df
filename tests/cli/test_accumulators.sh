#!/bin/sh
# test_accumulators.sh - accumulators in files: what is merged and rounded is what would have been summed at once.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

# wrote: the last run wrote a file and nothing else.
wrote() {
    [ "$status" -eq 0 ] && [ ! -s out ] && [ ! -s err ]
}

tail -c 8000 "$QUIRE_SAMPLE" >all.f32
head -c 3000 all.f32 >one.f32
tail -c 5000 all.f32 >two.f32
: >none.f32
for operation in sum asum nrm2 mean variance stddev sumsq; do
    for part in one two none; do
        run accumulate --type '<f4' --operation $operation $part.f32 -o $part.quire
        check "accumulate $part for $operation" wrote
    done
    for order in 'one two none' 'none two one'; do
        # shellcheck disable=SC2086
        run merge $(for part in $order; do echo $part.quire; done) -o all.quire
        check "merge $order" wrote
        for options in '' '--result f64' '--result f16 --rounding up' '--verbose'; do
            # shellcheck disable=SC2086
            run $operation --type '<f4' all.f32 $options
            mv out wanted
            # shellcheck disable=SC2086
            run round all.quire $options
            check "round $options: $operation" cmp -s out wanted
        done
    done
    run accumulate --type '<f4' --operation $operation one.f32 none.f32 two.f32 --output together.quire
    check "several files in one, for $operation" cmp -s together.quire all.quire
done
refuses 1 'accumulators, not numbers: quire round rounds them' sum one.quire
for part in one two; do
    run accumulate --type '<f4' --operation dot $part.f32 $part.f32 -o $part.quire
done
run merge one.quire two.quire -o all.quire
run sumsq --type '<f4' all.f32
mv out wanted
run round all.quire
check "a dot product" cmp -s out wanted
refuses 1 'made for dot, whose sums do not give nrm2' round --operation nrm2 all.quire

# Other operations of the same sums.
run accumulate --type '<f4' --operation stddev all.f32 -o all.quire
for operation in sum mean nrm2 sumsq variance; do
    run $operation --type '<f4' all.f32 --result f64
    mv out wanted
    run round all.quire --operation $operation --result-type double
    check "$operation of what was made for stddev" cmp -s out wanted
done
run variance --type '<f4' all.f32 --correction 7
mv out wanted
run round all.quire --operation variance --correction 7
check "a correction" cmp -s out wanted
run variance --type '<f4' all.f32
check "which is not the default" same "$(cmp -s out wanted || echo other)" other
refuses 1 'do not give asum' round --operation asum all.quire
run round all.quire --operation variance --correction 1 --json
check "round in JSON" same "$(member n) $(member result_type)" '2000 f32'
"$QUIRE_EXE" round --operation mean <all.quire >out 2>err
status=$? ran='round --operation mean'
check "round of standard input" prints -0.019001812
"$QUIRE_EXE" accumulate --type '<f4' one.f32 -o - >out 2>err
cp out piped.quire
run accumulate --type '<f4' one.f32 -o one.quire
check "accumulate to standard output" cmp -s one.quire piped.quire

# Values beyond any double on the way, special values, and integers in two parts.
printf '1.7976931348623157e308 1.7976931348623157e308' >huge.txt
printf -- '-1.7976931348623157e308 -1.7976931348623157e308 3' >minus.txt
run accumulate huge.txt -o huge.quire
gives inf round huge.quire
run accumulate minus.txt -o minus.quire
run merge huge.quire minus.quire -o both.quire
gives 3 round both.quire
for special in 'nan nan' 'inf inf' '-inf -inf' '-0 -0'; do
    set -- $special
    printf '%s' "$1" | "$QUIRE_EXE" accumulate -o special.quire >out 2>err
    gives "$2" round special.quire
done
array '<i8' '(3,)' 4000000000000001 c000000000000000 0000000000000005 >i64.npy
run accumulate --operation variance i64.npy -o i64.quire
gives 6 round i64.quire --operation sum
gives 2 round i64.quire --operation mean

# Sums of integers alone have all digits, also merged; those beside other numbers are doubles.
array '<i8' '(2,)' 7fffffffffffffff 7fffffffffffffff >i64.npy
printf '9223372036854775807\n3\n' >integers.txt
printf '0.5\n' >half.txt
for part in i64.npy integers.txt half.txt; do
    run accumulate --operation variance $part -o $part.quire
    check "accumulate $part" wrote
done
run merge i64.npy.quire integers.txt.quire -o integers.quire
gives 27670116110564327424 round integers.quire --operation sum
gives 2.7670116110564327e+19 round integers.quire --operation sum --result f64
gives 2.5521177519070385e+38 round integers.quire --operation sumsq
run round integers.quire --operation sum --json
check "all digits in JSON" same "$(member decimal)" 27670116110564327424
run merge integers.quire half.txt.quire -o both.quire
gives 2.7670116110564327e+19 round both.quire --operation sum
run merge half.txt.quire integers.quire -o both.quire
gives 2.7670116110564327e+19 round both.quire --operation sum
run accumulate --operation sumsq table.csv -o x.quire
check "accumulate of a missing file fails" failed 1 'No such file'

# Damage: every file with one byte changed, cut short or longer is refused in one line.
run accumulate --type '<f4' all.f32 -o good.quire
size=$(wc -c <good.quire)
check "the size is that of the format" same "$size" $((24 + 8 * 140 + 4))
check "the head" \
    same "$(head -c 24 good.quire | od -An -tx1 | tr -d ' \n')" 8951554952450d0a01000000010000000300000001000000
damage() { # damage AT: that byte is replaced by its complement
    byte=$(od -An -tu1 -j "$1" -N 1 good.quire | tr -d ' ')
    byte=$((255 - byte))
    {
        head -c "$1" good.quire
        printf "\\$((byte / 64))$((byte / 8 % 8))$((byte % 8))"
        tail -c +$(($1 + 2)) good.quire
    } >bad.quire
    run round bad.quire
    check "byte $1 damaged" failed 1 bad.quire
}
for at in 0 5 8 12 13 16 20 24 27 28 31 500 1100 1103 1104 1112 1120 1136 1143 1144 1147; do damage $at; done
for cut in 0 1 7 8 23 24 25 1000 1147; do
    head -c $cut good.quire >bad.quire
    run round bad.quire
    check "cut to $cut bytes" failed 1 bad.quire
done
{ cat good.quire; printf x; } >bad.quire
refuses 1 'trailing garbage' round bad.quire
refuses 1 'not a file of accumulators' round all.f32
refuses 1 'No such file' round missing.quire
refuses 1 'bad.quire' merge good.quire bad.quire -o c.quire
check "and then nothing is written" same "$(ls c.quire 2>/dev/null)" ''
run accumulate --type '<f4' --operation asum all.f32 -o asum.quire
refuses 1 'which needs other sums than' merge good.quire asum.quire -o c.quire
refuses 2 '--output FILE is missing' accumulate all.f32
refuses 2 '--output FILE is missing' merge good.quire
refuses 2 'needs two arrays, not 1' accumulate --type '<f4' --operation dot all.f32 -o c.quire
refuses 2 'merge takes no option --type' merge --type f32 good.quire -o c.quire
refuses 1 'none/c.quire: No such file' merge good.quire -o none/c.quire

printf '1\nnan\n2\n' >nan.txt
gives 'n 3' accumulate nan.txt -o nan.quire --verbose
gives 'n 2  nan 1' accumulate nan.txt -o nan.quire --verbose --skip-nan
gives 3 round nan.quire

finish
