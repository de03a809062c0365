// A run: its jobs, their stays on nodes and the yields of each stay. Times are in seconds.
const BEGIN = ['started', 'resumed', 'moved here', 'already there'];
const END = ['completed', 'paused', 'moved away', 'still there'];
const [START, RESUME, MOVE] = [0, 1, 2];
const [COMPLETED, PAUSED, MOVED, OPEN] = [0, 1, 2, 3];

// The first k in [low, high) with values[k] > limit, else high; values ascend.
function firstAbove(values, limit, low = 0, high = values.length) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sums(counts) {
  const first = new Int32Array(counts.length + 1);
  for (let k = 0; k < counts.length; k++) first[k + 1] = first[k] + counts[k];
  return first;
}

function greatestSoFar(values) {
  const out = new Float64Array(values.length);
  let greatest = -Infinity;
  for (let k = 0; k < values.length; k++) out[k] = greatest = Math.max(greatest, values[k]);
  return out;
}

class Run {
  constructor({header, columns}) {
    this.algorithm = header.algorithm;
    this.begin = header.begin;
    this.end = Math.max(header.end, header.begin + 1);
    this.nodeCpu = Float64Array.from(header.node_cpu);
    this.nodeMemory = Float64Array.from(header.node_memory);
    this.nodeNames = header.node_names;
    this.utcOffset = header.utc_offset;
    this.readJobs(columns);
    this.readStays(columns);
    this.byJob();
    this.byNode();
  }

  nodeName(node) {
    return this.nodeNames ? this.nodeNames[node] : `node ${node}`;
  }

  readJobs(columns) {
    this.id = columns['job.id'];
    // 0: not known; user 0 of a log has another number (kUserZero in sim/workload/swf.h)
    this.user = columns['job.user'].map((user) => (user === 0 ? -1 : user === 2 ** 31 ? 0 : user));
    this.submit = columns['job.submit'].map((ms) => ms / 1000);
    this.jobEnd = columns['job.time'].map((ms, k) => (ms ? (columns['job.submit'][k] + ms - 1) / 1000 : Infinity));
    this.tasks = columns['job.tasks'];
    this.need = columns['job.need'].map((need) => need / 1e6);
    this.memory = columns['job.memory'];
    this.runTime = columns['job.run_time'].map((ms) => (ms ? (ms - 1) / 1000 : NaN));
    this.latestEnd = greatestSoFar(this.jobEnd);
    this.numbers = new Map();
    for (let job = 0; job < this.id.length; job++) this.numbers.set(this.id[job], job);
  }

  readStays(columns) {
    const count = columns['stay.job'].length;
    this.stayJob = Int32Array.from(columns['stay.job']);
    const from = columns['stay.from'];
    this.from = from.map((ms) => ms / 1000);
    this.to = columns['stay.time'].map((ms, k) => (from[k] + ms) / 1000);
    this.served = columns['stay.penalty'].map((ms, k) => (from[k] + ms) / 1000);
    this.beganBy = Uint8Array.from(columns['stay.kind'], (kind) => kind & 3);
    this.endedBy = Uint8Array.from(columns['stay.kind'], (kind) => kind >> 2);
    this.latestTo = greatestSoFar(this.to);
    this.nodeFirst = sums(columns['stay.nodes']);
    this.node = Int32Array.from(columns.node);
    this.stepFirst = sums(columns['stay.steps']);
    this.stepAt = columns['step.time'];
    this.stepYield = Float32Array.from(columns['step.yield'], (value) => value / 1e5);
    this.meanYield = new Float32Array(count);
    for (let stay = 0; stay < count; stay++) {
      let ms = from[stay];
      let area = 0;
      for (let k = this.stepFirst[stay]; k < this.stepFirst[stay + 1]; k++) {
        ms += this.stepAt[k];
        this.stepAt[k] = ms / 1000;
      }
      for (let k = this.stepFirst[stay]; k < this.stepFirst[stay + 1]; k++) {
        area += this.stepYield[k] * (this.stepEnd(stay, k) - this.stepAt[k]);
      }
      const time = this.to[stay] - this.from[stay];
      this.meanYield[stay] = time > 0 ? area / time : 0;
    }
  }

  // When the yield of step k of the stay ends.
  stepEnd(stay, k) {
    return k + 1 < this.stepFirst[stay + 1] ? this.stepAt[k + 1] : this.to[stay];
  }

  yieldAt(stay, time) {
    const first = this.stepFirst[stay];
    const k = firstAbove(this.stepAt, time, first, this.stepFirst[stay + 1]) - 1;
    return k < first ? 0 : this.stepYield[k];
  }

