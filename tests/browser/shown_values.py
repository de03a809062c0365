# SPDX-License-Identifier: GPL-2.0-or-later
"""What the panels and the colours of a timeline show at an instant, against the log of the run and its trace."""

# The last value of d3.interpolateViridis, from the published colour map.
FULL_YIELD = "#fde725"

# The values that the panels draw in the middle of a view without events.
PANELS = """
const [from, to] = arguments;
const {page} = dfrsTimeline;
page.show(from, to);
page.draw();
page.settle();
const [times] = page.panels.plots[0].data;
const middle = (from + to) / 2;
const k = times.reduce((best, time, at) => (Math.abs(time - middle) < Math.abs(times[best] - middle) ? at : best), 0);
return page.panels.plots.flatMap((plot) => plot.data.slice(1).map((line) => line[k]));
"""
NAMES = ("CPU in use", "CPU needed", "waiting", "paused", "mean yield", "memory")


def read_trace(path):
    """Jobs as {number: (tasks, CPU need, MiB)}, and the MiB of all nodes."""
    jobs, memory = {}, 0
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[:2] == [";", "Nodes:"]:
            memory += int(words[2]) * int(words[words.index("memory") + 1])
        elif words[0] != ";":
            jobs[int(words[0])] = (int(words[2]), float(words[3]), float(words[4]))
    return jobs, memory


def panels_at(log, trace, time):
    """What they should show, in the order of NAMES."""
    jobs, memory = trace
    running, waiting, paused = log.at(time)
    cpu = {job: jobs[job][0] * jobs[job][1] for job in (*running, *waiting, *paused)}
    yields = [value for value, _ in running.values()]
    return (sum(cpu[job] * value for job, (value, _) in running.items()), sum(cpu.values()), len(waiting), len(paused),
            sum(yields) / len(yields) if yields else None,
            sum(jobs[job][0] * jobs[job][2] for job in running) / memory)


def wrong_panels(browser, log, trace_file, count):
    """Of so many instants: (differences in words, values seen of each name)."""
    trace = read_trace(trace_file)
    wrong, seen = [], {name: set() for name in NAMES}
    every = log.intervals(10 ** 9)
    queues = [each for each in every if log.at(sum(each) / 2)[1]]  # few jobs wait, and not for long
    for begin, end in every[::len(every) // count] + queues[::len(queues) // 5 + 1]:
        edge = 0.2 * (end - begin)
        middle = (begin + end) / 2
        shown = browser.js(PANELS, begin + edge, end - edge)
        for name, got, wanted in zip(NAMES, shown, panels_at(log, trace, middle)):
            seen[name].add(wanted)
            same = (got is None) == (wanted is None) and (wanted is None or abs(got - wanted) < 1e-3 * max(1, wanted))
            if not same:
                wrong.append(f"{name} at {middle}: {got}, expected {wanted}")
    browser.js("dfrsTimeline.page.showWhole()")
    return wrong, seen


# The pixels of a column in the middle of a view of one node, as CSS colours with their numbers; and the colours of yields.
COLUMN = """
const [from, to, node, yields] = arguments;
const {page} = dfrsTimeline;
const chart = page.charts[0];
const count = chart.run.nodeCpu.length;
page.nodes = {first: node / count, last: (node + 1) / count};
page.show(from, to);
page.draw();
const middle = Math.round((GUTTER + (chart.width - GUTTER - MARGIN) / 2) * chart.ratio);
const copy = new OffscreenCanvas(1, chart.rows).getContext('2d', {willReadFrequently: true});
copy.drawImage(chart.canvas, middle, 0, 1, chart.rows, 0, 0, 1, chart.rows);
const {data} = copy.getImageData(0, 0, 1, chart.rows);
const seen = {};
for (let k = 0; k < data.length; k += 4) {
  const colour = d3.rgb(data[k], data[k + 1], data[k + 2]).formatHex();
  seen[colour] = (seen[colour] ?? 0) + 1;
}
return [seen, chart.rows, yields.map((value) => d3.rgb(d3.interpolateViridis(Math.round(255 * value) / 255)).formatHex())];
"""


def wrong_yield_colours(browser, log, trace_file, count):
    """With the colours by yield switched on: (differences in words, colours seen)."""
    jobs, _ = read_trace(trace_file)
    wrong, seen = [], set()
    for begin, end in log.intervals(count):
        middle = (begin + end) / 2
        running = log.at(middle)[0]
        serving = log.serving(middle)
        for node in sorted({nodes[0] for _, nodes in running.values()})[::7]:
            here = {job: value for job, (value, nodes) in running.items() if node in nodes}
            if serving & set(here):
                continue
            edge = 0.2 * (end - begin)
            pixels, rows, colours = browser.js(COLUMN, begin + edge, end - edge, node, list(here.values()))
            wanted = {}
            for (job, value), colour in zip(here.items(), colours):
                if value == 1:
                    colour = FULL_YIELD
                wanted[colour] = wanted.get(colour, 0) + jobs[job][1] * value * running[job][1].count(node)
            for colour, share in wanted.items():
                seen.add(colour)
                if abs(pixels.get(colour, 0) / rows - share) > 3 * len(here) / rows:
                    wrong.append(f"{colour} on node {node} at {middle}: {pixels.get(colour, 0)} of {rows} rows, expected {share:.3f}")
    browser.js("dfrsTimeline.page.showWhole()")
    return wrong, seen
