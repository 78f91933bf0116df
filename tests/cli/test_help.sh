#!/bin/sh
# test_help.sh - help, suggestions for misspelt words, completions, and the bar.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"
completions=${QUIRE_COMPLETIONS:?is to be the path of src/cli/completions}

run help
check "quire help is quire --help" same "$status$(head -c 12 out)" '0usage: quire'
cp out all
run --help
check "to the byte" cmp -s all out
run help help
check "and quire help help" cmp -s all out
verbs=$(sed -n 's/^  \([a-z0-9]*\)  *[[F ].*/\1/p' all | sed '/^help$/,$d' | sort -u)
check "there are verbs" same "$(echo $verbs | tr ' ' '\n' | grep -cE '^(sum|dot|stddev|merge|info)$')" 5
for verb in $verbs; do
    run help "$verb"
    cp out all
    check "help of $verb" grep -q "^usage: quire $verb" out
    run "$verb" --help
    check "quire $verb --help is the same" cmp -s all out
    [ "$verb" = info ] || check "quire $verb --help has examples" grep -q '^Examples:' out
done
refuses 2 'unknown command summ; did you mean sum?' help summ

refuses 2 'unknown command smu; did you mean sum?' smu x
refuses 2 'unknown command varaince; did you mean variance?' varaince x
refuses 2 'unknown command frobnicate; quire --help lists them' frobnicate x
refuses 2 'unknown option --jsno; did you mean --json?' sum --jsno
refuses 2 'unknown option --metod=all; did you mean --method?' sum --metod=all
refuses 2 'unknown option --zzzzzz; --help lists them' sum --zzzzzz
refuses 2 'unknown option --t; ' sum --t # of --type, --total, --tier and --threads
refuses 2 '-o needs a value' merge -o

# Every option of the examples is one that the verb takes.
"$QUIRE_EXE" help >examples
for verb in $verbs; do "$QUIRE_EXE" help "$verb" | sed -n '/^Examples:/,$p'; done >>examples
grep -o 'quire [a-z0-9]* [^|]*' examples | grep -v VERB >lines
while read -r _ verb rest; do
    "$QUIRE_EXE" "$verb" --help >out 2>err
    for word in $rest; do
        case $word in --?*) check "$word of an example of $verb" grep -q -e " $word " out ;; esac
    done
done <lines

# The completions know every verb, and every option of each, and no more.
for verb in $verbs; do
    "$QUIRE_EXE" help "$verb" | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort -u >wanted
    grep -q -e '^--result$' wanted && echo --result-type >>wanted && sort -o wanted wanted
    check "zsh knows $verb" grep -q "'$verb:" "$completions/_quire"
    if command -v bash >/dev/null; then
        bash -c '. "$1"; COMP_WORDS=(quire "$2" --); COMP_CWORD=2; _quire; printf "%s\n" "${COMPREPLY[@]}"' bash \
            "$completions/quire.bash" "$verb" | sort -u >out
        : >err
        check "bash completes $verb" cmp -s wanted out
        bash -c '. "$1"; COMP_WORDS=(quire ""); COMP_CWORD=1; _quire; printf "%s\n" "${COMPREPLY[@]}"' bash \
            "$completions/quire.bash" >out
        check "bash completes to $verb" grep -qx "$verb" out
    else
        tests=$((tests + 1))
        echo "ok $tests - bash completes $verb # SKIP no bash"
    fi
    missing=
    while read -r option; do
        grep -q -e "$option[[}=,]" "$completions/_quire" || missing="$missing $option"
    done <wanted
    check "zsh knows the options of $verb" same "$missing" ''
done
if command -v bash >/dev/null; then
    bash -c '. "$1"; COMP_WORDS=(quire sum --method = pa); COMP_CWORD=4; _quire; printf "%s\n" "${COMPREPLY[@]}"
        COMP_WORDS=(quire sum --device =); COMP_CWORD=3; _quire; printf "%s\n" "${COMPREPLY[@]}"' bash \
        "$completions/quire.bash" >out
    check "bash completes after =" same "$(tr '\n' ' ' <out)" 'pairwise cpu cuda '
else
    tests=$((tests + 1))
    echo "ok $tests - bash completes after = # SKIP no bash"
fi
if command -v zsh >/dev/null; then
    zsh -n "$completions/_quire" >out 2>err
    check "zsh reads its completion" same "$?$(cat err)" 0
else
    tests=$((tests + 1))
    echo "ok $tests - zsh reads its completion # SKIP no zsh"
fi

# The bar, which QUIRE_PROGRESS shows without a terminal and at once.
seq 300000 >numbers.txt
QUIRE_PROGRESS=1 "$QUIRE_EXE" sum numbers.txt >out 2>err
check "the bar of a text tells the amount and the rate" grep -q 'summing: [0-9.]* MB  [0-9.]* [MG]B/s' err
check "and is erased" same "$(tail -c 4 err | od -An -tx1 | tr -d ' \n')" 0d1b5b4b
awk 'BEGIN { for (i = 0; i < 2200000; i++) printf "abcdefgh" }' >big.f64
QUIRE_PROGRESS=1 "$QUIRE_EXE" sum --type f64 --method all --threads 1 big.f64 >out 2>err
check "the bar has rate and time left" grep -qE '\[#* *\] +[0-9]+%  [0-9.]+ [MG]B/s  0:[0-9]{2} left' err
for pass in 'pass 2 of 5: exact' 'pass 3 of 5: kahan' 'pass 5 of 5: plain'; do
    check "the bar of $pass" grep -q "$pass \[" err
done

# One bar: one word, and a share that never falls back. QUIRE_PROGRESS=all paints every step.
pictures() { tr '\r' '\n' <err | sed 's/^.\[K//; /^$/d'; }
one_bar() {
    pictures | sed 's/[:[].*//; s/ *$//' | sort -u >words
    pictures | sed -n 's/.*\] *\([0-9]*\)%.*/\1/p' >shares
    [ "$(pictures | wc -l)" -gt 5 ] && [ "$(cat words)" = summing ] && sort -cn shares 2>sorted
}
QUIRE_PROGRESS=all
export QUIRE_PROGRESS
cat big.f64 | "$QUIRE_EXE" sum --type f64 - >out 2>err
check "one bar of a pipe" one_bar
check "without a share, since nobody knows the end" same "$(wc -l <shares)" 0
for arguments in 'sum --skip-nan' 'variance --total' describe 'describe --skip-nan'; do
    "$QUIRE_EXE" $arguments --type f64 big.f64 >out 2>err
    check "one bar of $arguments" one_bar
    check "with a share" test "$(wc -l <shares)" -gt 5
done
"$QUIRE_EXE" describe --type f64 --total big.f64 big.f64 >out 2>err
check "the bar of two files names the file" same "$(pictures | sed 's/ *\[.*//' | uniq | tr '\n' ,)" \
    'file 1 of 2: summing,file 2 of 2: summing,'
head -c 17599999 big.f64 | "$QUIRE_EXE" sum --type f64 - >out 2>err
check "a complaint stands on a line of its own" same "$(tr '\r' '\n' <err | tail -n 1 | tail -c +4)" \
    "$program: standard input: truncated: 17599999 bytes are no whole number of elements"
unset QUIRE_PROGRESS
run sum --type f64 big.f64
check "no bar without a terminal" same "$status$(cat err)" 0

finish
