// Load, queue, yields and memory of all runs over time, as means over the width of a pixel.
const LINES = ['#1f77d0', '#d6651a', '#2e9e44'];

// Means over equal parts of a range, of a quantity that is a sum of rectangles. The second difference keeps the cost of a
// rectangle independent of its length.
class Means {
  constructor(begin, end, count) {
    Object.assign(this, {begin, end, count, unit: (end - begin) / count, area: new Float64Array(count + 2)});
    this.level = new Float64Array(count + 2);
  }
  add(from, to, value) {
    const low = Math.max(from, this.begin);
    const high = Math.min(to, this.end);
    if (!(high > low)) return;
    this.change(low, value);
    this.change(high, -value);
  }
  change(time, value) {
    const place = (time - this.begin) / this.unit;
    const part = Math.min(this.count, Math.floor(place));
    const rest = value * (part + 1 - place);
    this.area[part] += rest;
    this.level[part + 1] += value;
  }
  values() {
    const out = new Float64Array(this.count);
    let level = 0;
    for (let k = 0; k < this.count; k++) {
      level += this.level[k];
      out[k] = level + this.area[k];
    }
    return out;
  }
}

function measure(run, begin, end, count) {
  const means = {};
  for (const name of ['used', 'asked', 'waiting', 'paused', 'running', 'yields', 'memory']) {
    means[name] = new Means(begin, end, count);
  }
  const {unit} = means.used;
  const [first, last] = run.stays(begin, end);
  for (let stay = first; stay < last; stay++) {
    if (run.to[stay] <= begin) continue;
    const job = run.stayJob[stay];
    const cpu = run.tasks[job] * run.need[job];
    means.running.add(run.from[stay], run.to[stay], 1);
    means.memory.add(run.from[stay], run.to[stay], run.tasks[job] * run.memory[job]);
    if (run.to[stay] - run.from[stay] < unit) {
      means.used.add(run.from[stay], run.to[stay], cpu * run.meanYield[stay]);
      means.yields.add(run.from[stay], run.to[stay], run.meanYield[stay]);
      continue;
    }
    const low = Math.max(run.stepFirst[stay], firstAbove(run.stepAt, begin, run.stepFirst[stay], run.stepFirst[stay + 1]) - 1);
    for (let k = low; k < run.stepFirst[stay + 1] && run.stepAt[k] < end; k++) {
      means.used.add(run.stepAt[k], run.stepEnd(stay, k), cpu * run.stepYield[k]);
      means.yields.add(run.stepAt[k], run.stepEnd(stay, k), run.stepYield[k]);
    }
  }
  const jobs = firstAbove(run.submit, end);
  for (let job = firstAbove(run.latestEnd, begin); job < jobs; job++) {
    const left = Math.min(run.jobEnd[job], run.end);
    if (left <= begin) continue;
    means.asked.add(run.submit[job], left, run.tasks[job] * run.need[job]);
    const stays = run.staysOf(job);
    if (!stays.length) means.waiting.add(run.submit[job], left, 1);
    else means.waiting.add(run.submit[job], run.from[stays[0]], 1);
    for (let k = 0; k < stays.length; k++) {
      if (run.endedBy[stays[k]] === PAUSED) {
        means.paused.add(run.to[stays[k]], k + 1 < stays.length ? run.from[stays[k + 1]] : left, 1);
      }
    }
  }
  const out = Object.fromEntries(Object.entries(means).map(([name, mean]) => [name, mean.values()]));
  const capacity = d3.sum(run.nodeMemory);
  out.memory = out.memory.map((value) => (capacity ? value / capacity : 0));
  out.yields = out.yields.map((value, k) => (out.running[k] > 1e-9 ? value / out.running[k] : NaN));
  return out;
}

