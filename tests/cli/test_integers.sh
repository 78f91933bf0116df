#!/bin/sh
# test_integers.sh - sums of integers with all their digits: of files and of texts, along axes, in files of results.
#
# SPDX-License-Identifier: MIT
. "${0%/*}/tap.sh"

array '<i8' '(3,)' 7fffffffffffffff 7fffffffffffffff 7fffffffffffffff >great.npy
array '<u8' '(3,)' ffffffffffffffff ffffffffffffffff ffffffffffffffff >unsigned.npy
array '<i8' '(2,)' 8000000000000000 8000000000000000 >least.npy
array '<i8' '(3,)' 0020000000000001 0000000000000000 0000000000000000 >odd.npy

# One result.
gives 27670116110564327421 sum great.npy
gives 55340232221128654845 sum unsigned.npy
gives -18446744073709551616 sum least.npy
gives 18446744073709551616 asum least.npy
gives 9007199254740993 sum odd.npy
gives 3002399751580331 mean odd.npy
gives 83010348331692982266 sum great.npy unsigned.npy --total
gives 2.7670116110564327e+19 sum great.npy --result f64
gives 2.7670116e+19 sum great.npy --result f32
gives '27670116110564327421  0x1.8p+64  0x43f8000000000000  n 3' sum great.npy --verbose
run sum great.npy --json
check "JSON has all digits" same "$(member decimal)" 27670116110564327421
gives 81129638414606699710187514626049 dot odd.npy odd.npy
# A sum of products that is beyond 128 bits is a double.
gives 1.0208471007628154e+39 dot unsigned.npy unsigned.npy

# Texts.
text() { # TEXT WANTED ARGUMENTS...
    printf -- "$1" >text
    wanted=$2
    shift 2
    run "$@" <text
    check "$program $* of a text prints $wanted" prints "$wanted"
}
text '9223372036854775807\n1\n' 9223372036854775808 sum
text '9007199254740993\n1' 9007199254740994 sum
text '9007199254740993\n-9007199254740992' 1 sum
text '+18446744073709551615\n1\n-3' 18446744073709551613 sum
text '40564819207303340847894502572031' 40564819207303340847894502572031 sum
text '9007199254740993\n0.5' 9007199254740994 sum
text '1e20\n1' 1e+20 sum
text '-0' -0 sum
text 'a,b\n9007199254740993,1\n1,2\n' 9007199254740994 sum --column a
text 'a,b\n9007199254740993,1\nNA,2\n2,3\n' 9007199254740995 sum --column a --missing skip
text '9007199254740993\n' 81129638414606699710187514626049 sumsq
# The nearest double may be the greater one.
text '9007199254740995' 9007199254740995 asum
text '9223372036854775807\n-9223372036854775807' 18446744073709551614 asum
text '9007199254740995\n0.5' 9007199254740996 asum
text '81129638414606681695789005144063' 81129638414606681695789005144063 sum
# Infinities beside such integers, and zeros.
text 'inf\n9007199254740993' inf sumsq
text 'inf\n9007199254740993' inf nrm2
printf 'inf\n9007199254740995\n' >infinite.txt
printf '2\n1\n' >factors.txt
printf -- '-0\n-0\n' >zeros.txt
printf '9007199254740995\n9007199254740995\n' >odd.txt
gives inf dot infinite.txt factors.txt
gives inf dot odd.txt infinite.txt
gives -0 dot zeros.txt odd.txt
gives -0 dot odd.txt zeros.txt
gives 162259276829213471477969067180050 dot odd.txt odd.txt

# Along axes, in rows: each sum has all digits.
array '<i8' '(2, 2)' 7fffffffffffffff 8000000000000000 7fffffffffffffff ffffffffffffffff >matrix.npy
lines() { # TEXT ARGUMENTS...: lines that end in semicolons
    wanted=$1
    shift
    run "$@"
    check "$program $* prints $wanted" same "$(tr '\n' ';' <out)" "$wanted"
}
lines '18446744073709551614;-9223372036854775809;' sum --axis 0 matrix.npy
lines '-1;9223372036854775806;' sum --axis 1 matrix.npy
lines '-1;9223372036854775806;' sum --rows 2 matrix.npy
lines '9.223372036854776e+18;-4.611686018427388e+18;' mean --axis 0 matrix.npy
lines '18446744073709551615;9223372036854775808;' asum --axis 1 matrix.npy
lines '1.8446744073709552e+19;-9.223372036854776e+18;' sum --axis 0 matrix.npy --result f64
refuses 1 'beyond 2^53' sum --axis 0 matrix.npy --method kahan
array '>i2' '(2, 3)' 0001 0002 0003 0004 0005 fffa >swapped.npy
lines '5;7;-3;' sum --axis 0 swapped.npy
array '|u1' '(2, 2)' ff ff ff 01 >bytes.npy
lines '510;256;' sum --axis 1 bytes.npy
lines '130050;65026;' sumsq --axis 1 bytes.npy
put $native 00000001 7fffffff 7fffffff 80000000 >raw.i32
lines '2147483648;-1;' sum --type i32 --rows 2 raw.i32
run sum --axis 0 matrix.npy --json
check "JSON of many has all digits" same "$(member decimal | tr '\n' ' ')" "18446744073709551614 -9223372036854775809 "

