#!/bin/sh
# test_output.sh - what is printed: shortest decimals, exact bits, the table's errors and bounds, JSON, help; and that
# threads and tiers change none of it.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

# number TYPE BITS DECIMAL HEX: a raw file of this one number gives this text, hex float and bits.
number() {
    put $native "$2" >number
    run sum --type "$1" number
    check "$1 $2 is $3" prints "$3"
    run sum --type "$1" number --json
    check "$1 $2 in JSON" same "$(member decimal) $(member hex) $(member bits)" "$3 $4 0x$2"
}
number f16 3c00 1 0x1p+0
number f16 7bff 6.55e+04 0x1.ffcp+15
number f16 6400 1024 0x1p+10
number f16 0001 6e-08 0x1p-24
number f16 3555 0.3333 0x1.554p-2
number f16 8000 -0 -0x0p+0
number f16 7c00 inf inf
number bf16 3dcd 0.1 0x1.9ap-4
number bf16 7f7f 3.39e+38 0x1.fep+127
number bf16 0001 9e-41 0x1p-133
number e5m2 3c 1 0x1p+0
number e5m2 7b 6e+04 0x1.cp+15
number e5m2 01 2e-05 0x1p-16
number e5m2 fc -inf -inf
number e4m3 b9 -1.1 -0x1.2p+0
number e4m3 7e 4.5e+02 0x1.cp+8
number e4m3 01 0.002 0x1p-9
number e4m3 80 -0 -0x0p+0
number f32 3dcccccd 0.1 0x1.99999ap-4
number f32 4b800000 16777216 0x1p+24
number f32 7f7fffff 3.4028235e+38 0x1.fffffep+127
number f32 00000001 1e-45 0x1p-149
number f32 469c4000 20000 0x1.388p+14
number f32 ff800000 -inf -inf
number f32 7fc00000 nan nan
number f64 3fb999999999999a 0.1 0x1.999999999999ap-4
number f64 3fd3333333333334 0.30000000000000004 0x1.3333333333334p-2
number f64 0000000000000001 5e-324 0x0.0000000000001p-1022
number f64 0010000000000000 2.2250738585072014e-308 0x1p-1022
number f64 7fefffffffffffff 1.7976931348623157e+308 0x1.fffffffffffffp+1023
number f64 44b52d02c7e14af6 1e+23 0x1.52d02c7e14af6p+76
number f64 4340000000000000 9007199254740992 0x1p+53
number f64 3ee4f8b588e368f1 1e-05 0x1.4f8b588e368f1p-17
number f64 3eb0c6f7a0b5ed8d 1e-06 0x1.0c6f7a0b5ed8dp-20
number f64 c05edd2f1a9fbe77 -123.456 -0x1.edd2f1a9fbe77p+6
# 2^-44 has the nearest decimals of 16 digits on one side of it only.
number f64 3d30000000000000 5.684341886080802e-14 0x1p-44
put $native 7ff4000000000001 fff0000000000000 >number
run sum --type f64 number --json
check "any NaN becomes the canonical one" same "$(member bits) $(member value)" '0x7ff8000000000000 null'

# The sample. The other types of result are the exact sum rounded once.
for result in 'f16 -38 0xd0c0' 'bf16 -38 0xc218' 'e5m2 -40 0xd1' 'e4m3 -40 0xe2' 'f32 -38.003624 0xc21803b6' \
    'f64 -38.00362300872803 0xc0430076b8000000'; do
    # shellcheck disable=SC2086
    set -- $result
    run sum "$QUIRE_SAMPLE" --result "$1"
    check "the sample in $1" prints "$2"
    run sum "$QUIRE_SAMPLE" --result "$1" --json
    check "the bits of the sample in $1" same "$(member bits) $(member n) $(member result_type)" "$3 2000 $1"
done

# Errors that can be worked out by hand: in ulps of the result type, of the true result.
near() { # near VALUE WANTED: to 12 digits
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && a != "null" && d * d <= 1e-24 * b * b) }'
}
error() { # error METHOD: from the JSON of the last run
    sed -n '/"method": "'"$1"'"/,/}/s/^ *"error_ulps": \(.*[^,]\),*$/\1/p' out
}
array '<f4' '(3,)' 4b800000 3f800000 3f800000 >big.npy
run sum big.npy --method all --json
check "2^24 + 1 + 1 exactly" near "1$(error exact)" 10.0
check "2^24 + 1 + 1 plainly: one ulp off" near "$(error plain)" 1
run sum big.npy --method all --json --result f64
check "2^24 + 1 + 1 plainly, in double" near "$(error plain)" 536870912
array '<f4' '(3,)' 3f800000 40000000 40800000 >seven.npy
run mean seven.npy --method all --json
check "7 / 3 in float is a third of an ulp off" near "$(error exact)" 0.333333333333333
run mean seven.npy --method all --json --result f64
check "7 / 3 in double is a third of an ulp off" near "$(error exact)" 0.333333333333333
array '<f8' '(2,)' 3ff0000000000000 3ff0000000000000 >ones.npy
run nrm2 ones.npy --method all --json
check "the root of 2 in double" near "$(error exact)" 0.4353761856414783
array '<f8' '(1,)' 2000000000000000 >tiny.npy
run dot tiny.npy tiny.npy --method all --json
check "2^-1022 is exact" near "1$(error exact)" 10.0
array '<f8' '(1,)' 1e50000000000000 >tiny.npy
run dot tiny.npy tiny.npy --method all --json
check "2^-1076 is a quarter of the least double off" near "$(error exact)" 0.25
array '<f8' '(1,)' 7fefffffffffffff >huge.npy
run nrm2 huge.npy --method all --json
check "the norm of the greatest double" same "$(error exact) $(error plain)" '0.0 null'

