"""The pictures of plot.py: error against time, time and error against n, the ladder.

SPDX-License-Identifier: MIT
"""
import math
import sys

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, NullLocator

from plot_theme import (REFERENCE, TYPES, WIDTH, Errors, data_in_order, data_name, fit, in_order, label_ends, labels_of,
                        power, size_name, span, write_labels)


# --------------------------------------------------------------------------------------------------- error against time

def draw_error_time(theme, rows, facts, operation, n, place):
    """A point a method, its error bound as a whisker. Types go down and data across; if there are fewer data than
    types, the other way."""
    rows = [r for r in rows if r["n"] == n and not math.isnan(r["error_ulps"]) and r["timing"] != "events"]
    turned = len(in_order(rows, "family")) < len(in_order(rows, "type"))
    down, across = ("family", "type") if turned else ("type", "family")
    names = {"type": lambda t: TYPES.get(t, t), "family": data_name}
    order = {"type": in_order(rows, "type"), "family": data_in_order(rows)}
    lines, columns = order[down], order[across]
    figure, axes = theme.panels(len(lines), len(columns), 2.35)
    times = [r["time"] for r in rows]
    ticks = [2.0**p for p in range(math.floor(math.log2(min(times))), math.ceil(math.log2(max(times))) + 1)]
    drawn = []
    for line, one in enumerate(lines):
        errors = Errors([r[key] for r in rows for key in ("error_ulps", "bound_ulps") if r[down] == one])
        for column, other in enumerate(columns):
            axis = axes[line][column]
            mine = [r for r in rows if (r[down], r[across]) == (one, other)]
            errors.draw(theme, axis, column == 0)
            axis.set_xscale("log")
            axis.set_xlim(min(times) / 1.25, max(times) * 2.6)
            axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axis.xaxis.set_minor_locator(NullLocator())
            axis.axvline(1, color=theme.ink, linewidth=0.7, linestyle=":")
            whiskers = [(r["time"], *(errors.height(r[key]) for key in ("error_ulps", "bound_ulps"))) for r in mine
                        if r["method"] != "exact" and not math.isnan(r["bound_ulps"])]
            drawn.append((axis, [draw_point(theme, axis, r, errors) for r in mine], whiskers))
            if line == 0:
                axis.set_title(names[across](other), fontsize=9.5)
        axes[line][0].set_ylabel(f"{names[down](one)}\nerror in ulps")
    for axis in axes[-1]:
        axis.set_xlabel(f"time, {REFERENCE[place][1]} = 1", fontsize=8)
    fit(figure)
    for axis, points, whiskers in drawn:
        write_labels(theme, axis, labels_of(axis, points), whiskers=whiskers)
    wrong = {r["method"] for r in rows if not r["error_ulps"] <= 0.5}
    right = [method for method in in_order(rows, "method") if method not in wrong]
    title = f"Only {right[0]} is" if len(right) == 1 else f"{', '.join(right) or 'None'} are"
    title += " correctly rounded on all of these data"
    what = f"Error against time of the {operation} of {size_name(n)} numbers. Bars end at the bound of the error."
    theme.finish(figure, title, what, facts, place, "error-time")


def draw_point(theme, axis, row, errors):
    colour, marker, _ = theme.look(row["method"])
    y = errors.height(row["error_ulps"], row["method"] == "exact")
    if row["method"] != "exact" and not math.isnan(row["bound_ulps"]):
        bound = errors.height(row["bound_ulps"])
        axis.plot([row["time"]] * 2, [y, bound], color=colour, linewidth=1, alpha=0.8, zorder=2)
        axis.plot(row["time"], bound, marker="_", color=colour, markersize=7, zorder=2)
    axis.plot(row["time"], y, marker=marker, color=colour, markersize=7, zorder=4, markeredgewidth=0, clip_on=False)
    return row["time"], y, row["method"], colour


# ------------------------------------------------------------------------------------------------------------ against n

