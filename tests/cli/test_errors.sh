#!/bin/sh
# test_errors.sh - everything that is to be refused: one line on standard error, nothing on standard output, exit status
# 2 for the command line and 1 for the rest.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

array '<f4' '(2,)' 3f800000 40000000 >good.npy
array '<f4' '(3,)' 3f800000 40000000 40400000 >three.npy
array '<f8' '(2,)' 3ff0000000000000 4000000000000000 >double.npy
put $native 3f800000 40000000 >good.f32

# The command line.
run
check "no command" failed 2 'no command'
refuses 2 'unknown command' total good.npy
refuses 2 'unknown command' '' good.npy
refuses 2 'unknown option --json (the command comes first' --json sum good.npy
refuses 2 'unknown option --verison; did you mean --version?' --verison
refuses 2 'unknown option --hepl; did you mean --help?' --hepl
refuses 2 'unknown option --jason' sum --jason good.npy
refuses 2 'unknown option -q' sum -q good.npy
refuses 2 'takes no value' sum --json=yes good.npy
refuses 2 'takes no value' sum --help=yes
refuses 2 'needs a value' sum good.npy --method
refuses 2 '--method sloppy' sum --method sloppy good.npy
refuses 2 '--type f80' sum --type f80 good.npy
refuses 2 '--type' sum --type '' good.npy
refuses 2 '--result int' sum --result int good.npy
refuses 2 '--tier mmx' sum --tier mmx good.npy
refuses 2 '--device tpu' sum --device tpu good.npy
for device in cuda: cuda:x cuda:-1 cuda:1x cuda:10000 cudax CUDA; do
    refuses 2 "--device $device: not cpu, cuda or cuda:N" sum --device $device good.npy
done
refuses 2 '--threads -1' sum --threads -1 good.npy
refuses 2 '--threads two' sum --threads two good.npy
refuses 2 '--threads 4097' sum --threads 4097 good.npy
refuses 2 '--threads 99999999999999999999' sum --threads 99999999999999999999 good.npy
refuses 2 '--device cpu' sum --device cuda --threads 2 good.npy
refuses 2 'dot needs two arrays: good.npy is one' dot good.npy
refuses 2 'dot needs two arrays: standard input is one' dot </dev/null
refuses 2 'dot needs at most two files, not 3' dot good.npy good.npy good.npy
refuses 2 'round needs at most one file, not 2' round a.quire b.quire
refuses 2 'merge needs at least one file, not 0' merge -o c.quire
refuses 2 'only one file can be standard input' dot - -
refuses 2 'info takes no' info good.npy
refuses 2 'info takes no option --method' info --method all

# Files that are not there, or no files of numbers.
refuses 1 'No such file' sum missing.npy
refuses 1 'No such file' dot good.npy missing.npy
mkdir folder
refuses 1 'directory' sum folder
refuses 1 'directory' sum --type f32 folder
refuses 1 'not an .npy file' sum good.f32
: >nothing.npy
refuses 1 'not an .npy file' sum nothing.npy
refuses 1 'not of f64' sum --type f64 good.npy
refuses 1 'No such file' sum 'two
lines.npy'
if [ "$(id -u)" -ne 0 ]; then
    : >secret.npy
    chmod 0 secret.npy
    refuses 1 'Permission denied' sum secret.npy
fi

# A # begins a comment where it begins a line; elsewhere it is no number, and nothing behind it is left out. A zero byte
# ends no number.
printf '# a\n  # b\n1 2\n#c\n3\n' >comments.txt
run sum comments.txt
unremarked
check "comments" prints 6
printf '1,#N/A,5\n2,3,4\n' >cells.txt
refuses 1 "line 1: '#N/A' is no number" sum cells.txt
printf '1 2 # c\n' >behind.txt
refuses 1 "line 1: '#' is no number" sum behind.txt
{ yes 1 | head -n 300 && printf '2\0003\n'; } >zero.txt
refuses 1 'line 301: a zero byte' sum zero.txt

# By other methods than exact, an integer of a text is a double.
printf '9007199254740993\n1\n' >beyond.txt
for method in kahan pairwise plain all; do refuses 1 'beyond 2^53' sum --method $method beyond.txt; done

# Cut short, or with something behind; from a file and from a pipe.
for cut in 1 5 6 7 8 9 10 11 64 127 128 129 132 135; do
    head -c $cut good.npy >cut.npy
    words=truncated
    [ $cut -lt 6 ] && words='not an .npy file'
    refuses 1 "$words" sum cut.npy
    cat cut.npy | "$QUIRE_EXE" sum - >out 2>err
    status=$? ran="sum -"
    check "a pipe of $cut bytes fails" failed 1 "$words"
done
{ cat good.npy; printf x; } >long.npy
refuses 1 'trailing garbage' sum long.npy
cat long.npy | "$QUIRE_EXE" sum - >out 2>err
status=$? ran="sum -"
check "a pipe with trailing garbage fails" failed 1 'trailing garbage'
{ array '<f4' '(0,)'; printf x; } >long.npy
refuses 1 'trailing garbage' sum long.npy
head -c 7 good.f32 >cut.f32
refuses 1 'truncated' sum --type f32 cut.f32
cat cut.f32 | "$QUIRE_EXE" sum --type f32 - >out 2>err
status=$? ran="sum --type f32 -"
check "a pipe of 7 bytes of float fails" failed 1 'truncated'

