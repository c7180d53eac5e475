/**
 * Nodes of a job that are unreadable, gone, or restored from a copy are noticed, named, and repaired if that is
 * certain.
 */
import { describe, expect, test } from '@jest/globals';
import { type JobHealth } from '../../../lib/kernel/life/job-health.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { type JobInstance } from '../../../lib/api/extensions/sharding-strategy.js';
import { instanceYaml } from '../../../lib/layout/job-instance.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { aConfiguration, idOf, ipOf } from '../../support/views.js';

const health = (cluster: TestCluster, name = 'A'): JobHealth => cluster.member(name).host.jobs.get('job')!.health;
const linesOf = (cluster: TestCluster, text: string, name = 'A'): readonly string[] =>
  cluster.member(name).log.filter((line) => line.includes(text));

describe('settings that cannot be read', () => {
  test('are one error line, and one more each hour, whatever fires in between', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.put(cluster.paths.config, ': : {[ not yaml');
    await cluster.settle();

    await cluster.advance('59m');
    expect(linesOf(cluster, 'its settings cannot be used: /elasticjob/job/config: ')).toHaveLength(1);
    expect(linesOf(cluster, 'is mended')).toHaveLength(1);

    await cluster.advance('2m');
    expect(linesOf(cluster, 'its settings cannot be used: /elasticjob/job/config: ')).toHaveLength(2);
    expect(cluster.runs).toEqual([]);
  });

  test('block the job until they are mended, which is logged once', async () => {
    await using cluster = await TestCluster.start(['A']);
    const stored = cluster.tree.get(cluster.paths.config) ?? '';
    await cluster.operator.put(cluster.paths.config, '- a list');
    await cluster.settle();
    expect(health(cluster)).toEqual({
      state: 'blocked',
      reason: expect.stringContaining('/elasticjob/job/config: the document is not a mapping') as unknown,
    });

    await cluster.operator.put(cluster.paths.config, stored);
    await cluster.fire();

    expect(health(cluster)).toEqual({ state: 'active' });
    expect(linesOf(cluster, 'its settings can be used again')).toHaveLength(1);
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });

  test('are named with namespace and cure by an instance that cannot start with them', async () => {
    await using cluster = await TestCluster.start([]);
    await cluster.operator.put(cluster.paths.config, '');

    const { started } = await cluster.join('A');

    await expect(started).rejects.toThrow(
      'its settings cannot be used: /elasticjob/job/config: the document is empty. Nothing of this job runs until ' +
        '/elasticjob/job/config is mended: write valid settings there, or delete that node and restart an instance',
    );
    expect(health(cluster)).toMatchObject({ state: 'failed' });
  });

  test('that were deleted block the job until an instance that starts stores its own', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.remove(cluster.paths.config);
    await cluster.fire();
    expect(health(cluster)).toMatchObject({ state: 'blocked' });
    expect(linesOf(cluster, 'its settings are gone: there is no node /elasticjob/job/config')).toHaveLength(1);

    await cluster.join('B');
    await cluster.fire();

    expect(health(cluster)).toEqual({ state: 'active' });
    expect(cluster.ran).toEqual({ A: [1], B: [0] });
  });

  test('that are gone when an instance comes back are stored again, with a warning of that instance', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await cluster.operator.remove(cluster.paths.config);

    await cluster.expire('A');

    expect(linesOf(cluster, 'the registry centre came back without /elasticjob/job/config')).toHaveLength(1);
    expect(linesOf(cluster, 'came back without', 'B')).toEqual([]);
  });
});

