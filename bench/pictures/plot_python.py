#!/usr/bin/env python3
"""Draws the CSV of beside_numpy.py --accuracy as SVG, once for light pages and once for dark ones: error against time
of the functions that sum in Python, a point each, for bookings whose balance is one cent.

    python3 plot_python.py run.csv --out pictures

SPDX-License-Identifier: MIT
"""
import argparse
import math
import pathlib

from matplotlib.ticker import NullLocator

from plot import read_lines
from plot_theme import INKS, Errors, Theme, fit, size_name

LOOKS = {"quire.sum": "exact", "math.fsum": "kahan", "np.sum": "pairwise", "torch.sum": "cub"}
ALWAYS_RIGHT = ("quire.sum", "math.fsum")  # the nearest double, whatever the numbers are
LEFT, RIGHT, ABOVE = ((-9, 0), "right", "center"), ((9, 0), "left", "center"), ((0, 8), "center", "bottom")


def draw(theme, rows, facts):
    errors = Errors([row["error"] for row in rows])
    times = [row["ms"] for row in rows]
    figure, axes = theme.panels(1, 1, 2.7)
    axis = axes[0][0]
    errors.draw(theme, axis, True)
    balance = next(row["result"] for row in rows if row["function"] in ALWAYS_RIGHT)
    as_large = abs(balance) / math.ulp(balance)  # an error as large as the sum, in ulps
    axis.axhspan(errors.decades(as_large), errors.wrong + errors.margin, color=theme.faint, alpha=0.35, linewidth=0)
    axis.annotate("no digit is right", (0.98, errors.wrong), xycoords=axis.get_yaxis_transform(),
                  fontsize=8, ha="right", va="center")
    axis.set_xscale("log")
    ticks = [10.0**p for p in range(math.floor(math.log10(min(times))), math.ceil(math.log10(max(times))) + 1)]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlim(min(times) / 8, max(times) * 3)
    axis.set_xlabel("time in ms", fontsize=8)
    axis.set_ylabel("error in ulps")
    for row in rows:
        name, right = row["function"], row["function"] in ALWAYS_RIGHT
        colour, marker, _ = theme.look(LOOKS[name])
        y = errors.height(row["error"], right)
        axis.plot(row["ms"], y, marker=marker, color=colour, markersize=8, zorder=4, markeredgewidth=0, clip_on=False)
        aside, ha, va = ABOVE if right else LEFT if row["ms"] == min(times) else RIGHT
        axis.annotate(f"{name}: {row['result']:.3g} in {row['ms']:.{2 if row['ms'] < 1 else 1}f} ms", (row["ms"], y),
                      aside, ha=ha, va=va, textcoords="offset points", fontsize=9, color=colour)
    fit(figure)
    what = f"{size_name(rows[0]['size'])} bookings whose balance is 0.01: error of the sum against time. Lower and " \
        "further left is better."
    theme.finish(figure, title_of(rows), what, facts, "cpu", "error-time")


def title_of(rows):
    """Who is right, and how much longer the slower of them takes."""
    first, second = sorted((row for row in rows if row["function"] in ALWAYS_RIGHT), key=lambda row: row["ms"])
    ratio = second["ms"] / first["ms"]
    return f"Only {first['function']} and {second['function']} find the cent, and {second['function']} takes " \
        f"{ratio:.0f} times as long"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder, made if it is missing")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows, facts = read_lines(options.csv)
    rows = [{"function": row["function"], "size": float(row["n"]), "ms": float(row["seconds"]) * 1e3,
             "result": float(row["result"]), "error": float(row["error_ulps"])} for row in rows
            if row["numbers"] == "bookings" and row["function"] in LOOKS]
    for name in INKS:
        draw(Theme(name, options.out, options.csv.stem, options.format), rows, facts)


if __name__ == "__main__":
    main()
