#!/bin/sh
# test_cumsum.sh - running sums: of texts, columns, .npy files and raw numbers; along axes; in files of results.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

lines() { # TEXT ARGUMENTS...: quire so called prints these lines, each of which ends in a semicolon
    wanted=$1
    shift
    run "$@"
    check "$program $* prints its running sums" same "$status$(cat err) $(tr '\n' ';' <out)" "0 $wanted"
}

# What an addition after the other loses, and what it keeps that it should not.
printf '1e20\n1\n-1e20\n1\n' >x.txt
lines '1e+20;1e+20;1;2;' cumsum x.txt
lines '0;1e+20;1e+20;1;' cumsum --exclusive x.txt
run cumsum <x.txt
check "standard input" same "$status$(tr '\n' ';' <out)" '01e+20;1e+20;1;2;'
run cumsum - <x.txt
check "standard input by its name" same "$status$(tr '\n' ';' <out)" '01e+20;1e+20;1;2;'
for tier in portable best; do lines '1e+20;1e+20;1;2;' cumsum x.txt --tier $tier --threads 3; done

# Ten times 0.1: the doubles nearest to the multiples of the double 0.1, from Python's fractions.
printf '0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n' >tenths.txt
lines '0.1;0.2;0.30000000000000004;0.4;0.5;0.6000000000000001;0.7000000000000001;0.8;0.9;1;' cumsum tenths.txt

# Roundings and result types: 1 + 2^-60 and on.
printf '1\n0x1p-60\n-0x1p-59\n' >near.txt
lines '1;1;1;' cumsum near.txt
lines '1;1.0000000000000002;1;' cumsum near.txt --rounding up
lines '1;1;0.9999999999999999;' cumsum near.txt --rounding down
lines '1;1;0.9999999999999999;' cumsum near.txt --rounding zero
lines '1;1;0.99999994;' cumsum near.txt --rounding down --result f32
lines '1;1;0.99999994;' cumsum near.txt --rounding down --result-type float32
printf '65504\n15\n1\n-20\n' >half.txt
lines '6.55e+04;6.55e+04;inf;6.55e+04;' cumsum half.txt --result f16

# Zeros, NaN, infinities; nothing at all.
printf -- '-0\n-0\n0\ninf\n1\n-inf\n1\n' >special.txt
lines '-0;-0;0;inf;inf;nan;nan;' cumsum special.txt
lines '0;-0;-0;0;inf;inf;nan;' cumsum special.txt --exclusive
: >empty.txt
lines '' cumsum empty.txt

# Columns.
printf 'city,price,n\nRome,1e20,2\nOslo,0.25,3\nRome,-1e20,2\n' >t.csv
lines '1e+20;1e+20;0.25;' cumsum t.csv --column price
lines '2;5;7;' cumsum t.csv --column n
printf 'x\n1\nNA\n3\n' >gap.csv
lines '1;nan;nan;' cumsum gap.csv --column x --missing nan

# By key: of the rows before that have the row's key, in the order of the rows; each with its key and their number.
by() { # TEXT ARGUMENTS...: lines, with blanks for tabs
    wanted=$1
    shift
    run "$@"
    check "$program $* prints its running sums" same "$status$(cat err) $(tr '\n\t' '; ' <out)" "0 $wanted"
}
printf 'city,price,n\nRome,1e20,2\nOslo,0.25,3\nRome,1,2\n"New York",-0,1\nRome,-1e20,2\nOslo,0.5,3\n' >k.csv
by 'Rome 1e+20 1;Oslo 0.25 1;Rome 1e+20 2;New York -0 1;Rome 1 3;Oslo 0.75 2;' cumsum k.csv --column price --by city
by 'Rome 0 0;Oslo 0 0;Rome 1e+20 1;New York 0 0;Rome 1e+20 2;Oslo 0.25 1;' \
    cumsum k.csv --column price --by city --exclusive
by 'Rome 1e+20 1;Oslo 0.25 1;Rome 1.0000000000000002e+20 2;New York -0 1;Rome 1 3;Oslo 0.75 2;' \
    cumsum k.csv --column price --by city --rounding up
by '2 1e+20 1;3 0.25 1;2 1e+20 2;1 -0 1;2 1 3;3 0.75 2;' cumsum k.csv --column price --by n --result f32 --threads 2
by '' cumsum empty.txt --column 2 --by 1
run cumsum k.csv --column price --by city -o sums.npy
array "${native}f8" '(6,)' 4415af1d78b58c40 3fd0000000000000 4415af1d78b58c40 8000000000000000 3ff0000000000000 \
    3fe8000000000000 >right.npy
check "by key, in a file" cmp -s sums.npy right.npy
run cumsum k.csv --column price --by city --json
check "JSON by key" same "$(member key | tr '\n' ,) $(member n | tr '\n' ' ')$(member decimal | tr '\n' ' ')" \
    'Rome,Oslo,Rome,New York,Rome,Oslo, 6 1 1 2 1 3 2 1e+20 0.25 1e+20 -0 1 0.75 '