ELEMENTS = "number of elements"


def size_axis(axis, sizes):
    """n on a logarithmic scale."""
    axis.set_xscale("log")
    axis.set_xticks(sizes[::max(1, math.ceil(len(sizes) / 6))])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size_name(value)))


def draw_one(theme, axis, rows):
    """The reference's time, from the first size on: labels stand left of it."""
    sizes = [r["n"] for r in rows]
    axis.plot([min(sizes), max(sizes)], [1, 1], color=theme.ink, linewidth=1, linestyle=":")


def draw_lines(theme, axis, rows, value, labels_first):
    """A line a method; answers points for labels, at one end."""
    ends = []
    for method in in_order(rows, "method"):
        mine = sorted((r["n"], value(r)) for r in rows if r["method"] == method)
        colour, marker, style = theme.look(method)
        axis.plot(*zip(*mine), color=colour, marker=marker, linestyle=style, markersize=4, markeredgewidth=0,
                  linewidth=1.4, zorder=4 if method == "exact" else 3)
        ends.append((*mine[0 if labels_first else -1], method, colour))
    return ends


def by_type(theme, rows, draw, labels, titles, facts, place, name, labels_first):
    """A panel a type, two across, labels below and beside them; lines are labelled where they part: at their first
    points, or at their last."""
    types = in_order(rows, "type")
    figure, axes = theme.panels(math.ceil(len(types) / 2), min(2, len(types)), 2.6, share_x=False)
    sizes, ends = sorted(set(r["n"] for r in rows)), []
    for axis, kind in zip(axes.flat, types):
        size_axis(axis, sizes)
        axis.set_title(TYPES.get(kind, kind), fontsize=9.5)
        ends.append((axis, draw(axis, [r for r in rows if r["type"] == kind])))
    for axis in axes.flat[len(types):]:
        axis.axis("off")
    for axis in axes.flat[max(0, len(types) - axes.shape[1]):len(types)]:
        axis.set_xlabel(labels[0], fontsize=8)
    for line in axes:
        line[0].set_ylabel(labels[1])
    fit(figure)
    label_ends(theme, ends, sizes, labels_first)
    theme.finish(figure, *titles, facts, place, name)


def times_of_exact(rows, operation, place):
    """What a picture of times says: how long exact takes."""
    ratios = [r["time"] for r in rows if r["method"] == "exact"] or [math.nan]
    return f"An exact {operation} takes {span(ratios)} times as long as {REFERENCE[place][2]}"


def draw_time_n(theme, rows, facts, operation, place):
    """Time over the reference's, on a linear scale, on the first data there are."""
    kind, first = REFERENCE[place][0], rows[0]["family"]
    shown = [r for r in rows if r["family"] == first and r["method"] != "read" and r["kind"] != kind and
             r["timing"] != "events"]
    top = max(r["time"] for r in shown)

    def draw(axis, mine):
        axis.set_ylim(0, top * 1.08)
        draw_one(theme, axis, mine)
        return draw_lines(theme, axis, mine, lambda r: r["time"], True)

    most = max(r["n"] for r in shown)
    title = times_of_exact([r for r in shown if r["n"] == most], operation, place) + f" for {size_name(most)} numbers"
    what = f"Time against the number of elements, {data_name(first)} data. Above 1 is slower."
    by_type(theme, shown, draw, (ELEMENTS, f"time, {REFERENCE[place][1]} = 1"), (title, what), facts, place, "time-n",
            True)


