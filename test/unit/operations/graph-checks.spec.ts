/** The doctor's checks of jobs that run after others, on a registry in memory. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { encodeSuccessor } from '../../../lib/layout/x-node/graph-view.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { OPEN_ROUND_MS } from '../../../lib/operations/doctor/graph-checks.js';
import { type Finding } from '../../../lib/operations/doctor/finding.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { whenConnected } from '../../../lib/registry/session-state.js';
import { systemClock } from '../../../lib/time/clock.js';
import { aConfiguration } from '../../support/views.js';

let registry: EmbeddedRegistryCenter;
const here = jobInstanceOn('10.0.0.1', '1-a');

beforeEach(async () => {
  registry = new EmbeddedRegistryCenter();
  registry.connect();
  await whenConnected(registry.session, new AbortController().signal);
});

afterEach(async () => {
  await registry.close();
});

type Settings = Parameters<typeof aConfiguration>[0];

/** Stores a job, with a living instance that leads and owns its items unless said otherwise. */
async function store(jobName: string, settings: Settings = {}, { isLed = true } = {}): Promise<JobPaths> {
  const paths = new JobPaths(jobName);
  const cron = settings?.props?.['graph.after'] === undefined ? { cron: '0/5 * * * * ?' } : {};
  const configuration = aConfiguration({ jobName, shardingTotalCount: 2, ...cron, ...settings });
  await registry.put(paths.root, 'Job');
  await registry.put(paths.config, toYaml(configuration));
  if (!isLed) return paths;
  const { jobInstanceId: id } = here;
  await registry.put(paths.server('10.0.0.1'), 'ENABLED');
  await registry.create(paths.instance(id), instanceYaml(here), 'session');
  await registry.create(paths.live(id), '', 'session');
  await registry.create(paths.leader, id, 'session');
  for (let item = 0; item < configuration.shardingTotalCount; item++)
    await registry.put(paths.item(item, 'instance'), id);
  return paths;
}

const doctor = (): DoctorAPI => new DoctorAPI(registry, { clock: systemClock });

/** The findings about the job's place in its graph. */
async function findingsIn(jobName?: string): Promise<readonly Finding[]> {
  const { findings } = await doctor().examine({ settleMs: 0, ...(jobName !== undefined && { jobName }) });
  return findings.filter(({ type }) => /^graph-|^upstream-|successor$/.test(type));
}

const after = (names: string, more: Readonly<Record<string, string>> = {}): Settings => ({
  props: { 'graph.after': names, ...more },
});

test('jobs whose graph is in order have no findings', async () => {
  const a = await store('a');
  await store('b', after('a'));
  await registry.put(a.successor('b'), encodeSuccessor(undefined));

  expect(await findingsIn()).toEqual([]);
});

test('a cycle is found at each of its jobs, with the path', async () => {
  await store('a', after('b'));
  await store('b', after('a'));

  expect(await findingsIn()).toMatchObject([
    { type: 'graph-cycle', severity: 'critical', jobName: 'a', sentence: expect.stringContaining('a after b after a') },
    { type: 'graph-cycle', severity: 'critical', jobName: 'b', values: { path: 'b after a after b' } },
  ]);
});

test('an upstream job that does not exist is found, with the nearest name in the cure', async () => {
  await store('imports');
  await store('report', after('importz,imports'));

  expect(await findingsIn('report')).toMatchObject([
    {
      ...{ code: 'graph-unknown-upstream.meant', severity: 'warning', subject: 'importz' },
      cure: expect.stringContaining('npx elasticjob config set report after=imports,imports'),
    },
  ]);
});

test.each<[string, Settings, Settings, Partial<Finding>]>([
  [
    'unequal items',
    {},
    { ...after('a', { 'graph.afterItems': 'same' }), shardingTotalCount: 3 },
    { type: 'graph-unequal-items', values: { upstream: 'a', own: 3, theirs: 2 } },
  ],
  [
    'no records of ends',
    { monitorExecution: false },
    after('a'),
    { type: 'graph-unrecorded', subject: 'a', command: "npx elasticjob config set a 'monitorExecution=true'" },
  ],
  ['a cron expression too', {}, { ...after('a'), cron: '0 0 2 * * ?' }, { type: 'graph-also-cron' }],
])('settings that keep the job from running are found: %s', async (_, upstream, job, finding) => {
  await store('a', upstream);
  await store('b', job);

  expect(await findingsIn()).toMatchObject([{ severity: 'critical', jobName: 'b', ...finding }]);
});

