/**
 * Odd nodes of operators and backups in a ZooKeeper are noticed, named with the namespace, and repaired if that is
 * certain.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { type JobHealth } from '../../../lib/kernel/life/job-health.js';
import { instanceYaml } from '../../../lib/layout/job-instance.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration, idOf, ipOf } from '../../support/views.js';

const zookeeper = sharedZooKeeper();
const paths = new JobPaths('bill');
const X = { jobInstanceId: idOf('X'), serverIp: ipOf('X') };

let namespace: string;
let operator: ZookeeperRegistryCenter;
let host: JobHost;
let log: string[];
let runs: number;

beforeEach(() => {
  namespace = zookeeper.namespace();
  [log, runs] = [[], 0];
  operator = new ZookeeperRegistryCenter({ serverLists: zookeeper.servers, namespace });
  operator.connect();
});

afterEach(async () => {
  await host.stop();
  await Promise.all([host.registryCenter.close(), operator.close()]);
});

async function start(): Promise<void> {
  const registryCenter = new ZookeeperRegistryCenter({ serverLists: zookeeper.servers, namespace });
  const note = (level: string) => (line: string) => void log.push(`${level} ${line}`);
  const logger = { debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') };
  host = new JobHost({ registryCenter, logger });
  registryCenter.connect();
  const configuration = aConfiguration({ cron: '* * * * * ?', shardingTotalCount: 1 });
  const job = { execute: (): void => void runs++ };
  await new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'BillJob' }).schedule();
}

const health = (): JobHealth => host.jobs.get('bill')!.health;

test('a persistent leader keeps the job from running until the doctor mends it, as the health report says', async () => {
  await operator.put(paths.leader, 'garbage');
  await operator.put(paths.instance(X.jobInstanceId), instanceYaml(X));
  await operator.put(paths.live(X.jobInstanceId), '');
  await start();
  await until(() => health().state === 'blocked');
  expect(health()).toMatchObject({
    reason: expect.stringContaining('Run npx elasticjob doctor bill --fix') as unknown,
  });

  const doctor = new DoctorAPI(operator);
  const { findings } = await doctor.examine({ settleMs: 0 });
  for (const finding of findings.filter(({ fix }) => fix !== undefined)) await doctor.fix(finding);
  await until(() => runs > 0, 'the job to run');

  expect(health()).toEqual({ state: 'active' });
  expect(await operator.children(paths.instances)).not.toContain(X.jobInstanceId);
});

test('settings that cannot be read are one error for all firings, and the job goes on when they are mended', async () => {
  await start();
  await until(() => runs > 0);
  const stored = (await operator.get(paths.config)) ?? '';
  await operator.put(paths.config, ': : {[ not yaml');
  await until(() => health().state === 'blocked');
  const before = runs;
  await until(() => log.filter((line) => line.includes('a firing is left out')).length >= 3);

  expect(runs).toBe(before);
  const errors = log.filter((line) => line.startsWith('error'));
  expect(errors).toEqual([expect.stringContaining(`settings cannot be used: /${namespace}/bill/config: `)]);

  await operator.put(paths.config, stored);
  await until(() => runs > before);
  expect(health()).toEqual({ state: 'active' });
});

test.each([
  ['the whole job', () => operator.remove(paths.root), () => `there is no node /${namespace}/bill`],
  ['the whole namespace', () => operator.remove('/'), () => `the whole namespace /${namespace} was removed`],
])('%s that is removed is named, and is not an operator who has ended the instance', async (_, remove, words) => {
  await start();
  await until(() => runs > 0);

  await remove();
  await until(() => health().state === 'removed');

  expect(health()).toMatchObject({ reason: expect.stringContaining(words()) as unknown });
  expect(log.join('\n')).not.toContain('an operator has ended');
});
