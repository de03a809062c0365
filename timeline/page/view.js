// The axis of time, and what the page shows: kept in the address, so that a link shows the same.
const times = {
  steps: [0.001, 0.01, 0.1, 1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 2592000,
    7776000, 31536000, 157680000],
  ticks(begin, end, count) {
    const step = times.steps.find((each) => (end - begin) / each <= Math.max(2, count)) || 315360000;
    const out = [];
    const shift = times.dated(begin) ? times.offset : 0;  // days begin at midnight
    for (let k = Math.ceil((begin + shift) / step); k * step - shift <= end; k++) out.push(k * step - shift);
    return out;
  },
  // Seconds from UTC to the time that instants are told in. A page that follows a cluster uses the cluster's.
  offset: 0,
  // The name of that time, for runs that count from 1970.
  zone() {
    const {offset} = times;
    if (!offset) return 'UTC';
    const minutes = Math.abs(offset) / 60;
    return `UTC${offset < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${minutes % 60 ? `:${String(minutes % 60).padStart(2, '0')}` : ''}`;
  },
  dated(time) {
    return time > 1e9;
  },
  // An instant. Live records count from 1970; traces from their first day, which is day 1.
  text(exact, span) {
    const time = Math.round(exact * 1000) / 1000 + (times.dated(exact) ? times.offset : 0);
    if (times.dated(time)) return d3.utcFormat(span > 4 * 86400 ? '%Y-%m-%d' : span > 600 ? '%m-%d %H:%M' : '%m-%d %H:%M:%S')(new Date(time * 1000));
    const day = `day ${Math.floor(time / 86400) + 1}`;
    if (span > 4 * 86400) return day;
    const clock = new Date((((time % 86400) + 86400) % 86400) * 1000).toISOString();
    if (span > 600) return `${day} ${clock.slice(11, 16)}`;
    return `${day} ${clock.slice(11, span > 5 || span === 0 ? 19 : 23)}`;
  },
  length(seconds) {
    if (!Number.isFinite(seconds)) return 'not known';
    if (seconds < 120) return `${d3.format('.4~g')(seconds)} s`;
    if (seconds < 7200) return `${d3.format('.4~g')(seconds / 60)} min`;
    return seconds < 172800 ? `${d3.format('.4~g')(seconds / 3600)} h` : `${d3.format('.4~g')(seconds / 86400)} days`;
  },
};

// Within a page of the same server, such as that of dfrsctl web, the view is kept in that page's address. A page that
// shows this one in a closed frame, such as that of dfrs-sim advise, keeps the view for it, by messages.
const address = {
  // The window whose address it is; nothing: the page around this one cannot be reached.
  home: (() => {
    try {
      return window.parent.location.protocol === 'about:' ? undefined : window.parent;
    } catch {
      return undefined;
    }
  })(),
  // What the page around a closed frame has told.
  told: '',
  read() {
    return new URLSearchParams(address.home?.location.hash.slice(1) ?? address.told);
  },
  // Calls `changed` whenever the address is another.
  follow(changed) {
    if (address.home) return address.home.addEventListener('hashchange', changed);
    window.addEventListener('message', ({source, data}) => {
      if (source !== window.parent || typeof data?.dfrsView !== 'string' || data.dfrsView === address.told) return;
      address.told = data.dfrsView;
      changed();
    });
    address.tell({dfrsAsks: true});
  },
  // The page around a closed frame may be a file, whose origin has no name.
  tell(message) {
    window.parent.postMessage(message, '*');
  },
  number(parameters, name) {
    const value = Number.parseFloat(parameters.get(name) ?? '');
    return Number.isFinite(value) ? value : undefined;
  },
  write(page) {
    const {time, nodes, filter} = page;
    const parameters = new URLSearchParams();
    if (time.begin > page.whole.begin || time.end < page.whole.end) {
      parameters.set('t', `${+time.begin.toFixed(3)},${+time.end.toFixed(3)}`);
    }
    if (nodes.first > 0 || nodes.last < 1) parameters.set('n', `${+nodes.first.toFixed(5)},${+nodes.last.toFixed(5)}`);
    if (page.colour !== 'job') parameters.set('colour', page.colour);
    if (page.job !== undefined) parameters.set('job', page.job);
    for (const name of ['user', 'least', 'most']) if (filter[name] !== undefined) parameters.set(name, filter[name]);
    for (const name of ['paused', 'moved']) if (filter[name]) parameters.set(name, 1);
    const {home} = address;
    if (home) {
      if (`${parameters}` || home.location.hash) home.history.replaceState(null, '', `#${parameters}`);
    } else if (`${parameters}` !== address.told) {
      address.told = `${parameters}`;
      address.tell({dfrsView: address.told});
    }
  },
  // What the address says, in the page's words; what it leaves out has its default.
  parse(whole) {
    const parameters = address.read();
    const range = (name, least, most) => {
      const [low, high] = (parameters.get(name) || '').split(',').map(Number.parseFloat);
      return high > low ? [Math.max(least, low), Math.min(most, high)] : [least, most];
    };
    const [begin, end] = range('t', whole.begin, whole.end);
    const [first, last] = range('n', 0, 1);
    const filter = {paused: parameters.get('paused') === '1', moved: parameters.get('moved') === '1'};
    for (const name of ['user', 'least', 'most']) filter[name] = address.number(parameters, name);
    const colour = parameters.get('colour');
    return {time: end > begin ? {begin, end} : {...whole}, nodes: last > first ? {first, last} : {first: 0, last: 1},
      colour: ['user', 'yield'].includes(colour) ? colour : 'job', job: address.number(parameters, 'job'), filter};
  },
};