const PANELS = [
  {title: 'CPU of all nodes: in use, and needed by all jobs (dashed)', unit: 'nodes', series: [['used', 'in use'], ['asked', 'needed']]},
  {title: 'Jobs without nodes: waiting, and paused (dashed)', unit: 'jobs', series: [['waiting', 'waiting'], ['paused', 'paused']]},
  {title: 'Mean yield of running jobs', unit: '', series: [['yields', 'yield']]},
  {title: 'Memory held by running jobs', unit: 'share', series: [['memory', 'memory']]},
];

class Panels {
  constructor(runs, page, box) {
    Object.assign(this, {runs, page, box, plots: []});
  }

  create() {
    for (const plot of this.plots) plot.destroy();
    const theme = colours.theme();
    const axis = {stroke: theme.text, grid: {stroke: theme.line, width: 0.5}, ticks: {stroke: theme.line}, font: '11px system-ui'};
    this.plots = PANELS.map(({title, series}) => {
      const lines = this.runs.flatMap((run, r) => series.map(([, name], s) => ({
        label: this.legend(this.runs.length > 1 ? `${run.algorithm} ${name}` : name), stroke: LINES[r % LINES.length], width: 1,
        dash: s ? [5, 4] : undefined, points: {show: false},
        value: (_, value) => (value === null || Number.isNaN(value) || value === undefined ? '–' : d3.format('.4~g')(value)),
      })));
      return this.name(title, new uPlot({
        title, width: this.width(), height: 110, padding: [4, MARGIN, 0, 0],
        hooks: {setSeries: [(plot) => plot.series.slice(1).forEach((line) => line.label.setAttribute('aria-pressed', String(line.show)))]},
        cursor: {drag: {x: false, y: false, setScale: false}, y: false, sync: {key: 'dfrs'}},
        scales: {x: {time: false, range: () => [this.page.time.begin, this.page.time.end]}, y: {range: (_, low, high) => [0, high > 0 ? high * 1.05 : 1]}},
        axes: [{...axis, size: 30, values: (_, ticks) => ticks.map((tick) => times.text(tick, this.page.time.end - this.page.time.begin)),
          splits: () => times.ticks(this.page.time.begin, this.page.time.end, this.width() / 110)},
        {...axis, size: GUTTER}],
        series: [{label: 'time', value: (_, value) => (value === null || value === undefined ? '–' : times.text(value, 0))}, ...lines],
      }, [[0], ...lines.map(() => [null])], this.box));
    });
    this.compute();
  }

  // For those who hear the page.
  name(title, plot) {
    plot.ctx.canvas.setAttribute('role', 'img');
    plot.ctx.canvas.setAttribute('aria-label', title);
    plot.root.querySelector('.u-legend').setAttribute('aria-label', `Legend of: ${title}`);
    for (const cell of plot.root.querySelectorAll('.u-legend th')) cell.scope = 'row';
    return plot;
  }

  // A button in the legend, so that keys turn its line on and off, too. The legend takes the click.
  legend(name) {
    const button = Object.assign(document.createElement('button'), {type: 'button', textContent: name});
    button.setAttribute('aria-pressed', 'true');
    return button;
  }

  width() {
    return Math.max(200, this.box.clientWidth);
  }

  // Also beyond the view on both sides, so that panning needs no new data until it stops.
  compute() {
    const {begin, end} = this.page.time;
    const width = end - begin;
    const least = Math.min(...this.runs.map((run) => run.begin));
    const most = Math.max(...this.runs.map((run) => run.end));
    const low = Math.max(least, begin - width);
    const high = Math.max(low + 1e-3, Math.min(most, end + width));
    const count = Math.max(1, Math.min(4000, Math.round(((high - low) / width) * this.width())));
    this.means = this.runs.map((run) => measure(run, low, high, count));
    const x = Float64Array.from({length: count}, (_, k) => low + ((k + 0.5) * (high - low)) / count);
    PANELS.forEach(({series}, k) => {
      this.plots[k].setData([x, ...this.means.flatMap((means) => series.map(([name]) => means[name]))], true);
    });
  }

  move() {
    const {begin, end} = this.page.time;
    for (const plot of this.plots) plot.setScale('x', {min: begin, max: end});
  }
}
