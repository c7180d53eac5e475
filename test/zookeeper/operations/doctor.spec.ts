/** Examining a namespace in which much has gone wrong, and mending it, on both registry centres. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type OperationRecord } from '../../../lib/api/events/operation-record.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';

const zooKeeper = sharedZooKeeper();
const here = jobInstanceOn('10.0.0.1', '1-a');
const java = jobInstanceOn('10.0.0.3', '3');
const gone = jobInstanceOn('10.0.0.2', '2-b');

/** Nodes of a job in which all is well; `~` in front of a path: it lives with the session. */
const well = (jobName: string, settings = {}): Readonly<Record<string, string>> => ({
  '': 'BillJob',
  '/config': toYaml(aConfiguration({ jobName, shardingTotalCount: 2, cron: '0/5 * * * * ?', ...settings })),
  '/servers/10.0.0.1': 'ENABLED',
  [`~/instances/${here.jobInstanceId}`]: instanceYaml(here),
  [`~/x-node/live/${here.jobInstanceId}`]: '',
  [`/x-node/fired/${here.jobInstanceId}`]: '',
  '~/leader/election/instance': here.jobInstanceId,
  '/sharding/0/instance': here.jobInstanceId,
  '/sharding/1/instance': here.jobInstanceId,
});

const JOBS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  well: {
    ...well('well'),
    '/sharding/1/misfire': '',
    [`/x-node/fired/${gone.jobInstanceId}`]: `${Date.parse('2190-01-01T00:00:00Z')}: 0`,
  },
  bare: { '': '', '/servers/10.0.0.1': 'ENABLED' },
  resting: { '': '', '/config': toYaml(aConfiguration({ jobName: 'resting' })), '/servers/10.0.0.1': 'ENABLED' },
  // The session of another process keeps the node.
  usurped: { ...well('usurped'), '~/leader/election/instance': gone.jobInstanceId },
  unreadable: { ...well('unreadable'), '/config': 'jobName: [' },
  disabled: { ...well('disabled'), '/servers/10.0.0.1': 'DISABLED' },
  restored: {
    ...without(well('restored'), '~/leader/election/instance'),
    '/leader/election/instance': gone.jobInstanceId,
    [`/instances/${gone.jobInstanceId}`]: instanceYaml(gone),
  },
  // A living process, whose node a copy has overwritten, mends it itself.
  overwritten: {
    ...without(well('overwritten'), `~/instances/${here.jobInstanceId}`),
    [`/instances/${here.jobInstanceId}`]: instanceYaml(here),
  },
  waiting: { ...well('waiting'), '/leader/sharding/necessary': '' },
  orphaned: { ...well('orphaned'), '/sharding/1/instance': gone.jobInstanceId },
  unowned: without(well('unowned'), '/sharding/1/instance'),
  frozen: { ...well('frozen', { staticSharding: true }), '/sharding/1/instance': gone.jobInstanceId },
  stale: {
    ...well('stale', { misfire: false }),
    '/sharding/0/running': gone.jobInstanceId,
    '/sharding/1/failovering': gone.jobInstanceId,
    '/sharding/1/misfire': '',
    '/leader/failover/items/1': '',
    [`/trigger/${gone.jobInstanceId}`]: '',
    '/servers/10.0.0.2': 'ENABLED',
    '/servers/10.0.0.4': 'DISABLED',
    '/servers/10.0.0.5': 'Enabled',
    '/sharding/x': '',
  },
  crashed: { ...well('crashed', { failover: true }), '/sharding/0/running': gone.jobInstanceId },
  mixed: {
    ...well('mixed'),
    '/servers/10.0.0.3': 'ENABLED',
    [`~/instances/${java.jobInstanceId}`]: instanceYaml(java),
    '~/instances/10.0.0.1@-@9': '',
  },
  fast: { ...well('fast'), [`/x-node/fired/${here.jobInstanceId}`]: `${Date.parse('2190-01-01T00:00:00Z')}: 0` },
};

function without(nodes: Readonly<Record<string, string>>, path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(nodes).filter(([each]) => each !== path));
}

async function store(registry: RegistryCenter): Promise<void> {
  for (const [jobName, nodes] of Object.entries(JOBS))
    for (const [path, value] of Object.entries(nodes))
      await registry.create(
        `/${jobName}${path.replace('~', '')}`,
        value,
        path.startsWith('~') ? 'session' : 'persistent',
      );
}