describe('an upstream job', () => {
  test('without an instance is found', async () => {
    await store('a', {}, { isLed: false });
    await store('b', after('a'));

    expect(await findingsIn()).toMatchObject([
      { type: 'upstream-without-instance', severity: 'warning', jobName: 'b' },
    ]);
  });

  test('whose servers are disabled is found', async () => {
    const a = await store('a');
    await registry.put(a.server('10.0.0.1'), 'DISABLED');
    await store('b', after('a'));

    expect(await findingsIn()).toMatchObject([{ type: 'upstream-disabled', command: 'npx elasticjob enable a' }]);
  });

  test('without a schedule is found, unless it runs after others itself', async () => {
    await store('a', { cron: undefined } as unknown as Settings);
    await store('b', after('a'));
    await store('c', after('b'));

    expect(await findingsIn()).toMatchObject([{ type: 'upstream-unscheduled', severity: 'notice', jobName: 'b' }]);
  });

  test('with items on Java instances is found', async () => {
    const java = jobInstanceOn('10.0.0.3', '3');
    const a = await store('a');
    await registry.put(a.server('10.0.0.3'), 'ENABLED');
    await registry.create(a.instance(java.jobInstanceId), instanceYaml(java), 'session');
    await registry.put(a.item(1, 'instance'), java.jobInstanceId);
    await store('b', after('a'));

    expect(await findingsIn()).toMatchObject([
      { type: 'upstream-on-java', severity: 'critical', values: { upstream: 'a', count: 1 } },
    ]);
  });
});

describe('an upstream round that has begun', () => {
  async function roundOf({ ageMs, isRunning = false }: { readonly ageMs: number; readonly isRunning?: boolean }) {
    const a = await store('a');
    await store('b', after('a'));
    await registry.put(a.successor('b'), encodeSuccessor(undefined));
    const instant = Math.floor((Date.now() - ageMs) / 1000) * 1000;
    await registry.put(a.endRecord(here.jobInstanceId), `${instant}: 0`);
    if (isRunning) await registry.create(a.item(1, 'running'), here.jobInstanceId, 'session');
    return instant;
  }

  test('long ago, and whose last items nobody runs, is found', async () => {
    const instant = await roundOf({ ageMs: OPEN_ROUND_MS + 60_000 });

    expect(await findingsIn()).toMatchObject([
      {
        ...{ type: 'upstream-round-open', jobName: 'b', subject: 'a' },
        values: { items: '1', instant: { instant } },
        command: `npx elasticjob explain a --at ${new Date(instant).toISOString()}`,
      },
    ]);
  });

  test.each([
    ['lately', { ageMs: OPEN_ROUND_MS - 60_000 }],
    ['long ago, and whose last items run,', { ageMs: 2 * OPEN_ROUND_MS, isRunning: true }],
  ])('%s is in order', async (_, round) => {
    await roundOf(round);

    expect(await findingsIn()).toEqual([]);
  });
});

describe('a successor on record', () => {
  test('that runs after the job no more is found and removed', async () => {
    const a = await store('a');
    await store('b');
    await registry.put(a.successor('b'), encodeSuccessor(1));
    await registry.put(a.successor('gone'), encodeSuccessor(2));

    const findings = await findingsIn();
    expect(findings).toMatchObject([
      { type: 'stale-successor', jobName: 'a', subject: 'b', severity: 'notice' },
      { type: 'stale-successor', jobName: 'a', subject: 'gone' },
    ]);
    for (const finding of findings) expect(await doctor().fix(finding)).toBe(true);
    expect(await registry.children(a.successors)).toEqual([]);
    expect(await findingsIn()).toEqual([]);
  });

  test('whose settings cannot be read stays', async () => {
    const a = await store('a');
    const b = await store('b');
    await registry.put(b.config, 'jobName: [');
    await registry.put(a.successor('b'), encodeSuccessor(1));

    expect(await findingsIn()).toEqual([]);
  });
});
