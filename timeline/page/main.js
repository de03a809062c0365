// Puts the parts together: reads the data, listens to pointer, keys and controls, and draws at most once a frame.
class Page {
  constructor(runs) {
    this.take(runs);
    Object.assign(this, address.parse(this.whole));
    this.rows = ROWS;
    this.current = 0;
    this.box = document.getElementById('charts');
    const height = (run) => Math.max(140, Math.min(runs.length > 1 ? 380 : 600, run.nodeCpu.length * 6 + AXIS));
    this.charts = runs.map((run) => new NodesChart(run, this, height(run)));
    this.box.append(...this.charts.map((chart) => chart.box));
    this.panels = new Panels(runs, this, document.getElementById('panels'));
    this.setUpZoom();
    this.setUpPointer();
    this.setUpKeys();
    this.setUpControls();
    this.setUpPaper();
    this.look();
    this.resize();
  }

  take(runs) {
    this.runs = runs;
    times.offset = runs[0].utcOffset ?? 0;
    if (this.ask) for (const run of runs) run.told = (job) => this.ask(run.id[job]);
    this.whole = {begin: Math.min(...runs.map((run) => run.begin)), end: Math.max(...runs.map((run) => run.end))};
  }

  // Another page knows the reasons: `ask` promises those of a job, by its number.
  tellBy(ask) {
    this.ask = ask;
    this.take(this.runs);
    details.show(document.getElementById('details'), this.runs, this.job);
  }

  // The same runs some time later, for a page that follows a cluster. A view of the whole run stays one, a view of its end
  // stays at the end, and any other stays where it is.
  replace(runs) {
    if (this.held) return;  // not under the reader's hand
    const {whole, time} = this;
    const atBegin = time.begin <= whole.begin;
    const atEnd = time.end >= whole.end - 1e-3;
    this.take(runs);
    this.charts.forEach((chart, k) => { chart.run = runs[k]; });
    this.panels.runs = runs;
    this.scale();
    this.look();
    const later = atEnd ? this.whole.end - whole.end : 0;
    if (atBegin && atEnd) this.show(this.whole.begin, this.whole.end);
    else this.show(Math.max(this.whole.begin, time.begin + later), time.end + later);
    if (this.job !== undefined) details.show(document.getElementById('details'), runs, this.job);
    this.draw();
    this.settle();
  }

  // ---- drawing

  resize() {
    for (const chart of this.charts) chart.resize();
    this.scale();
    this.panels.create();
    this.show(this.time.begin, this.time.end);
  }

  scale() {
    const width = this.charts[0].width;
    this.base = d3.scaleLinear([this.whole.begin, this.whole.end], [GUTTER, width - MARGIN]);
    const span = this.whole.end - this.whole.begin;
    this.zoom.extent([[GUTTER, 0], [width - MARGIN, 1]]).translateExtent([[GUTTER, 0], [width - MARGIN, 1]])
      .scaleExtent([1, Math.max(1, span / 0.05)]);
  }

  // Which jobs the filters leave, and their colours.
  look() {
    const {user, least, most, paused, moved} = this.filter;
    // A trace without users leaves nothing to choose; on a cluster they may come later.
    const users = this.runs.some((run) => run.user.some((each) => each >= 0));
    for (const each of [document.getElementById('user').parentElement, document.querySelector('#colour [value=user]')]) each.hidden = !users;
    for (const chart of this.charts) {
      const {run} = chart;
      chart.shown = Uint8Array.from(run.id, (_, job) => (user === undefined || run.user[job] === user) &&
        (least === undefined || run.tasks[job] >= least) && (most === undefined || run.tasks[job] <= most) &&
        (!paused || run.pauses[job] > 0) && (!moved || run.moves[job] > 0));
      chart.pixelsOfJobs = colours.ofJobs(run, this.colour, chart.shown);
      chart.cover = undefined;
    }
  }

