'use strict';
// Turns the page's data into columns of numbers.
const decode = {
  bytes(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
    return out;
  },

  async inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  },

  // Integers of 7 bits a byte, the lowest first. Multiplies where bits would exceed 32.
  column(bytes, begin, {count, changes}) {
    const out = new Float64Array(count);
    let at = begin;
    let last = 0;
    for (let k = 0; k < count; k++) {
      let byte = bytes[at++];
      let value = byte & 127;
      for (let unit = 128; byte > 127; unit *= 128) {
        byte = bytes[at++];
        value += (byte & 127) * unit;
      }
      if (changes) value = last += value % 2 ? -(value + 1) / 2 : value / 2;
      out[k] = value;
    }
    return out;
  },

  // What happened to each job, by its index; jobs are separated by the character 30.
  async told(text) {
    const jobs = new TextDecoder().decode(await decode.inflate(decode.bytes(text.trim()))).split('\x1e');
    return (job) => (jobs[job] || '').split('\n').filter(Boolean).map((line) => {
      const tab = line.indexOf('\t');
      return {time: Number(line.slice(0, tab)), text: line.slice(tab + 1)};
    });
  },

  async run(text) {
    const data = await decode.inflate(decode.bytes(text.trim()));
    const end = data.indexOf(10);
    const header = JSON.parse(new TextDecoder().decode(data.subarray(0, end)));
    const columns = {};
    let at = end + 1;
    for (const column of header.columns) {
      columns[column.name] = decode.column(data, at, column);
      at += column.bytes;
    }
    return {header, columns};
  },
};
