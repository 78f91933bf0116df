#!/usr/bin/env python3
"""Draws a CSV of quire-bench: accuracy against speed, and speed against n.

    quire-bench --csv run.csv
    python3 plot.py run.csv --out docs        writes docs/run-accuracy-speed.svg and docs/run-speed-n.svg

Needs matplotlib (pip install matplotlib, or apt install python3-matplotlib).

SPDX-License-Identifier: MIT
"""
import argparse
import csv
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

# One look for a method everywhere: colour, marker, and whether a line is dashed. Methods not named here (peers, say) take
# the spare looks in turn. All colours, and the ink, can be read on white and on black.
LOOKS = {
    "exact": ("#e4572e", "o", "-"),
    "kahan": ("#12a594", "s", "-"),
    "pairwise": ("#4b8bea", "^", "-"),
    "plain": ("#b073d4", "D", "-"),
    "fast-math": ("#c99a1a", "X", "--"),
    "read": ("#8b929c", None, ":"),
}
SPARE = [("#6fae3f", "v", "-"), ("#d65d9b", "P", "-"), ("#a9745b", "<", "-"), ("#5f9ea0", ">", "-")]
INK = "#7f8791"
TYPES = {"f16": "half", "bf16": "bfloat16", "f32": "float", "f64": "double"}
BAND = 0.18  # the share of a panel's height that is for correctly rounded results, up to half an ulp

plt.rcParams.update({
    "svg.fonttype": "path", "svg.hashsalt": "quire", "font.family": "DejaVu Sans", "font.size": 10,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.titlecolor": INK, "axes.spines.top": False, "axes.spines.right": False, "grid.color": INK, "grid.alpha": 0.25,
    "legend.frameon": False,
})


def read(path):
    """The rows as dictionaries, their numbers as numbers, and the comment lines."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = file.readlines()
    facts = dict(line[2:].rstrip("\n").split(": ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows:
        for key in ("n", "threads", "seconds", "gb_per_s", "spread", "ratio", "share", "error_ulps"):
            row[key] = float(row[key]) if row[key] else math.nan
    return rows, facts


def look(method):
    if method not in LOOKS:
        LOOKS[method] = SPARE[(len(LOOKS) - 6) % len(SPARE)]
    return LOOKS[method]


def in_order(rows, key):
    """The values of a column, in the order of their first appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def power(value, _=None):
    if value <= 0:
        return ""
    exponent = round(math.log10(value))
    return {0: "1", 1: "10", -1: "0.1"}.get(exponent, f"$10^{{{exponent}}}$")


def size_name(n):
    exponent = round(math.log10(n))
    return f"$10^{{{exponent}}}$" if n == 10**exponent else f"{n:,.0f}"


def grid(columns, lines, width, height):
    figure, axes = plt.subplots(lines, columns, figsize=(width * columns, height * lines), squeeze=False,
                                sharex="col", sharey="row")
    for axis in axes.flat:
        axis.grid(True, which="major", linewidth=0.6)
        axis.tick_params(which="both", length=0)
    return figure, axes


