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
