// What the page says of a job: under the pointer, selected, and in the table.
const ROWS = 100;
const MOST_STAYS = 500;  // of the selected job, and
const MOST_YIELDS = 30;  // of each stay, until the reader asks for all
const COLUMNS = ['job', 'user', 'tasks', 'CPU of a task', 'memory of a task', 'submitted', 'waited', 'paused for', 'pauses', 'moves', 'ended'];

function element(name, text, ...children) {
  const out = document.createElement(name);
  if (text !== undefined) out.textContent = text;
  out.append(...children);
  return out;
}

const details = {
  number: d3.format('.4~g'),
  counted: (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`,

  tip(run, {time, node, under}) {
    if (!under) return node === undefined ? '' : `${run.nodeName(node)}: nothing here\n${times.text(time, 0)}`;
    const {stay, job} = under;
    const {waited, paused} = run.idle(job);
    const lines = [
      `job ${run.id[job]}${run.user[job] >= 0 ? ` of user ${run.user[job]}` : ''}`,
      `${times.text(time, 0)}, ${run.nodeName(node)}`,
      `yield ${details.number(run.yieldAt(stay, time))}, ${details.number(100 * under.share)} % of the node${time < run.served[stay] ? ', serves a penalty' : ''}`,
      `${details.counted(run.tasks[job], 'task')}, each ${details.number(run.need[job])} of a node and ${run.memory[job]} MiB`,
      `waited ${times.length(waited)}, paused for ${times.length(paused)}, ${details.counted(run.pauses[job], 'pause')}, ${details.counted(run.moves[job], 'move')}`,
    ];
    return lines.join('\n');
  },

  // The whole life of a job: each stay with its nodes and its yields.
  show(box, runs, number) {
    box.replaceChildren();
    if (number !== details.shown) details.all = false;
    details.shown = number;
    box.hidden = number === undefined;
    if (box.hidden) return;
    for (const run of runs) {
      const job = run.numbers.get(number);
      if (job === undefined) {
        box.append(element('p', `${run.algorithm}: no job ${number}`));
        continue;
      }
      const {waited, paused} = run.idle(job);
      box.append(element('h2', `Job ${number} under ${run.algorithm}`),
        element('p', [
          `${details.counted(run.tasks[job], 'task')}, each ${details.number(run.need[job])} of a node's CPU and ${run.memory[job]} MiB`,
          run.user[job] >= 0 ? `user ${run.user[job]}` : 'user not known',
          `submitted ${times.text(run.submit[job], 0)}`,
          `runs ${times.length(run.runTime[job])} at full speed`,
          `waited ${times.length(waited)} for its first start`,
          `paused for ${times.length(paused)} in ${details.counted(run.pauses[job], 'pause')}, moved ${details.counted(run.moves[job], 'time')}`,
          Number.isFinite(run.jobEnd[job]) ? `ended ${times.text(run.jobEnd[job], 0)}, ${times.length(run.jobEnd[job] - run.submit[job])} after it was submitted` : 'had not ended',
        ].join('; ')), details.stays(run, job));
      if (run.told) box.append(details.told(run, job));
    }
  },

  // Why it waited, started, was paused and moved: read when somebody asks for the first time.
  told(run, job) {
    const list = element('ol');
    run.told(job).then((lines) => {
      list.replaceChildren(...lines.map(({time, text}) => element('li', time === undefined ? text : `${times.text(time, 0)}: ${text}`)));
    });
    return element('div', undefined, element('h3', 'Why'), list);
  },

  stays(run, job) {
    const head = element('tr');
    for (const name of ['from', 'for', 'begin', 'penalty', 'end', 'mean yield', 'yields', 'nodes']) head.append(Object.assign(element('th', name), {scope: 'col'}));
    const body = element('tbody');
    const all = Array.from(run.staysOf(job));
    const stepsOf = (stay) => run.stepFirst[stay + 1] - run.stepFirst[stay];
    for (const stay of details.all ? all : all.slice(0, MOST_STAYS)) {
      const yields = [];
      for (let k = run.stepFirst[stay]; k < run.stepFirst[stay + 1] && (details.all || yields.length < MOST_YIELDS); k++) {
        yields.push(`${details.number(run.stepYield[k])} from ${times.text(run.stepAt[k], 0)}`);
      }
      const nodes = details.nodes(run, run.node.subarray(run.nodeFirst[stay], run.nodeFirst[stay + 1]));
      const row = element('tr');
      for (const text of [times.text(run.from[stay], 0), times.length(run.to[stay] - run.from[stay]), BEGIN[run.beganBy[stay]],
        times.length(run.served[stay] - run.from[stay]), END[run.endedBy[stay]], details.number(run.meanYield[stay])]) {
        row.append(element('td', text));
      }
      const steps = stepsOf(stay);
      row.append(Object.assign(element('td', yields.join(', ') + (steps > yields.length ? `, and ${steps - yields.length} more` : '')), {className: 'nodes'}),
        Object.assign(element('td', nodes), {className: 'nodes'}));
      body.append(row);
    }
    const table = element('table', undefined, element('thead', undefined, head), body);
    table.setAttribute('aria-label', `Stays of job ${run.id[job]} on nodes under ${run.algorithm}`);
    const out = element('div', undefined, table);
    if (all.length > MOST_STAYS || all.some((stay) => stepsOf(stay) > MOST_YIELDS)) out.append(details.toggle(run, job, out));
    return out;
  },

  // Lists all stays and yields of the job, or no longer.
  toggle(run, job, list) {
    const stays = Array.from(run.staysOf(job));
    const yields = d3.sum(stays, (stay) => run.stepFirst[stay + 1] - run.stepFirst[stay]);
    const all = `all: ${details.counted(stays.length, 'stay')} on nodes, ${details.counted(yields, 'yield')}`;
    const button = Object.assign(element('button', details.all ? 'List fewer' : `List ${all}`), {type: 'button', className: 'toggle'});
    button.addEventListener('click', () => {
      details.all = !details.all;
      const again = details.stays(run, job);
      list.replaceWith(again);
      again.querySelector('.toggle').focus();
    });
    return button;
  },

  // "0-3 5 7-8", or their names, with the number of tasks where a node has several.
  nodes(run, list) {
    const tasks = d3.rollup(list, (same) => same.length, (node) => node);
    const out = [];
    for (const [node, count] of tasks) {
      const last = out[out.length - 1];
      if (!run.nodeNames && last && last.to + 1 === node && last.count === count) last.to = node;
      else out.push({from: node, to: node, count});
    }
    const name = (node) => (run.nodeNames ? run.nodeNames[node] : `${node}`);
    return out.map(({from, to, count}) => (from === to ? name(from) : `${name(from)}-${name(to)}`) + (count > 1 ? ` (${count} tasks each)` : '')).join(' ');
  },

  jobsInView(run, shown, {begin, end}) {
    const out = [];
    const last = firstAbove(run.submit, end);
    for (let job = firstAbove(run.latestEnd, begin); job < last; job++) {
      if (shown[job] && run.jobEnd[job] > begin) out.push(job);
    }
    return out;
  },

  table(page, run, shown, rows) {
    const jobs = details.jobsInView(run, shown, page.time);
    const head = element('tr');
    for (const name of COLUMNS) head.append(Object.assign(element('th', name), {scope: 'col'}));
    const list = jobs.slice(0, rows).map((job) => {
      const {waited, paused} = run.idle(job);
      const button = Object.assign(element('button', run.id[job]), {type: 'button'});
      button.addEventListener('click', () => page.select(run.id[job]));
      const row = element('tr', undefined, element('td', undefined, button));
      for (const text of [run.user[job] >= 0 ? run.user[job] : '–', run.tasks[job], details.number(run.need[job]), `${run.memory[job]} MiB`,
        times.text(run.submit[job], 0), times.length(waited), times.length(paused), run.pauses[job], run.moves[job],
        Number.isFinite(run.jobEnd[job]) ? times.text(run.jobEnd[job], 0) : '–']) {
        row.append(element('td', text));
      }
      return row;
    });
    document.querySelector('#table thead').replaceChildren(head);
    document.querySelector('#table tbody').replaceChildren(...list);
    const others = page.runs.filter((each) => each !== run).map((each) => each.algorithm);
    document.getElementById('table-note').textContent =
      `${details.counted(jobs.length, 'job')} in view under ${run.algorithm}${jobs.length > list.length ? `, the first ${list.length} of them listed` : ''}` +
      (others.length ? `; for those under ${others.join(' or ')}, click or focus its chart` : '');
    document.getElementById('more').hidden = jobs.length <= list.length;
  },
};
