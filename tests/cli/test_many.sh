#!/bin/sh
# test_many.sh - one result for each vector along an axis, each row or each segment; directed roundings.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

run() {
    ran=$*
    "$QUIRE_EXE" "$@" >out 2>err
    status=$?
    unremarked
}

# list WORDS ARGUMENTS...: quire so called prints these words, one a line.
list() {
    wanted=$1
    shift
    run "$@"
    check "$program $* prints $wanted" same "$status$(cat err) $(tr '\n' ' ' <out)" "0 $wanted "
}

# x[i][j][k] = 12 i + 4 j + k, in both orders, as floats.
float() { # of 0 to 23
    set -- $(awk -v n="$1" 'BEGIN { if (n == 0) { print "00000000"; exit }
        e = int(log(n + 0.5) / log(2)); m = n * 2 ^ (23 - e) - 2 ^ 23; printf "%08x\n", (127 + e) * 2 ^ 23 + m }')
    echo "$1"
}
c= f=
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do c="$c $(float $n)"; done
for k in 0 1 2 3; do for j in 0 1 2; do for i in 0 1; do f="$f $(float $((12 * i + 4 * j + k)))"; done; done; done
array '<f4' '(2, 3, 4)' $c >c.npy
array '>f4' '(2, 3, 4)' $c >big.npy
{ header 1 "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }"; put '<' $f; } >f.npy

for file in c.npy big.npy f.npy; do
    list '12 14 16 18 20 22 24 26 28 30 32 34' sum $file --axis 0
    list '12 15 18 21 48 51 54 57' sum $file --axis 1
    list '6 22 38 54 70 86' sum $file --axis 2
    list '6 22 38 54 70 86' sum --axis -1 $file
    list '6 7 8 9 10 11 12 13 14 15 16 17' mean $file --axis -3
    list '6 22 38 54 70 86' asum $file --axis 2 --method pairwise
    list '14 126 366 734 1230 1854' sumsq $file --axis 2
    list '14 126 366 734 1230 1854' dot $file $file --axis 2
    list '1.25 1.25 1.25 1.25 1.25 1.25' variance $file --axis 2
    list '36 36 36 36 36 36 36 36 36 36 36 36' variance $file --axis 0
    list '6 6 6 6 6 6 6 6 6 6 6 6' stddev $file --axis 0
    for axis in 0 1 2; do
        run sum $file --axis $axis --output results.npy
        check "$file, axis $axis, to a file" same "$status$(cat out err)" 0
        run sum results.npy
        check "its sum is that of all" prints 276
    done
    run sum $file --axis 2 --output results.npy
    list '60 92 124' sum results.npy --axis 0 # it has the shape and the order that it says
    list '66 210' sum results.npy --axis 1
done
refuses 2 '--axis 3: c.npy has 3 dimensions' sum c.npy --axis 3
refuses 2 '--axis -4: c.npy has 3 dimensions' sum c.npy --axis -4
run sum c.npy --axis 0 --json
check "JSON of an axis" same "$(member decimal | tr '\n' ' ')$(sed -n '/"shape"/,/]/p' out | tr -d ' \n')" \
    '12 14 16 18 20 22 24 26 28 30 32 34 "shape":[3,4],'
array '<f4' '(0, 3)' >none.npy
list '0 0 0' sum none.npy --axis 0
list 'nan nan nan' mean none.npy --axis 0
run sum none.npy --axis 1
check "no vectors, no lines" same "$status$(cat out err)" 0
array '<f4' '()' 3f800000 >scalar.npy
refuses 2 '--axis 0: scalar.npy has 0 dimensions' sum scalar.npy --axis 0
array '<i4' '(2, 2)' 00000001 00000002 00000003 7fffffff >int.npy
list '3 2147483650' sum int.npy --axis 1

# Results of all types, written and read again.
for type in f16 bf16 f32 f64 e5m2 e4m3; do
    run sum c.npy --axis 2 --result $type -o $type.npy
    run sum $type.npy --type $type --rows 6
    mv out there
    run sum c.npy --axis 2 --result $type
    check "results of type $type in a file" cmp -s out there
done

# Rows and segments.
tail -c 96 c.npy >raw.f32
list '66 210' sum --type '<f4' --rows 2 raw.f32
list '66 210' sum --rows 2 c.npy
run sum --rows 2 c.npy -o rows.npy
gives 276 sum rows.npy
refuses 1 'no rows of equal length' sum --rows 5 c.npy
refuses 1 'in C order' sum --rows 2 f.npy
refuses 2 '--rows 0' sum --rows 0 c.npy
array '<i4' '(4,)' 00000000 00000002 00000002 00000018 >offsets.npy
array '>i8' '(4,)' 0000000000000000 0000000000000002 0000000000000002 0000000000000018 >wide.npy
printf '0 2 2 24' >offsets.txt
for file in offsets.npy wide.npy offsets.txt; do list '1 0 275' sum c.npy --segments $file; done
printf '0 2 2 24' | "$QUIRE_EXE" mean c.npy --segments - --result f64 >out 2>err
status=$? ran='mean c.npy --segments -'
check "segments from standard input" same "$(tr '\n' ' ' <out)" '0.5 nan 12.5 '
printf '0 6 24' >offsets2.txt
list '55 4269' dot c.npy c.npy --segments offsets2.txt
printf '0 25' >offsets3.txt
refuses 1 'no whole number from 0 to 24' sum c.npy --segments offsets3.txt
printf '0 1.5' >offsets3.txt
refuses 1 'no whole number' sum c.npy --segments offsets3.txt
: >offsets4.txt
refuses 1 'no offsets' sum c.npy --segments offsets4.txt
refuses 1 'No such file' sum c.npy --segments offsets5.txt
refuses 2 'choose one' sum c.npy --segments offsets.txt --axis 0
refuses 2 'for --device cpu' sum c.npy --axis 0 --device cuda --threads 2
refuses 2 '--output takes the results of' sum c.npy --output x.npy
refuses 2 '--skip-nan and --total' sum c.npy --axis 0 --skip-nan
run sum c.npy --axis 0 -o "$work/none/x.npy"
check "an output that cannot be written" failed 1 'No such file'
cp c.npy keep.npy
run sum c.npy --axis 9 -o keep.npy
check "an output of before stays if there is none" cmp -s c.npy keep.npy

