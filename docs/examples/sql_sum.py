# python3 sql_sum.py $(pkg-config --variable=libdir quire)/libquire.so
#
# Accumulators in a table: one row a station and day, 140 integer columns. The database's own SUM merges them, in any
# order, and the result is the exact sum of all measurements, rounded once.
import ctypes
import random
import sqlite3
import struct
import sys

WORDS, F64 = 140, 4  # QUIRE_ACCUMULATOR_WORDS, QUIRE_F64
quire = ctypes.CDLL(sys.argv[1])


def accumulate(numbers):
    words, array = (ctypes.c_int64 * WORDS)(), (ctypes.c_double * len(numbers))(*numbers)
    status = quire.quire_accumulate(None, words, F64, ctypes.c_size_t(len(numbers)), array)
    assert status == 0, status
    return list(words)


def rounded(words):
    result = ctypes.c_double()
    status = quire.quire_round((ctypes.c_int64 * WORDS)(*words), F64, ctypes.byref(result))
    assert status == 0, status
    return result.value


random.seed(1)
columns = [f"w{i}" for i in range(WORDS)]
table = sqlite3.connect(":memory:")
table.execute(f"CREATE TABLE sums (station TEXT, {', '.join(c + ' INTEGER' for c in columns)})")
everything = {}
for day in range(200):
    station = random.choice(["north", "south"])
    numbers = [random.gauss(0, 1) * 10.0 ** random.randint(-20, 20) for _ in range(50)]
    everything.setdefault(station, []).extend(numbers)
    table.execute(f"INSERT INTO sums VALUES (?{', ?' * WORDS})", [station, *accumulate(numbers)])

merge = f"SELECT station, {', '.join(f'SUM({c})' for c in columns)} FROM sums GROUP BY station"
for station, *words in table.execute(merge):
    exact = rounded(words)
    print(f"{station}: {exact!r}, by a loop {sum(everything[station])!r}")
    assert struct.pack("d", exact) == struct.pack("d", rounded(accumulate(everything[station])))
