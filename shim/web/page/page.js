'use strict';
// Shows what the server's events tell: a "look" every few seconds, or "trouble". The timeline is a page of its own in a frame.
(() => {
  const token = new URLSearchParams(location.search).get('token') || '';
  const byId = (id) => document.getElementById(id);
  const mostJobs = 500;
  const mostNodes = 2000;
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
  // As the controller's sentences and the timeline tell instants: in the time of the cluster.
  const clock = (seconds) => new Date(1000 * (seconds + (look.status.utc_offset_s || 0))).toISOString().slice(11, 19);
  const zone = () => {
    const minutes = (look.status.utc_offset_s || 0) / 60;
    const rest = Math.abs(minutes) % 60;
    return `UTC${minutes < 0 ? '-' : '+'}${Math.floor(Math.abs(minutes) / 60)}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
  };
  const more = (count, most) => (count > most ? `and ${count - most} more` : '');
  const nameOf = (job) => look.status.users[job.user_id] || String(job.user_id);
  const runs = (job) => job.state === 'running' || job.state === 'pausing' || job.state === 'moving';
  const isPaused = (job) => ['suspended', 'requeued', 'resuming'].includes(job.state);

  function usage(node) {
    if (!node.usable || !node.cpus) return 255;
    return Math.round(100 * Math.min(2, (node.allocated_cpus + node.foreign_cpus) / node.cpus));
  }

  function showFigures() {
    const s = look.status;
    const running = s.jobs.filter(runs);
    const sum = running.reduce((total, job) => total + job.yield, 0);
    const values = [['running', running.length], ['waiting', s.jobs.length - running.length],
      ['of these paused', s.jobs.filter(isPaused).length],
      ['mean yield', running.length ? (sum / running.length).toFixed(2) : '-'], ['decisions', s.decisions], ['rounds', s.steps],
      ['last round', `${s.last_step_ms.toFixed(1)} ms`], ['longest round', `${s.max_step_ms.toFixed(1)} ms`],
      ['lost runs', s.lost_runs]];
    byId('figures').replaceChildren(...values.map(([name, value]) => {
      const pair = make('div');
      pair.append(make('dt', name), make('dd', String(value)));
      return pair;
    }));
    byId('cluster').textContent = `${s.cluster}: ${s.algorithm}`;
    document.title = `dfrs on ${s.cluster}`;
    byId('round').textContent = `Last round at ${clock(s.now)}. Times are the cluster's (${zone()}).` + (s.last_error ? ` It failed: ${s.last_error}` : '');
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
    const chosen = look.nodes.filter((node) => node.node.includes(wanted));
    byId('nodes').replaceChildren(...chosen.slice(0, mostNodes).map((node) => {
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
    byId('more-nodes').textContent = more(chosen.length, mostNodes);
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
    byId('more').textContent = more(chosen.length, mostJobs);
  }

  // What the controller tells of a job, for the timeline: it asks with each look, the controller is asked less often. What
  // was told of a job stays when the controller no longer knows it, or has forgotten its story while its nodes are cleaned up.
  const reasons = new Map();
  async function askReasons(job, known) {
    let told;
    try {
      told = await (await fetch(`/explain?job=${job}&token=${token}`)).json();
    } catch (error) {
      told = { error: `No answer: ${error.message}` };
    }
    if (told.events?.length) known.lines = told.events.map((event) => ({ time: event.t, text: event.text }));
    else known.lines ||= told.events || [{ text: told.error }];
    known.notBefore = performance.now() + (told.events ? 5000 : 30000);
    known.asked = null;
    return known.lines;
  }
  async function reasonsOf(job) {
    if (!reasons.has(job)) reasons.set(job, { notBefore: 0, asked: null });
    const known = reasons.get(job);
    if (!known.asked && performance.now() >= known.notBefore) known.asked = askReasons(job, known);
    // What is known is shown at once, so that nothing flickers.
    return known.lines || known.asked;
  }

  // The timeline is asked for again with each look, but takes at most a twentieth of the time.
  const frame = byId('timeline');
  let asking = false;
  let notBefore = 0;
  async function showTimeline() {
    const timeline = frame.contentWindow?.dfrsTimeline;
    if (timeline && !timeline.page.ask) timeline.tellBy(reasonsOf);
    if (!timeline || asking || document.hidden || performance.now() < notBefore) return;
    asking = true;
    const begin = performance.now();
    try {
      const answer = await fetch(`/schedule?token=${token}`);
      if (answer.ok) await timeline.replace(await answer.text());
    } catch {
      // The stream of events tells that the server is gone.
    }
    notBefore = performance.now() + 20 * (performance.now() - begin);
    asking = false;
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
    showFigures();
    showNodes();
    showJobs();
  }

  const events = new EventSource(`/events?token=${token}`);
  events.addEventListener('look', (event) => {
    look = JSON.parse(event.data);
    if (!frame.src) frame.src = `/timeline?token=${token}`;
    show();
    showTimeline();
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
  // For tests: what is shown.
  window.dfrs = { look: () => look };
})();
