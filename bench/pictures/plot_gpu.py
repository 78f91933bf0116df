#!/usr/bin/env python3
"""Draws rows of docs/measured that programs beside quire-bench measured on a GPU, as SVG, each picture once for light
pages and once for dark ones. The columns of a file say which picture it is:

    python3 plot_gpu.py arrays-h200.csv             one array, in a graph: time by the number of elements
    python3 plot_gpu.py exact-vectors-h200.csv      rows, and columns: time over that of reading, by their length
    python3 plot_gpu.py keys-h200.csv               sums by key, a point each

SPDX-License-Identifier: MIT
"""
import argparse
import pathlib

from matplotlib.ticker import NullLocator

from plot import read_lines
from plot_pictures import ELEMENTS, by_type, draw_lines, draw_one, size_axis
from plot_theme import INKS, TYPES, Theme, fit, in_order, label_ends, power, size_name, span

DRAWN = ("half", "float", "double")  # and by their names here
LONG = 1000  # the length from which a title says what rows take
MICROSECONDS = (1, 10, 100, 1000)
LABEL = 1.3  # microseconds: where the line of reading has its name
RATIOS = (1, 1.5, 2, 3, 4, 5, 10)


# ------------------------------------------------------------------------------------------------------------ one array

def draw_arrays(theme, rows, facts):
    """A panel a type, a line a method, and the time of reading as a dotted line."""
    wanted = {"numbers": "uniform", "how": "graph", "call": "reduce", "operation": "sum"}
    rows = [{**row, "n": float(row["n"]), "time": float(row["seconds"]) * 1e6, "over": float(row["over_reading"])}
            for row in rows if all(row[key] == value for key, value in wanted.items())]
    rows = [row for row in rows if row["type"] != "bf16"]  # as half
    top = max(row["time"] for row in rows)

    def draw(axis, mine):
        axis.set_yscale("log")
        axis.set_ylim(1, top * 1.3)
        axis.set_yticks([t for t in MICROSECONDS if t <= top], [f"{t}" for t in MICROSECONDS if t <= top])
        axis.yaxis.set_minor_locator(NullLocator())
        reading = sorted((row["n"], row["time"] / row["over"]) for row in mine if row["method"] == "exact")
        axis.plot(*zip(*reading), color=theme.ink, linewidth=1, linestyle=":")
        most, longest = reading[-1]
        axis.annotate("reading alone", (most * LABEL / longest, LABEL), xytext=(-6, 0), textcoords="offset points",
                      ha="right", va="center", fontsize=7.5)
        return draw_lines(theme, axis, mine, lambda row: row["time"], True)

    times = {(row["type"], row["n"], row["method"]): row["time"] for row in rows}
    ratios = [time / times[kind, n, "plain"] for (kind, n, method), time in times.items() if method == "exact"]
    title = f"On a GPU an exact sum of an array takes {span(ratios)} times as long as a plain one"
    what = "Time of a call in a CUDA graph, by the number of elements, uniform data. Lower is better."
    by_type(theme, rows, draw, (ELEMENTS, "time in µs"), (title, what), facts, "gpu", "time-n", True)


# ---------------------------------------------------------------------------------------------------- rows and columns

