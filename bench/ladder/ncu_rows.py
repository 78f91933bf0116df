#!/usr/bin/env python3
"""Rows of ncu's raw CSV (standard input), shortened: size, kernel, the counters. Called by ncu.sh.

    ncu_rows.py LOG2N yes|no COUNTERS     whether to write the line of names; the counters, with commas

SPDX-License-Identifier: MIT
"""
import csv
import sys

log2n, names = sys.argv[1:3]
lines = [line for line in sys.stdin if line.startswith('"')]
rows = list(csv.reader(lines))
if len(rows) < 3:
    sys.exit("ncu_rows.py: no rows of ncu came in")
head = rows[0]
wanted = sys.argv[3].split(",")  # ncu tells more than it was asked
counters = [head.index(name) for name in wanted]
kernel = head.index("Kernel Name")
out = csv.writer(sys.stdout, lineterminator="\n")
if names == "yes":
    out.writerow(["log2n", "kernel"] + [head[i] for i in counters])
for row in rows[2:]:  # the second line has the units
    out.writerow([log2n, row[kernel].split("(")[0].replace("void ", "")] + [row[i].replace(",", "") for i in counters])
