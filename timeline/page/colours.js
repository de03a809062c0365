// Colours as 32-bit pixels (ABGR, the byte order of ImageData on every common machine) and as CSS.
const colours = {
  pixel(css) {
    const {r, g, b} = d3.rgb(css);
    return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
  },
  // Neighbouring numbers get hues far apart.
  ofNumber(number) {
    const turn = (Math.abs(number) * 0.61803398875) % 1;
    const light = 0.45 + 0.15 * ((Math.abs(number) * 0.7548776662) % 1);
    return d3.hsl(360 * turn, 0.6, light).formatRgb();
  },
  yields: Uint32Array.from({length: 256}, (_, k) => {
    const {r, g, b} = d3.rgb(d3.interpolateViridis(k / 255));
    return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
  }),
  // The pixel of each job; those left out by a filter are grey.
  ofJobs(run, by, shown) {
    const out = new Uint32Array(run.id.length);
    const grey = colours.pixel(colours.theme().hidden);
    const known = new Map();
    for (let job = 0; job < out.length; job++) {
      const number = by === 'user' ? run.user[job] : run.id[job];
      if (!shown[job]) {
        out[job] = grey;
      } else if (by === 'user') {
        if (!known.has(number)) known.set(number, colours.pixel(colours.ofNumber(number)));
        out[job] = known.get(number);
      } else {
        out[job] = colours.pixelOfNumber(number);
      }
    }
    return out;
  },
  table: null,
  // From a table of 1,024 colours, because jobs are many.
  pixelOfNumber(number) {
    colours.table ||= Uint32Array.from({length: 1024}, (_, k) => colours.pixel(colours.ofNumber(k)));
    return colours.table[number % 1024];
  },
  theme() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return {back: of('--back'), text: of('--text'), faint: of('--faint'), line: of('--line'), row: of('--row'),
      hidden: d3.interpolateRgb(of('--row'), of('--faint'))(0.35)};
  },
  marks: ['#2e9e44', '#b57a00', '#1f77d0', '#d62728'],  // start, resume, move, pause
};
