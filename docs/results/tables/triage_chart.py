# SPDX-License-Identifier: GPL-2.0-or-later
"""The chart of triage.md: how much it matters which part of the jobs can be paused."""
import math

from .cells import read


def mixed_chart():
    """Average degradation by the part of the jobs that can be paused, on a logarithmic scale: an SVG image."""
    left, right, top, bottom, most = 60, 560, 16, 300, 1000
    colours = {"Triage": "#009e73", "GreedyPM*/OPT=MIN": "#d55e00"}
    values = {}
    for r in read("triage"):
        if r["table"] == "mixed-curve":
            values.setdefault(r["column"], []).append((float(r["row"]), float(r["measured"])))

    def x(part):
        return left + (right - left) * part

    def y(value):
        return bottom - (bottom - top) * math.log10(value) / math.log10(most)

    title = "Average degradation by the part of the jobs that can be paused"
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 350" font-family="sans-serif" font-size="12" '
           'fill="#333">',
           f"<title>{title}</title>", '<rect width="820" height="350" fill="#fff"/>']
    for tick in (1, 10, 100, 1000):
        out.append(f'<path d="M{left} {y(tick):.1f}H{right}" stroke="#bbb" stroke-width=".5"/>'
                   f'<text x="{left - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
    for tick in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    line = 40
    for name, points in values.items():
        algorithm, rest = name.split(", rest ")
        colour = colours.get(algorithm, "#56a0d3")
        dash = ' stroke-dasharray="6 4"' if rest == "lost" else ""
        path = "L".join(f"{x(part):.1f} {y(value):.1f}" for part, value in points)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<path d="M{right + 14} {line}h28" stroke="{colour}" stroke-width="2"{dash}/>'
                   f'<text x="{right + 48}" y="{line + 4}">{algorithm.replace("/OPT=MIN", "")}, the rest {rest}</text>')
        line += 22
    out.append(f'<text x="{(left + right) / 2:.0f}" y="{bottom + 40}" text-anchor="middle">part of the jobs that can '
               "be paused without loss</text>")
    out.append('<text transform="translate(14 260) rotate(-90)">degradation from bound, average</text></svg>')
    return "\n".join(out) + "\n"
