#!/usr/bin/env python3
"""Draws a CSV of quire-bench: accuracy against speed, speed and error against n, and the ladder as bars.

    quire-bench --csv run.csv
    python3 plot.py run.csv --out docs        writes docs/run-accuracy-speed.svg, -speed-n, -error-n, and -ladder

A CSV with rows of a CPU and of a GPU gives pictures of each: docs/run-gpu-speed-n.svg, and so on. What a run has not (a
second n, a ladder) is not drawn. Needs matplotlib (pip install matplotlib, or apt install python3-matplotlib).

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
    "cub": ("#6fae3f", "v", "--"),
    "cub in float": ("#3f8f6f", "<", "--"),
    "cub gpu_to_gpu": ("#9bbf30", ">", "--"),
    "thrust": ("#d65d9b", "P", "--"),
    "cublas": ("#a9745b", "p", "--"),
    "blas": ("#a9745b", "p", "--"),
}
NAMED = len(LOOKS)
SPARE = [("#5f9ea0", "h", "--"), ("#c98a8a", "*", "--"), ("#8a9ac9", "d", "--")]
INK = "#7f8791"
TYPES = {"f16": "half", "bf16": "bfloat16", "f32": "float", "f64": "double"}
PLACES = {"cpu": ", one thread", "gpu": ""}
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
        row.setdefault("kind", {"read": "ceiling", "fast-math": "baseline"}.get(row["method"], "method"))
        row.setdefault("equal_runs", "")
        for key in ("n", "threads", "seconds", "gb_per_s", "spread", "ratio", "share", "error_ulps"):
            row[key] = float(row[key]) if row[key] else math.nan
    return rows, facts


def look(method):
    if method not in LOOKS:
        LOOKS[method] = SPARE[(len(LOOKS) - NAMED) % len(SPARE)]
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
    for base in (10, 2):
        exponent = round(math.log(n, base))
        if n == base**exponent:
            return f"${base}^{{{exponent}}}$"
    return f"{n:,.0f}"


def grid(columns, lines, width, height):
    figure, axes = plt.subplots(lines, columns, figsize=(width * columns, height * lines), squeeze=False,
                                sharex="col", sharey="row")
    for axis in axes.flat:
        axis.grid(True, which="major", linewidth=0.6)
        axis.tick_params(which="both", length=0)
    return figure, axes


def source_of(facts, place):
    """What a picture was measured on, in a line."""
    gpu = [part for part in facts.get("gpu", "").split(", ") if part.split(" ")[0] not in ("compute", "L2")]
    cpu = [facts.get(key, "") for key in ("cpu", "tier", "compiler")]
    parts = [facts.get("version", "")] + (gpu if place == "gpu" else cpu)
    return ", ".join(part.split(";")[0] for part in parts if part)


def write_source(figure, facts, place):
    height = figure.get_size_inches()[1]
    figure.text(0.995, 0.06 / height, source_of(facts, place), ha="right", va="bottom", fontsize=7.5)


def finish(figure, methods, title, facts, path, place):
    """Title, legend and source, at the same distance from the panels whatever their number; then the file."""
    width, height = figure.get_size_inches()
    columns = max(1, min(len(methods), int(width / 1.25)))
    lines = math.ceil(len(methods) / columns)
    figure.tight_layout(rect=(0, 0.28 / height, 1, 1 - (0.5 + 0.22 * lines) / height))
    handles = [plt.Line2D([], [], color=look(m)[0], marker=look(m)[1], linestyle=look(m)[2], markersize=7, label=m)
               for m in methods]
    figure.text(0.5, 1 - 0.12 / height, title, ha="center", va="top", fontsize=13, weight="bold")
    figure.legend(handles=handles, loc="upper center", ncol=columns, bbox_to_anchor=(0.5, 1 - 0.36 / height))
    write_source(figure, facts, place)
    save(figure, path)


def save(figure, path):
    is_svg = path.suffix == ".svg"
    figure.savefig(path, transparent=is_svg, dpi=150, metadata={"Date": None} if is_svg else None)
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
        axis.plot(row["share"], wrong if math.isinf(error) else max(error, nought), marker=marker, color=colour,
                  markersize=8 if row["method"] == "exact" else 9, zorder=4 if row["method"] == "exact" else 3,
                  alpha=0.92, markeredgewidth=0, clip_on=False, linestyle="none")


def error_axis(axis, scale):
    """Errors in ulps, upwards on a logarithmic scale; what is correctly rounded lies in a green band."""
    bottom, _, wrong, top = scale
    axis.set_yscale("log")
    axis.set_ylim(bottom, top)
    axis.axhspan(bottom, 0.5, color="#3fae5a", alpha=0.14, linewidth=0)
    if wrong:
        axis.axhline(wrong, color=INK, linewidth=0.6, linestyle=":")
    axis.yaxis.set_major_locator(LogLocator(numticks=6))
    shown = range(0, math.ceil(math.log10(wrong or top)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power(value) if round(math.log10(value)) in shown else ""))
    axis.yaxis.set_minor_formatter(NullFormatter())


def name_errors(axis, family, scale):
    """Words for the first panel of a line."""
    bottom, _, wrong, _ = scale
    axis.set_ylabel(f"{family}\nerror in ulps")
    place = {"fontsize": 7.5, "transform": axis.get_yaxis_transform()}
    axis.text(0.04, bottom, "correctly rounded", color="#3c9d55", va="bottom", **place)
    if wrong:
        axis.text(0.04, wrong, "wrong: Inf or NaN", va="bottom", **place)


def panels(rows):
    families, types = in_order(rows, "family"), in_order(rows, "type")
    figure, axes = grid(len(types), len(families), 2.9, 2.45 if len(families) > 1 else 3.4)
    for column, kind in enumerate(types):
        axes[0][column].set_title(TYPES.get(kind, kind), fontsize=11)
    return families, types, figure, axes


def draw_accuracy(rows, facts, operation, n, path, place):
    """Panels: data down, types across. A point a method: speed to the right, error upwards."""
    rows = [r for r in rows if r["n"] == n and not math.isnan(r["error_ulps"])]
    families, types, figure, axes = panels(rows)
    for line, family in enumerate(families):
        scale = accuracy_scale([r for r in rows if r["family"] == family])
        for column, kind in enumerate(types):
            axis = axes[line][column]
            error_axis(axis, scale)
            axis.set_xlim(0, max([1.1] + [1.08 * r["share"] for r in rows if r["type"] == kind]))
            axis.axvline(1, color=look("read")[0], linewidth=1, linestyle=":")
            draw_points(axis, [r for r in rows if (r["family"], r["type"]) == (family, kind)], scale[1], scale[2])
            if line == len(families) - 1:
                axis.set_xlabel("speed, reading alone = 1")
        name_errors(axes[line][0], family, scale)
    title = f"Accuracy against speed: {operation} of {size_name(n)} numbers{PLACES[place]}"
    finish(figure, in_order(rows, "method"), title, facts, path, place)


def size_axis(axis, sizes):
    """n on a logarithmic scale, with a tick at every size or at every other of many."""
    every = max(1, math.ceil(len(sizes) / 6))
    axis.set_xscale("log")
    axis.set_xticks(sizes[::every])
    axis.set_xticks([], minor=True)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size_name(value)))


def draw_lines(axis, rows, value):
    """A line a method over n."""
    for method in in_order(rows, "method"):
        mine = sorted((r["n"], value(r)) for r in rows if r["method"] == method)
        colour, marker, style = look(method)
        axis.plot([n for n, _ in mine], [v for _, v in mine], color=colour, marker=marker, linestyle=style, markersize=4.5,
                  markeredgewidth=0, linewidth=1.6, alpha=0.9, zorder=4 if method == "exact" else 3)


def draw_speed(rows, facts, operation, path, place):
    """Panels: data down, types across. A line a method: GB/s over n."""
    families, types, figure, axes = panels(rows)
    sizes = sorted(set(r["n"] for r in rows))
    for line, family in enumerate(families):
        for column, kind in enumerate(types):
            axis = axes[line][column]
            axis.set_yscale("log")
            size_axis(axis, sizes)
            draw_lines(axis, [r for r in rows if (r["family"], r["type"]) == (family, kind)], lambda r: r["gb_per_s"])
            axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.yaxis.set_minor_formatter(NullFormatter())
            if line == len(families) - 1:
                axis.set_xlabel("numbers")
        axes[line][0].set_ylabel(f"{family}\nGB/s")
    finish(figure, in_order(rows, "method"), f"Speed against size: {operation}{PLACES[place]}", facts, path, place)


def draw_error(rows, facts, operation, path, place):
    """Panels: data down, types across. A line a method: the error in ulps over n."""
    rows = [r for r in rows if not math.isnan(r["error_ulps"])]
    families, types, figure, axes = panels(rows)
    sizes = sorted(set(r["n"] for r in rows))
    for line, family in enumerate(families):
        scale = accuracy_scale([r for r in rows if r["family"] == family])
        for column, kind in enumerate(types):
            axis = axes[line][column]
            size_axis(axis, sizes)
            error_axis(axis, scale)
            draw_lines(axis, [r for r in rows if (r["family"], r["type"]) == (family, kind)],
                       lambda r, scale=scale: scale[2] if math.isinf(r["error_ulps"]) else max(r["error_ulps"], scale[1]))
            if line == len(families) - 1:
                axis.set_xlabel("numbers")
        name_errors(axes[line][0], family, scale)
    finish(figure, in_order(rows, "method"), f"Error against size: {operation}{PLACES[place]}", facts, path, place)


def error_words(error):
    if math.isinf(error):
        return "Inf or NaN"
    if error <= 0.5:
        return "nearest"
    return f"{error:.3g} ulps" if error < 1000 else f"$10^{{{round(math.log10(error))}}}$ ulps"


def draw_bars(axis, rows, title, longest):
    """From the first rung at the top to quire's methods at the bottom. A bar is as long as the share of the ceiling."""
    for place, row in enumerate(rows):
        changing = row["equal_runs"] == "no"
        colour = look(row["method"])[0] if row["kind"] == "method" else INK
        axis.barh(place, row["share"], color=colour, alpha=0.9 if row["kind"] == "method" else 0.6, height=0.72,
                  hatch="////" if changing else None, edgecolor="white" if changing else "none", linewidth=0)
        axis.text(1.04, place, f"{row['gb_per_s']:,.0f} GB/s, {error_words(row['error_ulps'])}", va="center", fontsize=7.5)
    axis.set_yticks(range(len(rows)), [row["method"].replace(" in half", "") for row in rows], fontsize=8.5)
    axis.set_ylim(longest - 0.4, -0.6)
    axis.set_xlim(0, 1.75)
    axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axis.axvline(1, color=look("read")[0], linewidth=1, linestyle=":")
    axis.set_title(title, fontsize=11)
    axis.set_xlabel("speed, reading alone = 1")
    axis.grid(False, axis="y")


