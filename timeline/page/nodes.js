// The chart of nodes over time of one run. Bars are written into a buffer of pixels, because a canvas is too slow for
// hundreds of thousands of rectangles; axes and marks are drawn on top.
const GUTTER = 64;
const MARGIN = 8;
const AXIS = 22;
const MOST_BARS = 120000;  // beyond it, rows are summed up
const MOST_MARKS = 4000;
const LEAST_ROW = 2.5;  // a lower one has no marks

class NodesChart {
  constructor(run, page, height) {
    this.run = run;
    this.page = page;
    this.box = document.createElement('div');
    this.box.className = 'run';
    const title = document.createElement('h2');
    title.textContent = run.algorithm;
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `Nodes over time under ${run.algorithm}; the table below holds the jobs in view`);
    this.box.append(title, this.canvas);
    this.height = height;
    this.hidden = document.createElement('canvas');
  }

  resize() {
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.width = Math.max(200, this.box.clientWidth);
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.columns = Math.max(1, Math.round((this.width - GUTTER - MARGIN) * this.ratio));
    this.rows = Math.max(1, Math.round((this.height - AXIS) * this.ratio));
    this.cover = undefined;
  }

  nodeRange() {
    const all = this.run.nodeCpu.length;
    const {first, last} = this.page.nodes;
    return [Math.min(first * all, all - 1), Math.max(last * all, 1)];
  }
  rowOf(node) {
    const [first, last] = this.nodeRange();
    return ((node - first) / (last - first)) * this.rows;
  }
  nodeAt(y) {
    const [first, last] = this.nodeRange();
    return first + ((y * this.ratio) / this.rows) * (last - first);
  }
  columnOf(time) {
    const {begin, end} = this.page.time;
    return ((time - begin) / (end - begin)) * this.columns;
  }

  // Fills the buffer of pixels for a range of time. While a reader pans, it covers more than what is in view, so that most
  // frames only copy.
  paint(begin, end, theme) {
    const {first: low, last: high} = this.page.nodes;
    const {cover} = this;
    const panned = cover && Math.abs(cover.length / (end - begin) - 1) < 1e-9 && cover.low === low && cover.high === high;
    if (panned && cover.begin <= begin && end <= cover.end) return;
    const more = panned ? 4 * Math.round(this.columns / 8) : 0;  // hatching repeats every 4 columns
    const length = end - begin;
    this.cover = {begin: begin - (length * more) / this.columns, end: end + (length * more) / this.columns,
      columns: this.columns + 2 * more, length, low, high};
    this.hidden.width = this.cover.columns;
    this.hidden.height = this.rows;
    this.image = new ImageData(this.cover.columns, this.rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.pixels.fill(colours.pixel(theme.back));
    const [first, last] = this.nodeRange();
    this.exact = this.bars(begin, end) <= MOST_BARS && (last - first) * 2 <= this.rows;
    if (this.exact) this.drawBars(this.cover.begin, this.cover.end, colours.pixel(theme.row));
    else this.drawSums(this.cover.begin, this.cover.end);
    this.hidden.getContext('2d').putImageData(this.image, 0, 0);
  }
  coverColumn(time) {
    const {begin, end, columns} = this.cover;
    return ((time - begin) / (end - begin)) * columns;
  }

  draw() {
    const {begin, end} = this.page.time;
    const theme = colours.theme();
    this.paint(begin, end, theme);
    const g = this.canvas.getContext('2d');
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.fillStyle = theme.back;
    g.fillRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.hidden, Math.round(this.coverColumn(begin)), 0, this.columns, this.rows,
      Math.round(GUTTER * this.ratio), 0, this.columns, this.rows);
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawAxes(g, theme);
    this.drawMarks(g, begin, end, theme);
  }

  // About how many bars the range has, without counting beyond what is needed.
  bars(begin, end) {
    const {run} = this;
    const [first, last] = run.stays(begin, end);
    let bars = 0;
    for (let stay = first; stay < last && bars <= MOST_BARS; stay++) {
      if (run.to[stay] < begin) continue;
      const part = Math.min(run.to[stay], end) - Math.max(run.from[stay], begin);
      const steps = (run.stepFirst[stay + 1] - run.stepFirst[stay]) * (part / Math.max(1e-3, run.to[stay] - run.from[stay]));
      bars += (run.nodeFirst[stay + 1] - run.nodeFirst[stay]) * (1 + steps);
    }
    return bars;
  }

  fill(x0, x1, y0, y1, pixel, hatched) {
    for (let y = y0; y < y1; y++) {
      const row = y * this.cover.columns;
      if (hatched) {
        for (let x = x0; x < x1; x++) if ((x + y) & 2) this.pixels[row + x] = pixel;
      } else {
        this.pixels.fill(pixel, row + x0, row + x1);
      }
    }
  }

  drawBars(begin, end, empty) {
    const [first, last] = this.nodeRange();
    for (let node = Math.floor(first); node < Math.min(Math.ceil(last), this.run.nodeCpu.length); node++) {
      const top = Math.round(this.rowOf(node));
      const bottom = Math.round(this.rowOf(node + 1));
      const gap = bottom - top > 5 ? 1 : 0;
      const [low, high] = [Math.max(0, top + gap), Math.min(this.rows, bottom)];
      if (high <= low) continue;
      this.fill(0, this.cover.columns, low, high, empty, false);
      this.drawNode(node, begin, end, top + gap, bottom);
    }
  }

  // Sweeps over the instants at which something changes on the node, and fills what lies between two of them.
  drawNode(node, begin, end, top, bottom) {
    const {run} = this;
    const instants = [begin, end];
    const pairs = [];
    const [first, last] = run.pairs(node, begin, end);
    const inside = (time) => time > begin && time < end && instants.push(time);
    for (let pair = first; pair < last; pair++) {
      const stay = run.pairStay[pair];
      if (run.to[stay] <= begin || run.from[stay] >= end) continue;
      pairs.push(pair);
      inside(run.from[stay]);
      inside(run.to[stay]);
      inside(run.served[stay]);
      const high = run.stepFirst[stay + 1];
      for (let k = firstAbove(run.stepAt, begin, run.stepFirst[stay], high); k < high && run.stepAt[k] < end; k++) {
        instants.push(run.stepAt[k]);
      }
    }
    instants.sort((a, b) => a - b);
    let next = 0;
    let active = [];
    for (let k = 0; k + 1 < instants.length; k++) {
      const x0 = Math.round(this.coverColumn(instants[k]));
      let to = k + 1;
      while (to + 1 < instants.length && Math.round(this.coverColumn(instants[to])) <= x0) to++;
      const x1 = Math.round(this.coverColumn(instants[to]));
      const time = (instants[to - 1] + instants[to]) / 2;
      while (next < pairs.length && run.from[run.pairStay[pairs[next]]] <= time) active.push(pairs[next++]);
      active = active.filter((pair) => run.to[run.pairStay[pair]] > time);
      this.drawStack(active, node, time, x0, x1, top, bottom);
      k = to - 1;
    }
  }

  drawStack(active, node, time, x0, x1, top, bottom) {
    const {run} = this;
    let low = 0;
    for (const pair of active) {
      const stay = run.pairStay[pair];
      const yieldNow = run.yieldAt(stay, time);
      const high = low + run.pairShare(pair, yieldNow, node);
      const y0 = Math.max(0, Math.round(bottom - Math.min(1, high) * (bottom - top)));
      const y1 = Math.min(this.rows, Math.round(bottom - low * (bottom - top)));
      if (y1 > y0) this.fill(x0, x1, y0, y1, this.pixelOf(stay, yieldNow), time < run.served[stay]);
      low = high;
    }
  }

  pixelOf(stay, yieldNow) {
    const job = this.run.stayJob[stay];
    if (this.page.colour === 'yield' && this.shown[job]) return colours.yields[Math.round(255 * yieldNow)];
    return this.pixelsOfJobs[job];
  }

  // How full each row is at each column, in the colour of the job with the largest part.
  drawSums(begin, end) {
    const {run} = this;
    const {columns} = this.cover;
    const [first, last] = this.nodeRange();
    const lines = Math.max(1, Math.min(Math.ceil(last - first), Math.floor(this.rows / 2)));
    const used = new Float32Array(lines * columns);
    const most = new Float32Array(lines * columns);
    const pixel = new Uint32Array(lines * columns);
    const cpu = new Float64Array(lines);
    const perSecond = columns / (end - begin);
    for (let node = Math.floor(first); node < Math.min(Math.ceil(last), run.nodeCpu.length); node++) {
      const line = Math.min(lines - 1, Math.max(0, Math.floor(((node - first) / (last - first)) * lines)));
      cpu[line] += run.nodeCpu[node];
      const [low, high] = run.pairs(node, begin, end);
      for (let pair = low; pair < high; pair++) {
        const stay = run.pairStay[pair];
        const from = (run.from[stay] - begin) * perSecond;
        const to = Math.min(columns, (run.to[stay] - begin) * perSecond);
        if (to <= 0) continue;
        const yieldNow = run.meanYield[stay];
        const share = run.pairTasks[pair] * run.need[run.stayJob[stay]] * yieldNow;
        for (let x = from > 0 ? Math.floor(from) : 0; x < to; x++) {
          const part = share * (Math.min(to, x + 1) - Math.max(from, x));
          const cell = line * columns + x;
          used[cell] += part;
          if (part > most[cell]) {
            most[cell] = part;
            pixel[cell] = this.pixelOf(stay, yieldNow);
          }
        }
      }
    }
    for (let line = 0; line < lines; line++) {
      const top = Math.round((line / lines) * this.rows);
      const bottom = Math.round(((line + 1) / lines) * this.rows);
      for (let x = 0; x < columns; x++) {
        const cell = line * columns + x;
        if (!(used[cell] > 0)) continue;
        const height = Math.round(Math.min(1, used[cell] / cpu[line]) * (bottom - top));
        for (let y = bottom - height; y < bottom; y++) this.pixels[y * columns + x] = pixel[cell];
      }
    }
  }

  drawAxes(g, theme) {
    const {begin, end} = this.page.time;
    const bottom = this.height - AXIS;
    g.font = '11px system-ui, sans-serif';
    g.fillStyle = theme.text;
    g.strokeStyle = theme.line;
    g.textAlign = 'center';
    g.textBaseline = 'top';
    for (const tick of times.ticks(begin, end, (this.width - GUTTER) / 110)) {
      const x = GUTTER + this.columnOf(tick) / this.ratio;
      g.beginPath();
      g.moveTo(x, bottom);
      g.lineTo(x, bottom + 4);
      g.stroke();
      g.fillText(times.text(tick, end - begin), Math.min(x, this.width - 38), bottom + 6);
    }
    const [first, last] = this.nodeRange();
    g.textAlign = 'right';
    if (times.dated(begin)) g.fillText(times.zone(), GUTTER - 6, bottom + 6);
    g.textBaseline = 'middle';
    for (const node of d3.ticks(first, last - 1, Math.max(2, bottom / 60))) {
      if (node !== Math.floor(node)) continue;
      g.fillText(this.run.nodeName(node), GUTTER - 6, Math.min(bottom - 6, Math.max(6, this.rowOf(node + 0.5) / this.ratio)), GUTTER - 8);
    }
    g.strokeRect(GUTTER - 0.5, 0.5, this.width - GUTTER - MARGIN + 1, bottom);
  }

  // Triangles at starts, resumes, moves and pauses, unless there are too many to tell apart; the selected job is outlined.
  drawMarks(g, begin, end, theme) {
    const {run} = this;
    g.save();
    g.beginPath();
    g.rect(GUTTER, 0, this.width - GUTTER - MARGIN, this.height - AXIS);
    g.clip();
    const marks = [];
    this.eachMark(begin, end, (...mark) => marks.push(mark) <= MOST_MARKS);
    const tall = this.rows / this.ratio / (this.nodeRange()[1] - this.nodeRange()[0]);
    this.marked = this.exact && marks.length <= MOST_MARKS && tall >= LEAST_ROW;
    if (this.marked) {
      for (const [stay, time, kind] of marks) this.drawMark(g, run.node[run.nodeFirst[stay]], time, kind, tall);
    }
    this.drawSelected(g, theme, tall);
    g.restore();
  }

  // Calls use(stay, time, kind) for each mark in a range of time, until it returns false.
  eachMark(begin, end, use) {
    const {run} = this;
    const [first, last] = run.stays(begin, end);
    for (let stay = first; stay < last; stay++) {
      if (!this.shown[run.stayJob[stay]]) continue;
      if (run.beganBy[stay] <= MOVE && run.from[stay] >= begin && !use(stay, run.from[stay], run.beganBy[stay])) return;
      if (run.endedBy[stay] === PAUSED && run.to[stay] >= begin && run.to[stay] <= end && !use(stay, run.to[stay], 3)) return;
    }
  }

  // How many marks of the view are left out, for want of room.
  unmarked() {
    let count = 0;
    if (!this.marked) this.eachMark(this.page.time.begin, this.page.time.end, () => ++count);
    return count;
  }

  drawMark(g, node, time, kind, tall) {
    const x = GUTTER + this.columnOf(time) / this.ratio;
    const y = this.rowOf(node) / this.ratio;
    const size = Math.max(4, Math.min(6, tall * 0.7));
    const tip = kind === 3 ? -size : size;
    g.fillStyle = colours.marks[kind];
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x + tip, y + size / 2);
    g.lineTo(x, y + size);
    g.fill();
  }

  drawSelected(g, theme, tall) {
    const {run} = this;
    const job = run.numbers.get(this.page.job);
    if (job === undefined) return;
    g.strokeStyle = theme.text;
    g.lineWidth = 1.5;
    for (const stay of run.staysOf(job)) {
      const x0 = GUTTER + this.columnOf(run.from[stay]) / this.ratio;
      const x1 = GUTTER + this.columnOf(run.to[stay]) / this.ratio;
      if (x1 < GUTTER || x0 > this.width) continue;
      for (let k = run.nodeFirst[stay]; k < run.nodeFirst[stay + 1]; k++) {
        g.strokeRect(x0, this.rowOf(run.node[k]) / this.ratio, Math.max(1, x1 - x0), Math.max(1, tall));
      }
    }
  }

  // The stay under a point of the canvas, and the instant.
  hit(x, y) {
    if (x < GUTTER || y > this.height - AXIS) return {};
    const {begin, end} = this.page.time;
    const time = begin + ((x - GUTTER) / (this.width - GUTTER - MARGIN)) * (end - begin);
    const position = this.nodeAt(y);
    const node = Math.floor(position);
    if (node < 0 || node >= this.run.nodeCpu.length) return {time};
    const height = 1 - (position - node);
    const stack = this.run.stack(node, time);
    return {time, node, under: stack.find(({low, share}) => low <= height && height < low + share)};
  }
}
