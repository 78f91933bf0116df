#!/bin/sh
# test_pairs.sh - weighted averages, covariances and correlations of two arrays, and of all pairs in a matrix.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

printf '1e16\n1\n-1e16\n' >x.txt
printf '1\n2\n1\n' >w.txt
gives 0.5 average x.txt w.txt
gives 0.5 average x.txt --weights w.txt
gives 0.5 average --weights w.txt x.txt
run average --weights w.txt <x.txt
check "standard input and weights" prints 0.5
run average - w.txt <x.txt
check "standard input and a file" prints 0.5
printf '1\n0\n-1\n' >zero.txt
gives inf average x.txt --weights zero.txt
gives nan average w.txt --weights zero.txt # 0 over 0
printf '1\n2\n4\n7\n' >a.txt
printf '2\n4\n8\n15\n' >b.txt
gives 11.375 covariance a.txt b.txt
gives 15.166666666666666 covariance a.txt b.txt --correction 1
gives 15.166666666666668 covariance a.txt b.txt --correction 1 --rounding up
gives 5.25 covariance a.txt a.txt
gives nan covariance a.txt b.txt --correction 4
gives 1 correlation a.txt a.txt
gives 0.99915576 correlation a.txt b.txt --result f32

# Tables, compressed ones too, and what is left out of them.
printf 'city,price,n\nRome,1e20,2\nOslo,0.25,3\nRome,1,4\n"New York",0.5,1\nRome,-1e20,2\nOslo,0.5,1\n' >t.csv
lines() { # TEXT ARGUMENTS...: quire so called prints these lines
    wanted=$1
    shift
    run "$@"
    check "$program $* prints its groups" same "$status$(cat err) $(tr '\t\n' ' ;' <out)" "0 $wanted"
}
gives 0.4423076923076923 average t.csv --column price,n
lines 'New York 0.5 1;Oslo 0.3125 2;Rome 0.5 3;' average t.csv --column price,n --by city
lines 'New York nan 1;Oslo -1 2;Rome 5.7735026918962575e-21 3;' correlation t.csv --column price,n --by city
printf 'x,y\n1,2\nNA,4\n3,2\n5,NA\n' >gaps.csv
gives nan average gaps.csv --column x,y --missing nan
gives 2 average gaps.csv --column x,y --missing skip
gives 2 average gaps.csv --column x,y --skip-nan
gives 2.6666666666666665 covariance gaps.csv --column x,x --skip-nan

# All pairs of the rows or the columns of a matrix: a line of results for each of them.
cat a.txt b.txt >m.txt
lines '5.25 11.375;11.375 24.6875;' covariance m.txt --rows 2
lines '7 15.166666666666666;15.166666666666666 32.916666666666664;' covariance m.txt --rows 2 --correction 1
lines '1 0.99915576;0.99915576 1;' correlation m.txt --rows 2 --result f32
array '<i2' '(3, 2)' 0001 0002 0002 0004 0006 000a >m.npy
lines '4.666666666666667 7.333333333333333;7.333333333333333 11.555555555555555;' covariance m.npy --axis 0
lines '0.25 0.5 1;0.5 1 2;1 2 4;' covariance m.npy --axis 1
{ header 1 "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 2), }"; put '<' 0001 0002 0006 0002 0004 000a; } >f.npy
lines '0.25 0.5 1;0.5 1 2;1 2 4;' covariance f.npy --axis -1
array '<f4' '(2, 1, 2)' 3f800000 3f800000 3f800000 3f800000 >cube.npy
lines '5.25;' covariance a.txt --rows 1
run covariance m.npy --axis 0 --json
check "JSON of all pairs" same "$(member n | tr '\n' ' ')$(sed -n '/"shape"/,/]/p' out | tr -d ' \n')" \
    '6 3 3 3 3 "shape":[2,2],'
run covariance m.npy --axis 0 -o pairs.npy
check "all pairs are written" same "$status$(cat out err)" 0
array "${native}f8" '(2, 2)' 4012aaaaaaaaaaab 401d555555555555 401d555555555555 40271c71c71c71c7 >right.npy
check "to the byte" cmp -s pairs.npy right.npy

# All pairs of a table's columns, with their names; each has the bits of its own call.
printf 'city,a,"b,c",d\nRome,1,2,0.5\nOslo,2,4,1\nRome,4,8,-3\nOslo,7,15,2\n' >four.csv
lines ' a d b,c;a 5.25 0.6875 11.375;d 0.6875 3.546875 1.84375;b,c 11.375 1.84375 24.6875;' \
    covariance four.csv --column 'a,d,"b,c"'
lines ' 2 3 4;2 1 0.99915576 0.15931994;3 0.99915576 1 0.1970337;4 0.15931994 0.1970337 1;' \
    correlation four.csv --column 2,3,4 --result f32 --delimiter ,
run covariance - --column 2,a,d --correction 1 --result bf16 <four.csv
check "from standard input, by numbers and names" same "$status$(cat err) $(tr '\t\n' ' ;' <out)" \
    '0  2 a d;2 7 7 0.918;a 7 7 0.918;d 0.918 0.918 4.72;'