describe('a schedule that an operator has spoilt', () => {
  test('is logged once with the former one, by which the job goes on', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.put(cluster.paths.config, toYaml({ ...cluster.view.config!, cron: 'banana' }));
    await cluster.advance('10s');

    expect(cluster.runs).toHaveLength(4);
    const line =
      "the former cron '0/5 * * * * ?' stays in force, but not on an instance that starts meanwhile: Cron expression";
    expect(linesOf(cluster, line)).toHaveLength(1);
    expect(health(cluster)).toMatchObject({ state: 'impaired', reason: expect.stringContaining('banana') as unknown });
  });

  test('and mended is used at once', async () => {
    await using cluster = await TestCluster.start(['A']);
    const settings = cluster.view.config!;
    await cluster.operator.put(cluster.paths.config, toYaml({ ...settings, cron: 'banana' }));
    await cluster.settle();

    await cluster.operator.put(cluster.paths.config, toYaml({ ...settings, cron: '0/2 * * * * ?' }));
    await cluster.advance('4s');

    expect(cluster.runs).toHaveLength(4);
    expect(health(cluster)).toEqual({ state: 'active' });
  });

  test('and removed blocks the job', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.put(cluster.paths.config, toYaml({ ...cluster.view.config!, cron: '' }));
    await cluster.settle();

    expect(health(cluster)).toMatchObject({ state: 'blocked' });
    expect(
      linesOf(cluster, "the cron '0/5 * * * * ?' of this instance has no effect, as stored settings win"),
    ).toHaveLength(1);
  });
});

describe('nodes that a backup has restored as persistent ones', () => {
  const paths = new JobPaths('job');
  const X = { jobInstanceId: idOf('X'), serverIp: ipOf('X') };
  /** A job that ran on X when the backup was made; X leads, owns item 1, and runs it. */
  const RESTORED: Readonly<Record<string, string>> = {
    [paths.root]: 'TestJob',
    [paths.config]: toYaml(aConfiguration({ jobName: 'job', cron: '0/5 * * * * ?', timeZone: 'GMT', failover: true })),
    [paths.server(X.serverIp)]: 'ENABLED',
    [paths.instance(X.jobInstanceId)]: instanceYaml(X),
    [paths.live(X.jobInstanceId)]: '',
    [paths.beginRecord(X.jobInstanceId)]: '',
    [paths.leader]: X.jobInstanceId,
    [paths.item(0, 'instance')]: X.jobInstanceId,
    [paths.item(1, 'instance')]: X.jobInstanceId,
    [paths.item(1, 'running')]: X.jobInstanceId,
  };

  async function restored(nodes: Readonly<Record<string, string>>): Promise<TestCluster> {
    const cluster = await TestCluster.start([]);
    for (const [path, value] of Object.entries(nodes)) await cluster.operator.put(path, value);
    return cluster;
  }

  /** `npx elasticjob doctor --fix`; returns what it has mended. */
  async function mend(cluster: TestCluster): Promise<readonly string[]> {
    const doctor = new DoctorAPI(cluster.operator, { clock: cluster.clock });
    const examining = doctor.examine();
    await cluster.advance('2s');
    const fixable = (await examining).findings.filter(({ fix }) => fix !== undefined);
    for (const finding of fixable) await doctor.fix(finding);
    await cluster.settle();
    return fixable.map(({ type }) => type);
  }

  test.each([['garbage'], [X.jobInstanceId]])(
    'such as a leader %p block the job, are named, and are removed by the doctor',
    async (leader) => {
      await using cluster = await restored({ [paths.leader]: leader });
      await cluster.join('A');
      expect(health(cluster)).toMatchObject({
        state: 'blocked',
        reason: expect.stringMatching(`names '${leader}'.*doctor job --fix`) as unknown,
      });

      expect(await mend(cluster)).toEqual(['dead-leader']);

      expect(cluster.leader).toBe('A');
      cluster.forget();
      await cluster.fire();
      expect(health(cluster)).toEqual({ state: 'active' });
      expect(cluster.ran).toEqual({ A: [0, 1] });
    },
  );

  test('of a whole job that was running are removed by the doctor, and its items are taken over', async () => {
    await using cluster = await restored(RESTORED);
    await cluster.join('A');
    await cluster.join('B');

    expect(new Set(await mend(cluster))).toEqual(new Set(['persistent-node', 'dead-leader']));
    await cluster.advance('1s');
    cluster.forget();
    await cluster.fire();

    const nodes = [...cluster.tree.keys()].filter((path) => path.includes(X.jobInstanceId));
    expect(nodes).toEqual([]);
    expect(Object.keys(cluster.owners).sort()).toEqual(['A', 'B']);
    expect(Object.values(cluster.ran).flat().sort()).toEqual([0, 1]);
  });

  test('of a sign of life alone are removed by the doctor, so that the run of that instance is taken over', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { failover: true } });
    await cluster.operator.put(paths.live(X.jobInstanceId), '');
    await cluster.operator.put(paths.beginRecord(X.jobInstanceId), '');
    await cluster.operator.put(paths.item(1, 'running'), X.jobInstanceId);
    await cluster.advance('4s');
    expect(cluster.runs).toEqual([]);

    expect(await mend(cluster)).toEqual(['persistent-node']);

    expect(cluster.tree.has(paths.live(X.jobInstanceId))).toBe(false);
    expect(cluster.ran['A']).toContain(1);
  });

  test('of an instance that lives are made with its session again, by itself and at once', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const path = paths.instance(idOf('B'));
    const text = cluster.tree.get(path) ?? '';
    await cluster.operator.commit([{ type: 'replace', path, value: text }]);
    await cluster.settle();

    expect(cluster.view.instances.get(idOf('B'))?.session).toBeDefined();
    await cluster.advance('20s');
    expect(health(cluster, 'B')).toEqual({ state: 'active' });
  });

  test('are left alone as long as a session keeps them', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.remove(paths.leader);
    // Before A can be elected again, as a Java process that an operator has ended and that goes on.
    await cluster.operator.create(paths.leader, 'other', 'session');
    await cluster.settle();
    if (cluster.tree.get(paths.leader) !== 'other') {
      await cluster.operator.commit([{ type: 'replace', path: paths.leader, value: 'other', lifetime: 'session' }]);
    }

    await cluster.advance('60s');

    expect(cluster.tree.get(paths.leader)).toBe('other');
    expect(health(cluster)).toMatchObject({
      state: 'blocked',
      reason: expect.stringContaining('keeps the node') as unknown,
    });
    expect(linesOf(cluster, "names 'other', which is not a living instance")).toHaveLength(1);
  });
});