# Element types that are none of ours.
element() {
    array "$1" '(1,)' 00000000 >element.npy
    run sum element.npy
    check "element type $1 fails" failed 1 "$2"
}
element '<i3' integer
element '|i4' integer
element '<u16' integer
element '<b2' boolean
element '<c8' complex
element '|O' object
element '<V2' opaque
element '|V1' opaque
element '|V8' structured
element '<U4' string
element '|S4' string
element '<M8[s]' date
element '<f16' 'such float'
element '<f3' 'such float'
element '|f4' 'such float'
element '<q9' unknown
element '' unknown
{
    header 1 "{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (1,), }"
    put '<' 00000000 00000000
} >record.npy
refuses 1 'structured' sum record.npy

# Headers that NumPy never wrote.
hostile() {
    { header 1 "$1"; put '<' 3f800000 40000000; } >hostile.npy
    run sum hostile.npy
    check "header $1 fails" failed 1 header
}
d="'descr': '<f4'" f="'fortran_order': False" s="'shape': (2,)"
hostile ''
hostile '{'
hostile '{}'
hostile '[]'
hostile "{$d, $f}"
hostile "{$d, $s}"
hostile "{$f, $s}"
hostile "{$d, $f, $s"
hostile "{$d, $f, $s, $s}"
hostile "{$d, $f, $s, 'more': 1}"
hostile "{$d, $f, $s} x"
hostile "{$d, $f $s}"
hostile "{,$d, $f, $s}"
hostile "{'descr': 4, $f, $s}"
hostile "{$f, $s, 'descr': '<f4}"
hostile "{'descr': '<f4444444444444444444444444', $f, $s}"
hostile "{'descr' '<f4', $f, $s}"
hostile "{$d, 'fortran_order': Maybe, $s}"
hostile "{$d, $f, 'shape': (2)}"
hostile "{$d, $f, 'shape': 2}"
hostile "{$d, $f, 'shape': (2, 1}"
hostile "{$d, $f, 'shape': (-2,)}"
hostile "{$d, $f, 'shape': (2.0,)}"
hostile "{$d, $f, 'shape': (,)}"
hostile "{$d, $f, 'shape': (2 1)}"
hostile "{$d, $f, 'shape': (18446744073709551618,)}"
hostile "{$d, $f, 'shape': (4294967296, 4294967296, 2)}"
hostile "{$d, $f, 'shape': (9223372036854775809, 2)}"
hostile "{$d, $f, 'shape': ($(printf '1, %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 \
28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)2)}"
array '<f4' '(1000000000000000,)' 3f800000 >promise.npy
refuses 1 'truncated' sum promise.npy
cat promise.npy | "$QUIRE_EXE" sum - >out 2>err
status=$? ran="sum -"
check "a pipe that promises too much fails" failed 1 truncated
{ printf '\223NUMPY'; put '>' 0200 ffffffff; } >promise.npy
refuses 1 'header' sum promise.npy
{ printf '\223NUMPY'; put '>' 0400 00000000; } >promise.npy
refuses 1 'version 4.0' sum promise.npy
{ printf '\223NUMPY'; put '>' 0101 0000; } >promise.npy
refuses 1 'version 1.1' sum promise.npy

# Files that do not fit each other.
refuses 1 'lengths' dot good.npy three.npy
refuses 1 'type' dot good.npy double.npy

# Devices, tiers and standard output. An error of standard output comes when nothing can be taken back.
run info --json
if grep -q '"cuda_devices": \[\]' out; then # the reason is the one that holds
    reason='no CUDA device, though there is a driver'
    if grep -q '"cuda_driver": null' out; then reason='no CUDA driver'; fi
    if grep -q '"cuda": false' out; then reason='this quire was built without CUDA'; fi
    refuses 1 "--device cuda: $reason" sum --device cuda good.npy
    refuses 1 "--device cuda: $reason" sum --device cuda:3 --method all good.npy
    refuses 1 "--device cuda: $reason" average --device cuda good.npy good.npy
fi
QUIRE_TIER=mmx run sum good.npy
check "a QUIRE_TIER that is none fails" failed 1 'QUIRE_TIER: '
for arguments in 'sum good.npy' 'sum good.npy --json' 'sum good.npy --method all' '--help' '--version' 'info' \
    'info --json'; do
    if [ -w /dev/full ]; then
        : >out
        ran="$arguments >/dev/full"
        # shellcheck disable=SC2086 # the words of arguments are meant
        "$QUIRE_EXE" $arguments >/dev/full 2>err
        status=$?
        check "quire $ran fails" failed 1 'standard output: No space left'
    fi
    ran="$arguments >&-"
    # shellcheck disable=SC2086
    "$QUIRE_EXE" $arguments >&- 2>err
    status=$?
    check "quire $ran fails" failed 1 'standard output: '
done

finish
