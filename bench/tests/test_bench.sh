#!/bin/sh
# test_bench.sh - quire-bench's command line and files, in TAP: what is refused, and that CSV and JSON can be read. What
# is measured is not looked at. QUIRE_EXE is the path of quire-bench; BENCH_HAS says what it was built with ("json",
# "gpu", "zlib"), QUIRE_COMMAND is the path of quire, if that was built.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/../../tests/cli/tap.sh"

# columns ROWS FILE: every line of a CSV that is no comment has as many fields as the first, and there are so many.
columns() {
    awk -F, -v wanted="$1" '/^#/ { next } !width { width = NF; next } { rows++ } NF != width { bad = 1 }
        END { exit bad || rows != wanted }' "$2"
}

fine() { [ "$status" -eq 0 ] && [ ! -s err ]; }

# The command line.
refuses 2 'unknown option --fast' --fast
refuses 2 'did you mean --seconds?' --secnods 1
refuses 2 'is no option' fast
refuses 2 '--n needs a value' --n
refuses 2 "--place: 'tpu' is none of cpu, gpu, all" --place tpu
refuses 2 "--type: 'f8'" --type f8
refuses 2 "--operation: 'norm'" --operation sum,norm
refuses 2 "--method: 'best'" --method best
refuses 2 "--family: 'odd'" --family odd
refuses 2 "--n: '0'" --n 0
refuses 2 "--n: '1.5'" --n 1.5
refuses 2 "--n: '2^70'" --n '2^70'
refuses 2 "--n: '2^'" --n '2^'
refuses 2 "--n: '3x^2'" --n '3x^2'
refuses 2 "--n: ''" --n ''
refuses 2 "--condition: '0.5'" --condition 0.5
refuses 2 "--condition: 'nan'" --condition nan
refuses 2 "--seconds: '0'" --seconds 0
refuses 2 "--seed: '-1'" --seed -1
refuses 2 "--threads: '-1'" --threads -1
refuses 2 "--tier: 'mmx'" --tier mmx
refuses 2 '--place is cpu' --place cpu --warm
refuses 2 '--place is cpu' --place cpu --queued
refuses 2 '--place is cpu' --place cpu --ladder
refuses 2 '--place is gpu' --place gpu --tier portable
refuses 2 '--file brings' --file x.npy --family uniform
refuses 2 '--type f8,f4: not f16' --file x.npy --type f8,f4
refuses 2 '--file brings' --file x.npy --condition 10
refuses 2 "--bytes: '0'" --rows --bytes 0
refuses 2 '--bytes is for --rows' --bytes 1000
refuses 2 'take no --file' --columns --file x.npy
refuses 2 'take no --file' --rows --condition 10
refuses 2 'take no --file' --segments --ladder
refuses 1 'offsets have 31 bits' --place cpu --segments --n 3e9 --type e4m3
refuses 1 'No such file' --file missing.npy
refuses 1 'No such file' --place cpu --n 10 --csv none/run.csv
printf 'no numbers' >wrong.npy
refuses 1 'not an .npy file' --place cpu --file wrong.npy
refuses 1 'too little memory' --place cpu --n 1e15
gpu_rows() { { fine && columns 24 gpu.csv; } || failed 1 '--place gpu: '; }
case $BENCH_HAS in
*gpu*)
    run --place gpu --no-peers --n 1000 --type f32,f64 --seconds 0.001 --operation sum,dot \
        --method exact,plain --csv gpu.csv
    check "rows of the GPU, or one line on why there are none" gpu_rows
    many_rows() { { fine && awk -F, '/^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
        $at["kind"] == "method" { rows++; bad += $at["equal_runs"] != "yes" || $at["equal_launches"] != "yes" }
        # Not those that add in half.
        $at["type"] == "f64" || $at["method"] ~ /float/ { bad += $at["error_ulps"] > 10000 }
        END { exit bad || rows != 120 }' gpu.csv; } || failed 1 '--place gpu: '; }
    run --place gpu --rows --columns --segments --n 10,1000 --bytes 1e6 --seconds 0.001 --operation sum,dot,nrm2 \
        --type f16,f64 --method exact,plain --csv gpu.csv
    check "many vectors on the GPU have the bits of the single calls" many_rows
    ;;
*)
    refuses 1 'built without CUDA' --place gpu
    refuses 1 '--ladder: ' --ladder --n 10
    ;;
esac
run --help
check "--help" fine
for option in place type operation method n ladder no-peers threads tier family condition seed file seconds warm \
    queued quick csv json bytes rows columns segments; do
    check "--help names --$option" grep -q -- "^  --$option " out
done
run --version
check "--version" grep -qx 'quire-bench [0-9.]*' out

# A run.
value() { # value METHOD COLUMN: of the first such row of run.csv
    awk -F, -v method="$1" -v column="$2" '
        /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
        $at["method"] == method { print $at[column]; exit }' run.csv
}
same() { [ "$1" = "$2" ]; }

small='--place cpu --n 1000 --seconds 0.001'
# shellcheck disable=SC2086
run $small --no-peers --family uniform,tie --csv run.csv
check "a small run" fine
check "its last line is the one that a person wants" sh -c 'tail -n 1 out | grep -Eq "$1"' sh \
    '^On this machine \(cpu\) the exact sum of 1000 numbers \(f16, uniform\) took [0-9.e+]+ times as long as the f'
check "2 families, 4 types, 5 operations, 6 contenders make 240 rows" columns 240 run.csv
check "the head has every fact" same "$(grep -c '^# [a-z ]*: .' run.csv)" 10
check "exact is within half an ulp" awk -v e="$(value exact error_ulps)" 'BEGIN { exit !(e != "" && e <= 0.5) }'
check "exact has the same bits again" same "$(value exact equal_runs) $(value exact equal_alignments)" 'yes yes'
check "the ceiling has no result" same "$(value read error_ulps)$(value read equal_runs)" ''
check "it takes its own time" \
    same "$(value read time_over_ceiling) $(value read kind) $(value read place)" '1 ceiling cpu'
# Of each job the ceiling comes first, then the baseline, then the others. Above 1 is slower.
check "ratios are times over the ceiling's and the baseline's" awk -F, '
    function differs(a, b) { return a > b * 1.0001 || b > a * 1.0001 }
    /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
    { time = $at["seconds"] } $at["kind"] == "ceiling" { ceiling = time } $at["kind"] == "baseline" { baseline = time }
    $at["kind"] == "method" { rows++
        bad += differs($at["time_over_ceiling"], time / ceiling) + differs($at["time_over_baseline"], time / baseline) }
    END { exit bad || rows != 160 }' run.csv
check "and none is faster than itself" same "$(value fast-math time_over_baseline)" 1

# More than a block: copies and a tail, known to cancel.
# shellcheck disable=SC2086
run $small --no-peers --n 5000000 --type f32,f64 --operation sum,dot --method exact,plain --condition 1e12 --csv run.csv
check "condition numbers, beyond one block" fine
check "they come out" awk -v c="$(value exact condition)" 'BEGIN { exit !(c > 5e11 && c < 2e12) }'
check "and exact is exact" awk -v e="$(value exact error_ulps)" 'BEGIN { exit !(e != "" && e <= 0.5) }'
check "and plain is not" awk -v e="$(value plain error_ulps)" 'BEGIN { exit !(e > 100) }'

# shellcheck disable=SC2086
run $small --no-peers --type f16 --operation sum --method exact --condition 1,30 --csv run.csv
check "condition numbers of halves" fine
check "come out near 1" awk -v c="$(value exact condition)" 'BEGIN { exit !(c >= 1 && c < 1.01) }'
check "and near 30" \
    awk -F, '$7 == "exact" && $4 == "condition-30" { good = $6 > 25 && $6 < 35 } END { exit !good }' run.csv

# Many vectors a call: rows, columns, three kinds of segments; 3 lengths, 6 types, 6 operations, 6 contenders.
all='--type f16,bf16,f32,f64,e5m2,e4m3 --operation sum,asum,dot,nrm2,mean,sumsq'
# shellcheck disable=SC2086
run --place cpu --rows --columns --segments --n 1,9,100 --bytes 20000 --seconds 0.001 $all --csv run.csv
check "many vectors a call" fine
check "make 3240 rows" columns 3240 run.csv
check "each method has the bits of the single calls, on more threads too; exact has no error, the loop little" awk -F, '
    /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
    $at["kind"] == "method" { rows++; bad += $at["equal_runs"] != "yes" || $at["equal_launches"] == "no" }
    $at["method"] == "exact" { bad += $at["error_ulps"] != 0 }
    $at["kind"] == "baseline" { bad += $at["error_ulps"] > 1000 }
    END { exit bad || rows != 2160 }' run.csv
check "time over the ceiling counts the results" awk -F, '
    function differs(a, b) { return a > b * 1.0001 || b > a * 1.0001 }
    /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
    $at["layout"] != "rows" || $at["type"] != "f32" || $at["operation"] != "sum" { next }
    $at["kind"] == "ceiling" { ceiling = $at["seconds"] }
    $at["kind"] == "method" { rows++; n = $at["n"]
        bad += differs($at["time_over_ceiling"], $at["seconds"] / ceiling * n / (n + 1)) }
    END { exit bad || rows != 12 }' run.csv
check "vectors are as many as there is room for" awk -F, '
    /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
    $at["layout"] ~ /^segments/ || $at["type"] != "f64" { next }
    { bad += $at["vectors"] != int(2500 / $at["n"]); rows++ }
    END { exit bad || !rows }' run.csv
run --place cpu --rows --quick --type f32 --method exact --csv run.csv
check "a look at rows" columns 6 run.csv

# Moments: exact alone, two baselines, and times over a sum. 8 data, 6 contenders of sum and 4 of each moment.
# shellcheck disable=SC2086
run $small --no-peers --operation sum,variance,stddev --family uniform,tie --csv run.csv
check "moments" fine
check "make 112 rows" columns 112 run.csv
check "moments are exact's, and the two-pass loop is their baseline" awk -F, '
    function differs(a, b) { return a > b * 1.0001 || b > a * 1.0001 }
    /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
    $at["operation"] == "sum" { bad += $at["time_over_sum"] != ""; next }
    { rows++; bad += !($at["time_over_sum"] > 0) }
    $at["method"] == "fast-math two-pass" { two = $at["seconds"]; sum = two / $at["time_over_sum"] }
    $at["kind"] == "baseline" { bad += $at["method"] !~ /^fast-math t/ }
    $at["kind"] == "method" { bad += $at["method"] != "exact" || $at["equal_runs"] != "yes"
        bad += !($at["error_ulps"] <= 0.5)
        bad += differs($at["time_over_baseline"], $at["seconds"] / two)
        bad += differs($at["time_over_sum"], $at["seconds"] / sum) }
    END { exit bad || rows != 64 }' run.csv
check "the table has times over a sum" grep -q ' /read   /sum ' out
# shellcheck disable=SC2086
run $small --no-peers --n 5000000 --type f32 --operation stddev --family uniform --csv run.csv
check "moments beyond one block" awk -v e="$(value exact error_ulps)" 'BEGIN { exit !(e != "" && e <= 0.5) }'
# shellcheck disable=SC2086
run $small --no-peers --type f64 --operation variance --method plain,kahan --family uniform --csv run.csv
check "moments by other methods are left out" columns 3 run.csv
types='f16,bf16,f32,f64,e5m2,e4m3'
run --place cpu --rows --columns --segments --n 1,9,100 --bytes 20000 --seconds 0.001 --type $types \
    --operation variance,stddev --csv run.csv
check "many moments a call" fine
check "make 720 rows" columns 720 run.csv
check "they have the bits of the single calls; the two-pass loop has a little error" awk -F, '
    /^#/ { next } !names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
    { bad += !($at["time_over_sum"] > 0) }
    $at["method"] == "exact" { rows++
        bad += $at["error_ulps"] != 0 || $at["equal_runs"] != "yes" || $at["equal_launches"] == "no" }
    $at["method"] == "fast-math two-pass" { bad += $at["error_ulps"] > 1000 }
    END { exit bad || rows != 180 }' run.csv

# The user's own numbers, 2^24, 1 and 1, under a name that CSV and JSON have to quote.
printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" >'a,"b".npy'
printf '\0\0\200\113\0\0\200\77\0\0\200\77' >>'a,"b".npy'
run --place cpu --file 'a,"b".npy' --operation sum --no-peers --seconds 0.001 --csv run.csv
check "an .npy file" fine
check "its name is quoted" grep -q '^3,f32,sum,"a,""b"".npy",' run.csv
check "2^24 + 1 + 1 exactly" grep -q ',exact,.*,0,0,0.5,' run.csv
# (2^49 - 2^26 + 2) / 9 is 0.1111111641 ulp from the nearest float; the squares are 1.5 times those of the deviations.
run --place cpu --file 'a,"b".npy' --operation variance --no-peers --seconds 0.001 --csv run.csv
check "their variance" grep -q '^3,f32,variance,"a,""b"".npy",1,1\.5,exact,.*,0\.111111,' run.csv

# What the command reads is read alike: integers are integers, bfloat16 is named, and the numbers may be in the other
# byte order, compressed, or text. The sums are numbers of their types.
own() { # own DESCRIPTION ROW OPTION...: the row of the exact sum of the file begins so
    own=$1 row=$2
    shift 2
    run --place cpu --operation sum --method exact --no-peers --seconds 0.001 --csv run.csv "$@"
    check "$own" grep -q "^$row,.*,exact,.*,0,0," run.csv
}
array '<u2' '(3,)' 0001 ffff 3f80 >u2.npy
array '>f4' '(3,)' 4b800000 40000000 40000000 >big.npy
array '<V2' '(2,)' 3f80 4000 >bf16.npy
array '<i8' '(2,)' 0020000000000000 0000000000000002 >i8.npy
array '<i8' '(2,)' 0020000000000001 0000000000000001 >wide.npy
printf '1 2\n3\n' >numbers.txt
put $native 3f800000 40000000 >raw.f32
array '<f4' '(4,)' 3f800000 40000000 >short.npy
array '<f4' '(0,)' >none.npy
own "unsigned integers of 16 bits are integers" '3,f64,sum,u2.npy' --file u2.npy
own "numbers in the other byte order" '3,f32,sum,big.npy' --file big.npy
own "bfloat16 has to be named" '2,bf16,sum,bf16.npy' --file bf16.npy --type bf16
own "integers of 64 bits" '2,f64,sum,i8.npy' --file i8.npy
own "text" '3,f64,sum,numbers.txt' --file numbers.txt
own "raw numbers" '2,f32,sum,raw.f32' --file raw.f32 --type f32
own "as many as asked for" '1,f32,sum,raw.f32' --file raw.f32 --type f32 --n 1
refuses 1 'no elements' --file none.npy
if [ -n "$QUIRE_COMMAND" ]; then
    # alike OPTION...: the command says the same of the file.
    alike() {
        "$QUIRE_COMMAND" sum --method plain "$@" >wanted 2>&1
        run --place cpu --file "$@"
        check "the same words as the command's: $*" same "$status $(cat err)" \
            "1 $(sed 's/^quire: /quire-bench: /' wanted)"
    }
    alike bf16.npy
    alike u2.npy --type bf16
    alike wide.npy
    alike short.npy
    alike wrong.npy
    alike missing.npy
    alike missing.npz
fi
case $BENCH_HAS in
*zlib*)
    gzip -k u2.npy
    own "compressed numbers" '3,f64,sum,u2.npy.gz' --file u2.npy.gz
    ;;