  change() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    for (const chart of this.charts) chart.draw();
    this.panels.move();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), 150);
  }

  // What need not keep up with a drag.
  settle() {
    clearTimeout(this.settling);
    this.panels.compute();
    address.write(this);
    details.table(this, this.runs[this.current], this.charts[this.current].shown, this.rows);
    const {begin, end} = this.time;
    const unmarked = d3.sum(this.charts, (chart) => chart.unmarked());
    document.getElementById('status').textContent = [
      `${times.text(begin, 0)} to ${times.text(end, 0)}${times.dated(begin) ? ` ${times.zone()}` : ''}, ${times.length(end - begin)}`,
      this.charts.every((chart) => chart.exact) ? 'every bar is drawn' : 'summed up; zoom in for single jobs',
      ...(unmarked ? [`${details.counted(unmarked, 'mark')} not drawn: zoom in`] : []),
    ].join('; ');
  }

  // ---- the range of time

  setUpZoom() {
    this.zoom = d3.zoom().filter((event) => !event.shiftKey && !event.button && !event.ctrlKey).on('zoom', (event) => {
      const [begin, end] = event.transform.rescaleX(this.base).domain().map((time) => time);
      const down = event.sourceEvent?.movementY;
      if (event.sourceEvent?.type === 'mousemove' && down) this.panNodes((-down / this.charts[0].height) * (this.nodes.last - this.nodes.first));
      const [from, to] = [GUTTER, this.charts[0].width - MARGIN].map((x) => this.base.invert(event.transform.invertX(x)));
      this.time = to > from ? {begin: from, end: to} : {begin, end};
      this.change();
    });
    d3.select(this.box).call(this.zoom);
  }

  show(begin, end) {
    const span = this.whole.end - this.whole.begin;
    const width = Math.min(span, Math.max(0.05, end - begin));
    const from = Math.max(this.whole.begin, Math.min(begin, this.whole.end - width));
    const k = span / width;
    d3.select(this.box).call(this.zoom.transform, d3.zoomIdentity.translate(GUTTER - k * this.base(from), 0).scale(k));
  }

  zoomBy(factor) {
    const {begin, end} = this.time;
    const middle = (begin + end) / 2;
    this.show(middle - (end - begin) / factor / 2, middle + (end - begin) / factor / 2);
  }
  panBy(part) {
    const by = (this.time.end - this.time.begin) * part;
    this.show(this.time.begin + by, this.time.end + by);
  }
  panNodes(by) {
    const shift = Math.max(-this.nodes.first, Math.min(1 - this.nodes.last, by));
    this.nodes = {first: this.nodes.first + shift, last: this.nodes.last + shift};
    this.change();
  }
  zoomNodes(factor, at = 0.5) {
    const {first, last} = this.nodes;
    const least = 1 / Math.max(...this.runs.map((run) => run.nodeCpu.length));
    const width = Math.min(1, Math.max(least, (last - first) / factor));
    const low = Math.max(0, Math.min(1 - width, first + (last - first - width) * at));
    this.nodes = {first: low, last: low + width};
    this.change();
  }

  // ---- jobs

  select(number) {
    this.job = number;
    document.getElementById('search').value = number ?? '';
    details.show(document.getElementById('details'), this.runs, number);
    this.change();
  }
  // Selects a job and shows its whole life. False if no run has it.
  find(number) {
    const run = this.runs.find((each) => each.numbers.has(number));
    this.select(number);
    if (!run) {
      document.getElementById('status').textContent = `There is no job ${number}`;
      return false;
    }
    const job = run.numbers.get(number);
    const end = Math.min(run.jobEnd[job], run.end);
    const room = Math.max(1, (end - run.submit[job]) * 0.1);
    this.show(run.submit[job] - room, end + room);
    return true;
  }
  next(by) {
    const jobs = details.jobsInView(this.runs[this.current], this.charts[this.current].shown, this.time);
    if (!jobs.length) return;
    const ids = jobs.map((job) => this.runs[this.current].id[job]);
    const at = ids.indexOf(this.job);
    this.select(ids[at < 0 ? 0 : (at + by + ids.length) % ids.length]);
  }

  // ---- pointer, keys, controls

  setUpPointer() {
    this.box.addEventListener('pointerdown', () => { this.held = true; });
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, () => { this.held = false; });
    const tip = document.getElementById('tip');
    this.charts.forEach((chart, k) => {
      const hit = (event) => {
        const box = chart.canvas.getBoundingClientRect();
        return chart.hit(event.clientX - box.left, event.clientY - box.top);
      };
      chart.canvas.addEventListener('pointermove', (event) => {
        tip.textContent = details.tip(chart.run, hit(event));
        tip.hidden = !tip.textContent;
        tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 300)}px`;
        tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - 120)}px`;
      });
      chart.canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
      chart.canvas.addEventListener('focus', () => {
        if (this.current === k) return;
        this.current = k;
        this.settle();  // the table is that of another run
      });
      chart.canvas.addEventListener('click', (event) => {
        this.current = k;
        const {under} = hit(event);
        this.select(under ? chart.run.id[under.job] : undefined);
      });
      chart.canvas.addEventListener('wheel', (event) => {
        if (!event.shiftKey) return;
        event.preventDefault();
        const at = (event.clientY - chart.canvas.getBoundingClientRect().top) / (chart.height - AXIS);
        this.zoomNodes(2 ** (-(event.deltaY || event.deltaX) / 300), Math.min(1, Math.max(0, at)));
      }, {passive: false});
    });
  }

  setUpKeys() {
    const keys = {
      '+': () => this.zoomBy(1.5), '=': () => this.zoomBy(1.5), '-': () => this.zoomBy(1 / 1.5),
      ArrowLeft: () => this.panBy(-0.2), ArrowRight: () => this.panBy(0.2),
      ArrowUp: () => this.panNodes(-0.2 * (this.nodes.last - this.nodes.first)),
      ArrowDown: () => this.panNodes(0.2 * (this.nodes.last - this.nodes.first)),
      PageUp: () => this.zoomNodes(1.5), PageDown: () => this.zoomNodes(1 / 1.5),
      Home: () => this.showWhole(), n: () => this.next(1), p: () => this.next(-1),
      Enter: () => this.job !== undefined && this.find(this.job), Escape: () => this.select(undefined),
    };
    this.box.addEventListener('keydown', (event) => {
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
  }

  showWhole() {
    this.nodes = {first: 0, last: 1};
    this.show(this.whole.begin, this.whole.end);
  }

  setUpControls() {
    const of = (id) => document.getElementById(id);
    of('controls').addEventListener('submit', (event) => event.preventDefault());
    const search = () => {
      const number = Number.parseInt(of('search').value, 10);
      if (Number.isFinite(number)) this.find(number);
      else this.select(undefined);
    };
    of('search').addEventListener('change', search);
    const changed = () => {
      const number = (id) => (of(id).value.trim() === '' ? undefined : Number.parseInt(of(id).value, 10));
      this.colour = of('colour').value;
      this.filter = {user: number('user'), least: number('least'), most: number('most'), paused: of('paused').checked, moved: of('moved').checked};
      this.look();
      this.change();
    };
    for (const id of ['colour', 'user', 'least', 'most', 'paused', 'moved']) of(id).addEventListener('change', changed);
    of('whole').addEventListener('click', () => this.showWhole());
    of('help-button').addEventListener('click', () => {
      of('help').hidden = !of('help').hidden;
      of('help-button').setAttribute('aria-expanded', String(!of('help').hidden));
    });
    of('more').addEventListener('click', () => {
      this.rows += ROWS;
      this.settle();
    });
    address.follow(() => this.readAddress());
    this.fillControls();
  }
  fillControls() {
    const of = (id) => document.getElementById(id);
    of('colour').value = this.colour;
    for (const id of ['user', 'least', 'most']) of(id).value = this.filter[id] ?? '';
    for (const id of ['paused', 'moved']) of(id).checked = this.filter[id];
    this.select(this.job);
  }
  readAddress() {
    Object.assign(this, address.parse(this.whole));
    this.fillControls();
    this.look();
    this.show(this.time.begin, this.time.end);
  }

  // Other sizes, the dark mode and paper.
  setUpPaper() {
    const again = () => {
      this.look();
      this.resize();
      this.draw();
      this.settle();
    };
    let waiting;
    window.addEventListener('resize', () => {
      clearTimeout(waiting);
      waiting = setTimeout(again, 100);
    });
    for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', again);
  }
}

(async () => {
  const begin = performance.now();
  const status = document.getElementById('status');
  try {
    const scripts = Array.from(document.querySelectorAll('script.run'));
    const runs = await Promise.all(scripts.map(async (script) => {
      const data = await decode.run(script.textContent);
      script.remove();
      return new Run(data);
    }));
    for (const script of document.querySelectorAll('script.told')) {
      let read;
      runs[Number(script.dataset.run)].told = async (job) => (await (read ||= decode.told(script.textContent)))(job);
    }
    const page = new Page(runs);
    page.draw();
    page.settle();
    // For tests and for scripts of readers: docs/reference/timeline.md.
    window.dfrsTimeline = {
      page, runs, openedIn: performance.now() - begin,
      state: (time, run = 0) => window.dfrsTimeline.runs[run].state(time),
      counts: (run = 0) => window.dfrsTimeline.runs[run].counts(),
      view: () => ({...page.time, ...page.nodes}),
      show: (from, to) => page.show(from, to),
      find: (job) => page.find(job),
      // A promise of what happened to a job: times and sentences.
      told: (job, run = 0) => {
        const each = window.dfrsTimeline.runs[run];
        return each.told(each.numbers.get(job));
      },
      tellBy: (ask) => page.tellBy(ask),
      // Takes the data of one run, as the page holds it, in place of the old.
      replace: async (text) => {
        const run = new Run(await decode.run(text));
        page.replace([run]);
        window.dfrsTimeline.runs = [run];
      },
      at: (x, y, run = 0) => page.charts[run].hit(x, y),
    };
  } catch (error) {
    status.textContent = `This page needs a browser of 2023 or later, and its data must be complete: ${error.message}`;
    throw error;
  }
})();
