"""What the pictures of plot.py have in common: looks, pages light and dark, labels at points, the scale of errors.

SPDX-License-Identifier: MIT
"""
import io
import math
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

# A method's colour on light and on dark pages, marker, and line. Markers and lines tell them apart in grey, too.
LOOKS = {
    "exact": ("#c23b16", "#ff7f5c", "o", "-"),
    "kahan": ("#0a7568", "#35c9b6", "s", "-"),
    "pairwise": ("#2c66c4", "#79adff", "^", "-"),
    "plain": ("#7b3fb0", "#c795f2", "D", "-"),
    "fast-math": ("#7d6100", "#dcb43c", "X", "--"),
    "cub": ("#33701a", "#8fd06a", "v", "--"),
    "cub in float": ("#33701a", "#8fd06a", "<", "-."),
    "cub segmented": ("#33701a", "#8fd06a", "v", "--"),
    "cub segmented in float": ("#33701a", "#8fd06a", "<", "-."),
    "cub fixed-size": ("#7d6100", "#dcb43c", "X", "--"),
    "cublas gemv": ("#a02c6e", "#f08cc0", "P", ":"),
}
OTHER = ("#666666", "#aaaaaa", "P", "--")
INKS = {"light": ("#24292f", "#d0d7de"), "dark": ("#e6edf3", "#3d444d")}
PAPERS = {"light": "#ffffff", "dark": "#0d1117"}
NAMES = {"cub": "CUB", "cub in float": "CUB in float", "cub segmented": "CUB", "cub segmented in float": "CUB in float",
         "cub fixed-size": "CUB fixed size", "cublas gemv": "gemv", "thrust by key": "Thrust"}
TYPES = {"f16": "half", "bf16": "bfloat16", "f32": "float", "f64": "double", "e4m3": "E4M3", "e5m2": "E5M2"}
# The kind of a reference's rows, its name at an axis, and in a sentence.
REFERENCE = {"cpu": ("baseline", "fast-math loop", "a fast-math loop"),
             "gpu": ("ceiling", "reading alone", "reading alone")}
WIDTH = 8.6  # inches, which is the width of a page on GitHub
LEAST = 0.5  # ulps, where scales of errors begin
LETTERS, LONGEST = 7.5, 15  # of labels: points; letters of several names at the end of lines

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# Text stays text, which takes far less room than outlines of letters. Places are found with DejaVu Sans; Verdana is as
# wide, and most other fonts are narrower.
FONTS = "'DejaVu Sans', Verdana, sans-serif"
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "quire", "font.family": "DejaVu Sans", "font.size": 9,
                     "axes.spines.top": False, "axes.spines.right": False, "axes.facecolor": "none"})


