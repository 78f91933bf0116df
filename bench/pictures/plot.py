#!/usr/bin/env python3
"""Draws CSVs of quire-bench as SVG, each picture once for light pages and once for dark ones.

    quire-bench --csv run.csv
    python3 plot.py run.csv --out pictures

writes pictures/run-error-time.svg and run-error-time-dark.svg: error against time at one size. Where there are more
sizes, also run-time-n and run-error-n, time and error against n, and run-wide-n, the time of exact on data of every
exponent; where there is a ladder, run-ladder instead. Of many vectors a call (quire-bench --rows, --columns,
--segments) run-rows, run-columns, run-segments and so on: time against the length of a vector. A CSV with rows of a
CPU and of a GPU gives run-cpu-... and run-gpu-.... All ratios are times over a reference's: above 1 is slower. The
reference is the fast-math loop on a CPU, and on a GPU a kernel that only reads (of many vectors, what is written
counts as read, too). Needs matplotlib (pip install matplotlib, or apt install python3-matplotlib).

SPDX-License-Identifier: MIT
"""
import argparse
import csv
import math
import pathlib
import sys

from plot_pictures import draw_place, draw_vectors
from plot_theme import INKS, REFERENCE, Theme, in_order


def read_lines(path):
    """The rows as dictionaries of strings, and the comment lines."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = file.readlines()
    facts = {}
    for line in lines:
        if line.startswith("# ") and ": " in line:
            facts.setdefault(*line[2:].rstrip("\n").split(": ", 1))
    return list(csv.DictReader(line for line in lines if not line.startswith("#"))), facts


def read(path):
    """The rows, numbers as numbers, each with its time over its reference's; and the comment lines."""
    rows, facts = read_lines(path)
    references = {}
    for row in rows:
        row.setdefault("layout", "vector")
        for key in ("n", "threads", "seconds", "gb_per_s", "error_ulps", "bound_ulps"):
            row[key] = float(row[key]) if row[key] else math.nan
        if row["kind"] == REFERENCE[row["place"]][0]:
            references.setdefault(job_of(row), row["seconds"])
    for row in rows:
        row["time"] = row["seconds"] / references[job_of(row)]
        if row["layout"] != "vector" and row["place"] == "gpu":
            row["time"] = float(row["time_over_ceiling"])
    return rows, facts


def job_of(row):
    return tuple(row.get(key) for key in ("n", "type", "operation", "family", "place", "caches", "layout", "vectors"))


def draw_file(path, options):
    try:
        rows, facts = read(path)
    except OSError as trouble:
        sys.exit(f"plot.py: {path}: {trouble.strerror}")
    except (ValueError, KeyError, TypeError):
        sys.exit(f"plot.py: {path}: not a CSV of quire-bench")
    for key, wanted in (("family", options.family), ("type", options.type), ("place", options.place)):
        rows = [r for r in rows if not wanted or r[key] in wanted.split(",")]
    rows = [r for r in rows if r["operation"] == options.operation and (r["place"] == "gpu" or r["threads"] == 1)]
    if not rows:
        sys.exit(f"plot.py: {path}: no such rows of {options.operation} (on a CPU, on one thread)")
    places = in_order(rows, "place")
    for place in places:
        stem = path.stem + (f"-{place}" if len(places) > 1 else "")
        layouts = in_order([r for r in rows if r["place"] == place], "layout")
        for name, layout in ((name, layout) for name in INKS for layout in layouts):
            theme, mine = Theme(name, options.out, stem, options.format), [r for r in rows if r["layout"] == layout]
            if layout == "vector":
                draw_place(theme, mine, facts, options, place)
            else:
                draw_vectors(theme, mine, facts, options.operation, place)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("csv", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder, made if it is missing")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    parser.add_argument("--operation", default="sum")
    parser.add_argument("--family", help="these data only, separated by commas")
    parser.add_argument("--type", help="these types only, separated by commas")
    parser.add_argument("--place", choices=["cpu", "gpu"], help="this place only")
    parser.add_argument("--n", type=float, help="size for error-time and ladder (the middle one; the largest)")
    options = parser.parse_args()
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        sys.exit(f"plot.py: {options.out}: {trouble.strerror}")
    for path in options.csv:
        draw_file(path, options)


if __name__ == "__main__":
    main()
