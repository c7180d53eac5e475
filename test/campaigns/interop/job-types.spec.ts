import { createServer } from 'node:http';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { overlaps } from './support/run-log.js';
import { type JobSettings } from './support/peer.js';

const zooKeeper = sharedZooKeeper();
const open = (job: Partial<JobSettings>): Promise<MixedCluster> =>
  MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { job });

/** Texts that would differ if both did not escape alike. */
const ODD = { jobParameter: `<a href='b'>"&=\\ \t`, shardingItemParameters: '0=a,2=c' };

/**
 * Waits until each item was run by its present owner, and returns the contexts of all runs as texts, apart by kind of
 * instance.
 */
async function contextsByKind(
  cluster: MixedCluster,
  contexts: () => readonly string[],
): Promise<{ readonly java: readonly string[]; readonly node: readonly string[] }> {
  await cluster.untilSharedBy('J1', 'N1');
  const by = (name: string) => contexts().filter((text) => text.includes(`READY@-@${cluster.peer(name).ip}@-@`));
  const items = (name: string): number => new Set(by(name).map((text) => /"shardingItem":\d/.exec(text)?.[0])).size;
  await until(() => items('J1') >= 2 && items('N1') >= 2, 'items to run on both', 30_000);
  return { java: by('J1'), node: by('N1') };
}

/** The text without what belongs to the item or the firing. */
const frame = (text: string): string =>
  text
    .replace(/"taskId":"[^"]*"/, '"taskId":""')
    .replace(/"shardingItem":\d(,"shardingParameter":"\w")?/, '"shardingItem":0');

test.each([
  ['J1', 'N1'],
  ['N1', 'J1'],
])('A script job that %s has stored is shared by %s, and both give the script the same text', async (first, second) => {
  const folder = mkdtempSync(join(tmpdir(), 'interop-script-'));
  const output = join(folder, 'contexts');
  writeFileSync(join(folder, 'note.sh'), `#!/bin/sh\nprintf '%s\\n' "$2" >> ${output}\n`);
  chmodSync(join(folder, 'note.sh'), 0o755);
  const props = { 'script.command.line': `${join(folder, 'note.sh')} first` };
  await using cluster = await open({ type: 'SCRIPT', props, ...ODD });

  await cluster.start(first);
  await cluster.start(second);
  const lines = (): readonly string[] => (existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : []);
  const { java, node } = await contextsByKind(cluster, lines);

  expect(await cluster.reader.value('/job')).toBe('SCRIPT');
  expect([...new Set(node.map(frame))]).toEqual([...new Set(java.map(frame))]);
  expect(JSON.parse(node[0] ?? '')).toMatchObject({ jobParameter: ODD.jobParameter });
  rmSync(folder, { recursive: true });
});

test('A time limit in the settings ends the items of a Node instance; a Java instance runs its own to their end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interop-limit-'));
  const output = join(folder, 'contexts');
  const program = [
    '#!/bin/sh',
    `printf 'begun %s\\n' "$1" >> ${output}`,
    'sleep 2',
    `printf 'ended %s\\n' "$1" >> ${output}`,
  ];
  writeFileSync(join(folder, 'slow.sh'), `${program.join('\n')}\n`);
  chmodSync(join(folder, 'slow.sh'), 0o755);
  const props = { 'script.command.line': join(folder, 'slow.sh'), 'run.timeoutMilliseconds': '1000' };
  await using cluster = await open({ type: 'SCRIPT', props });

  await cluster.start('J1');
  await cluster.start('N1');
  const lines = (): readonly string[] => (existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : []);
  await contextsByKind(cluster, lines);
  const since = lines().length;
  const by = (name: string, what: string) =>
    lines().filter((line) => line.startsWith(what) && line.includes(`READY@-@${cluster.peer(name).ip}@-@`));
  const begunHere = by('N1', 'begun').length;
  await until(
    () => by('N1', 'begun').length >= begunHere + 4 && lines().length > since + 8,
    'two more firings',
    30_000,
  );

  expect(by('N1', 'ended')).toEqual([]);
  expect(by('J1', 'ended').length).toBeGreaterThan(0);
  rmSync(folder, { recursive: true });
});

test('An HTTP job is shared, and both send the same header', async () => {
  const headers: string[] = [];
  const requests = new Set<string>();
  const server = createServer(({ method, url, headers: { shardingcontext, ...others } }, response) => {
    headers.push(String(shardingcontext));
    requests.add(`${method} ${url} ${others['content-type']} ${others['content-length']}`);
    response.writeHead(500).end('sorry');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const props = { 'http.uri': `http://127.0.0.1:${port}/sync?a=b`, 'http.method': 'POST', 'http.data': 'source=ejob' };
  await using cluster = await open({ type: 'HTTP', props, ...ODD });

  await cluster.start('J1');
  await cluster.start('N1');
  const { java, node } = await contextsByKind(cluster, () => headers);
  server.close();

  expect(await cluster.reader.value('/job')).toBe('HTTP');
  expect([...new Set(node.map(frame))]).toEqual([...new Set(java.map(frame))]);
  expect([...requests]).toEqual(['POST /sync?a=b application/x-www-form-urlencoded 11']);
});

test.each([
  ['J1', 'N1'],
  ['N1', 'J1'],
])('The streams of %s make way for %s, go on there, and come back when it is killed', async (first, second) => {
  await using cluster = await open({ type: 'DATAFLOW', props: { 'streaming.process': 'true' } });
  const streamsOf = (name: string, since: number): number =>
    new Set(cluster.runs(since).flatMap(({ by, item }) => (by === name ? [item] : []))).size;
  const a = await cluster.start(first);
  await a.block();
  await until(() => streamsOf(first, 0) === 4, 'all streams on the first instance', 30_000);

  const b = await cluster.start(second, { job: false });
  await b.in(cluster.job.jobName).block();
  await b.begin(cluster.job);
  await cluster.untilSharedBy(first, second);
  const shared = Date.now();
  await until(() => streamsOf(first, shared) === 2 && streamsOf(second, shared) === 2, 'two streams on each', 30_000);

  await b.kill();
  await cluster.untilSharedBy(first);
  const alone = Date.now();
  await until(() => streamsOf(first, alone) === 4, 'all streams on the first instance again', 30_000);

  expect(overlaps(cluster.runs())).toEqual([]);
});
