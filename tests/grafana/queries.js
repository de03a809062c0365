// SPDX-License-Identifier: GPL-2.0-or-later
// Reads each query of the dashboard with Prometheus' own grammar.
// Usage: node queries.js DASHBOARD.json. Exit: 1 if one of them is wrong, or there are none.
import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';

// Grafana fills its variables in before it asks: a duration, or a regular expression inside of quotes.
const filled = (query) => query.replaceAll('$__rate_interval', '5m').replace(/\$\{?\w+\}?/g, '.*');

function firstError(query) {
  let found = -1;
  parser.parse(query).iterate({
    enter(node) {
      if (node.type.isError && found < 0) found = node.from;
    },
  });
  return found;
}

const dashboard = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const queries = dashboard.panels.flatMap((panel) => panel.targets.map((target) => [panel.title, target.expr]));
let wrong = 0;
for (const [title, query] of queries) {
  const at = firstError(filled(query));
  if (at < 0) continue;
  console.log(`panel '${title}': Prometheus does not understand, from '${filled(query).slice(at)}' on: ${query}`);
  wrong += 1;
}
console.log(`${queries.length} queries, ${wrong} wrong`);
process.exitCode = queries.length > 0 && wrong === 0 ? 0 : 1;