describe.each([
  ['the embedded registry', () => new EmbeddedRegistryCenter({ namespace: zooKeeper.namespace() })],
  [
    'ZooKeeper',
    () => new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace: zooKeeper.namespace() }),
  ],
])('On %s,', (_, open) => {
  let registry: RegistryCenter;
  let records: OperationRecord[];
  let doctor: DoctorAPI;

  beforeEach(async () => {
    registry = open();
    registry.connect();
    await until(() => registry.session.state.phase === 'connected');
    await store(registry);
    records = [];
    doctor = new DoctorAPI(registry, { listeners: [{ onOperation: (each) => void records.push(each) }] });
  });
  afterEach(() => registry.close());

  const found = async (jobName: string) =>
    (await doctor.examine({ jobName, settleMs: 0 })).findings.map(({ type, severity, subject }) =>
      [severity, type, subject].join(' ').trim(),
    );

  test('each job has the findings that it should have, the most severe ones first', async () => {
    const ids = { gone: gone.jobInstanceId, java: java.jobInstanceId, here: here.jobInstanceId };

    expect(
      Object.fromEntries(await Promise.all(Object.keys(JOBS).map(async (job) => [job, await found(job)]))),
    ).toEqual({
      well: [],
      bare: ['notice no-configuration'],
      resting: ['warning no-instance'],
      usurped: [`critical dead-leader ${ids.gone}`],
      unreadable: ['critical unreadable-configuration'],
      disabled: ['notice servers-disabled 10.0.0.1'],
      restored: [`critical persistent-node ${ids.gone}`, `warning dead-leader ${ids.gone}`],
      overwritten: [`critical persistent-node ${ids.here}`],
      waiting: ['warning unassigned'],
      orphaned: ['critical dead-owner item 1'],
      unowned: ['critical unowned-items item 1'],
      frozen: ['critical dead-owner item 1'],
      stale: [
        'warning stale-crash item 1',
        'warning stale-failover item 1',
        'warning stale-misfire item 1',
        'warning stale-running item 0',
        'warning stray-item x',
        'warning unknown-server-status 10.0.0.5',
        'notice offline-server 10.0.0.2',
        'notice offline-server 10.0.0.4',
        'notice offline-server 10.0.0.5',
        `notice stale-trigger ${ids.gone}`,
      ],
      crashed: ['warning stale-running item 0'],
      mixed: ['critical unreadable-instance 10.0.0.1@-@9', `notice mixed-versions ${ids.java}`],
      fast: [`warning clock-ahead ${ids.here}`],
    });
  });

  test('the namespace is examined as a whole, each finding with its consequence and its cure', async () => {
    const { findings, jobs, unknown } = await doctor.examine({ settleMs: 0 });

    expect(jobs).toBe(Object.keys(JOBS).length);
    expect(unknown).toEqual([]);
    expect(findings.find(({ type }) => type === 'dead-owner')).toMatchObject({
      ...{ type: 'dead-owner', severity: 'critical', jobName: 'frozen', subject: 'item 1' },
      sentence: `Item 1 has an owner that is gone: ${gone.jobInstanceId}.`,
      consequence: 'No instance runs it.',
      cure: `staticSharding keeps them so: set it to false in ${registry.fullPath('/frozen/config')} until they are assigned again.`,
      fix: undefined,
    });
    for (const { sentence, consequence, cure } of findings)
      for (const text of [sentence, consequence, cure]) expect(text).toMatch(/[.)]$/);
  });

  test('what can be mended safely is mended, is over then, and leaves a record', async () => {
    const { findings } = await doctor.examine({ settleMs: 0 });
    const fixable = findings.filter(({ fix }) => fix !== undefined);

    for (const finding of fixable) expect(await doctor.fix(finding, { by: 'anna', reason: 'tidying' })).toBe(true);

    expect(fixable.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'dead-owner',
        'unowned-items',
        'persistent-node',
        'dead-leader',
        'stale-running',
        'stale-trigger',
      ]),
    );
    expect(records.every(({ outcome }) => outcome === 'done')).toBe(true);
    expect(records.find(({ jobName }) => jobName === 'restored')).toMatchObject({
      ...{ operation: 'fix', operator: 'anna', reason: 'tidying', after: {} },
      before: { [`/restored/instances/${gone.jobInstanceId}`]: instanceYaml(gone) },
    });
    expect(await found('stale')).toEqual([
      'warning stray-item x',
      'warning unknown-server-status 10.0.0.5',
      'notice offline-server 10.0.0.4',
      'notice offline-server 10.0.0.5',
    ]);
    expect(await found('orphaned')).toEqual(['warning unassigned']);
    expect(await registry.get(new JobPaths('orphaned').resharding)).toBe('');
    expect(await registry.get(`/overwritten/instances/${here.jobInstanceId}`)).toBe(instanceYaml(here));
    // With failover, the mark is all that says which run is to be made again.
    expect(await registry.get(new JobPaths('crashed').item(0, 'running'))).toBe(gone.jobInstanceId);
    expect(await doctor.fix(fixable[0]!)).toBe(false);
  });

  test('what cannot be mended safely is refused', async () => {
    const { findings } = await doctor.examine({ jobName: 'unreadable', settleMs: 0 });

    await expect(doctor.fix(findings[0]!)).rejects.toThrow('follow the cure of the finding');
    expect(records).toMatchObject([{ operation: 'fix', outcome: 'failed' }]);
  });

  test('what is over at the second look is not reported, and a job that there is not is an error', async () => {
    const settleMs = 300;
    let lookAgain: (() => void) | undefined;
    const after: Clock['after'] = (delayMs, task) => {
      if (delayMs !== settleMs) return systemClock.after(delayMs, task);
      lookAgain = task;
      return () => undefined;
    };
    const halting = new DoctorAPI(registry, { clock: { ...systemClock, after } });

    const examination = halting.examine({ jobName: 'waiting', settleMs });
    await until(() => lookAgain !== undefined);
    await registry.remove('/waiting/leader/sharding/necessary');
    // Problems that appear only after the first reading may be passing states.
    await registry.create('/waiting/servers/10.0.0.9', 'ENABLED');
    lookAgain?.();

    expect((await examination).findings).toEqual([]);
    await expect(doctor.examine({ jobName: 'wating' })).rejects.toThrow("did you mean 'waiting'?");
  });

  test('a clock that differs from that of the registry centre is reported', async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + 60_000 };
    const { findings } = await new DoctorAPI(registry, { clock }).examine({ jobName: 'well', settleMs: 0 });

    expect(findings).toMatchObject([
      { type: 'clock-difference', sentence: expect.stringMatching(/is (?:59\.\d|60\.0) s ahead of/) as unknown },
    ]);
  });
});