  byJob() {
    const counts = new Int32Array(this.id.length);
    for (const job of this.stayJob) counts[job]++;
    this.jobFirst = sums(counts);
    this.jobStays = new Int32Array(this.stayJob.length);
    const next = this.jobFirst.slice();
    for (let stay = 0; stay < this.stayJob.length; stay++) this.jobStays[next[this.stayJob[stay]]++] = stay;
    this.pauses = new Int32Array(this.id.length);
    this.moves = new Int32Array(this.id.length);
    for (let stay = 0; stay < this.stayJob.length; stay++) {
      if (this.endedBy[stay] === PAUSED) this.pauses[this.stayJob[stay]]++;
      if (this.beganBy[stay] === MOVE) this.moves[this.stayJob[stay]]++;
    }
  }

  // For each node its stays by begin, with the number of tasks there.
  byNode() {
    const counts = new Int32Array(this.nodeCpu.length);
    const each = (use) => {
      for (let stay = 0; stay < this.stayJob.length; stay++) {
        for (let k = this.nodeFirst[stay]; k < this.nodeFirst[stay + 1];) {
          const node = this.node[k];
          let tasks = 0;
          while (k < this.nodeFirst[stay + 1] && this.node[k] === node) k++, tasks++;
          use(node, stay, tasks);
        }
      }
    };
    each((node) => counts[node]++);
    this.pairFirst = sums(counts);
    const next = this.pairFirst.slice();
    const size = this.pairFirst[this.nodeCpu.length];
    this.pairStay = new Int32Array(size);
    this.pairTasks = new Int32Array(size);
    this.pairFrom = new Float64Array(size);
    this.pairLatest = new Float64Array(size);
    const latest = new Float64Array(this.nodeCpu.length).fill(-Infinity);
    each((node, stay, tasks) => {
      const pair = next[node]++;
      this.pairStay[pair] = stay;
      this.pairTasks[pair] = tasks;
      this.pairFrom[pair] = this.from[stay];
      latest[node] = Math.max(latest[node], this.to[stay]);
      this.pairLatest[pair] = latest[node];
    });
  }

  // The range of a node's pairs that may overlap [begin, end].
  pairs(node, begin, end) {
    const [low, high] = [this.pairFirst[node], this.pairFirst[node + 1]];
    return [firstAbove(this.pairLatest, begin, low, high), firstAbove(this.pairFrom, end, low, high)];
  }
  stays(begin, end) {
    return [firstAbove(this.latestTo, begin), firstAbove(this.from, end)];
  }
  staysOf(job) {
    return this.jobStays.subarray(this.jobFirst[job], this.jobFirst[job + 1]);
  }

  // The pairs on a node at an instant, from the bottom of its row.
  stack(node, time) {
    const out = [];
    let low = 0;
    const [first, last] = this.pairs(node, time, time);
    for (let pair = first; pair < last; pair++) {
      const stay = this.pairStay[pair];
      if (!(this.from[stay] <= time && time < this.to[stay])) continue;
      const share = this.pairShare(pair, this.yieldAt(stay, time), node);
      out.push({stay, job: this.stayJob[stay], low, share});
      low += share;
    }
    return out;
  }
  pairShare(pair, yieldNow, node) {
    return (this.pairTasks[pair] * this.need[this.stayJob[this.pairStay[pair]]] * yieldNow) / this.nodeCpu[node];
  }

  // Waited before its first start and paused time, in seconds, up to the run's end.
  idle(job) {
    const stays = this.staysOf(job);
    const end = Math.min(this.jobEnd[job], this.end);
    if (!stays.length) return {waited: end - this.submit[job], paused: 0};
    let paused = 0;
    for (let k = 1; k < stays.length; k++) paused += this.from[stays[k]] - this.to[stays[k - 1]];
    const last = stays[stays.length - 1];
    if (this.endedBy[last] === PAUSED) paused += end - this.to[last];
    return {waited: this.from[stays[0]] - this.submit[job], paused};
  }

  // What every job in the system had at an instant.
  state(time) {
    const out = {running: [], waiting: [], paused: []};
    const last = firstAbove(this.submit, time);
    for (let job = firstAbove(this.latestEnd, time); job < last; job++) {
      if (time < this.submit[job] || time >= this.jobEnd[job]) continue;
      let now = -1;
      let before = false;
      for (const stay of this.staysOf(job)) {
        before ||= this.from[stay] <= time;
        if (this.from[stay] <= time && time < this.to[stay]) now = stay;
      }
      if (now < 0) {
        out[before ? 'paused' : 'waiting'].push(this.id[job]);
      } else {
        out.running.push({job: this.id[job], yield: this.yieldAt(now, time), penalty: time < this.served[now],
          nodes: Array.from(this.node.subarray(this.nodeFirst[now], this.nodeFirst[now + 1]))});
      }
    }
    return out;
  }

  counts() {
    const out = {jobs: this.id.length, starts: 0, resumes: 0, moves: 0, pauses: 0, completed: 0, steps: this.stepAt.length};
    for (const begin of this.beganBy) {
      if (begin === START) out.starts++;
      if (begin === RESUME) out.resumes++;
      if (begin === MOVE) out.moves++;
    }
    for (const end of this.endedBy) {
      if (end === PAUSED) out.pauses++;
      if (end === COMPLETED) out.completed++;
    }
    return out;
  }
}
