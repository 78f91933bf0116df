#!/bin/sh
# test_gpu.sh - the command on a GPU: all that it prints is what it prints on the CPU, to the byte. Also run with
# quire-fake, whose device is none.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

devices=$("$QUIRE_EXE" info --json | grep -c '"compute_capability"')
if [ "$devices" -eq 0 ]; then
    echo "1..0 # SKIP no CUDA device"
    exit 0
fi

# alike ARGUMENTS...: a test that both devices print the same JSON.
alike() {
    run "$@" --json --device cuda
    mv out there
    there=$status
    run "$@" --json
    check "quire $* on cuda as on the CPU" alike_runs
}
alike_runs() {
    [ "$there" -eq 0 ] && [ "$status" -eq 0 ] && [ ! -s err ] && cmp -s out there
}

# alike_piped FILE ARGUMENTS...: the same, from a pipe.
alike_piped() {
    file=$1
    shift
    cat "$file" | "$QUIRE_EXE" "$@" --json --device cuda - >there 2>err
    there=$? ran="$* -"
    cat "$file" | "$QUIRE_EXE" "$@" --json - >out 2>>err
    status=$?
    check "quire $* - on cuda as on the CPU" alike_runs
}

tail -c 8000 "$QUIRE_SAMPLE" >sample.f32
for type in f16 bf16 f32 f64; do
    cat sample.f32 sample.f32 sample.f32 >data.$type
    for method in exact kahan pairwise plain; do
        for operation in sum asum nrm2 mean; do
            alike $operation --type $type --method $method --result f64 data.$type
        done
        alike dot --type $type --method $method data.$type data.$type
        alike_piped data.$type sum --type $type --method $method
    done
    for operation in sum asum nrm2 mean; do
        alike $operation --type $type /dev/null
        alike $operation --type $type --method plain /dev/null
    done
done

# Each file's array is copied to the device, and forgotten.
alike sum --type f32 --method kahan data.f32 data.f32 data.f32 data.f32 data.f32 data.f32 data.f32

# Both byte orders, Fortran's order, headers that leave elements at odd places.
for order in '<' '>'; do
    array "$order"f4 '(4,)' 60ad78ec 3f800000 e0ad78ec 3f800000 >float.npy
    array "$order"f8 '(2,)' 4008000000000000 c010000000000000 >double.npy
    for file in float.npy double.npy; do
        alike sum $file
        alike mean --method kahan $file
        alike_piped $file sum
    done
done
for order in True False; do
    {
        header 1 "{'descr': '<f4', 'fortran_order': $order, 'shape': (2, 2), }" 1
        put '<' 3f800000 40000000 40400000 40800000
    } >four.npy
    alike dot four.npy four.npy
    alike dot --method pairwise four.npy four.npy
done

# Rows, columns, the middle axis and segments: 24 floats, x[i][j][k], in both orders; two of them at odd places.
words='3f800000 40000000 40400000 b3800000 7f7fffff ff7fffff 00000001 3eaaaaab'
for order in True False; do
    {
        header 1 "{'descr': '<f4', 'fortran_order': $order, 'shape': (2, 3, 4), }" 1
        # shellcheck disable=SC2086
        put '<' $words 41200000 c1200000 3dcccccd 00000000 $words 42c80000 c2c80000 3f000000 80000000
    } >cube.npy
    for axis in 0 1 -1; do
        alike sum cube.npy --axis $axis
        alike nrm2 cube.npy --axis $axis --method pairwise
        alike dot cube.npy cube.npy --axis $axis --result f64
        alike mean cube.npy --axis $axis --rounding up --result f16
    done
done
array '<f4' '(0, 3)' >zero.npy
alike mean zero.npy --axis 0
alike sum zero.npy --axis 1
printf '0 0 1 7 7 300 1000' >offsets.txt
printf '0 0 0' >empty.txt
for type in f16 bf16 f32 f64 e5m2 e4m3; do
    for method in exact plain; do
        alike sum --type $type --method $method --rows 8 sample.f32
        alike dot --type $type --method $method --segments offsets.txt sample.f32 sample.f32
    done
done
for method in kahan pairwise; do
    alike asum --type f32 --method $method --rows 1000 sample.f32
    alike sumsq --type f16 --method $method --segments offsets.txt sample.f32
done
alike mean --type f32 --segments empty.txt /dev/null
alike_piped sample.f32 sum --type f32 --rows 10
seq 1000 >numbers.txt
alike mean numbers.txt --segments offsets.txt
run sum numbers.txt --rows 10 -o there.npy --device cuda
there=$status
mv there.npy there
run sum numbers.txt --rows 10 -o here.npy
mv here.npy out
check "rows of a text on cuda, to a file, as on the CPU" alike_runs
alike variance cube.npy --axis 0
alike variance --correction 1 cube.npy --axis -1
alike stddev --type f32 --rows 100 sample.f32
alike stddev --type f16 --segments offsets.txt sample.f32

# Running sums.
for type in f16 f32 f64; do alike cumsum --type $type sample.f32; done
alike cumsum cube.npy --axis 1 --exclusive
alike cumsum cube.npy --axis 0 --rounding up --result f64
alike cumsum numbers.txt
alike cumsum --type f32 /dev/null
alike_piped sample.f32 cumsum --type f32
run cumsum cube.npy --axis 2 -o there.npy --device cuda
there=$status
mv there.npy there
run cumsum cube.npy --axis 2 -o here.npy
mv here.npy out
check "running sums on cuda, to a file, as on the CPU" alike_runs

