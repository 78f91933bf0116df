#!/bin/sh
# test_files.sh - what a command line can name beside one .npy or raw file: several files, texts, tables, compressed
# files, archives, integers, and the words for types.
#
# The archives and compressed files are the seeds of the fuzzers: QUIRE_SEEDS is their folder.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"
seeds=${QUIRE_SEEDS:?is to be the path of tests/fuzz/seeds}
zlib=${QUIRE_ZLIB:?is to be yes or no}

run() {
    ran=$*
    "$QUIRE_EXE" "$@" >out 2>err
    status=$?
    unremarked
}

# piped TEXT WANTED ARGUMENTS...: the text on standard input gives this line.
piped() {
    text=$1 wanted=$2
    shift 2
    printf "$text" | "$QUIRE_EXE" "$@" >out 2>err
    status=$? ran="$*"
    unremarked
    check "$program $* of a text prints $wanted" prints "$wanted"
}
# piped_refuses TEXT STATUS WORDS ARGUMENTS...
piped_refuses() {
    text=$1 code=$2 words=$3
    shift 3
    printf "$text" | "$QUIRE_EXE" "$@" >out 2>err
    status=$? ran="$*"
    unremarked
    check "$program $* of a text fails ($words)" failed "$code" "$words"
}
# lines TEXT: the last run printed these lines and nothing else.
lines() {
    [ "$status" -eq 0 ] && [ ! -s err ] && printf "$1" | cmp -s - out
}

# Several files.
array '<f4' '(2,)' 3f800000 40000000 >a.npy
array '<f8' '(2,)' 4008000000000000 3ff0000000000000 >b.npy
run sum a.npy b.npy
check "two files are two lines" lines '3  a.npy\n4  b.npy\n'
gives 7 sum a.npy b.npy --total
gives 1.75 mean a.npy b.npy --total
run sum a.npy b.npy --json
check "two files are two reports in JSON" same "$(head -c 1 out) $(member decimal | tr '\n' ' ')" '[ 3 4 '
run sum a.npy missing.npy b.npy
check "a file that is missing does not keep the others from their lines" \
    same "$status $(cat out | tr '\n' ' ') $(wc -l <err)" '1 3  a.npy 4  b.npy  1'
run sum --total a.npy missing.npy
check "but it does a total" failed 1 'No such file'
refuses 2 '--total is for the exact method' sum --total --method plain a.npy b.npy
run mean a.npy b.npy --method all
check "a table for each file" same "$(grep -c ':$' out) $(grep -c '^exact' out)" '2 2'

# Texts.
piped '1\n2\n3\n' 6 sum
piped '1 2,3;4\t5\r\n' 15 sum -
piped '# a comment\n1e20 1 -1e20\n#another\n0x1p0' 2 sum
piped '' 0 sum
piped '' nan mean
piped '0.1 0.2 0.3\n' 0.6 sum
piped 'inf 1' inf sum
piped 'nan 1' nan sum
piped 'nan 1 NA 2' 3 sum --skip-nan
piped 'nan 1 NA 3' 2 mean --skip-nan
piped '1 2' '3  0x1.8p+1  0x4008000000000000  n 2' sum --verbose
piped 'nan 1 2' '3  0x1.8p+1  0x4008000000000000  n 2  nan 1' sum -v --skip-nan
piped 'nan 3 4' 5 nrm2 --skip-nan --method plain
piped_refuses '1 2\n3 x4\n' 1 "line 2: 'x4' is no number" sum
piped_refuses '\001\002' 1 'raw numbers need --type' sum
seq 100000 >numbers.txt
gives 5000050000 sum numbers.txt
gives 5000050000 sum --method kahan numbers.txt
cat numbers.txt | "$QUIRE_EXE" describe --json >out 2>err
status=$? ran='describe --json'
check "describe of a pipe" same "$(member n) $(member min) $(member max) $(member zeros)" '100000 1.0 100000.0 0'
mkdir tmp
TMPDIR=$work/none run sum numbers.txt
check "an exact sum of a text needs no temporary file" prints 5000050000
"$QUIRE_EXE" sum <a.npy >out 2>err
status=$? ran=sum
check "standard input needs no dash" prints 3

# Tables.
cat >table.csv <<'T'
name,price,"the amount"
apple,1.5,2
"pear, ""green""",2.5,4
"two
lines",NA,8
none,,16
T
gives nan sum table.csv --column price
gives 4 sum table.csv --column price --skip-nan
gives 30 sum table.csv --column 3
gives 30 sum table.csv --column 'the amount'
gives 13 dot table.csv --column price,3 --skip-nan
gives 13 dot table.csv --column '"price","the amount"' --skip-nan
piped '"a, x",b,"say ""c"""\n1,2,3\n4,5,6\n' 5 sum --column '"a, x"'
piped '"a, x",b,"say ""c"""\n1,2,3\n4,5,6\n' 9 sum --column '"say ""c"""'
piped '"x ",x ,"y"\n1,2,4\n' 2 sum --column x
piped '"x ",x ,"x"\n1,2,4\n' 1 sum --column '"x "'
piped 'x\n" 1 "\n"NA "\n" N/A"\n"  "\n2\n' 3 sum --column x --skip-nan
for columns in price, ,price price,,3 '""' '"price' 'price,"3' '"price"x'; do
    refuses 2 'not names or numbers with commas between' sum table.csv --column "$columns"
