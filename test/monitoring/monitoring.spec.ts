/** The dashboard and the alert rules name existing metrics. `.ci/run monitoring` tests the rules and the queries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { METRICS } from '../../lib/observability/metric-definitions.js';
import { root } from '../support/program.js';

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const known = new Set([
  ...Object.keys(METRICS),
  ...Object.entries(METRICS).flatMap(([name, { type }]) => (type === 'histogram' ? [`${name}_bucket`] : [])),
]);
const namesIn = (text: string): readonly string[] => [...new Set(text.match(/\belasticjob_\w+/g))];

test.each([
  ['monitoring/alerts.yml', 10],
  ['monitoring/grafana-dashboard.json', 15],
  ['docs/metrics.md', Object.keys(METRICS).length],
])('%s names only metrics that there are', (file, atLeast) => {
  const names = namesIn(textOf(file));

  expect(names.length).toBeGreaterThanOrEqual(atLeast);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

test('every label that the rules and the dashboard choose by is one of the metric', () => {
  const selectors = ['monitoring/alerts.yml', 'monitoring/grafana-dashboard.json'].flatMap((file) =>
    [...textOf(file).matchAll(/\b(elasticjob_\w+?)(?:_bucket)?\{(\w+)=/g)].map(([, name = '', label = '']) => [
      name,
      label,
    ]),
  );

  const labels: Readonly<Record<string, { readonly labels: readonly string[] }>> = METRICS;
  expect(selectors.length).toBeGreaterThan(10);
  expect(selectors.filter(([name = '', label = '']) => labels[name]?.labels.includes(label) !== true)).toEqual([]);
});

test('no panel of the dashboard lies on another, or has the number of another', () => {
  interface Panel {
    readonly id: number;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }
  const { panels } = JSON.parse(textOf('monitoring/grafana-dashboard.json')) as { readonly panels: readonly Panel[] };
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );

  expect(new Set(cells).size).toBe(cells.length);
  // Grafana's grid is so wide.
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test('the page lists every metric with its type and labels', () => {
  const rows = [...textOf('docs/metrics.md').matchAll(/^\| `(elasticjob_\w+)` +\| (\w+) +\| ([^|]*?) *\|/gm)];

  const listed = rows.map(([, name = '', type, labels = '']) => [name, { type, labels: labels.replaceAll('`', '') }]);
  const defined = Object.entries(METRICS).map(([name, { type, labels }]) => [
    name,
    { type, labels: labels.join(', ') },
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(defined));
});