# Raw numbers, compressed texts.
put $native 3f800000 33000000 33000000 bf800000 >raw.f32 # 1, 2^-25, 2^-25, -1
lines '1;1;1;5.9604645e-08;' cumsum --type f32 raw.f32
lines '1;1.0000000298023224;1.0000000596046448;5.960464477539063e-08;' cumsum --type f32 raw.f32 --result f64
if [ "$QUIRE_ZLIB" = yes ]; then
    gzip -c x.txt >x.txt.gz
    lines '1e+20;1e+20;1;2;' cumsum x.txt.gz
fi

# .npy files, and files of results of the same shape.
array '<f8' '(4,)' 4415af1d78b58c40 3ff0000000000000 c415af1d78b58c40 3ff0000000000000 >x.npy
array '>f8' '(4,)' 4415af1d78b58c40 3ff0000000000000 c415af1d78b58c40 3ff0000000000000 >swapped.npy
array "${native}f8" '(4,)' 4415af1d78b58c40 4415af1d78b58c40 3ff0000000000000 4000000000000000 >right.npy
for file in x.npy swapped.npy x.txt; do
    run cumsum $file -o sums.npy
    check "the sums of $file are written" same "$status$(cat out err)" 0
    check "to the byte" cmp -s sums.npy right.npy
done
array "${native}f4" '(4,)' 00000000 60ad78ec 60ad78ec 3f800000 >right.npy
run cumsum x.npy --exclusive --result f32 --output sums.npy
check "exclusive ones, as floats" cmp -s sums.npy right.npy

# Axes, in C's and in Fortran's order.
array '<f4' '(2, 3)' 3f800000 40000000 40400000 40800000 40a00000 40c00000 >matrix.npy
lines '1;3;6;10;15;21;' cumsum matrix.npy
lines '1;2;3;5;7;9;' cumsum matrix.npy --axis 0
lines '1;3;6;4;9;15;' cumsum matrix.npy --axis -1
lines '0;1;3;0;4;9;' cumsum matrix.npy --axis 1 --exclusive
run cumsum matrix.npy --axis 0 -o sums.npy
array "${native}f4" '(2, 3)' 3f800000 40000000 40400000 40a00000 40e00000 41100000 >right.npy
check "along an axis the shape stays" cmp -s sums.npy right.npy
{
    header 1 "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"
    put '<' 3f800000 40800000 40000000 40a00000 40400000 40c00000
} >fortran.npy
lines '1;2;3;5;7;9;' cumsum fortran.npy --axis 0
lines '1;3;6;4;9;15;' cumsum fortran.npy --axis 1
run cumsum fortran.npy --axis 0 -o sums.npy
{
    header 1 "{'descr': '${native}f4', 'fortran_order': True, 'shape': (2, 3), }"
    put $native 3f800000 40a00000 40000000 40e00000 40400000 41100000
} >right.npy
check "and the order" cmp -s sums.npy right.npy
array '<f8' '(2, 0)' >none.npy
lines '' cumsum none.npy --axis 1

# Integers of files are integers, with all their digits, unless a type says otherwise.
array '<i8' '(3,)' 0020000000000000 0000000000000001 0000000000000001 >i.npy
lines '9007199254740992;9007199254740993;9007199254740994;' cumsum i.npy
lines '0;9007199254740992;9007199254740993;' cumsum i.npy --exclusive --rounding up
lines '9007199254740992;9007199254740992;9007199254740994;' cumsum i.npy --result f64
lines '9007199254740992;9007199254740994;9007199254740994;' cumsum i.npy --result f64 --rounding up
array '|u1' '(3,)' ff 01 ff >bytes.npy
lines '255;256;511;' cumsum bytes.npy
put $native ffffffffffffffff ffffffffffffffff 0000000000000002 >raw.u64
lines '18446744073709551615;36893488147419103230;36893488147419103232;' cumsum --type u64 raw.u64
lines '-1;-2;0;' cumsum --type i64 raw.u64
array '<i8' '(2, 2)' 8000000000000000 7fffffffffffffff ffffffffffffffff 0000000000000005 >least.npy
lines '-9223372036854775808;-1;-2;3;' cumsum least.npy
lines '-9223372036854775808;9223372036854775807;-9223372036854775809;9223372036854775812;' cumsum least.npy --axis 0
lines '-9223372036854775808;-1;-1;4;' cumsum least.npy --axis 1
run cumsum least.npy --axis 1 -o sums.npy
array "${native}i8" '(2, 2)' 8000000000000000 ffffffffffffffff ffffffffffffffff 0000000000000004 >right.npy
check "in a file they are int64" cmp -s sums.npy right.npy
refuses 1 '-o: a sum is beyond int64' cumsum least.npy --axis 0 -o sums.npy
run cumsum least.npy --axis 0 --json
check "JSON has all digits" same "$(member result_type)$(member decimal | tr '\n' ' ')" \
    'i128-9223372036854775808 9223372036854775807 -9223372036854775809 9223372036854775812 '