esac
if command -v python3 >/dev/null; then
    python3 -c '
import zipfile
with zipfile.ZipFile("all.npz", "w") as all: all.write("u2.npy"), all.write("big.npy")'
    own "an array of an archive" '3,f32,sum,all.npz:big' --file all.npz:big
    refuses 1 'all.npz: 2 arrays; all.npz:NAME is one' --place cpu --file all.npz
fi

case $BENCH_HAS in
*json*)
    # shellcheck disable=SC2086
    run $small --family both-infinities --json run.json
    check "JSON, of NaN too" fine
    if command -v python3 >/dev/null; then
        check "the JSON can be read" python3 -c '
import json
run = json.load(open("run.json"), parse_constant=lambda word: 1 / 0)
assert run["version"].startswith("quire ") and run["rows"][2]["method"] and run["rows"][0]["error_ulps"] is None
assert not [member for member in [*run, *run["rows"][0]] if " " in member] and "left_out" in run'
    fi
    ;;
*) refuses 1 'without jansson' --place cpu --n 10 --json run.json ;;
esac

# Interrupted: what was measured stays.
rm -f run.csv
"$QUIRE_EXE" --place cpu --n 1000 --seconds 0.05 --csv run.csv >out 2>err &
pid=$! ran='(interrupted)'
turns=0
while [ $turns -lt 600 ]; do
    grep -q ',exact,' run.csv 2>/dev/null && break
    sleep 0.1
    turns=$((turns + 1))
done
kill -TERM $pid
wait $pid
status=$?
check "an interrupted run says so" same "$status" 130
check "and keeps whole rows" awk -F, '/^#/ { next } !width { width = NF; next } { rows++ }
    NF != width { bad = 1 } END { exit bad || !rows }' run.csv

finish
