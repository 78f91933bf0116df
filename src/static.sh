#!/bin/sh
# static.sh NM OBJCOPY AR FROM TO - makes the static library TO of the archive FROM.
#
# A static library has no hidden names: what its files share among themselves can clash with a program's own. So every
# name that does not begin with quire_ gets a prefix that does, in all files alike. They stay files of their own: a
# program that opens no CUDA context is linked without the kernels.
#
# SPDX-License-Identifier: MIT
set -eu
nm=$1 objcopy=$2 ar=$3 from=$4 to=$5
work=$to.p
rm -rf "$work" "$to"
mkdir "$work"
"$nm" --format=posix --extern-only --defined-only "$from" |
    awk 'NF >= 3 && $1 !~ /^quire_/ && !seen[$1]++ { print $1, "quire_private_" $1 }' >"$work/names"
# Numbers, since files of the same name lie in several folders. Meson's archive is a thin one, a list of paths.
number=0
"$ar" t "$from" >"$work/list"
while read -r object; do
    number=$((number + 1))
    "$objcopy" --redefine-syms="$work/names" "$object" "$work/$number-${object##*/}"
done <"$work/list"
"$ar" rcsD "$to" "$work"/*.o