# Texts of integers in rows, segments and by key: where one is beyond 2^53, or a sum is, all digits are there.
printf '9007199254740993 1\n9007199254740992 1\n-5 2\n' >rows.txt
unread() { # as lines, of texts that have several columns
    wanted=$1
    shift
    run "$@"
    unremarked
    check "$program $* prints $wanted" same "$status$(cat err) $(tr '\n\t' '; ' <out)" "0 $wanted"
}
unread '9007199254740994;9007199254740993;-3;' sum rows.txt --rows 3
unread '9007199254740994;9007199254740993;7;' asum rows.txt --rows 3
unread '4503599627370497;4503599627370496;-1.5;' mean rows.txt --rows 3
unread '9007199254740992;9007199254740992;-3;' sum rows.txt --rows 3 --method plain
printf '0 1 3 6' >offsets.txt
unread '9007199254740993;9007199254740993;-2;' sum rows.txt --segments offsets.txt
unread '9007199254740994;9007199254740994;-2;' sum rows.txt --segments offsets.txt --result f64 --rounding up
unread '9.007199e+15;9.007199e+15;-2;' sum rows.txt --segments offsets.txt --result f32
run sum rows.txt --rows 3 -o out.npy
unremarked
array "${native}f8" '(3,)' 4340000000000001 4340000000000000 c008000000000000 >right.npy
check "a file of a text's sums has doubles" cmp -s out.npy right.npy
printf 'k,x,w\nb,9223372036854775807,1\na,1,2\nb,9223372036854775807,1\na,9007199254740992,2\n' >t.csv
unread 'a 9007199254740993 2;b 18446744073709551614 2;' sum t.csv --column x --by k
unread 'a 9007199254740993 2;b 18446744073709551614 2;' asum t.csv --column x --by k
unread 'a 4503599627370496 2;b 9.223372036854776e+18 2;' mean t.csv --column x --by k
unread 'a 4503599627370496 2;b 9.223372036854776e+18 2;' average t.csv --column x,w --by k
unread 'a 18014398509481984 2;b 1.8446744073709552e+19 2;' dot t.csv --column x,w --by k
printf 'a -1\nb -7\na -2\n' >small.txt
unread 'a -3 2;b -7 1;' sum --by 1 --column 2 small.txt
run sum t.csv --column x --by k --json
check "JSON by key has all digits" same "$(member decimal | tr '\n' ' ')$(member result_type)" \
    '9007199254740993 18446744073709551614 f64'
# Unsigned ones; ends of both types; neither; what is no integer.
rows() { # TEXT WANTED ARGUMENTS...
    printf -- "$1" >text
    wanted=$2
    shift 2
    run "$@" --rows 1 text
    unremarked
    check "$program $* of a text's row prints $wanted" same "$status$(cat err) $(cat out)" "0 $wanted"
}
rows '18446744073709551615\n18446744073709551615\n' 36893488147419103230 sum
rows '18446744073709551615\n1\n' 18446744073709551616 sum
rows '-9223372036854775808\n-9223372036854775808\n' -18446744073709551616 sum
rows '-9223372036854775808\n9223372036854775807\n' -1 sum
rows '9223372036854775807\n9223372036854775807\n-9223372036854775807\n' 9223372036854775807 sum
rows '18446744073709551616\n1\n' 1.8446744073709552e+19 sum
rows '-1\n18446744073709551615\n' 1.8446744073709552e+19 sum
rows '9223372036854775808\n1\n' 9223372036854775809 sum
rows '9223372036854775808\n-1\n' 9.223372036854776e+18 sum
rows '-9223372036854775809\n1\n' -9.223372036854776e+18 sum
rows '9007199254740993\n0.5\n' 9007199254740992 sum
rows '1e3\n9007199254740993\n' 9007199254741992 sum
rows '-0\n-0\n' -0 sum
rows '9007199254740993\nNA\n' nan sum
rows '9007199254740993\n9007199254740993\n' 12738103345051546 nrm2
rows '9007199254740993\n9007199254740995\n' 1 variance
# More than a piece of a text, whose last number alone is none.
{ seq 140000; echo 9007199254740993; } >long.txt
rows "$(tr '\n' ' ' <long.txt)" 9007209054810993 sum
{ cat long.txt; echo 0.5; } >longer.txt
rows "$(tr '\n' ' ' <longer.txt)" 9007209054810992 sum

# Products of two files.
array '<i8' '(2, 1)' 0020000000000001 0000000000000001 >two.npy
array '<i8' '(2, 1)' 0000000000000003 ffffffffffffffff >three.npy
lines '27021597764222976;' dot --axis 0 two.npy three.npy --result f64
lines '2.7021598e+16;' dot --rows 1 two.npy three.npy --result f32

# Files of results are int64, or are not written.
run sum --axis 1 matrix.npy -o out.npy
array "${native}i8" '(2,)' ffffffffffffffff 7ffffffffffffffe >right.npy
check "results are written as int64" cmp -s out.npy right.npy
run sum --axis 0 matrix.npy -o none.npy
check "a sum beyond int64 is not written" failed 1 'beyond int64; --result f64'
check "and leaves no file" test ! -e none.npy
run sum --axis 0 matrix.npy -o doubles.npy --result f64
check "but a double of it is" test "$status" -eq 0 -a -s doubles.npy
finish
