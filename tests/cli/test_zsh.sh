#!/bin/sh
# test_zsh.sh - what a zsh offers for quire: every verb, every option of each and no more, their values, files.
#
# SPDX-License-Identifier: MIT

here=$(cd "${0%/*}" && pwd) || exit 1 # complete.zsh stands there
. "$here/tap.sh"
completions=${QUIRE_COMPLETIONS:?is to be the path of src/cli/completions}

if ! command -v zsh >/dev/null || ! zsh -fc 'zmodload zsh/zpty' 2>err; then
    echo "1..0 # SKIP no zsh, or one without zsh/zpty"
    exit 0
fi

# offers LINE WORD...: a case; WORDs are what is to be offered, in the order of their bytes.
: >lines
: >expected
offers() {
    printf '%s\n' "$1" >>lines
    printf '> %s\n' "$1" >>expected
    shift
    if [ "$#" -gt 0 ]; then printf '%s\n' "$@" | sort -u >>expected; fi
}

"$QUIRE_EXE" help | sed -n 's/^  \([a-z0-9]*\)  *[[F ].*/\1/p' | sed '/^help$/,$d' >verbs
offers 'quire ' $(cat verbs) help --help --version
offers 'quire --' --help --version
offers 'quire su' sum sumsq
offers 'quire help d' describe dot
for verb in $(sort -u verbs); do
    options=$("$QUIRE_EXE" help "$verb" | sed -n 's/^  \(-.\), \(--[a-z-]*\).*/\1 \2/p; s/^  \(--[a-z-]*\).*/\1/p')
    case $options in *--result*) options="$options --result-type" ;; esac
    offers "quire $verb -" $options
done

types='f16 bf16 f32 f64 e5m2 e4m3' operations='sum asum dot nrm2 mean variance stddev sumsq'
for join in ' ' =; do
    offers "quire sum --method$join" exact kahan pairwise plain all
    offers "quire dot --type$join" $types i8 i16 i32 i64 u8 u16 u32 u64
    offers "quire mean --result$join" $types
    offers "quire round --result-type$join" $types
    offers "quire nrm2 --rounding$join" nearest down up zero
    offers "quire accumulate --operation$join" $operations
    offers "quire round --operation$join" $operations
    offers "quire describe --tier$join" portable avx2 avx512 best
    offers "quire sumsq --device$join" cpu cuda
done
offers 'quire sum --method p' pairwise plain
offers 'quire stddev --correction=1 --co' --column
offers 'quire sum --result f32 --res' # once is enough, by either name
offers 'quire sum --total x.npy --to'
offers 'quire zzz '

mkdir files
touch files/a.npy files/b.txt
for line in 'sum ' 'sum a.npy ' 'dot --type f32 a.npy ' 'merge -o ' 'merge --output=' 'asum --segments ' 'round '; do
    offers "quire $line" a.npy b.txt
done

(cd files && zsh -f "$here/complete.zsh" "$completions") <lines >found 2>err
status=$? ran=complete.zsh
cp found out
check "a zsh completes" same "$status$(cat err)" 0

# One test for each line.
while IFS= read -r line; do
    for file in expected found; do
        awk -v line="> $line" '/^> / { inside = $0 == line; next } inside' "$file" >"$file.one"
    done
    cp found.one out
    check "after '$line' it offers $(tr '\n' ' ' <expected.one)" cmp -s expected.one found.one
done <lines

finish