describe('a server whose status is neither ENABLED nor DISABLED', () => {
  test('blocks the job there and is logged, while one that is disabled is not ours to log', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'WHAT');
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'DISABLED');
    await cluster.settle();

    expect(health(cluster, 'A')).toMatchObject({ state: 'blocked' });
    expect(linesOf(cluster, 'neither ENABLED nor DISABLED', 'A')).toHaveLength(1);
    expect(linesOf(cluster, 'WHAT', 'A')).toEqual([]);
    expect(health(cluster, 'B')).toMatchObject({ state: 'disabled' });
    expect(linesOf(cluster, 'its server is disabled', 'B')).toEqual([]);
  });
});

test('settings with the name of another job and nodes beside the items are logged once, and hurt nothing', async () => {
  await using cluster = await TestCluster.start(['A']);
  await cluster.operator.put(cluster.paths.config, toYaml({ ...cluster.view.config!, jobName: 'other' }));
  await cluster.operator.put(`${cluster.paths.sharding}/abc`, '');
  await cluster.settle();

  await cluster.fire();
  cluster.cut('A');
  await cluster.heal('A');
  await cluster.advance('20m');

  expect(linesOf(cluster, "/elasticjob/job/config has the settings of a job 'other'")).toHaveLength(1);
  expect(linesOf(cluster, '/elasticjob/job/sharding/abc is no item')).toHaveLength(1);
  expect(health(cluster)).toEqual({ state: 'active' });
  expect(new Set(cluster.runs.map(({ item }) => item))).toEqual(new Set([0, 1]));
});