def draw_wide_n(theme, rows, facts, operation, place):
    """The same of exact alone, on data of every exponent, a line a type."""
    rows = [r for r in rows if r["family"] == "every-exponent" and r["method"] == "exact"]
    if not rows:
        return
    figure, axes = theme.panels(1, 1, 2.6)
    axis, ends = axes[0][0], []
    sizes = sorted(set(r["n"] for r in rows))
    size_axis(axis, sizes)
    axis.set_ylim(0, max(r["time"] for r in rows) * 1.08)
    axis.set_xlabel(ELEMENTS, fontsize=8)
    axis.set_ylabel(f"time, {REFERENCE[place][1]} = 1")
    draw_one(theme, axis, rows)
    for kind, method in zip(in_order(rows, "type"), ("plain", "pairwise", "exact", "kahan", "cub", "fast-math")):
        mine = sorted((r["n"], r["time"]) for r in rows if r["type"] == kind)
        colour, marker, style = theme.look(method)
        axis.plot(*zip(*mine), color=colour, marker=marker, linestyle=style, markersize=4, markeredgewidth=0,
                  linewidth=1.4)
        ends.append((*mine[0], TYPES.get(kind, kind), colour))
    fit(figure)
    label_ends(theme, [(axis, ends)], sizes, True)
    what = "Time against the number of elements, data of every exponent. Above 1 is slower."
    theme.finish(figure, times_of_exact(rows, operation, place), what, facts, place, "wide-n")


def draw_error_n(theme, rows, facts, operation, place):
    """The error in ulps, on the first data there are."""
    first = rows[0]["family"]
    shown = [r for r in rows if r["family"] == first and not math.isnan(r["error_ulps"]) and r["timing"] != "events"]
    errors = Errors([r["error_ulps"] for r in shown])

    def draw(axis, mine):
        errors.draw(theme, axis, True)
        return draw_lines(theme, axis, mine, lambda r: errors.height(r["error_ulps"], r["method"] == "exact"), False)

    most = max(r["error_ulps"] for r in shown if r["method"] == "exact")
    title = f"The error of an exact {operation} is at most {most:.2f} ulps at any size"
    what = f"Error against the number of elements, {data_name(first)} data."
    by_type(theme, shown, draw, (ELEMENTS, "error in ulps"), (title, what), facts, place, "error-n", False)


# --------------------------------------------------------------------------------------------------------- many vectors

LAYOUTS = {"rows": "Rows of a matrix", "columns": "Columns of a matrix", "segments": "Segments, lengths spread evenly",
           "segments-power": "Segments by a power law", "segments-empty": "Segments, nine in ten empty"}
TIMES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # ticks of a logarithmic scale


def draw_vectors(theme, rows, facts, operation, place):
    """Time over the reference's against the length of the vectors, both logarithmic, on the first data there are."""
    kind, first, layout = REFERENCE[place][0], rows[0]["family"], rows[0]["layout"]
    shown = [r for r in rows if r["place"] == place and r["family"] == first and r["kind"] not in (kind, "ceiling")]
    least, top = (limit(r["time"] for r in shown) for limit in (min, max))
    bottom = 0.9 if least >= 0.9 else max(t for t in TIMES if t <= least)
    powers = [p for p in range(1, 8) if 10.0**p <= max(r["n"] for r in shown) * 1.3]

    def draw(axis, mine):
        axis.set_yscale("log")
        axis.set_ylim(bottom, top * 1.15)
        ticks = [t for t in TIMES if bottom <= t <= top * 1.15]
        axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
        axis.yaxis.set_minor_locator(NullLocator())
        axis.set_xticks([10.0**p for p in powers], ["10" if p == 1 else power(10, p) for p in powers])
        draw_one(theme, axis, shown)
        return draw_lines(theme, axis, mine, lambda r: r["time"], True)

    length = "length" if layout in ("rows", "columns") else "mean length"
    what = f"{LAYOUTS[layout]}: time against their {length}, {data_name(first)} data. Above 1 is slower."
    titles = times_of_exact(shown, f"{operation} of {layout.split('-')[0]}", place), what
    labels = f"{length}, in elements", f"time, {REFERENCE[place][1]} = 1"
    by_type(theme, shown, draw, labels, titles, facts, place, layout, True)


# ----------------------------------------------------------------------------------------------------------- the ladder

