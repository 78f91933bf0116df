#!/bin/sh
# test_input.sh - every way a number can come in: types, byte orders, .npy versions and shapes, raw files, pipes.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

# 1e20, 1, -1e20, 1 in float and double; 60000, 1, -60000, 1 in half; 2^66, 1, -2^66, 1 in bfloat16;
# 49152, 1, -49152, 1 in E5M2; 448, 1, -448, 1 in E4M3. All sum to 2.
f2="7b53 3c00 fb53 3c00"
f4='60ad78ec 3f800000 e0ad78ec 3f800000'
f8='4415af1d78b58c40 3ff0000000000000 c415af1d78b58c40 3ff0000000000000'
bf16='6080 3f80 e080 3f80'
e5m2='7a 3c fa 3c'
e4m3='7e 38 fe 38'

for order in '<' '>'; do
    array "${order}f2" '(4,)' $f2 >half.npy
    array "${order}f4" '(4,)' $f4 >float.npy
    array "${order}f8" '(4,)' $f8 >double.npy
    array "${order}V2" '(4,)' $bf16 >bfloat16.npy
    array "${order}f8" '(2,)' 4008000000000000 c010000000000000 >other.npy
    for type in half float double; do
        run sum $type.npy
        check "$type in $order order" prints 2
    done
    run sum --type bf16 bfloat16.npy
    check "bfloat16 in $order order" prints 2
    array "${order}f1" '(4,)' $e5m2 >e5m2.npy
    run sum e5m2.npy
    check "E5M2 in $order order" prints 2
    array "${order}V1" '(4,)' $e4m3 >e4m3.npy
    run sum --type e4m3 e4m3.npy
    check "E4M3 in $order order" prints 2
    run sum --type bf16 e4m3.npy
    check "one opaque byte is no bfloat16, in $order order" failed 1 opaque
    run asum other.npy
    check "asum in $order order" prints 7
    run nrm2 other.npy
    check "nrm2 in $order order" prints 5
    run mean other.npy
    check "mean in $order order" prints -0.5
    run dot other.npy other.npy
    check "dot in $order order" prints 25
    cat float.npy | "$QUIRE_EXE" sum - >out 2>err
    status=$? ran='sum -'
    check "a pipe of .npy in $order order" prints 2
done
array "=f4" '(4,)' >equal.npy
put $native $f4 >>equal.npy
gives 2 sum equal.npy

for version in 1 2 3; do
    { header $version "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"; put '<' $f4; } >version.npy
    run sum version.npy
    check ".npy version $version" prints 2
done

# Other ways to write a header, all of them legal Python.
legal() {
    { header 1 "$1"; put '<' $f4; } >legal.npy
    run sum legal.npy
    check "header $1" prints 2
}
legal "{'shape': (4,), 'fortran_order': False, 'descr': '<f4'}"
legal '{"descr":"<f4","fortran_order":False,"shape":(4,)}'
legal "{ 'descr' : '<f4' , 'fortran_order' : True , 'shape' : ( 4 , ) , } "
legal "{'descr': '<f4', 'fortran_order': False, 'shape': (4L,), }"
legal "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1, 2), }"

# No padding at all, so that elements start at any place.
for blanks in '' ' ' '  ' '   '; do
    { header 1 "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }$blanks" 1; put '<' $f8; } >odd.npy
    run sum odd.npy
    check "header with ${#blanks} blanks" prints 2
done

array '<f4' '()' 40490fdb >scalar.npy
gives 3.1415927 sum scalar.npy
array '<f4' '(0,)' >empty.npy
gives 0 sum empty.npy
gives 0 nrm2 empty.npy
gives 0 dot empty.npy empty.npy
gives nan mean empty.npy
array '<f8' '(3, 0, 18446744073709551615)' >empty.npy
gives 0 sum empty.npy
gives 0 sum --type f16 /dev/null

