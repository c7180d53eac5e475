/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
/**
 * Odd nodes of operators and backups in a registry centre are noticed, named by their full path, and repaired if that
 * is certain.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { type JobHealth } from '../../lib/kernel/life/job-health.js';
import { instanceYaml } from '../../lib/layout/job-instance.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { DoctorAPI } from '../../lib/operations/doctor-api.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { until } from '../support/until.js';
import { aConfiguration, idOf, ipOf } from '../support/views.js';
import { connected, connecting, newNamespace, type RegistryKind } from './registry-kind.js';

const paths = new JobPaths('bill');
const X = { jobInstanceId: idOf('X'), serverIp: ipOf('X') };

/** What an operator may remove, its path, and the words of the health report before the full path. */
type Removal = readonly [what: string, path: string, words: string];

/** A job with all that is below it. */
export const JOB: Removal = ['the whole job', paths.root, 'there is no node'];
/** On ZooKeeper: others have no node of the namespace that can be removed. */
export const NAMESPACE: Removal = ['the whole namespace', '/', 'the whole namespace'];

/** The health of a job, and its reasons. */
export function health(kind: RegistryKind, removals: readonly Removal[] = [JOB]): void {
  const server = kind.shared();
  let namespace: string;
  let operator: RegistryCenter;
  let host: JobHost;
  let log: string[];
  let runs: number;

  beforeEach(async () => {
    namespace = newNamespace();
    [log, runs] = [[], 0];
    operator = await connected(server.regCenter({ namespace }));
  });

  afterEach(async () => {
    await host.stop();
    await Promise.all([host.registryCenter.close(), operator.close()]);
  });

  async function start(): Promise<void> {
    const registryCenter = connecting(server.regCenter({ namespace }));
    const note = (level: string) => (line: string) => void log.push(`${level} ${line}`);
    const logger = { debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') };
    host = new JobHost({ registryCenter, logger });
    const configuration = aConfiguration({ cron: '* * * * * ?', shardingTotalCount: 1 });
    const job = { execute: (): void => void runs++ };
    await new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'BillJob' }).schedule();
  }

  const healthOfJob = (): JobHealth => host.jobs.get('bill')!.health;

  test('a persistent leader keeps the job from running until the doctor mends it, as the health report says', async () => {
    await operator.put(paths.leader, 'garbage');
    await operator.put(paths.instance(X.jobInstanceId), instanceYaml(X));
    await operator.put(paths.live(X.jobInstanceId), '');
    await start();
    await until(() => healthOfJob().state === 'blocked');
    expect(healthOfJob()).toMatchObject({
      reason: expect.stringContaining('Run npx elasticjob doctor bill --fix') as unknown,
    });

    const doctor = new DoctorAPI(operator);
    const { findings } = await doctor.examine({ settleMs: 0 });
    for (const finding of findings.filter(({ fix }) => fix !== undefined)) await doctor.fix(finding);
    await until(() => runs > 0, 'the job to run');

    expect(healthOfJob()).toEqual({ state: 'active' });
    expect(await operator.children(paths.instances)).not.toContain(X.jobInstanceId);
  });

  test('settings that cannot be read are one error for all firings, and the job goes on when they are mended', async () => {
    await start();
    await until(() => runs > 0);
    const stored = (await operator.get(paths.config)) ?? '';
    await operator.put(paths.config, ': : {[ not yaml');
    await until(() => healthOfJob().state === 'blocked');
    const before = runs;
    await until(() => log.filter((line) => line.includes('a firing is left out')).length >= 3);

    expect(runs).toBe(before);
    const errors = log.filter((line) => line.startsWith('error'));
    expect(errors).toEqual([expect.stringContaining(`settings cannot be used: ${operator.fullPath(paths.config)}: `)]);

    await operator.put(paths.config, stored);
    await until(() => runs > before);
    expect(healthOfJob()).toEqual({ state: 'active' });
  });

  test.each(removals)(
    '%s that is removed is named, and is not an operator who has ended the instance',
    async (_, path, words) => {
      await start();
      await until(() => runs > 0);

      await operator.remove(path);
      await until(() => healthOfJob().state === 'removed');

      expect(healthOfJob()).toMatchObject({
        reason: expect.stringContaining(`${words} ${operator.fullPath(path)}`) as unknown,
      });
      expect(log.join('\n')).not.toContain('an operator has ended');
    },
  );
}
