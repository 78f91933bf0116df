#!/bin/sh
# test_misread.sh - the command never misleads: what a text can be taken for is said on standard error, what quire does
# not read is named with the command that converts it, no file is lost, an interruption says how far the work was, and
# JSON has one shape.
#
# SPDX-License-Identifier: MIT

. "${0%/*}/tap.sh"

# text TEXT ARGUMENTS...: quire on this standard input.
text() {
    printf "$1" >text.txt
    shift
    ran=$*
    "$QUIRE_EXE" "$@" <text.txt >out 2>err
    status=$?
}
# told RESULT WORDS: the last run printed this, and remarked on one line of standard error that has these words.
told() {
    [ "$status" -eq 0 ] && [ "$(cat out)" = "$1" ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "^$program: " err &&
        grep -Fq -- "$2" err
}

# How a text of several columns was read.
text '1,5\n2,5\n' sum
check "decimal commas are not guessed, but named" told 13 \
    'standard input: read as 2 columns between commas, 2 rows: all numbers as f64'
check "with what would read them so" grep -Fq -- '--decimal ,' err
check "and what would take a column" grep -Fq -- '--column' err
text '1,5\n2,5\n' sum --decimal ,
check "they are read where they are asked for" prints 4
text '1 2\n3\n4 5 6\n' sum
check "rows of different lengths" told 21 'read as 1 to 3 columns between blanks, 3 rows'
check "blanks are no decimal commas" sh -c '! grep -q decimal err'
text '1;2\n3;4\n' sum
check "semicolons" told 10 '2 columns between semicolons'
text '1,2;3\n' sum
check "commas and semicolons" told 6 '3 columns between commas and semicolons, 1 row'
text '1,,3\n4,5,\n' sum
check "empty cells are counted" told 13 'without 2 empty cells'
text '1\n2\n\n3\n' sum
check "one column is read in silence" prints 6
text '1,\n2,\n' sum
check "a comma at the end of each line too" prints 3
text '1,5;2,5\n3,5;4,5\n' sum --decimal ,
check "decimal commas between semicolons" told 12 '2 columns between semicolons'
text '1,5;2,5\n3,5;4,5\n' sum --decimal , --delimiter ';'
check "in silence where the delimiter is given" prints 12
text '1,2\n3,4\n' sum --delimiter ,
check "and where it is a comma" prints 10
text '1,2\n3,4\n' sum --column 1
check "a column by its number" told 4 'read as 2 columns between commas, 2 rows: column 1 as f64'
text 'a,b\n1,2\n3,4\n' sum --column b
check "a column by its name is read in silence" prints 6
text 'a;b\n1,5;2\n2,5;4\n' sum --column a --decimal ,
check "a table with decimal commas" prints 4
text '1,5\n' sum --decimal , --column 1
check "the comma is then no delimiter" prints 1.5
refuses 2 '--decimal x: not a point or a comma' sum --decimal x text.txt
refuses 2 'the same character' sum --decimal , --delimiter , text.txt

# What is no number, and why.
number_is() {
    text "$1" sum
    check "$1 is refused" failed 1 "$2"
}
number_is 'true\nfalse\n' "line 1: 'true' is no number (nor is it taken for 1 or 0)"
number_is "1\\n1'234\\n" "line 2: '1'234' is no number: thousands are written without separators"
number_is '1\n1_000\n' 'thousands are written without separators'
number_is '1\n"2"\n' "line 2: '\"2\"' is no number"
text 'a,b\n"1,234",5\n' sum --column a
check "thousands in quotes" failed 1 "'1,234' is no number: --decimal , takes a comma for the decimal point; thousands"
text '1.234,5\n' sum --decimal ,
check "points for thousands" failed 1 'with --decimal , a point is no part of a number'
text '1\n2,5,6\n' sum --decimal ,
check "two decimal commas" failed 1 "line 2: '2,5,6' is no number"
text '1\n2 1e400\n-1e400' sum
check "beyond double" failed 1 'line 2, column 2: 1e400 is beyond the range of f64'
text '1\n-1e309' sum
check "below it" failed 1 'line 2, column 1: -1e309 is beyond'
text 'a,b\n1,2e999\n' sum --column b
check "in a table" failed 1 'line 2, column 2: 2e999 is beyond'
text '1e400\n' sum --column 1
check "in the first line of one" failed 1 'line 1, column 1: 1e400'
text 'inf\n-Infinity\n' sum
check "infinities are numbers" prints nan
text '1.7976931348623157e308\n1e-400\n' sum
check "and so is what rounds to the greatest, and to zero" prints 1.7976931348623157e+308

# Missing cells.
cells='a,b\n1,\n2,3\nNA,4\n'
text "$cells" sum --column a
check "a missing cell is nan, and named" told nan '1 missing cell, the first in line 4, counts as nan (--missing skip'
text 'a,b\n,1\n,2\n3,4\n' sum --column a
check "two" told nan '2 missing cells, the first in line 2, count as nan'
text "$cells" sum --column b --missing skip
check "--missing skip" prints 7
text "$cells" mean --column b --missing skip -v
check "says how many" prints '3.5  0x1.cp+1  0x400c000000000000  n 2  missing 1'
text "$cells" sum --column b --missing nan
check "--missing nan" prints nan
text "$cells" sum --column b --missing error
check "--missing error" failed 1 'line 2, column 2: a missing cell'
text 'nan\nNA\n1\n' sum --missing skip
check "a nan that is written is not missing" prints nan
text 'nan\nNA\n1\n' sum --skip-nan
check "--skip-nan leaves both out, in silence" prints 1
printf "$cells" >cells.csv
run dot cells.csv --column a,b --missing skip
check "of a pair both are left out" prints 6
run sum cells.csv --column a --by b --missing skip
check "not of groups" failed 2 '--missing skip is for whole files'
refuses 2 '--missing maybe: not skip, nan or error' sum --missing maybe cells.csv

# Names, marks and ends of lines.
text 'name,amount\nSmith,1,000\nDoe,2\n' sum --column amount
check "a row with more cells than the heading" failed 1 'line 2: 3 cells, but 2 in the first line'
text '1,2\n3,4,5\n' sum --column 2
check "or than the first row" failed 1 'line 2: 3 cells, but 2 in the first line'
text '1,2\n3,4,\n5\n' sum --column 1
check "a delimiter at the end of a row, and rows of fewer cells" told 9 '1 to 3 columns between commas, 3 rows'
text 'pid cmd\n1 ls\n2 ls -l\n' sum --column pid
check "words between blanks" prints 3
text '\342\210\2225\n3\n' sum
check "a minus of typography" failed 1 'is no number: its minus is not the one of ASCII, -'
text 'x,y,x\n1,2,4\n' sum --column x
check "a name that two columns have" failed 1 "columns 1 and 3 are both called 'x'; --column NUMBER chooses"
text '\357\273\2771\r\n2\r\n' sum
check "a mark of UTF-8 and CRLF" prints 3
text '\357\273\277a,"b"\r\n1,"2"\r\n3,"4"\r\n' sum --column b
check "in a table with quotes" prints 6

text 'a,b\n1,x\n' sum --column b
check "the column of what is no number" failed 1 "line 2, column 2: 'x' is no number"
text 'a,b\r1,2\r3,4\r' sum --column a
check "rows that end in CR are no heading" failed 1 \
    "its lines end as on old Macintoshes, in CR alone; try: tr '\\r' '\\n'"
printf '\037\213\010\000pz\006.npz3\n\340\323\217\2132' >broken.gz
refuses 1 'broken.gz: ' sum --column 0 --delimiter , broken.gz # in one line
text 'a,b\r' sum --column a
check "but one line may" prints 0
text '' sum --column a
check "a name in nothing" failed 1 "standard input: no column 'a': no text is there"
text 'a, b c ,"d "\n1,2,3\n' sum --column ' b c '
check "blanks around a name do not count" prints 2
text 'a, b c ,"d "\n1,2,3\n' sum --column ' "d " '
check "but in quotes" prints 3
refuses 2 '--column "d" e: not names or numbers' sum --column '"d" e' text.txt
refuses 2 '--column a, ,b: not names or numbers' sum --column 'a, ,b' text.txt
refuses 2 '--column is there twice' sum --column a --column b text.txt
refuses 2 '--type is for raw numbers, --column for a table' sum --column a --type f32 text.txt
refuses 2 'sums.npz: an archive has no columns; ARCHIVE.npz:NAME is one of its arrays' sum --column a sums.npz

# Arrays of NumPy.
array '|b1' '(4,)' 01 00 01 01 >bool.npy
gives 3 sum bool.npy
gives 0.75 mean bool.npy
array '>f8' '(2,)' 3ff0000000000000 4000000000000000 >big.npy
gives 3 sum big.npy
{ header 1 "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }"; put '>' 0001 0002 0003 0004; } >fortran.npy
gives 10 sum fortran.npy
run sum fortran.npy --axis 0
check "big-endian, in Fortran order, along an axis" same "$(tr '\n' ' ' <out)" '3 7 '
instead() {
    array "$1" '(1,)' 00000000 >element.npy
    run sum element.npy
    check "$1: $2" failed 1 "$2"
}
instead '<c8' "complex arrays ('<c8') are not supported, only floats and integers; save x.real or x.imag"
instead '|O' "object arrays ('|O') are not supported, only floats and integers; save x.astype(float)"
instead '<U4' 'save x.astype(float)'
instead '<M8[s]' "save x.astype('i8')"
{ header 1 "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }"; put '<' 00000000; } >record.npy
refuses 1 "structured arrays are not supported, only floats and integers; save one field, x['NAME']" sum record.npy

# Files of other programs.
foreign() {
    printf "$1\\0\\0\\0\\0\\0\\0\\0\\0" >foreign.bin
    run sum foreign.bin
    check "$2" failed 1 "foreign.bin: $2"
    run sum foreign.bin --column 1
    check "$2, as a table" failed 1 "$2"
    check "with a command" grep -Fq -- "try: $3" err
}
foreign '\050\265\057\375' 'compressed by zstd' 'zstd -dc foreign.bin | quire sum'
foreign '\3757zXZ\0' 'compressed by xz' 'xz -dc foreign.bin | quire sum'
foreign 'BZh9' 'compressed by bzip2' 'bzip2 -dc foreign.bin | quire sum'
foreign '\004\042\115\030' 'compressed by lz4' 'lz4 -dc'
foreign 'PAR1' 'a Parquet file' 'python3 -c "import numpy, pandas'
foreign 'ARROW1' 'an Arrow file' 'python3'
foreign '\211HDF\r\n\032\n' 'an HDF5 file' 'python3 -c "import numpy, h5py'
foreign 'CDF\001' 'a NetCDF file' 'python3'
foreign 'CDF\005' 'a NetCDF file' 'python3'
foreign '\320\317\021\340\241\261\032\341' 'an old Excel file' 'libreoffice'
foreign 'PK\003\004\024\0\010\0\010\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\023\0\0\0[Content_Types].xml' 'an Excel file' \
    'libreoffice --headless --convert-to csv foreign.bin'
foreign '\200\004\225' 'a pickle of Python' 'python3'
foreign '\377\3761\0' 'a text in UTF-16' 'iconv -f UTF-16 -t UTF-8 foreign.bin | quire sum'
foreign 'SQLite format 3' 'an SQLite database' 'sqlite3'
text '[1, 2]' sum
check "JSON" failed 1 'JSON, which quire does not read; try: jq'
check "of what has no name" grep -Fq ' - ' err
printf 'BZhello' >foreign.bin
run sum foreign.bin
check "what only begins like one" failed 1 "'BZhello' is no number"
printf 'PAR1' >'a file'
run sum 'a file'
check "a name that a shell would take apart is not put into a command" grep -Fq "read_parquet('FILE')" err
printf 'PK\003\004\024\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\005\0\0\0a.txt' >some.zip
refuses 1 'a zip archive: NumPy' sum some.zip
cp some.zip some.NPZ
refuses 1 'damaged .npz archive' sum some.NPZ
put $native 3f800000 >typed.f32
gives 1 sum --type f32 typed.f32
printf 'PAR1' >typed.f32
run sum --type f32 typed.f32
check "a typed file may begin with anything" test "$status" -eq 0

# Words of other programs.
refuses 2 'unknown command std; did you mean stddev?' std x
refuses 2 'unknown command var; did you mean variance?' var x
refuses 2 'unknown command avg; did you mean mean?' avg x
refuses 2 'unknown command norm; did you mean nrm2?' norm x
refuses 2 'unknown command count; did you mean describe?' count x

# The help fits a terminal.
run --help
check "the help is one screen" test "$(wc -l <out)" -le 24
verbs=$(sed -n 's/^  \([a-z0-9]*\)  .*/\1/p' out | grep -v '^help$')
for verb in $verbs; do
    "$QUIRE_EXE" help "$verb" >>out 2>err
    : >err
done
width=$(awk '{ if (length > w) w = length } END { print w }' out)
check "no line of any help is longer than 80 columns" test "$width" -le 80

# No input is lost.
array '<f4' '(2, 2)' 3f800000 40000000 40400000 40800000 >matrix.npy
cp matrix.npy before.npy
refuses 2 '--output matrix.npy: it is also read' sum matrix.npy --axis 0 -o matrix.npy
refuses 2 'it is also read' sum matrix.npy --axis 0 -o ./matrix.npy
ln -s matrix.npy link.npy
refuses 2 'it is also read' sum link.npy --axis 0 -o matrix.npy
printf '0 2 4' >offsets.txt
run sum matrix.npy --segments offsets.txt
check "offsets are read in silence" same "$status$(cat err) $(tr '\n' ' ' <out)" '0 3 7 '
refuses 2 'it is also read' sum matrix.npy --segments offsets.txt -o offsets.txt
array '<f4' '(2,)' 3f800000 40000000 >weights.npy
refuses 2 'it is also read' average matrix.npy --weights weights.npy --axis 1 -o weights.npy
run accumulate matrix.npy -o a.quire
refuses 2 'it is also read' merge a.quire a.quire -o a.quire
check "and it is as it was" cmp -s matrix.npy before.npy
run sum before.npy --axis 0 -o results.npy
check "another file is written" test "$status" -eq 0 -a -s results.npy
check "and nothing beside it" same "$(ls results.npy*)" results.npy
array '<f4' '(2,)' 3f800000 40000000 >old.npy
mkdir -p closed && cp old.npy closed/old.npy
run sum before.npy --axis 0 -o none/old.npy
check "a folder that is not there" failed 1 'none/old.npy: No such file'

# Ctrl-C. timeout sends it; what it runs stands in the foreground.
if timeout --preserve-status 10 true 2>/dev/null; then
    mkfifo slow
    (seq 200000; sleep 5) >slow &
    writer=$!
    timeout --preserve-status -s INT 1 "$QUIRE_EXE" sum slow >out 2>err
    status=$? ran='sum slow, interrupted'
    check "a shell sees 130" same "$status" 130
    check "nothing is printed" test ! -s out
    line="^$program: interrupted( after [0-9]+ (numbers|MB))?; no result\$"
    check "but a line on how far it came" grep -Eq "$line" err
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
else
    tests=$((tests + 1))
    echo "ok $tests - Ctrl-C # SKIP no timeout"
fi

# JSON has one shape.
if "$QUIRE_EXE" sum matrix.npy --json >out 2>err; then
    heads='command files type n skipped result_type rounding '
    shape() { # the names of the members of the first report, in their order
        sed -n 's/^    "\([a-z_]*\)":.*/\1/p; /^  }/q' out | tr '\n' ' '
    }
    for arguments in 'sum matrix.npy' 'sum matrix.npy old.npy' 'sum --total matrix.npy old.npy' \
        'mean matrix.npy --skip-nan' 'sum matrix.npy --rounding up' 'sum matrix.npy --axis 0' 'dot old.npy old.npy' \
        'sum cells.csv --column a --by b --missing nan' 'round a.quire' 'sum matrix.npy --method all'; do
        run $arguments --json
        check "JSON of $arguments" same "$(head -c 1 out) $(shape)" "[ ${heads}shape results "
    done
    run describe matrix.npy --json
    check "JSON of describe" same "$(head -c 1 out) $(shape)" \
        "[ ${heads}mean stddev min max nan positive_infinity negative_infinity zeros subnormals "
    run sum matrix.npy --axis 0 --json
    check "each of many results says of how many elements it is" same "$(member n | tr '\n' ' ')" '4 2 2 '
    run info --json
    check "JSON of info names the command" same "$(member command)" info
    run sum missing.npy --json
    check "no report of a file that is missing" same "$status $(tr -d ' \n' <out)" '1 []'
fi

finish