# Raw numbers are in the byte order of the machine.
put $native $f2 >raw.f16
put $native $bf16 >raw.bf16
put $native $f4 >raw.f32
put $native $f8 >raw.f64
put $native $e5m2 >raw.e5m2
put $native $e4m3 >raw.e4m3
for type in f16 bf16 f32 f64 e5m2 e4m3; do
    run sum --type $type raw.$type
    check "raw $type" prints 2
    run sum --type $type - <raw.$type
    check "raw $type, redirected" prints 2
    cat raw.$type | "$QUIRE_EXE" sum --type $type - >out 2>err
    status=$? ran="sum --type $type -"
    check "raw $type, piped" prints 2
done
put $native 3c00 >short.f16
gives 1 sum --type f16 short.f16
put $native 3c00 4000 >short.f16
gives 5 dot --type f16 short.f16 short.f16

# An .npy file may be named with its type, and its data may be read from the middle of a file.
gives 2 sum --type f64 double.npy
run sum - <float.npy
check "redirected .npy" prints 2
{ dd bs=8 count=1 >/dev/null 2>&1; run sum --type f32 -; } <raw.f32
check "redirected raw, the first half already read" prints -1e+20
{ put $native 00000000; cat raw.f64; } >shifted.f64
{ dd bs=4 count=1 >/dev/null 2>&1; run sum --type f64 -; } <shifted.f64
check "redirected raw from an odd place" prints 2
mkfifo fifo
cat raw.f64 >fifo &
gives 2 sum --type f64 fifo
run dot - other2.npy <other.npy
check "missing second file of dot" failed 1 other2.npy
cp other.npy other2.npy
run dot - other2.npy <other.npy
check "dot of standard input and a file" prints 25

# Fortran order: what pairs up with what.
fortran() {
    header 1 "{'descr': '<f4', 'fortran_order': True, 'shape': $1, }"
    put '<' 3f800000 40000000 40400000 40800000
}
fortran '(2, 2)' >f22.npy
fortran '(2, 1, 2)' >f212.npy
fortran '(4,)' >f4.npy
fortran '(1, 4)' >f14.npy
array '<f4' '(2, 2)' 3f800000 40000000 40400000 40800000 >c22.npy
array '<f4' '(4,)' 3f800000 40000000 40400000 40800000 >c4.npy
gives 10 sum f22.npy
gives 30 dot f22.npy f22.npy
gives 30 dot f22.npy f212.npy
gives 30 dot c22.npy c4.npy
gives 30 dot f4.npy c4.npy
gives 30 dot f14.npy c22.npy
refuses 1 'Fortran order' dot f22.npy c22.npy
printf '0 2 4\n' >offsets.txt
refuses 1 "Fortran's" sum f22.npy --segments offsets.txt
run sum c22.npy --segments offsets.txt
check "segments of an array in C's order" test "$status" -eq 0
refuses 1 'Fortran order' dot c4.npy f22.npy
{ header 1 "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 4), }"; put '<' $f4 $f4; } >f24.npy
{ header 1 "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 2), }"; put '<' $f4 $f4; } >f42.npy
refuses 1 'shapes' dot f24.npy f42.npy

# Temporary files go where TMPDIR says, and none is left.
mkdir tmp
for file in odd.npy double.npy; do
    TMPDIR=$work/tmp run sum $file
    check "$file by way of TMPDIR" prints 2
    TMPDIR=$work/tmp run sum --method kahan $file
    check "$file by way of TMPDIR, with another method" prints 2
done
check "no temporary file is left" same "$(ls tmp)" ''
TMPDIR=$work/none run sum --method kahan odd.npy
check "TMPDIR that is not there" failed 1 'temporary file /'
TMPDIR=$work/none run sum odd.npy
check "no temporary file for an exact sum" prints 2
TMPDIR=$work/none run sum raw.f32 --type f32
check "no temporary file for what can be mapped" prints 2

finish