def in_order(rows, key):
    """The values of a column, in the order of their first appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def data_in_order(rows):
    """Condition numbers first, from the least; then the other data."""
    families = in_order(rows, "family")
    conditions = [family for family in families if family.startswith("condition-")]
    return sorted(conditions, key=lambda family: float(family[10:])) + [f for f in families if f not in conditions]


def power(base, exponent):
    return str(base) + str(exponent).translate(SUPERSCRIPTS) if exponent else "1"


def size_name(n):
    for base in (10, 2):
        exponent = round(math.log(n, base))
        if n == base**exponent:
            return power(base, exponent)
    return f"{n:,.0f}"


def span(ratios):
    """The least and the greatest of some ratios, as a title gives them."""
    least, most = (f"{ratio:.2f}" if ratio < 2 else f"{ratio:.2g}" for ratio in (min(ratios), max(ratios)))
    return least if least == most else f"{least} to {most}"


def data_name(family):
    if family.startswith("condition-"):
        return "condition " + power(10, round(math.log10(float(family[10:]))))
    return family.replace("-", " ")


class Theme:
    """Colours for pages of one kind, and where pictures go."""

    def __init__(self, name, out, stem, form):
        self.dark = name == "dark"
        (self.ink, self.faint), self.paper = INKS[name], PAPERS[name]
        self.out, self.stem, self.form = out, stem, form
        plt.rcParams.update({key: self.ink for key in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color",
                                                       "ytick.color", "axes.titlecolor")})

    def look(self, method):
        light, dark, marker, line = LOOKS.get(method, OTHER)
        return (dark if self.dark else light), marker, line

    def panels(self, lines, columns, height, share_x=True):
        figure, axes = plt.subplots(lines, columns, figsize=(WIDTH, lines * height + 1), squeeze=False, sharey="row",
                                    sharex="all" if share_x else False)
        for axis in axes.flat:
            axis.grid(True, color=self.faint, linewidth=0.6)
            axis.set_axisbelow(True)
            axis.tick_params(which="both", length=0)
        return figure, axes

    def finish(self, figure, title, what, facts, place, name):
        """The title, which is what the picture says; what is drawn; what was measured on; and the file."""
        height = figure.get_size_inches()[1]
        figure.text(0.01, 1 - 0.08 / height, title, ha="left", va="top", fontsize=11, weight="bold")
        figure.text(0.01, 1 - 0.3 / height, what, ha="left", va="top", fontsize=8.5)
        figure.text(0.01, 0.05 / height, source_of(facts, place), ha="left", va="bottom", fontsize=7)
        path = self.out / f"{self.stem}-{name}{'-dark' if self.dark else ''}.{self.form}"
        if self.form == "svg":
            drawn = io.StringIO()
            figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
            path.write_text(slim(drawn.getvalue()), encoding="utf-8")
        else:
            figure.savefig(path, dpi=150, facecolor=self.paper)
        plt.close(figure)
        print(path)


def slim(svg):
    """The same picture in fewer bytes: without metadata, comments and names of groups, in hundredths of a point, and
    with each style written once."""
    svg = re.sub(r"<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"<[^>]*>", slim_tag, svg)
    svg = re.sub(r"<g\s*/>|<g>\s*</g>", "", svg)
    styles = {}
    svg = re.sub(r'style="([^"]*)"', lambda one: f'class="s{styles.setdefault(one[1], len(styles))}"', svg)
    rules = "".join(f".s{number}{{{style}}}\n" for style, number in styles.items())
    svg = svg.replace("</style>", "\n" + rules.replace("'DejaVu Sans'", FONTS) + "</style>", 1)
    return re.sub(r"\s*\n\s*", "\n", svg)


def slim_tag(tag):
    tag = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", " ".join(tag[0].split()))
    return re.sub(r"\d+\.\d{3,}", lambda one: f"{float(one[0]):.2f}".rstrip("0").rstrip("."), tag)


def source_of(facts, place):
    """What a picture was measured on, in a line."""
    gpu = [part for part in facts.get("gpu", "").split(", ") if part.split(" ")[0] not in ("compute", "L2")]
    cpu = [facts.get(key, "") for key in ("cpu", "tier", "compiler", "python")]
    commit = ["commit " + facts["commit"]] if "commit" in facts else []
    parts = (gpu if place == "gpu" else cpu) + commit + [facts.get("date", "")[:10]]
    return ", ".join(part.split(";")[0] for part in parts if part)


def fit(figure):
    height = figure.get_size_inches()[1]
    figure.tight_layout(rect=(0, 0.22 / height, 1, 1 - 0.45 / height))


# ----------------------------------------------------------------------------------------------------- labels at points

def write_labels(theme, axis, labels, side=None, whiskers=()):
    """Labels (x, y, text, colour) beside their points: on that side, or right of them where there is room; moved apart,
    with a thin line where one had to move far, and above the whiskers (x, y, y) of others where there is room. To be
    called when limits and layout are final."""
    box, scale, size = axis.get_window_extent(), 72 / axis.figure.dpi, LETTERS
    points = [axis.transData.transform((x, y)) for x, y, _, _ in labels]
    bars = [(*axis.transData.transform((x, low)), axis.transData.transform((x, high))[1]) for x, low, high in whiskers]
    sides = {}
    for (px, py), label in zip(points, labels):
        room = len(label[2]) * size * 0.62 / scale + 8 / scale
        to_right = side == "right" or (side is None and (px + room < box.x1 or px - room < box.x0))
        sides.setdefault(to_right, []).append((py, px, label))
    for to_right, mine in sides.items():
        mine.sort(key=lambda one: one[0])
        step, places = size * 1.25 / scale, []
        for py, _, _ in mine:
            places.append(max(py, places[-1] + step) if places else max(py, box.y0 + step / 3))
        over = places[-1] + step / 2 - box.y1
        for i in range(len(places) - 1, -1, -1):
            most = box.y1 - step / 2 if i == len(places) - 1 else places[i + 1] - step
            places[i] = min(places[i], most) if over > 0 else places[i]
        for place, above, (py, px, (x, y, text, colour)) in zip(places, places[1:] + [box.y1 + step / 2], mine):
            length = len(text) * size * 0.55
            if to_right:
                raised = above_bars(bars, px, px + (12 + length) / scale, place, step)
                place = raised if raised <= above - step else place
            moved = abs(place - py) * scale >= 4
            aside = 12 if moved else 7
            if to_right:
                further = beyond_others(points, px, place, aside, length, step, scale)
                aside = further if px + (further + length) / scale < box.x1 else aside
            axis.annotate(text, (x, y), xytext=(aside if to_right else -aside, (place - py) * scale),
                          textcoords="offset points", ha="left" if to_right else "right", va="center", fontsize=size,
                          color=colour, annotation_clip=False,
                          bbox={"facecolor": theme.paper, "edgecolor": "none", "pad": 0.2},
                          arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
                          if moved else None)


def above_bars(bars, left, right, height, step):
    """The height of a label from left to right, or a little more, at which it crosses no bar (x, low, high)."""
    for x, low, high in sorted(bars, key=lambda bar: bar[2]):
        if left + 2 < x < right and low - step / 2 < height < high + step / 2 and high - height < 2 * step:
            height = high + step * 0.7
    return height


def beyond_others(points, px, height, aside, length, step, scale):
    """How far right of px a label of that length begins, so that it lies on no other point."""
    for qx, qy in sorted(map(tuple, points)):
        at = (qx - px) * scale
        if abs(qy - height) < 0.6 * step and 1 < at < aside + length:
            aside = max(aside, at + 7)
    return aside


def labels_of(axis, points, most=math.inf):
    """Labels (x, y, text, colour) of points (x, y, name, colour); none for exact on its line, which is named at the
    axis. Points that lie on each other have one label, if it has at most so many letters, in the colour of what was
    drawn last, which hides the others."""
    found = []
    for x, y, name, colour in points:
        at, name = axis.transData.transform((x, y)) * 72 / axis.figure.dpi, NAMES.get(name, name)
        near = [one for one in found if abs(at[0] - one[0][0]) < 3 and abs(at[1] - one[0][1]) < 2 and
                len(one[3] + name) + 2 <= most]
        if near:
            near[0][3:] = f"{near[0][3]}, {name}", colour
        elif y > 0 or name != "exact":
            found.append([at, x, y, name, colour])
    return [one[1:] for one in found]


def label_ends(theme, ends, sizes, at_left):
    """Labels for the ends of lines, in pairs of an axis and its points: left or right of all sizes, on logarithmic
    axes, which get as much room there as the longest label takes."""
    labels = [(axis, labels_of(axis, points, LONGEST)) for axis, points in ends]
    longest = max(len(text) for _, mine in labels for _, _, text, _ in mine)
    box = ends[0][0].get_window_extent()
    share = (longest * LETTERS * 0.52 + 18) / (box.width * 72 / ends[0][0].figure.dpi)
    room = (sizes[-1] / sizes[0])**(share / (1 - share))
    for axis, mine in labels:
        axis.set_xlim(sizes[0] / (room if at_left else 1.3), sizes[-1] * (1.3 if at_left else room))
        write_labels(theme, axis, mine, "left" if at_left else "right")


# ------------------------------------------------------------------------------------------------- a scale of errors


class Errors:
    """Where errors stand: from half an ulp on in decades, from 0 to top; above, what is not finite; below, what is
    always correctly rounded."""

    def __init__(self, errors):
        finite = [error for error in errors if math.isfinite(error)]
        self.top = max([self.decades(error) for error in finite] + [2])
        self.wrong, self.right, self.margin = self.top * 1.12, -0.14 * self.top, 0.11 * self.top

    @staticmethod
    def decades(error):
        return math.log10(max(error, LEAST) / LEAST)

    def height(self, error, always_right=False):
        return self.right if always_right else self.wrong if math.isinf(error) else self.decades(error)

    def draw(self, theme, axis, words):
        """Errors in ulps, on the vertical axis; words: what the line below means."""
        axis.set_ylim(self.right - self.margin, self.wrong + self.margin)
        powers = range(0, math.floor(self.top + math.log10(LEAST)) + 1, max(1, math.ceil(self.top / 6)))[1:]
        names = ["10" if p == 1 else power(10, p) for p in powers]
        axis.set_yticks([self.right, 0] + [self.decades(10.0**p) for p in powers] + [self.wrong],
                        ["exact", "0.5"] + names + ["Inf, NaN"])
        axis.yaxis.set_minor_locator(NullLocator())
        axis.axhline(self.right, color=theme.look("exact")[0], linewidth=1.4, zorder=1)
        axis.axhline(self.right / 2, color=theme.faint, linewidth=0.8, linestyle=(0, (1, 2)))
        if words:
            axis.annotate("correctly rounded, always", (0.98, self.right), (0, -4), xycoords=axis.get_yaxis_transform(),
                          textcoords="offset points", fontsize=6.5, va="top", ha="right",
                          color=theme.look("exact")[0])