# Every method within its bound, on the sample and on data of every other type and condition.
within() { # from the table of the last run: five lines, and 0 <= error <= bound in each of the four
    [ "$status" -eq 0 ] && [ ! -s err ] && awk '
        NR > 1 && ($4 + 0 > $5 + 0 && $5 != "inf" || $4 !~ /^([0-9.]|inf)/) { bad = 1 }
        NF != 8 - (NR == 1) { bad = 1 } END { exit bad || NR != 5 }' out
}
tail -c 8000 "$QUIRE_SAMPLE" >sample.f32
for type in f16 bf16 f32 f64; do
    # Bytes as they come, but for the exponents, which are cut so that no type has a NaN.
    size=$(case $type in f32) echo 4 ;; f64) echo 8 ;; *) echo 2 ;; esac)
    tail -c 8000 "$QUIRE_SAMPLE" | od -An -v -tx1 | tr -s ' ' '\n' | awk -v size="$size" '
        NF { byte[n++ % size] = $1; if (n % size == 0) { w = ""; for (i = 1; i < size; i++) w = w byte[i]
             print (n / size % 2 ? "3" : "b") "a" w } }' | head -400 >words
    # shellcheck disable=SC2046
    put $native $(cat words) >data.$type
    for operation in sum asum nrm2 mean; do
        for result in f16 f32 f64; do
            run $operation --method all --type $type --result $result data.$type
            check "$operation of $type in $result: within the bounds" within
        done
    done
    run dot --method all --type $type data.$type data.$type
    check "dot of $type: within the bounds" within
done
for operation in sum asum nrm2 mean; do
    run $operation --method all "$QUIRE_SAMPLE"
    check "$operation of the sample: within the bounds" within
done

# Threads and tiers: the same JSON, to the byte, but for the numbers that are times.
cat sample.f32 >long.f32
for i in 1 2 3 4 5 6 7 8 9 10; do
    cat long.f32 long.f32 >longer.f32
    mv longer.f32 long.f32
done
tiers=$("$QUIRE_EXE" info --json | sed -n '/"tiers"/,/]/s/^ *"\([a-z0-9]*\)",*$/\1/p')
check "the portable tier is always there" same "$(echo "$tiers" | head -n 1)" portable
for method in exact kahan pairwise plain; do
    run sum --type f32 --method $method --json --threads 1 --tier portable long.f32
    mv out reference
    for tier in $tiers best; do
        for threads in 0 2 7; do
            run sum --type f32 --method $method --json --threads $threads --tier "$tier" long.f32
            check "$method with $threads threads, tier $tier" cmp -s reference out
        done
        QUIRE_TIER=$tier run sum --type f32 --method $method --json long.f32
        check "$method with QUIRE_TIER=$tier" cmp -s reference out
    done
done
rm -f long.f32

# Help, version, info.
for arguments in '--help' '-h' 'sum --help' 'dot -h' 'info --help'; do
    # shellcheck disable=SC2086
    run $arguments
    check "quire $arguments" grep -q '^usage: quire' out
    check "quire $arguments succeeds" same "$status$(cat err)" 0
done
run --version
check "quire --version" grep -qx 'quire [0-9]*\.[0-9]*\.[0-9]*' out
version=$(sed 's/quire //' out)
run info
check "quire info has the version" grep -qx "version  *$version" out
check "quire info has a default tier" grep -q '(default)' out
check "quire info tells of threads and CUDA" same "$(grep -cE '^(threads|CUDA) +(yes|no)$' out)" 2
run info --json
check "quire info --json has the version" same "$(member version)" "$version"
for tier in $tiers; do
    QUIRE_TIER=$tier run info --json
    check "QUIRE_TIER=$tier is the default then" same "$(member default_tier)" "$tier"
done

# A name that is not UTF-8 is no reason not to print JSON.
name=$(printf 'caf\351.npy')
cp ones.npy "$name" 2>/dev/null && {
    run sum "$name" --json
    check "a name in Latin-1" same "$status $(member bits)" '0 0x4000000000000000'
}

finish