def draw_ladder(rows, facts, n, path):
    """A panel a way of adding; rungs down."""
    rows = [r for r in rows if r["n"] == n and r["family"] == rows[0]["family"] and r["kind"] in ("rung", "method")]
    rungs = [r for r in rows if r["kind"] == "rung"]
    lists = []
    for kind in in_order(rungs, "type"):
        for in_half in (True, False):
            mine = [r for r in rungs if r["type"] == kind and in_half == r["method"].endswith(" in half")]
            methods = sorted((r for r in rows if r["type"] == kind and r["kind"] == "method"),
                             key=lambda r: ["plain", "pairwise", "kahan", "exact"].index(r["method"]))
            adding = f", added in {'half' if in_half else 'float'}" if kind == "f16" else ""
            if mine:
                lists.append((TYPES[kind] + adding, mine + ([] if in_half else methods)))
    longest = max(len(mine) for _, mine in lists)
    figure, axes = plt.subplots(1, len(lists), figsize=(4.2 * len(lists), 0.26 * longest + 1.5), squeeze=False)
    for axis, (title, mine) in zip(axes[0], lists):
        axis.tick_params(which="both", length=0)
        draw_bars(axis, mine, title, longest)
    height = figure.get_size_inches()[1]
    figure.tight_layout(rect=(0, 0.28 / height, 1, 1 - 0.42 / height))
    title = f"The ladder: sum of {size_name(n)} numbers; hatched: the bits change from run to run"
    figure.text(0.5, 1 - 0.12 / height, title, ha="center", va="top", fontsize=13, weight="bold")
    write_source(figure, facts, "gpu")
    save(figure, path)