# --verbose: of how many elements each result is, too.
print_n() { sed 's/.*  n /n /' out | tr '\n' ' '; }
run sum c.npy --axis 1 -v
check "elements along an axis" same "$status$(cat err) $(print_n)" '0 n 3 n 3 n 3 n 3 n 3 n 3 n 3 n 3 '
run sum f.npy --axis 0 -v
check "elements along an axis in Fortran's order" same "$(print_n)" "$(yes 'n 2' | head -n 12 | tr '\n' ' ')"
run mean none.npy --axis 0 -v
check "no elements along an axis" same "$(print_n)" 'n 0 n 0 n 0 '
run sum --rows 2 c.npy -v
check "rows, and how many elements they have" same "$status$(cat err) $(tr '\n' ' ' <out)" \
    '0 66  0x1.08p+6  0x42840000  n 12 210  0x1.a4p+7  0x43520000  n 12 '
run sum c.npy --segments offsets.npy --verbose
check "elements of each segment" same "$status$(cat err) $(print_n)" '0 n 2 n 0 n 22 '
printf '4 2 24' >offsets6.txt
run sum c.npy --segments offsets6.txt -v
check "a segment that ends before it begins has none" same "$status$(cat err) $(print_n)" '0 n 0 n 22 '

# Directed roundings: 1 + 2^-60 lies between two floats and two doubles.
printf '1 0x1p-60' >near.txt
list 1 sum near.txt
list 1 sum near.txt --rounding down
list 1.0000000000000002 sum near.txt --rounding up
list 1 sum near.txt --rounding zero
list 1.0000001 sum near.txt --rounding up --result f32
printf -- '-1 -0x1p-60' >near.txt
list -1.0000000000000002 sum near.txt --rounding down
list -1 sum near.txt --rounding zero
list -1 sum near.txt --rounding up
refuses 2 '--rounding away: not nearest, down, up or zero' sum near.txt --rounding away
refuses 2 'rounds to nearest' sum near.txt --rounding up --method all
run sum near.txt --rounding up --json
check "the rounding in JSON" same "$(member rounding)" up

# By key.
printf 'city,price,n\nRome,1e20,2\nOslo,0.25,3\nRome,1,4\n"New York",0.5,1\nRome,-1e20,1\nOslo,0.5,1\n' >t.csv
lines() { # TEXT ARGUMENTS...: quire so called prints these lines
    wanted=$1
    shift
    run "$@"
    check "$program $* prints its groups" same "$status$(cat err) $(tr '\t\n' ' ;' <out)" "0 $wanted"
}
lines 'New York 0.5 1;Oslo 0.75 2;Rome 1 3;' sum t.csv --column price --by city
lines 'New York 0.5 1;Oslo 0.75 2;Rome 1 3;' sum t.csv --column 2 --by 1
lines 'New York 0.5 1;Oslo 1.25 2;Rome 1e+20 3;' dot t.csv --column price,n --by city
lines '1 -1e+20 3;2 1e+20 1;3 0.25 1;4 1 1;' sum t.csv --column price --by n
printf '10 1\n9 2\n10 3\n' >u.txt
lines '9 2 1;10 2 2;' mean u.txt --column 2 --by 1
lines '9 0 1;10 1 2;' stddev u.txt --column 2 --by 1 --threads 2
printf 'b 1\na 2\n\nb 3\n' | gzip >w.gz
if "$QUIRE_EXE" sum w.gz >out 2>&1 || ! grep -q zlib out; then lines 'a 2 1;b 4 2;' sum w.gz --column 2 --by 1; fi
: >empty.csv
lines '' sum empty.csv --column 2 --by 1
run sum t.csv --column price --by city --json
check "keys and counts in JSON" same "$(member key | tr '\n' ' ')$(member n | tr '\n' ' ')" \
    'New York Oslo Rome 6 1 2 3 '
run sum t.csv --column price --by city -o by.npy
list '2.25' sum by.npy
refuses 2 'needs a table' sum c.npy --by 1
refuses 2 'choose one' sum t.csv --column price --by city --axis 0
refuses 2 '--device cpu' sum t.csv --column price --by city --device cuda
refuses 1 "no column 'town'" sum t.csv --column price --by town
refuses 2 'read once' sum --column 2 --by 1 <u.txt
refuses 2 '--json and --output: choose one' sum t.csv --column price --by city --json -o by.npy

finish