def finish(figure, methods, title, facts, path):
    """Title, legend and source, at the same distance from the panels whatever their number; then the file."""
    height = figure.get_size_inches()[1]
    figure.tight_layout(rect=(0, 0.28 / height, 1, 1 - 0.72 / height))
    handles = [plt.Line2D([], [], color=look(m)[0], marker=look(m)[1], linestyle=look(m)[2], markersize=7, label=m)
               for m in methods]
    figure.text(0.5, 1 - 0.12 / height, title, ha="center", va="top", fontsize=13, weight="bold")
    figure.legend(handles=handles, loc="upper center", ncol=len(methods), bbox_to_anchor=(0.5, 1 - 0.36 / height))
    source = [facts.get(key, "") for key in ("version", "cpu", "tier", "compiler")]
    figure.text(0.995, 0.06 / height, ", ".join(part.split(";")[0] for part in source if part), ha="right", va="bottom",
                fontsize=7.5)
    figure.savefig(path, transparent=True, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
    print(path)


def accuracy_scale(rows):
    """The bottom of a line of panels, where an error of nought is drawn, where Inf and NaN are, and the top."""
    worst = max([r["error_ulps"] for r in rows if math.isfinite(r["error_ulps"])] + [10])
    decades = math.log10(worst / 0.5) + 0.6
    wrong = worst * 10 ** (0.15 * decades) if any(math.isinf(r["error_ulps"]) for r in rows) else None
    top = (wrong or worst) * 10 ** (0.1 * decades)
    bottom = 0.5 * (0.5 / top) ** (BAND / (1 - BAND))
    return bottom, math.sqrt(bottom * 0.5), wrong, top


def draw_points(axis, rows, nought, wrong):
    for row in rows:
        colour, marker, _ = look(row["method"])
        error = row["error_ulps"]
        axis.plot(row["ratio"], wrong if math.isinf(error) else max(error, nought), marker=marker, color=colour,
                  markersize=8 if row["method"] == "exact" else 9, zorder=4 if row["method"] == "exact" else 3,
                  alpha=0.92, markeredgewidth=0, clip_on=False, linestyle="none")


def draw_accuracy(rows, facts, operation, n, path):
    """Panels: data down, types across. A point a method: speed to the right, error upwards."""
    rows = [r for r in rows if r["operation"] == operation and r["n"] == n and not math.isnan(r["error_ulps"])]
    families, types = in_order(rows, "family"), in_order(rows, "type")
    figure, axes = grid(len(types), len(families), 2.9, 2.45 if len(families) > 1 else 3.4)
    for line, family in enumerate(families):
        bottom, nought, wrong, top = accuracy_scale([r for r in rows if r["family"] == family])
        for column, kind in enumerate(types):
            axis = axes[line][column]
            axis.set_yscale("log")
            axis.set_ylim(bottom, top)
            axis.set_xlim(0, max([1.1] + [1.08 * r["ratio"] for r in rows if r["type"] == kind]))
            axis.axhspan(bottom, 0.5, color="#3fae5a", alpha=0.14, linewidth=0)
            axis.axvline(1, color=look("fast-math")[0], linewidth=0.8, linestyle="--", alpha=0.7)
            draw_points(axis, [r for r in rows if (r["family"], r["type"]) == (family, kind)], nought, wrong)
            if wrong:
                axis.axhline(wrong, color=INK, linewidth=0.6, linestyle=":")
            axis.yaxis.set_major_locator(LogLocator(numticks=6))
            shown = range(0, math.ceil(math.log10(wrong or top)))
            axis.yaxis.set_major_formatter(
                FuncFormatter(lambda value, _, shown=shown: power(value) if round(math.log10(value)) in shown else ""))
            axis.yaxis.set_minor_formatter(NullFormatter())
            if line == 0:
                axis.set_title(TYPES.get(kind, kind), fontsize=11)
            if line == len(families) - 1:
                axis.set_xlabel("speed, fast-math loop = 1")
        first = axes[line][0]
        first.set_ylabel(f"{family}\nerror in ulps")
        place = {"fontsize": 7.5, "transform": first.get_yaxis_transform()}
        first.text(0.04, nought, "correctly rounded", color="#3c9d55", va="center", **place)
        if wrong:
            first.text(0.04, wrong, "wrong: Inf or NaN", va="bottom", **place)
    title = f"Accuracy against speed: {operation} of {size_name(n)} numbers, one thread"
    finish(figure, in_order(rows, "method"), title, facts, path)


def draw_speed(rows, facts, operation, path):
    """Panels: data down, types across. A line a method: GB/s over n."""
    rows = [r for r in rows if r["operation"] == operation]
    families, types, sizes = in_order(rows, "family"), in_order(rows, "type"), sorted(set(r["n"] for r in rows))
    figure, axes = grid(len(types), len(families), 2.9, 2.45 if len(families) > 1 else 3.4)
    for line, family in enumerate(families):
        for column, kind in enumerate(types):
            axis = axes[line][column]
            axis.set_xscale("log")
            axis.set_yscale("log")
            for method in in_order(rows, "method"):
                mine = sorted((r["n"], r["gb_per_s"]) for r in rows
                              if (r["method"], r["family"], r["type"]) == (method, family, kind))
                colour, marker, style = look(method)
                axis.plot([n for n, _ in mine], [rate for _, rate in mine], color=colour, marker=marker, linestyle=style,
                          markersize=5, markeredgewidth=0, linewidth=1.6, alpha=0.9)
            axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.yaxis.set_minor_formatter(NullFormatter())
            axis.set_xticks(sizes)
            axis.xaxis.set_major_formatter(FuncFormatter(power))
            axis.xaxis.set_minor_formatter(NullFormatter())
            if line == 0:
                axis.set_title(TYPES.get(kind, kind), fontsize=11)
            if line == len(families) - 1:
                axis.set_xlabel("numbers")
        axes[line][0].set_ylabel(f"{family}\nGB/s")
    finish(figure, in_order(rows, "method"), f"Speed against size: {operation}, one thread", facts, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder for the pictures")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    parser.add_argument("--operation", default="sum")
    parser.add_argument("--family", help="these data only, separated by commas")
    parser.add_argument("--n", type=float, help="the size for accuracy against speed; the largest if left out")
    options = parser.parse_args()
    try:
        rows, facts = read(options.csv)
    except OSError as trouble:
        sys.exit(f"plot.py: {options.csv}: {trouble.strerror}")
    except (ValueError, KeyError):
        sys.exit(f"plot.py: {options.csv}: not a CSV of quire-bench")
    rows = [r for r in rows if r["threads"] == 1 and (not options.family or r["family"] in options.family.split(","))]
    sizes = [r["n"] for r in rows if r["operation"] == options.operation]
    if not sizes:
        sys.exit(f"plot.py: {options.csv}: no single-thread rows of {options.operation}")
    n = options.n or max(sizes)
    if n not in sizes:
        sys.exit(f"plot.py: {options.csv}: no rows of n = {n:g}")
    stem = options.out / options.csv.stem
    draw_accuracy(rows, facts, options.operation, n, stem.with_name(f"{stem.name}-accuracy-speed.{options.format}"))
    draw_speed(rows, facts, options.operation, stem.with_name(f"{stem.name}-speed-n.{options.format}"))


if __name__ == "__main__":
    main()