# Averages, covariances and correlations: of whole arrays, rows, an axis and segments.
for type in f16 f32 f64; do
    tail -c 4000 sample.f32 >half.$type
    head -c 4000 sample.f32 >weights.$type
    for operation in average covariance correlation; do
        alike $operation --type $type half.$type weights.$type
        alike $operation --type $type --rows 10 half.$type weights.$type
    done
done
alike average --type f32 half.f32 --weights weights.f32 --rounding down --result f64
alike covariance cube.npy cube.npy --axis 1 --correction 1
printf '1\n2\n4\n7\n2\n4\n' >rows.txt
alike correlation rows.txt --rows 2
alike covariance rows.txt --rows 3 --result f32
alike correlation --type f32 --segments offsets.txt sample.f32 sample.f32
alike average --type f32 /dev/null /dev/null
alike covariance numbers.txt numbers.txt
printf 'a,b,c\n1,0.5,9\n2,4,-1\n4,1e300,3\n' >table.csv
alike covariance table.csv --column a,b,c --verbose
alike correlation table.csv --column 1,2,3 --rounding up --delimiter ,

# Integers: all digits, by every way to cut them.
for type in i8 u8 i16 i32 u32 i64 u64; do
    for operation in sum asum sumsq mean variance; do
        alike $operation --type $type half.f32
        alike $operation --type $type --rows 10 half.f32
    done
    alike sum --type $type --segments offsets.txt sample.f32
    alike dot --type $type --rows 10 half.f32 weights.f32
    alike average --type $type --rows 10 half.f32 weights.f32
    alike cumsum --type $type half.f32
    alike cumsum --type $type half.f32 --exclusive --result f32 --rounding up
done
for type in i8 u16 i32 i64 u64; do
    alike average --type $type half.f32 weights.f32
    alike correlation --type $type half.f32 weights.f32
done
seq 9007199254740993 9007199254741992 >great.txt
alike cumsum great.txt
alike sum great.txt
alike mean great.txt
alike average great.txt great.txt
alike sum great.txt --rows 10
alike sumsq great.txt --segments offsets.txt

# The table, but for times and rates.
for operation in sum asum nrm2 mean; do
    run $operation --method all --device cuda "$QUIRE_SAMPLE"
    awk '{ print $1, $2, $3, $4, $5 }' out >there
    there=$status
    run $operation --method all "$QUIRE_SAMPLE"
    awk '{ print $1, $2, $3, $4, $5 }' out >here
    mv here out
    check "the table of $operation on cuda as on the CPU" alike_runs
done

# A bar for each pass: what needs several sums takes the array several times.
export QUIRE_PROGRESS=all
bars() { # WANTED ARGUMENTS...: the words of all bars, in turn
    wanted=$1
    shift
    run "$@" --device cuda
    painted=$(tr '\r' '\n' <err | sed 's/^.\[K//; s/ *\[.*//; /^$/d' | uniq | tr '\n' ,)
    check "the bars of quire $*" same "$painted" "$wanted"
}
bars 'summing,' sum --type f32 sample.f32
bars 'pass 1 of 2: summing,pass 2 of 2: summing,' variance --type f32 sample.f32
bars 'file 1 of 2, pass 1 of 2: summing,file 1 of 2, pass 2 of 2: summing,file 2 of 2, pass 1 of 2: summing,'\
'file 2 of 2, pass 2 of 2: summing,' stddev --type f32 --total sample.f32 sample.f32
unset QUIRE_PROGRESS

# More than all slots of a device hold, and no whole number of pieces.
doublings='1 2 3 4 5 6 7 8 9 10 11 12 13 14' few=29 many=16385
[ "$program" != quire-fake ] || doublings='1 2' few=5 many=5
cp sample.f32 long.f32
for i in $doublings; do
    cat long.f32 long.f32 >longer.f32
    mv longer.f32 long.f32
done
cat sample.f32 >>long.f32
tail -c +5 long.f32 >short.f32
alike sum --type f32 long.f32
alike mean --type f16 long.f32
alike nrm2 --type f64 long.f32
alike sum --type f32 --method kahan long.f32
alike sum --type f32 --rows $few long.f32
alike sum --type f32 --rows $many --method plain long.f32
alike dot --type f32 long.f32 long.f32
alike dot --type f32 short.f32 short.f32
alike dot --type f32 --method plain long.f32 long.f32
alike_piped short.f32 asum --type f32
rm -f long.f32 short.f32

# What cannot be.
CUDA_VISIBLE_DEVICES=-1 run sum --device cuda "$QUIRE_SAMPLE"
check "no device to be seen" failed 1 '--device cuda: no CUDA device, though there is a driver'
refuses 1 '--device cuda:4095: no CUDA device of this number' sum --device cuda:4095 "$QUIRE_SAMPLE"
refuses 1 none.npy sum --device cuda none.npy
refuses 2 '--threads and --tier' sum --device cuda --threads 2 "$QUIRE_SAMPLE"
run sum --device "cuda:$((devices - 1))" "$QUIRE_SAMPLE"
check "the last device" prints -38.003624

if [ "$program" != quire-fake ]; then
    run info
    check "quire info has the devices" \
        same "$(grep -c '^cuda:[0-9]* .*, compute capability [0-9]*\.[0-9]*, [0-9.]* GiB$' out)" "$devices"
    check "quire info has the driver" grep -q '^CUDA driver  [0-9]*\.[0-9]*$' out
fi
run info --json
check "quire info --json has the driver" grep -q '"cuda_driver": "[0-9.]*"' out

finish