done
refuses 1 "line 1: 'name' is no number; is this a table? --column" sum table.csv
run sum table.csv --column price,3 --skip-nan
check "two columns are two lines" lines '4  table.csv:price\n30  table.csv:3\n'
refuses 1 "no column 'cost'; there are: name, price, the amount" sum table.csv --column cost
refuses 1 "line 2, column 1: 'apple' is no number" sum table.csv --column name
refuses 1 'no column 4, there are 3' sum table.csv --column 4
refuses 1 'columns count from 1' sum table.csv --column 0
refuses 1 'an .npy file has no columns' sum a.npy --column 1
piped '1\t2\n3\t4\n' 6 sum --column 2
piped '# c\n\n1 2\n#5 6\n3 4\n' 6 sum --column 2
piped 'a;b\n1;2\n3;4\n' 6 sum --column b
piped ' 1  2\n3 4 \n' 6 sum --column 2
piped '1|2\n3|4\n' 6 sum --column 2 --delimiter '|'
piped '1\t\t3\n4\t5\t6\n' 5 sum --column 2 --skip-nan --delimiter tab
piped 'a,b\n' 0 sum --column b
piped '1\f2\v\n3 \v4\f\n' 6 sum --column 2 --delimiter ' '
piped 'a,b\r\n1,2\r\n,\r\n3,4\r\n' 6 sum --column b --skip-nan
piped '\357\273\277a,b\n1,2\n' 1 sum --column a
piped_refuses '"a, x",b\n1,2\n' 1 'there are: "a, x", b' sum --column c
piped_refuses 'a,b\n1,"2\n' 1 'a quote is not closed' sum --column b
piped_refuses 'a,b\n1,2\n3\n' 1 'line 3: no column 2, there are 1' sum --column b
piped_refuses 'a,b\n' 2 'several columns need a file' sum --column a,b
refuses 2 'one character' sum table.csv --column 1 --delimiter ab

# Integers, exactly.
array '<i4' '(3,)' 7fffffff 80000000 00000005 >i32.npy
array '<i8' '(3,)' 4000000000000001 c000000000000000 0000000000000005 >i64.npy
array '>u8' '(2,)' ffffffffffffffff 0000000000000001 >u64.npy
# (2^62 + 1)^2 - 2^62 (2^62 + 2) is 1, and -2^62 + 1 has a part below.
array '<i8' '(2,)' 4000000000000001 4000000000000000 >x64.npy
array '<i8' '(2,)' 4000000000000001 bffffffffffffffe >y64.npy
array '<i8' '(2,)' 4000000000000000 c000000000000001 >z64.npy
gives 1 dot x64.npy y64.npy
gives 1 sum z64.npy
gives -1 sum y64.npy
array '|i1' '(4,)' ff 01 80 7f >i8.npy
array '<u2' '(2,)' ffff 0001 >u16.npy
gives 4 sum i32.npy
gives 6 sum i64.npy
gives 2 mean i64.npy
gives 9223372036854775814 asum i64.npy
gives 42535295865117307942145197965825802266 dot i64.npy i64.npy
gives 6.521908912666392e+18 nrm2 i64.npy
gives 18446744073709551616 sum u64.npy
gives 1.8446744073709552e+19 sum u64.npy --result f64
gives -1 sum i8.npy
gives 65536 sum u16.npy
gives 65536 sum --method plain u16.npy
refuses 1 'an integer beyond 2^53' sum --method kahan i64.npy
put $native 0001 ffff >raw.i16
for name in i16 int16 "${native}i2"; do gives 0 sum --type "$name" raw.i16; done
put $native 40000000 3f800000 >raw.f32
for name in f32 float32 float single f4 "${native}f4"; do gives 3 sum --type "$name" raw.f32; done
put $foreign 40000000 3f800000 >raw.foreign
gives 3 sum --type "${foreign}f4" raw.foreign
gives 3 sum --type f32 --result-type float64 raw.f32
refuses 2 '--result' sum --type f32 --result int32 raw.f32

# Compressed files and archives.
if [ "$zlib" = yes ]; then
    tail -c +2 "$seeds/npy/gzip" >a.npy.gz
    gives 10 sum a.npy.gz
    "$QUIRE_EXE" sum <a.npy.gz >out 2>err
    status=$? ran=sum
    check "a compressed pipe" prints 10
    gives 10 sum --method pairwise a.npy.gz
    tail -c +2 "$seeds/npy/gzip2" >two.gz
    gives 15 sum two.gz
    head -c 60 a.npy.gz >cut.gz
    refuses 1 'truncated compressed data' sum cut.gz
    tail -n +2 "$seeds/text/column-of-half-a-gzip" >half.gz
    refuses 1 'truncated compressed data' sum half.gz --column 1111111 --delimiter ' '
    size=$(wc -c <a.npy.gz)
    { head -c $((size - 8)) a.npy.gz; printf '\0\0\0\0\0\0\0\0'; } >bad.gz
    refuses 1 'damaged compressed data' sum bad.gz