def error_words(error):
    if math.isinf(error):
        return "Inf or NaN"
    if error >= 1000:
        return power(10, round(math.log10(error))) + " ulp"
    return f"{error:.{0 if error >= 10 else 1 if error >= 1 else 2}f} ulp"


def draw_bars(theme, axis, rows, title, longest, slowest):
    """From the first rung at the top to quire's methods at the bottom. A bar is a time: the shorter the better."""
    for place, row in enumerate(rows):
        ours, changing = row["kind"] == "method", row["equal_runs"] == "no"
        axis.barh(place, row["time"], color=theme.look(row["method"])[0] if ours else theme.look("?")[0], height=0.7,
                  hatch="////" if changing else None, edgecolor=theme.faint if changing else "none", linewidth=0)
        words = f"{row['time']:.2f}, {error_words(row['error_ulps'])}"
        axis.annotate(words, (row["time"], place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=6.5)
    axis.set_yticks(range(len(rows)), [row["method"].replace(" in half", "") for row in rows], fontsize=7)
    axis.set_ylim(longest - 0.4, -0.6)
    axis.set_xlim(0, slowest * 1.75)
    axis.axvline(1, color=theme.ink, linewidth=0.8, linestyle=":")
    axis.set_title(title, fontsize=9)
    axis.set_xlabel("time, reading alone = 1", fontsize=8)
    axis.grid(False, axis="y")


def draw_ladder(theme, rows, facts, n):
    """A panel a way of adding; rungs down."""
    rows = [r for r in rows if r["n"] == n and r["family"] == rows[0]["family"] and r["kind"] in ("rung", "method")]
    order = ["plain", "pairwise", "kahan", "exact"]
    lists = []
    for kind in in_order(rows, "type"):
        for in_half in (True, False):
            rungs = [r for r in rows if (r["type"], r["kind"]) == (kind, "rung") and
                     r["method"].endswith("in half") == in_half]
            methods = sorted((r for r in rows if r["type"] == kind and r["kind"] == "method" and not in_half),
                             key=lambda r: order.index(r["method"]))
            adding = f", added in {'half' if in_half else 'float'}" if kind == "f16" else ""
            if rungs:
                lists.append((TYPES[kind] + adding, rungs + methods))
    longest = max(len(mine) for _, mine in lists)
    figure, axes = plt.subplots(1, len(lists), figsize=(WIDTH, 0.19 * longest + 1.3), squeeze=False)
    for axis, (title, mine) in zip(axes[0], lists):
        axis.tick_params(which="both", length=0)
        draw_bars(theme, axis, mine, title, longest, max(r["time"] for _, all_of in lists for r in all_of))
    fit(figure)
    rungs = [r["time"] for r in rows if r["kind"] == "rung"]
    exact = [r["time"] for r in rows if r["method"] == "exact"]
    title = f"Simple kernels take {span(rungs)} times as long as reading alone, exact {span(exact)}"
    what = f"Time and error of a sum of {size_name(n)} numbers. Hatched: bits that change from run to run."
    theme.finish(figure, title, what, facts, "gpu", "ladder")


def draw_place(theme, rows, facts, options, place):
    rows = [r for r in rows if r["place"] == place]
    rungs, others = [r for r in rows if r["kind"] == "rung"], [r for r in rows if r["kind"] != "rung"]
    sizes = sorted(set(r["n"] for r in others))
    n = options.n or sizes[len(sizes) // 2]
    if n not in sizes:
        sys.exit(f"plot.py: no rows of n = {n:g}")
    if rungs:
        draw_ladder(theme, rows, facts, options.n or max(r["n"] for r in rungs))
        return
    draw_error_time(theme, others, facts, options.operation, n, place)
    if len(sizes) > 2:
        draw_time_n(theme, others, facts, options.operation, place)
        draw_wide_n(theme, others, facts, options.operation, place)
        draw_error_n(theme, others, facts, options.operation, place)
