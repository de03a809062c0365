'use strict';
// Shows what the server's events tell: "history" once, then a "look" every few seconds, or "trouble".
(() => {
  const token = new URLSearchParams(location.search).get('token') || '';
  const byId = (id) => document.getElementById(id);
  const mostJobs = 500;
  let history = [];
  let look = null;

  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const duration = (seconds) => {
    const s = Math.max(0, Math.round(seconds));
    if (s < 120) return `${s} s`;
    if (s < 7200) return `${Math.floor(s / 60)} min`;
    if (s < 172800) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
    return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
  };
  const clock = (seconds) => new Date(1000 * seconds).toLocaleTimeString();
  const nameOf = (job) => look.status.users[job.user_id] || String(job.user_id);
  const runs = (job) => job.state === 'running' || job.state === 'pausing' || job.state === 'moving';
  const isPaused = (job) => ['suspended', 'requeued', 'resuming'].includes(job.state);

  function sample() {
    const jobs = look.status.jobs;
    const running = jobs.filter(runs);
    const sum = running.reduce((total, job) => total + job.yield, 0);
    return [look.status.now, running.length, jobs.length - running.length, jobs.filter(isPaused).length,
      running.length ? sum / running.length : 0, look.nodes.map(usage)];
  }
  function usage(node) {
    if (!node.usable || !node.cpus) return 255;
    return Math.round(100 * Math.min(2, (node.allocated_cpus + node.foreign_cpus) / node.cpus));
  }

  function showFigures(now) {
    const s = look.status;
    const values = [['running', now[1]], ['waiting', now[2]], ['of these paused', now[3]],
      ['mean yield', now[1] ? now[4].toFixed(2) : '-'], ['decisions', s.decisions], ['rounds', s.steps],
      ['last round', `${s.last_step_ms.toFixed(1)} ms`], ['longest round', `${s.max_step_ms.toFixed(1)} ms`],
      ['lost runs', s.lost_runs]];
    byId('figures').replaceChildren(...values.map(([name, value]) => {
      const pair = make('div');
      pair.append(make('dt', name), make('dd', String(value)));
      return pair;
    }));
    byId('cluster').textContent = `${s.cluster}: ${s.algorithm}`;
    document.title = `dfrs on ${s.cluster}`;
    byId('round').textContent = `Last round at ${clock(s.now)}.` + (s.last_error ? ` It failed: ${s.last_error}` : '');
    const trouble = byId('trouble');
    trouble.hidden = !s.config_error;
    trouble.textContent = s.config_error || '';
  }

  function showNodes() {
    const wanted = byId('node-filter').value.trim();
    const shares = new Map();
    for (const job of look.status.jobs) {
      if (!runs(job)) continue;
      for (const [node, tasks] of Object.entries(job.nodes)) {
        if (!shares.has(node)) shares.set(node, []);
        shares.get(node).push([job.job, tasks * job.cpus_per_task * job.cpu_need * job.yield]);
      }
    }
    const silent = look.nodes.filter((node) => node.agent && !node.agent.reachable);
    byId('agents').textContent = silent.length
      ? `Agents that do not answer: ${silent.map((node) => node.node).join(', ')}.`
      : 'All agents answer.';
    byId('agents').className = silent.length ? 'off' : '';
    byId('nodes').replaceChildren(...look.nodes.filter((node) => node.node.includes(wanted)).slice(0, 2000).map((node) => {
      const row = make('li');
      row.dataset.node = node.node;
      row.append(make('span', node.node, node.usable ? '' : 'off'));
      const bar = make('span', undefined, 'bar');
      const here = shares.get(node.node) || [];
      for (const [job, cpus] of here) {
        const part = make('i');
        part.style.width = `${100 * cpus / node.cpus}%`;
        part.title = `job ${job}: ${cpus.toFixed(2)} CPUs`;
        part.dataset.job = job;
        bar.append(part);
      }
      if (node.foreign_cpus > 0) {
        const part = make('i', undefined, 'foreign');
        part.style.width = `${100 * node.foreign_cpus / node.cpus}%`;
        part.title = `jobs of others: ${node.foreign_cpus} CPUs`;
        bar.append(part);
      }
      const state = !node.usable ? 'not usable' : node.agent && !node.agent.reachable ? 'no agent' : `${usage(node)} %`;
      row.append(bar, make('span', state, state.endsWith('%') ? 'mute' : 'off'));
      return row;
    }));
  }

  function showJobs() {
    const wanted = byId('job-filter').value.trim().toLowerCase();
    const onlyWaiting = byId('only-waiting').checked;
    const chosen = look.status.jobs.filter((job) => {
      if (onlyWaiting && runs(job)) return false;
      return !wanted || String(job.job) === wanted || nameOf(job).toLowerCase() === wanted ||
        job.name.toLowerCase().includes(wanted) || Object.keys(job.nodes).some((node) => node.toLowerCase() === wanted);
    });
    const focused = document.activeElement.closest('tr')?.dataset.job;  // the new rows must not take it away
    byId('jobs').replaceChildren(...chosen.slice(0, mostJobs).map((job) => {
      const row = make('tr');
      row.dataset.job = job.job;
      row.dataset.state = job.state;
      const number = make('td');
      const button = make('button', String(job.job));
      button.type = 'button';
      button.title = 'Why?';
      button.addEventListener('click', () => explain(job.job));
      number.append(button);
      const nodes = Object.entries(job.nodes).map(([node, tasks]) => (tasks > 1 ? `${node}:${tasks}` : node));
      row.append(number, make('td', nameOf(job)), make('td', job.state.replace('-', ' ')),
        make('td', runs(job) ? job.yield.toFixed(2) : '-', 'number'), make('td', duration(job.virtual_time_s), 'number'),
        make('td', duration(job.flow_time_s), 'number'), make('td', String(job.pauses), 'number'),
        make('td', String(job.moves), 'number'),
        make('td', nodes.slice(0, 6).join(' ') + (nodes.length > 6 ? ` and ${nodes.length - 6} more` : '')),
        make('td', job.policy_reason || job.reason || ''));
      return row;
    }));
    if (focused) byId('jobs').querySelector(`tr[data-job='${focused}'] button`)?.focus();
    byId('more').textContent = chosen.length > mostJobs ? `and ${chosen.length - mostJobs} more` : '';
  }

  function canvasOf(id) {
    const canvas = byId(id);
    const scale = window.devicePixelRatio || 1;
    const height = Number(canvas.getAttribute('height'));
    const width = canvas.clientWidth;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, width, height);
    return { pen, width, height };
  }
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function drawHistory() {
    if (history.length < 2) return;
    const first = history[0][0];
    const span = Math.max(1, history[history.length - 1][0] - first);
    const lines = canvasOf('lines');
    const top = Math.max(1, ...history.map((s) => Math.max(s[1], s[2])));
    const x = (s, width) => (width - 2) * (s[0] - first) / span + 1;
    for (const [column, name] of [[1, '--running'], [2, '--waiting'], [3, '--paused']]) {
      lines.pen.strokeStyle = colour(name);
      lines.pen.lineWidth = 1.5;
      lines.pen.beginPath();
      for (const s of history) lines.pen.lineTo(x(s, lines.width), lines.height - 3 - (lines.height - 8) * s[column] / top);
      lines.pen.stroke();
    }
    byId('at').textContent = `from ${clock(first)} to ${clock(first + span)}, at most ${top}`;
    const strips = canvasOf('strips');
    const rows = history[history.length - 1][5].length;
    if (!rows) return;
    const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
    for (let k = 0; k + 1 < history.length; ++k) {
      const from = x(history[k], strips.width);
      const to = x(history[k + 1], strips.width);
      history[k][5].forEach((used, row) => {
        if (row >= rows) return;
        const light = dark ? 15 + 55 * Math.min(1, used / 100) : 96 - 60 * Math.min(1, used / 100);
        strips.pen.fillStyle = used === 255 ? '#8888' : `hsl(${used > 101 ? 10 : 205} 55% ${light}%)`;
        strips.pen.fillRect(from, strips.height * row / rows, to - from + 0.6, strips.height / rows + 0.4);
      });
    }
  }

  async function explain(job) {
    byId('h-why').textContent = `Job ${job}`;
    byId('lines-of-job').replaceChildren(make('li', 'Asking ...'));
    byId('why').showModal();
    try {
      const answer = await fetch(`/explain?job=${job}&token=${token}`);
      const told = await answer.json();
      byId('lines-of-job').replaceChildren(...(told.lines || [told.error]).map((line) => make('li', line.trim())));
    } catch (error) {
      byId('lines-of-job').replaceChildren(make('li', `No answer: ${error.message}`));
    }
  }

  function show() {
    if (!look) return;
    const now = sample();
    showFigures(now);
    showNodes();
    showJobs();
    drawHistory();
  }

  const events = new EventSource(`/events?token=${token}`);
  events.addEventListener('history', (event) => { history = JSON.parse(event.data); });
  events.addEventListener('look', (event) => {
    look = JSON.parse(event.data);
    const now = sample();
    if (!history.length || now[0] > history[history.length - 1][0]) history.push(now);
    if (history.length > 3000) history = history.filter((_, k) => k % 2 === history.length % 2);
    show();
  });
  events.addEventListener('trouble', (event) => {
    byId('trouble').hidden = false;
    byId('trouble').textContent = JSON.parse(event.data).error;
  });
  events.onerror = () => {
    byId('trouble').hidden = false;
    byId('trouble').textContent = 'dfrsctl web does not answer. What you see is old.';
  };
  for (const id of ['node-filter', 'job-filter', 'only-waiting']) byId(id).addEventListener('input', show);
  window.addEventListener('resize', drawHistory);
  // For tests: what is shown.
  window.dfrs = { look: () => look, history: () => history };
})();