else
    tail -c +2 "$seeds/npy/gzip" >a.npy.gz
    refuses 1 'built without zlib' sum a.npy.gz
fi
for kind in stored deflated; do
    cp "$seeds/npz/$kind" $kind.npz
    if [ $kind = deflated ] && [ "$zlib" = no ]; then
        refuses 1 'built without zlib' sum $kind.npz:x
        continue
    fi
    run sum $kind.npz
    check "the arrays of a $kind archive" lines "10  $kind.npz:x\n26  $kind.npz:y\n"
    gives 26 sum $kind.npz:y
    gives 70 dot $kind.npz
    gives 70 dot $kind.npz --method kahan
    gives 4.5 mean --total $kind.npz
    refuses 1 "no array 'z' in the archive" sum $kind.npz:z
done
for kind in zip64 end64 extra64; do
    cp "$seeds/npz/$kind" $kind.npz
    gives 3 sum $kind.npz:x
done
if [ "$zlib" = yes ]; then
    cp "$seeds/npz/checksum" checksum.npz
    refuses 1 'damaged compressed data' sum checksum.npz:x
    # One byte of the compressed elements is another.
    { head -c 60 deflated.npz; printf '\377'; tail -c +62 deflated.npz; } >bad.npz
    run sum bad.npz:x
    check "a damaged member fails" failed 1 ''
    { head -c 100 stored.npz; printf '\377'; tail -c +102 stored.npz; } >bad.npz
    refuses 1 'damaged data' sum bad.npz:x
    gives 26 sum bad.npz:y
fi
head -c 200 stored.npz >cut.npz
refuses 1 'damaged .npz archive' sum cut.npz
"$QUIRE_EXE" sum <stored.npz >out 2>err
status=$? ran=sum
check "an archive from standard input fails" failed 1 'read from a file whose name'

# Two arrays in one .npy file.
array '<f4' '(2, 2)' 3f800000 40000000 40400000 40800000 >rows.npy
gives 11 dot rows.npy
refuses 2 'dot needs two arrays' dot a.npy
refuses 2 'dot needs two arrays, not 3' dot stored.npz a.npy
printf '1 2 3' >x.txt
printf '4 5' >y.txt
refuses 1 'dot needs equal lengths: x.txt has 3 elements, y.txt has 2' dot x.txt y.txt

# describe.
printf '1 -0 nan inf 4.9e-324 -inf 0 2.5' >special.txt
run describe special.txt --skip-nan
described() { # described COUNT MEAN STDDEV MIN MAX NAN INF -INF ZEROS SUBNORMALS
    lines "$(printf '%-12s%s\\n' count "$1" mean "$2" stddev "$3" min "$4" max "$5" nan "$6" inf "$7" -inf "$8" \
        zeros "$9" subnormals "${10}")"
}
check "describe" described 7 nan nan -inf inf 1 1 1 2 1
printf '2 4 4 4 5 5 7 9' >eight.txt
run describe eight.txt
check "describe of eight numbers" described 8 5 2 2 9 0 0 0 0 0
gives 4 variance eight.txt
gives 2 stddev eight.txt
gives 4.571428571428571 variance --correction 1 eight.txt
gives nan variance --correction 8 eight.txt
refuses 2 'stddev takes no option --method' stddev --method kahan eight.txt

# describe of each key: the mean and deviation of each have the bits of the lone verbs.
printf 'city,price\nRome,1e20\nOslo,0.25\nRome,1\nOslo,nan\nRome,-1e20\nOslo,-inf\nBern,-0\n' >cities.csv
part() { # part KEY COUNT MEAN STDDEV MIN MAX NAN INF -INF ZEROS SUBNORMALS
    echo "$1:"
    for label in count mean stddev min max nan inf -inf zeros subnormals; do
        shift
        printf '%-12s%s\n' $label "$1"
    done
}
part Bern 1 -0 0 -0 -0 0 0 0 1 0 >wanted
part Oslo 3 nan nan -inf 0.25 1 0 1 0 0 >>wanted
part Rome 3 0.3333333333333333 8.16496580927726e+19 -1e+20 1e+20 0 0 0 0 0 >>wanted
run describe cities.csv --column price --by city
check "describe by key" cmp -s out wanted
run describe cities.csv --column price --by city --json
check "describe by key, in JSON" same "$(member key | tr '\n' ' ')$(member n | tr '\n' ' ')" 'Bern Oslo Rome 1 3 3 '
printf 'x\n' >none.csv
run describe none.csv --column x --by x
check "describe by key of nothing" same "$status $(cat out err)" '0 '
refuses 2 '--by takes one array, not 2' describe cities.csv --column city,price --by city
refuses 2 '--skip-nan and --total are for whole files' describe cities.csv --column price --by city --total

finish