# Those of texts, too, if all fit 64 bits; what is no double among others is refused.
printf '9007199254740992\n1\n1\n' >i.txt
lines '9007199254740992;9007199254740993;9007199254740994;' cumsum i.txt
lines '9007199254740992;9007199254740992;9007199254740994;' cumsum i.txt --result f64
printf '1\n9007199254740993\n' >odd.txt
lines '1;9007199254740994;' cumsum odd.txt
lines '0;1;' cumsum odd.txt --exclusive
printf '9223372036854775807\n9223372036854775807\n-1\n' >great.txt
lines '9223372036854775807;18446744073709551614;18446744073709551613;' cumsum great.txt
run cumsum great.txt -o sums.npy
array "${native}f8" '(3,)' 43e0000000000000 43f0000000000000 43f0000000000000 >right.npy
check "in a file they are doubles" cmp -s sums.npy right.npy
printf '0.5\n9007199254740993\n' >odd.txt
refuses 1 'odd.txt: an integer beyond 2^53' cumsum odd.txt
printf -- '-0\n9007199254740993\n' >odd.txt
refuses 1 'odd.txt: an integer beyond 2^53' cumsum odd.txt
printf 'k,n\na,9007199254740993\nb,1\na,2\n' >ik.csv
by 'a 9007199254740993 1;b 1 1;a 9007199254740995 2;' cumsum ik.csv --column n --by k

# Verbose and JSON: result k is of k elements, or of k - 1.
large='1e+20  0x1.5af1d78b58c4p+66  0x4415af1d78b58c40'
small='1  0x1p+0  0x3ff0000000000000  n 3;2  0x1p+1  0x4000000000000000  n 4'
lines "$large  n 1;$large  n 2;$small;" cumsum x.npy --verbose
run cumsum x.npy --json
check "JSON" same "$(member command) $(member type) $(member result_type) $(member n | tr '\n' ' ')$(member decimal |
    tr '\n' ' ')" 'cumsum f64 f64 4 1 2 3 4 1e+20 1e+20 1 2 '
run cumsum fortran.npy --json --axis 1 --exclusive
check "JSON along an axis" same "$(member n | tr '\n' ' ')$(member decimal | tr '\n' ' ')" \
    '6 0 1 2 0 1 2 0 1 3 0 4 9 '
run cumsum fortran.npy --json --axis 0
check "of columns" same "$(member n | tr '\n' ' ')" '6 1 1 1 2 2 2 '

# Every result is the sum of what stands before it.
awk 'BEGIN { srand(7); for (i = 0; i < 60; i++) printf "%.17ge%d\n", rand() - 0.5, int(rand() * 60) - 30 }' >random.txt
"$QUIRE_EXE" cumsum random.txt >found
: >wanted
for k in $(seq 60); do head -n "$k" random.txt | "$QUIRE_EXE" sum >>wanted; done
check "running sums are those of each beginning" cmp -s found wanted
check "and there are some" same "$(wc -l <found | tr -d ' ')" 60

# What is refused.
refuses 1 'Fortran' cumsum fortran.npy
refuses 1 '--axis is for .npy files' cumsum x.txt --axis 0
refuses 2 '--axis 2: matrix.npy has 2 dimensions' cumsum matrix.npy --axis 2
refuses 2 'cumsum needs at most one file, not 2' cumsum x.txt x.npy
refuses 2 'cumsum takes one array, not 2' cumsum t.csv --column price,n
refuses 2 'cumsum takes no option --rows' cumsum x.npy --rows 2
refuses 2 'cumsum takes no option --method' cumsum x.npy --method plain
refuses 2 '--by is for --device cpu' cumsum t.csv --column price --by city --device cuda
refuses 2 '--threads and --tier' cumsum x.npy --device cuda --threads 2
refuses 2 '--by needs a table' cumsum x.npy --by 1
refuses 2 'choose one' cumsum t.csv --column price --by city --axis 0
refuses 2 'takes one array, not 2' cumsum t.csv --column price,n --by city
refuses 1 "no column 'town'" cumsum t.csv --column price --by town
refuses 2 'read once' cumsum --column price --by 1 <t.csv
refuses 2 'cumsum takes no option --skip-nan' cumsum x.npy --skip-nan
refuses 2 '--missing skip is for other verbs' cumsum gap.csv --column x --missing skip
refuses 2 '--json and --output: choose one' cumsum x.npy --json -o sums.npy
refuses 2 'it is also read' cumsum x.npy -o x.npy
refuses 2 'sum takes no option --exclusive' sum x.npy --exclusive
refuses 1 'nowhere.npy' cumsum nowhere.npy
refuses 1 'nowhere/sums.npy' cumsum x.npy -o nowhere/sums.npy
printf '1\nx\n' >bad.txt
refuses 1 'bad.txt' cumsum bad.txt
head -c 100 x.npy >short.npy
refuses 1 'short.npy' cumsum short.npy
refuses 2 'did you mean cumsum?' cumsun x.npy
refuses 2 'did you mean cumsum?' scan x.npy
refuses 2 'not nearest, down, up or zero' cumsum x.npy --rounding sideways

finish
