"""Draws apple's training times as a chart: a row for each data set, a dot for each program, on a logarithmic scale.

The colours follow what the reader's system prefers, light or dark, and so does the ground they are on.
"""

import math
from xml.sax.saxutils import escape

from bars import RUSSET_ALL
from cases import VW_LINEAR_ONE, VW_LINEAR_TWO, VW_ONE, VW_TWO
from common import best

WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 860, 128, 640, 118, 34, 56
COLUMNS = (722, 812)
TICKS = [digit * 10.0**power for power in range(-4, 5) for digit in (1, 3)]
# How far the scale goes beyond the dots, as a factor.
MARGIN = 1.25

STYLE = """
  .ground { fill: #ffffff; stroke: #d9dee4 }
  text { fill: #52606d; font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .title { fill: #1f2933; font-size: 17px; font-weight: 600 }
  .name, .gain { fill: #1f2933; font-size: 14px }
  .gain { font-weight: 600 }
  .grid { stroke: #e4e7eb }
  .span { stroke: #c9d1da; stroke-width: 3; stroke-linecap: round }
  .vw { fill: #7b8794 }
  .linear { fill: none; stroke: #7b8794; stroke-width: 2 }
  .russet { fill: #b5541c }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #15191e; stroke: #323a44 }
    text { fill: #a7b1bc }
    .title, .name, .gain { fill: #f0f3f6 }
    .grid { stroke: #2a313a }
    .span { stroke: #46505b }
    .vw { fill: #93a0ad }
    .linear { stroke: #93a0ad }
    .russet { fill: #e8854a }
  }
"""


class Row:
    """The best times on one data set."""

    def __init__(self, result):
        self.name = result.data
        self.vw = shortest(result, VW_ONE, VW_TWO)
        self.linear = shortest(result, VW_LINEAR_ONE, VW_LINEAR_TWO)
        self.russet = shortest(result, RUSSET_ALL)

    def times(self):
        return self.vw, self.linear, self.russet


def shortest(result, *programs):
    return min(best(result.runs[program])[0] for program in programs)


class Scale:
    """Places seconds on a logarithmic axis that fits all rows."""

    def __init__(self, rows):
        times = [time for row in rows for time in row.times()]
        self.least, self.most = min(times) / MARGIN, max(times) * MARGIN

    def x(self, seconds):
        return LEFT + math.log(seconds / self.least) / math.log(self.most / self.least) * (RIGHT - LEFT)

    def ticks(self):
        return [tick for tick in TICKS if self.least <= tick <= self.most]


def chart(results, where):
    """The chart of all results of apple, as SVG; `where` says on what machine they are from."""
    rows = sorted((Row(result) for result in results), key=lambda row: row.russet / row.vw)
    height = TOP + ROW * len(rows) + BOTTOM
    scale = Scale(rows)
    parts = [*opening(height, where), *legend(), *grid(scale, len(rows))]
    for number, row in enumerate(rows):
        parts += marks(scale, row, TOP + ROW * (number + 0.5))
    return "\n".join([*parts, "</svg>"]) + "\n"


def opening(height, where):
    title = "Training with apple: one pass over text"
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           f'role="img"><title>{title}: wall time of russet and Vowpal Wabbit</title>')
    yield f"<style>{STYLE}</style>"
    yield f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    yield text(24, 34, title, "title")
    yield text(24, height - 16, where)


def legend():
    entries = [("russet", "russet, apple", 24), ("vw", "Vowpal Wabbit, apple", 148), ("linear", "Vowpal Wabbit, linear", 326)]
    for kind, words, x in entries:
        yield dot(kind, x + 6, 62)
        yield text(x + 20, 67, words)
    yield text(sum(COLUMNS) / 2, 67, "times as fast as VW's", anchor="middle")
    for x, words in zip(COLUMNS, ("apple", "linear"), strict=True):
        yield text(x, 90, words, anchor="middle")


def grid(scale, rows):
    end = TOP + ROW * rows
    for tick in scale.ticks():
        x = scale.x(tick)
        yield f'<line class="grid" x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{end}"/>'
        yield text(x, TOP - 16, f"{tick:g} s", anchor="middle")


def marks(scale, row, y):
    yield text(LEFT - 16, y + 5, row.name, "name", "end")
    ends = sorted((row.russet, row.vw))
    yield f'<line class="span" x1="{scale.x(ends[0]):.1f}" y1="{y}" x2="{scale.x(ends[1]):.1f}" y2="{y}"/>'
    for kind, time in zip(("vw", "linear", "russet"), row.times(), strict=True):
        yield dot(kind, scale.x(time), y)
    for x, time in zip(COLUMNS, (row.vw, row.linear), strict=True):
        yield text(x, y + 5, times_as_fast(time / row.russet), "gain", "middle")


def times_as_fast(factor):
    return f"{factor:.0f}" if factor >= 9.95 else f"{factor:.1f}"


def dot(kind, x, y):
    # A ring is seen around a dot at the same place.
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{9 if kind == "linear" else 6}"/>'


def text(x, y, words, kind="", anchor="start"):
    kind = f' class="{kind}"' if kind else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
