# tap.sh - what the tests of the commands share: TAP, running one, writing numbers and .npy files.
#
# Sourced by the test scripts. QUIRE_EXE is the path of the command, QUIRE_SAMPLE that of docs/sample.npy, which was
# made as docs/quire.1 says under FILES. Every script works in a new folder of its own, which is removed at the end.
#
# SPDX-License-Identifier: MIT

LC_ALL=C
export LC_ALL
: "${QUIRE_EXE:?is to be the path of the command quire}"
: "${QUIRE_SAMPLE:?is to be the path of docs/sample.npy}"
unset QUIRE_TIER POSIXLY_CORRECT
program=${QUIRE_EXE##*/} # as it calls itself

work=$(mktemp -d) || exit 1
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

tests=0 # run so far

# check DESCRIPTION COMMAND...: one test, which passes if the command succeeds.
check() {
    tests=$((tests + 1))
    description=$(printf '%s' "$1" | tr '\n' ' ')
    shift
    if "$@"; then
        printf '%s\n' "ok $tests - $description" # echo of some shells would write \n as a new line
    else
        printf '%s\n' "not ok $tests - $description"
        echo "# command: $program $ran; exit status $status"
        awk '{ print "# stdout: " $0 }' out # which ends the last line
        awk '{ print "# stderr: " $0 }' err
    fi
}

finish() {
    echo "1..$tests"
}

# run ARGUMENTS...: runs the command on the standard input given; sets status, and the files out and err.
run() {
    ran=$*
    "$QUIRE_EXE" "$@" >out 2>err
    status=$?
}

# unremarked: takes out of err, in a script whose texts have several columns, how these were read (test_misread.sh looks
# at that).
unremarked() {
    sed -i "/^$program: .*: read as [0-9].* column/d; /^$program: .*: [0-9]* missing cell/d" err
}

# prints TEXT: the last run succeeded, and printed this line and nothing else.
prints() {
    [ "$status" -eq 0 ] && [ ! -s err ] && printf '%s\n' "$1" | cmp -s - out
}

# gives TEXT ARGUMENTS...: a test that quire so called prints this line.
gives() {
    wanted=$1
    shift
    run "$@"
    check "$program $* prints $wanted" prints "$wanted"
}

# failed STATUS WORDS: the last run failed with this status, nothing on stdout, one line on stderr that has these words.
failed() {
    [ "$status" -eq "$1" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "^$program: " err &&
        grep -Fq -- "$2" err
}

# refuses STATUS WORDS ARGUMENTS...: a test that quire so called fails so.
refuses() {
    code=$1 words=$2
    shift 2
    run "$@"
    check "$program $* fails ($words)" failed "$code" "$words"
}

# member NAME: its values in the JSON of the last run, one a line.
member() {
    sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' out
}

# same A B: a string comparison that reads well in check.
same() {
    [ "$1" = "$2" ]
}

# put ORDER WORD...: the words, in hexadecimal with the high digits first, as bytes in little (<) or big (>) endian
# order.
put() {
    put_order=$1
    shift
    for word; do
        escapes=
        while [ -n "$word" ]; do
            rest=${word#??}
            byte=$((0x${word%"$rest"})) # no process is started for a byte
            byte=\\$((byte / 64))$((byte / 8 % 8))$((byte % 8))
            if [ "$put_order" = '<' ]; then escapes=$byte$escapes; else escapes=$escapes$byte; fi
            word=$rest
        done
        printf "$escapes"
    done
}

# The byte order of this machine, and the other one.
if [ "$(printf '\1\0' | od -An -td2 | tr -d ' ')" -eq 1 ]; then native='<' foreign='>'; else native='>' foreign='<'; fi

# header VERSION TEXT [ALIGNMENT]: the start of an .npy file, padded with blanks to a multiple of the alignment (64).
header() {
    case $1 in 1) before=10 digits=4 ;; *) before=12 digits=8 ;; esac
    pad=$(((${3:-64} - (before + ${#2} + 1) % ${3:-64}) % ${3:-64}))
    printf '\223NUMPY'
    put '>' "0${1}00"
    put '<' "$(printf "%0${digits}x" $((${#2} + pad + 1)))"
    printf '%s%*s\n' "$2" "$pad" ''
}

# array DESCR SHAPE WORD...: a whole .npy file (version 1, C order); the first character of DESCR is the byte order.
array() {
    header 1 "{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
    array_order=${1%"${1#?}"}
    shift 2
    put "$array_order" "$@"
}