def draw_vectors(theme, rows, facts, layout):
    """A line a type: exact sums whose results have the type of the elements."""
    value = "over_reading" if "over_reading" in rows[0] else "time_over_ceiling"
    rows = [{"type": TYPES[row["type"]], "n": float(row["n"]), "time": float(row[value])} for row in rows
            if row["layout"] == layout and row["operation"] == "sum" and row["type"] in TYPES and
            row.get("result", row["type"]) == row["type"]]
    rows = [row for row in rows if row["type"] in DRAWN]
    sizes = sorted({row["n"] for row in rows})
    figure, axes = theme.panels(1, 1, 2.6)
    axis, ends = axes[0][0], []
    size_axis(axis, sizes)
    powers = [p for p in range(1, 9) if 10.0**p <= sizes[-1]]
    axis.set_xticks([10.0**p for p in powers], ["10" if p == 1 else power(10, p) for p in powers])
    axis.set_yscale("log")
    top = max(row["time"] for row in rows) * 1.15
    axis.set_ylim(min(0.9, *(row["time"] / 1.03 for row in rows)), top)
    axis.set_yticks([t for t in RATIOS if t <= top], [f"{t:g}" for t in RATIOS if t <= top])
    axis.yaxis.set_minor_locator(NullLocator())
    axis.set_xlabel(f"length of the {layout}, in elements", fontsize=8)
    axis.set_ylabel("time, reading alone = 1")
    draw_one(theme, axis, rows)
    for kind, method in zip(DRAWN, ("pairwise", "exact", "kahan")):
        mine = sorted((row["n"], row["time"]) for row in rows if row["type"] == kind)
        colour, marker, style = theme.look(method)
        axis.plot(*zip(*mine), color=colour, marker=marker, linestyle=style, markersize=4, markeredgewidth=0,
                  linewidth=1.4)
        ends.append((*mine[0], kind, colour))
    fit(figure)
    label_ends(theme, [(axis, ends)], sizes, True)
    most = max(row["time"] for row in rows if row["n"] >= LONG)
    title = f"On a GPU exact sums of {layout} of {LONG} or more take at most {most:.2f} times as long as reading"
    what = f"All {layout} of a matrix of 1 GiB in one call, by their length, uniform data. Above 1 is slower."
    if layout == "rows":
        what += " Peaks: rows of no whole 16 bytes."
    theme.finish(figure, title, what, facts, "gpu", layout)


# ---------------------------------------------------------------------------------------------------------- sums by key

SUMS = {"exact": ("quire, exact", "exact"), "index_add": ("index_add", "plain"),
        "deterministic": ("index_add, deterministic", "pairwise")}


def draw_keys(theme, rows, facts):
    """A line a number of groups, a point a way to sum, named at the point."""
    rows = [row for row in rows if row["width"] == "1" and row["commit"] == rows[0]["commit"] and row["sum"] in SUMS]
    groups = in_order(rows, "groups")
    figure, axes = theme.panels(1, 1, 2.0)
    axis = axes[0][0]
    axis.set_xscale("log")
    axis.xaxis.set_minor_locator(NullLocator())
    axis.grid(False, axis="y")
    axis.set_xlim(0.1, 2 * 10**4)
    axis.set_xticks([10.0**p for p in range(-1, 5)], [f"{10.0**p:g}" for p in range(-1, 5)])
    axis.set_xlabel("time in ms", fontsize=8)
    axis.set_ylim(len(groups) - 0.5, -0.5)
    axis.set_yticks(range(len(groups)), [f"{size_name(float(one)) if one != '10' else one} groups" for one in groups])
    ratios = []
    for place, group in enumerate(groups):
        times = {row["sum"]: float(row["ms"]) for row in rows if row["groups"] == group}
        ratios.append(times["deterministic"] / times["exact"])
        for way, ms in times.items():
            name, method = SUMS[way]
            colour, marker, _ = theme.look(method)
            first = ms == min(times.values())
            axis.plot(ms, place, marker=marker, color=colour, markersize=8, markeredgewidth=0, zorder=4)
            axis.annotate(f"{name}, {ms:.{1 if ms < 100 else 0}f}", (ms, place), (-8 if first else 8, 0),
                          textcoords="offset points", ha="right" if first else "left", va="center", fontsize=8,
                          color=colour)
    fit(figure)
    title = f"PyTorch's reproducible sums by key take {min(ratios):.0f} to {max(ratios):.0f} times as long as exact " \
        "ones"
    what = f"Sums of {size_name(float(rows[0]['rows']))} floats by uniform keys. " \
        "index_add adds by atomics: other bits in each run."
    theme.finish(figure, title, what, facts, "gpu", "keys")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("csv", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder, made if it is missing")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path, name in ((path, name) for path in options.csv for name in INKS):
        rows, facts = read_lines(path)
        theme = Theme(name, options.out, path.stem, options.format)
        if "how" in rows[0]:
            draw_arrays(theme, rows, facts)
        elif "groups" in rows[0]:
            draw_keys(theme, rows, facts)
        else:
            for layout in (one for one in in_order(rows, "layout") if one in ("rows", "columns")):
                draw_vectors(theme, rows, facts, layout)


if __name__ == "__main__":
    main()