run covariance four.csv --column 2,3,4
check "how it was read is said once" same "$status$(cat err)" "0$program: four.csv: read as 4 columns between commas, \
4 rows: columns 2, 3, 4 as f64 (--decimal , for decimal commas)"
printf 'k;x;y;z\n1;0,1;7;-3e200\n2;0,7;1e-300;5\n3;-9,25;3;11e150\n' >comma.csv
every_pair() { # VERB FILE COLUMNS ARGUMENTS...: the lines of the matrix are those of its pairs
    verb=$1 file=$2 columns=$3
    shift 3
    run $verb $file --column "$(echo $columns | tr ' ' ,)" -v "$@"
    mv out matrix
    matrix=$status$(cat err)
    for x in $columns; do
        for y in $columns; do
            printf '%s\t%s\t' $x $y
            "$QUIRE_EXE" $verb $file --column $x,$y -v "$@" 2>>err
        done
    done >out
    ran="$verb $file of all pairs"
    check "$program $verb $file $*: each entry is that of its pair" same "$matrix$(cat err) $(cmp matrix out)" '0 '
}
for rounding in nearest down up; do
    every_pair covariance comma.csv 'k x y z' --decimal , --rounding $rounding --result f64
    every_pair correlation comma.csv 'k x y z' --decimal , --rounding $rounding --result bf16
done
# Integers with all their digits, also where no double has them.
printf 'a,b,c\n9007199254740993,1,2\n0,2,4\n0,4,9007199254740995\n' >digits.csv
lines ' a b c;a 1.8028808536579266e+31 -4003199668773774.5 -9.014404268289635e+30;b -4003199668773774.5 '\
'1.5555555555555556 5003999585967218;c -9.014404268289635e+30 5003999585967218 1.8028808536579262e+31;' \
    covariance digits.csv --column a,b,c
every_pair covariance digits.csv 'a b c' --correction 1
printf 'a,b,c\n18446744073709551615,1,2\n18446744073709551613,2,4\n0,4,1\n' >unsigned.csv
every_pair covariance unsigned.csv 'a b c'
sed 's/,4$/,4.5/' digits.csv >mixed.csv
refuses 1 'mixed.csv: an integer beyond 2^53' covariance mixed.csv --column a,b,c
refuses 1 'mixed.csv:a: an integer beyond 2^53' covariance mixed.csv --column a,c --rows 3
# A row that lacks a cell in one of the columns counts for none; longer than what is read at a time.
awk -v OFS=, 'BEGIN { print "a,b,c"; for (i = 0; i < 50000; i++)
    print (i % 997 ? i * 0.37 : ""), (i % 43690 > 1 ? (i * i) % 101 : "NA"), (i % 43689 ? i % 7 : "nan") }' >long.csv
grep -v '^,\|NA\|nan' long.csv >whole.csv
run covariance whole.csv --column a,b,c -v --result f32
sed 's/$/  nan 55/' out >whole
run covariance long.csv --column a,b,c -v --result f32 --skip-nan
check "rows with a missing cell or a nan are left out" same "$status$(cat err) $(cmp out whole)" '0 '
sed '/NA\|^,/d; s/nan$/0/' long.csv >whole.csv
sed 's/nan$/0/' long.csv >zeros.csv
run covariance whole.csv --column a,b,c
mv out whole
run covariance zeros.csv --column a,b,c --missing skip
check "rows with a missing cell are left out" same "$status$(cat err) $(cmp out whole)" '0 '
printf 'a,b,c\n1,,2\n2,2,4.5\nNA,3,9\n' >lacking.csv
run covariance lacking.csv --column a,b,c
check "a missing cell is told of, and spoils its pairs" same "$status $(tr '\t\n' ' ;' <out) $(cat err)" \
    "0  a b c;a nan nan nan;b nan nan nan;c nan nan 8.38888888888889; $program: lacking.csv: 2 missing cells, the \
first in line 2, count as nan (--missing skip, nan or error)"
refuses 1 'lacking.csv: line 2, column 2: a missing cell' covariance lacking.csv --column a,b,c --missing error
printf 'a,b,c\n' >heading.csv
lines ' a b c;a nan nan nan;b nan nan nan;c nan nan nan;' covariance heading.csv --column a,b,c
printf '1,2,3\n1,2,5\n' >two.csv
lines ' 1 2 3;1 0 0 0;2 0 0 0;3 0 0 1;' covariance two.csv --column 1,2,3 --delimiter ,
printf '1,2,x\n1,2,5\n' >word.csv
refuses 1 "word.csv: line 1: 'x' in column 3 is no number, but column 1 has one" covariance word.csv --column 1,2,3
run covariance four.csv --column a,d,4 --json --missing skip
sed -n '/"files"/,/]/p; /"shape"/,/]/p; /"columns"/,/]/p' out | tr -d ' \n' >arrays
check "JSON of columns" same "$(member n | tr '\n' ' ')$(cat arrays)" \
    '12 4 4 4 4 4 4 4 4 4 "files":["four.csv"],"shape":[3,3],"columns":["a","d","4"]'