describe('an assignment that the registry centre does not take', () => {
  test('blocks the job on all instances after half a minute, with one error line for all tries and an hourly one', async () => {
    // A part of an assignment takes five operations, everything else up to four.
    const errors: string[] = [];
    const nothing = (): void => undefined;
    const error = (line: string): void => void errors.push(line);
    const logger = { debug: nothing, log: nothing, warn: nothing, error };
    await using cluster = await TestCluster.start(['A', 'B'], {
      limits: { operations: 4 },
      host: (name) => (name === 'A' ? { logger } : {}),
    });
    expect(health(cluster)).toEqual({ state: 'active' });

    await cluster.advance('30m');

    expect(health(cluster, 'A')).toMatchObject({
      state: 'blocked',
      reason: expect.stringMatching(
        /^this instance leads, and could not assign the items: .*do not fit into one commit/,
      ) as unknown,
    });
    expect(health(cluster, 'B')).toMatchObject({
      state: 'blocked',
      reason: expect.stringContaining(`wait for the leader ${idOf('A')}`) as unknown,
    });
    const expected = [
      /reshard failed, and is tried again: .*commit/,
      /this instance leads, and could not assign the items/,
      /the run \(firing of .*\) failed: DeadlineExceededError: Waited 30000 ms in vain for the items/,
    ];
    expect(errors).toEqual(expected.map((line) => expect.stringMatching(line) as unknown));
    await cluster.advance('31m');
    expect(errors).toHaveLength(5);
  });
});

test('firings that wait in vain go to the error handler once, until one has begun', async () => {
  let isBroken = true;
  const strategy = {
    type: 'MINE',
    sharding: ([first]: readonly JobInstance[]) => {
      if (isBroken) throw new Error('broken');
      return new Map([[first!.jobInstanceId, [0, 1]]]);
    },
  };
  await using cluster = await TestCluster.start(['A'], {
    job: { jobShardingStrategyType: 'MINE' },
    host: { strategies: [strategy] },
  });
  await cluster.advance('5m');
  expect(linesOf(cluster, 'failed: DeadlineExceededError')).toHaveLength(1);

  isBroken = false;
  await cluster.advance('30s');
  expect(cluster.runs.length).toBeGreaterThan(0);
  isBroken = true;
  await cluster.join('B');
  await cluster.advance('5m');

  expect(linesOf(cluster, 'failed: DeadlineExceededError')).toHaveLength(2);
});

describe('nodes that are gone', () => {
  test('with the whole job are reported as such, not as an operator who ended the instance', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);

    await cluster.operator.remove(cluster.paths.root);
    await cluster.settle();

    for (const name of ['A', 'B']) {
      expect(health(cluster, name)).toEqual({
        state: 'removed',
        reason: expect.stringContaining(
          'the whole job was removed from the registry centre: there is no node /elasticjob/job.',
        ) as unknown,
      });
      expect(linesOf(cluster, 'an operator has ended the job on', name)).toEqual([]);
      expect(linesOf(cluster, 'until this application is started again, which stores it again', name)).toHaveLength(1);
    }
    expect(cluster.tree.size).toBe(0);
  });

  test.each(['instances', 'config'] as const)('with all %s are named', async (folder) => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.operator.remove(cluster.paths[folder]);
    await cluster.settle();

    expect(health(cluster)).toEqual({
      state: 'removed',
      reason: expect.stringContaining(`there is no node /elasticjob${cluster.paths[folder]}.`) as unknown,
    });
  });

  test('of this instance alone are an operator who has ended it, who learns how it takes part again', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);

    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();

    const reason =
      `/elasticjob/job/instances/${idOf('A')} was removed from the registry centre: an operator has ended the job on this instance, ` +
      `or is removing the whole job node by node. Its peers, if there are any, take over its items. It takes part again when this ` +
      `application is started again.`;
    expect(health(cluster)).toEqual({ state: 'ended', reason });
    expect(linesOf(cluster, reason)).toHaveLength(1);
  });
});
