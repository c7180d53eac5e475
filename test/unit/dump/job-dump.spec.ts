import { expect, test } from '@jest/globals';
import { jobDump } from '../../../lib/dump/job-dump.js';

const tree = (
  values: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, { readonly value: string | undefined }> =>
  new Map(Object.entries(values).map(([path, value]) => [path, { value }]));

const nodes = tree({
  '/bill': 'x',
  '/bill/sharding': '',
  '/bill/sharding/2': '',
  '/bill/sharding/10': '',
  '/bill/sharding/10/instance': '10.0.0.7@-@1',
  '/bill/servers': '',
  '/bill/servers/10.0.0.7': 'ENABLED',
  '/bill/config': 'cron: a\nprops:\n  email.password: hunter2\n',
});

test('a dump lists the nodes below the root, parents first and siblings in descending order, without addresses and secrets', () => {
  expect(jobDump({ root: '/bill', nodes, local: undefined })).toBe(
    [
      '/bill/sharding | ',
      '/bill/sharding/2 | ',
      '/bill/sharding/10 | ',
      '/bill/sharding/10/instance | ip1@-@1',
      '/bill/servers | ',
      '/bill/servers/ip1 | ENABLED',
      '/bill/config | cron: a\nprops:\n  email.password: ******\n',
      '',
    ].join('\n'),
  );
});

test('what this process sees otherwise stands beside it; what it has not read counts as the same', () => {
  const seen = new Map([
    ...nodes,
    ['/bill/servers/10.0.0.7', { value: 'DISABLED' }],
    ['/bill/sharding/10/instance', { value: undefined }],
  ]);
  seen.delete('/bill/sharding/2');

  const entries = jobDump({ root: '/bill', nodes, local: seen }).split('\n');

  expect(entries.filter((entry) => entry.split(' | ').length > 2)).toEqual([
    '/bill/sharding/2 |  |  | ',
    '/bill/servers/ip1 | ENABLED | /bill/servers/ip1 | DISABLED',
  ]);
});

test('a job that is not there is an empty line', () => {
  expect(jobDump({ root: '/bill', nodes: new Map(), local: undefined })).toBe('\n');
});
