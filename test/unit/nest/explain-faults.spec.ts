import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration, jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { ExplanationAPI } from '../../../lib/operations/explanation-api.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { until } from '../../support/until.js';
import { elasticJob, started } from './application.js';

const SETTINGS = { shardingTotalCount: 1, cron: '0 0 0 1 1 ?' };

@ElasticJob('bill', SETTINGS)
class BillJob {
  execute(): void {}
}

const paths = new JobPaths('bill');
let namespaces = 0;

/** Health and explanation after an operator has stored settings. */
async function saidOf(stored: string) {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `explain-faults-${++namespaces}` });
  let size: number | Error = 4;
  const provider = {
    type: 'MOODY',
    getSize: () => {
      if (size instanceof Error) throw size;
      return size;
    },
  };
  await using app = await started({
    imports: [elasticJob({ registryCenter, threadPoolSizeProviders: [provider] })],
    providers: [BillJob],
  });
  const health = () => app.get(ElasticJobHealth).report.jobs['bill'];
  await until(() => health()?.state === 'active');
  size = new Error('moody');
  await registryCenter.put(paths.config, stored);
  await until(() => health()?.state !== 'active');
  const { reason, others } = await app.get(ExplanationAPI).explain('bill');
  // As the command line and the console have it: nothing of the application is known there.
  const elsewhere = await new ExplanationAPI(registryCenter).explain('bill');
  const reasons = [reason, ...others];
  const { state, reason: why } = health() as { state: string; reason: string };
  return { health: { state, reason: why }, reason, reasons, elsewhere: [elsewhere.reason, ...elsewhere.others] };
}

const BILL = jobConfiguration({ jobName: 'bill', ...SETTINGS });
const changed = (changes: Partial<JobConfiguration>): string => toYaml({ ...BILL, ...changes });
const withoutCron = toYaml(jobConfiguration({ jobName: 'bill', shardingTotalCount: 1 }));

describe('The health report and the explanation of a job say the same of', () => {
  test.each<[string, string, string]>([
    ['a thread pool that is unknown', changed({ jobExecutorThreadPoolSizeProviderType: 'NOPE' }), 'impaired'],
    ['a thread pool whose provider throws', changed({ jobExecutorThreadPoolSizeProviderType: 'MOODY' }), 'impaired'],
    ['a sharding strategy that is unknown', changed({ jobShardingStrategyType: 'NOPE' }), 'impaired'],
    ['an error handler that is unknown', changed({ jobErrorHandlerType: 'NOPE' }), 'impaired'],
    ['a listener that is unknown', changed({ jobListenerTypes: ['NOPE'] }), 'impaired'],
    ['properties that cannot be used', changed({ props: { 'run.maxRetries': 'often' } }), 'blocked'],
    ['a schedule that cannot be used', changed({ cron: 'banana' }), 'impaired'],
    ['a cron expression that is gone', withoutCron, 'blocked'],
    ['settings that are no YAML', 'nothing: [useful', 'blocked'],
    ['settings without items', changed({}).replace(/shardingTotalCount: 1/, 'shardingTotalCount: 0'), 'blocked'],
  ])('%s', async (_, stored, state) => {
    const { health, reasons, elsewhere } = await saidOf(stored);

    expect(health.state).toBe(state);
    const [fault = ''] = health.reason
      .replace(/^its settings cannot be used: /, '')
      .split(' Nothing of this job runs until');
    const said = expect.stringContaining(fault.replace(/\.$/, '')) as unknown;
    expect(reasons.map(({ sentence }) => sentence)).toContainEqual(said);
    expect(elsewhere.map(({ sentence }) => sentence)).toContainEqual(said);
  });

  test('what blocks the job, first', async () => {
    const { reason } = await saidOf(changed({ props: { 'run.maxRetries': 'often' } }));

    expect(reason.type).toBe('instance-fault');
    expect(reason.sentence).toMatch(/run\.maxRetries/);
  });
});
