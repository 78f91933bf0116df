#!/usr/bin/env python3
"""Draws the CSV of python.py --accuracy as SVG, once for light pages and once for dark ones: error against time.

    python3 plot_python.py run.csv --out pictures

SPDX-License-Identifier: MIT
"""
import argparse
import pathlib

from matplotlib.ticker import NullLocator

from plot import read_lines
from plot_theme import INKS, Errors, Theme, data_name, fit, in_order, size_name

LOOKS = {"quire.sum": "exact", "math.fsum": "kahan", "np.sum": "pairwise", "sum": "plain", "torch.sum": "cub"}
RIGHT = ("quire.sum", "math.fsum")  # always the nearest double
LEFT_OF, RIGHT_OF, ABOVE = ((-7, 0), "right", "center"), ((7, 0), "left", "center"), ((0, 6), "center", "bottom")
LABELS = {"np.sum": LEFT_OF, "sum": ABOVE, "quire.sum": ABOVE, "math.fsum": ABOVE}


def draw(theme, rows, facts):
    """A panel a condition number, a point a function."""
    conditions = in_order(rows, "condition")
    figure, axes = theme.panels(1, len(conditions), 3.2)
    errors = Errors([float(row["error_ulps"]) for row in rows])
    times = [float(row["seconds"]) * 1e3 for row in rows]
    for axis, condition in zip(axes[0], conditions):
        errors.draw(theme, axis, axis is axes[0][0])
        axis.set_xscale("log")
        axis.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.set_xlim(min(times) / 5, max(times) * 2.5)
        axis.set_title(data_name(f"condition-{condition}"), fontsize=9.5)
        axis.set_xlabel("time in ms", fontsize=8)
        for row in (row for row in rows if row["condition"] == condition):
            name, x = row["function"], float(row["seconds"]) * 1e3
            colour, marker, _ = theme.look(LOOKS[name])
            y = errors.height(float(row["error_ulps"]), name in RIGHT)
            axis.plot(x, y, marker=marker, color=colour, markersize=7, zorder=4, markeredgewidth=0, clip_on=False)
            aside, ha, va = LABELS.get(name, RIGHT_OF)
            axis.annotate(name, (x, y), aside, textcoords="offset points", ha=ha, va=va, fontsize=7.5, color=colour)
    axes[0][0].set_ylabel("error in ulps")
    fit(figure)
    n = size_name(float(rows[0]["n"]))
    theme.finish(figure, f"Sums of {n} doubles in Python: error against time", facts, "cpu", "error-time")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder, made if it is missing")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows, facts = read_lines(options.csv)
    for name in INKS:
        draw(Theme(name, options.out, options.csv.stem, options.format), rows, facts)


if __name__ == "__main__":
    main()