run covariance four.csv --column a,d,4 -o pairs.npy
check "columns are written" same "$status$(cat out err)" 0
array "${native}f8" '(3, 3)' 4015000000000000 3fe6000000000000 3fe6000000000000 3fe6000000000000 400c600000000000 \
    400c600000000000 3fe6000000000000 400c600000000000 400c600000000000 >right.npy
check "to the byte" cmp -s pairs.npy right.npy
refuses 2 'covariance needs two arrays: four.csv is one; --column A,B takes two' covariance four.csv --column a
refuses 2 'covariance needs two arrays, not 6' covariance four.csv four.csv --column a,d,4
refuses 2 'average needs two arrays, not 3' average four.csv --column a,d,4
refuses 2 'of more than two columns is of the whole table' covariance four.csv --column a,d,4 --by city
refuses 2 'of more than two columns is of the whole table' correlation four.csv --column a,d,4 --rows 2
refuses 2 'or of more than two columns' covariance four.csv --column a,d -o pairs.npy
refuses 2 'also read, and would be replaced' covariance four.csv --column a,d,4 -o four.csv
refuses 1 "no column 'e'; there are: city, a, \"b,c\", d" covariance four.csv --column a,e,d

# Rows and segments.
awk 'BEGIN { for (i = 0; i < 12; i++) print i * i }' >squares.txt
awk 'BEGIN { for (i = 0; i < 12; i++) print i % 4 }' >turns.txt
printf '0\n4\n12\n' >offsets.txt
# Integers count with all their digits: (2^53 + 1) / 3 is one, 2^53 / 3 is none. Beside floats they are doubles.
array '<i8' '(3,)' 0020000000000001 0000000000000000 0000000000000000 >odd.npy
array '<i8' '(3,)' 0000000000000001 0000000000000001 0000000000000001 >ones.npy
array '|u1' '(3,)' 01 01 01 >bytes.npy
array '<f8' '(3,)' 3ff0000000000000 3ff0000000000000 3ff0000000000000 >floats.npy
printf '9007199254740993\n0\n0\n' >odd.txt
printf '1\n1\n1\n' >ones.txt
gives 3002399751580331 average odd.npy --weights ones.npy
gives 3002399751580331 average odd.npy --weights ones.npy --axis 0
gives 3002399751580331 average odd.txt --weights ones.txt
gives 1 average ones.npy --weights bytes.npy
gives 1 average ones.npy --weights floats.npy
gives 1 average ones.npy --weights floats.npy --axis 0
refuses 1 'odd.npy: an integer beyond 2^53' average odd.npy --weights floats.npy

run average squares.txt turns.txt --rows 3
check "rows" same "$status$(cat err) $(tr '\n' ' ' <out)" '0 6 40.666666666666664 107.33333333333333 '
run covariance squares.txt --column 1 turns.txt --segments offsets.txt
check "segments" same "$status$(cat err) $(tr '\n' ' ' <out)" '0 3.75 18.75 '
run average x.txt --weights w.txt --json --verbose
check "JSON" same "$(member command) $(member n) $(member method)" 'average 3 exact'

refuses 2 'average needs two arrays: x.txt is one' average x.txt
refuses 2 'average needs at most two files, not 3' average x.txt x.txt x.txt
refuses 2 '--weights goes with one file' average x.txt x.txt --weights w.txt
refuses 2 'covariance takes no option --weights' covariance x.txt --weights w.txt
refuses 2 'correlation takes no option --correction' correlation x.txt w.txt --correction 1
refuses 2 'average takes no option --method' average x.txt w.txt --method plain
refuses 1 'average needs equal lengths: a.txt has 4 elements, w.txt has 3' average a.txt w.txt
refuses 2 'average needs two arrays: a.txt is one' average a.txt --rows 2
refuses 2 'correlation needs two arrays: a.txt is one' correlation a.txt --segments offsets.txt
refuses 1 'all pairs are of the rows or the columns of a matrix' covariance cube.npy --axis 1
refuses 2 'm.npy is one; --axis or --rows takes all pairs in it' covariance m.npy
refuses 2 'not sum, asum' accumulate --operation average x.txt -o x.quire
refuses 1 'No such file' average x.txt --weights missing.txt
refuses 2 'one; --column A,B takes two' average t.csv --column price --by city
refuses 2 '--weights is the same table: --column NUMBERS,WEIGHTS' average t.csv --column price --weights t.csv
refuses 2 '--column is there twice: --column A,B names two columns' average t.csv --column price --column n
printf '9007199254740993,1,0.5\n0,1,2\n' >sevens.csv # no double is the first, and there is a fraction
refuses 1 'sevens.csv: an integer beyond 2^53' covariance sevens.csv --rows 2 --delimiter ,
refuses 1 'sevens.csv:1: an integer beyond 2^53' average sevens.csv --column 1,3 --by 2 --delimiter ,

finish