def draw_place(rows, facts, options, place, stem):
    """All pictures of one place."""
    def path(name):
        return stem.with_name(f"{stem.name}-{name}.{options.format}")

    rows = [r for r in rows if r["operation"] == options.operation]
    ladder = [r for r in rows if r["kind"] == "rung"]
    plain = [r for r in rows if r["kind"] != "rung"]
    sizes = sorted(set(r["n"] for r in plain))
    n = options.n or max(sizes)
    if n not in sizes:
        sys.exit(f"plot.py: {options.csv}: no rows of n = {n:g}")
    draw_accuracy(plain, facts, options.operation, n, path("accuracy-speed"), place)
    if len(sizes) > 1:
        draw_speed(plain, facts, options.operation, path("speed-n"), place)
        draw_error(plain, facts, options.operation, path("error-n"), place)
    if ladder:
        draw_ladder(rows, facts, options.n or max(r["n"] for r in ladder), path("ladder"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder for the pictures, made if it is missing")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    parser.add_argument("--operation", default="sum")
    parser.add_argument("--family", help="these data only, separated by commas")
    parser.add_argument("--type", help="these types only, separated by commas")
    parser.add_argument("--place", choices=["cpu", "gpu"], help="this place only")
    parser.add_argument("--n", type=float, help="the size for accuracy and the ladder; the largest if left out")
    options = parser.parse_args()
    try:
        rows, facts = read(options.csv)
    except OSError as trouble:
        sys.exit(f"plot.py: {options.csv}: {trouble.strerror}")
    except (ValueError, KeyError):
        sys.exit(f"plot.py: {options.csv}: not a CSV of quire-bench")
    for key, wanted in (("family", options.family), ("type", options.type), ("place", options.place)):
        rows = [r for r in rows if not wanted or r[key] in wanted.split(",")]
    rows = [r for r in rows if r["operation"] == options.operation and (r["place"] == "gpu" or r["threads"] == 1)]
    if not rows:
        sys.exit(f"plot.py: {options.csv}: no such rows of {options.operation} (on a CPU, on one thread)")
    places = in_order(rows, "place")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        sys.exit(f"plot.py: {options.out}: {trouble.strerror}")
    for place in places:
        name = options.csv.stem + (f"-{place}" if len(places) > 1 else "")
        draw_place([r for r in rows if r["place"] == place], facts, options, place, options.out / name)


if __name__ == "__main__":
    main()
