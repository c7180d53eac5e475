import { expect } from '@jest/globals';
import { availableParallelism } from 'node:os';
import { type JobFailure } from '../../../lib/api/extensions/error-handler.js';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type TraceEvent } from '../../../lib/api/events/trace-events.js';
import * as library from '../../../lib/index.js';
import { Extensions } from '../../../lib/kernel/types/extensions.js';
import { fromYaml, toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import { RecordingLogger, refusalOf } from '../../unit/nest/application.js';
import { until } from '../../support/until.js';
import { metadataOf, running } from '../application.js';
import { type Check, type Checks, codeIn } from '../page.js';
import { annotationChecks, ofStarter } from './code.js';

@ElasticJob('syncOrders', { shardingTotalCount: 3 })
class FailingJob {
  runs = 0;
  execute(): void {
    this.runs++;
    throw new Error('out of paper');
  }
}

/** Runs the failing job's items once, and says what was logged. */
async function loggedBy(job: object, options: ElasticJobModuleOptions = {}): Promise<readonly string[]> {
  const jobs = { syncOrders: job };
  await using app = await running({ options: { ...options, jobs }, providers: [FailingJob] });
  await app.app.get(JobBootstraps).oneOff('syncOrders').execute();
  await until(() => app.app.get(FailingJob).runs === 3, 'all items to run');
  await app.app.get(JobBootstraps).remove('syncOrders');
  return app.logger.lines;
}

const types = (clock: Clock = systemClock): Extensions => new Extensions({}, { clock, logger: new RecordingLogger() });
const configuration = (settings: object): JobConfiguration => ({
  ...JobConfiguration.newBuilder('syncOrders', 3).build(),
  ...settings,
});

/** The strategy divides three items among two instances as Java's does. The time counts for one strategy only. */
const divides =
  (...shares: readonly (readonly number[])[]): Check =>
  (row) => {
    const clock = new ManualClock(1_767_225_600_000);
    const strategy = types(clock).strategy(
      configuration({ jobShardingStrategyType: codeIn(row, 'Here').toLowerCase() }),
    );
    const instances = ['10.0.0.2@-@1', '10.0.0.1@-@1'].map((id) => ({
      jobInstanceId: id,
      serverIp: id.slice(0, 8),
    }));

    expect(strategy.type).toBe(row.java);
    const divided = strategy.sharding(instances, 'syncOrders', 3);
    expect(instances.map(({ jobInstanceId }) => divided.get(jobInstanceId) ?? [])).toEqual(shares);
  };

const provides =
  (size: number): Check =>
  ({ java }) => {
    expect(types().threadPoolSize(configuration({ jobExecutorThreadPoolSizeProviderType: java }))).toBe(size);
  };

const logs =
  (lines: number): Check =>
  async ({ java }) => {
    const logged = await loggedBy({ jobErrorHandlerType: java });

    expect(logged.filter((line) => line.includes('out of paper'))).toHaveLength(lines);
  };

/** The handler demands these properties in Java's words, and with them the application boots. */
const demands =
  (props: Readonly<Record<string, string>>): Check =>
  async ({ java }) => {
    const refusal = (given: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const jobs = { syncOrders: { jobErrorHandlerType: java.toLowerCase(), props: given } };
      return refusalOf(metadataOf({ options: { jobs }, providers: [FailingJob] }));
    };

    expect(await refusal({})).toEqual(
      Object.keys(props).map(
        (key) => `elasticjob.jobs.syncOrders.props: error handler ${java}: The property \`${key}\` is required.`,
      ),
    );
    expect(await refusal(props)).toEqual(['it boots']);
  };

/** A configuration with Java's tracing, as 3.0.4 stores it. */
export const TRACING = `jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.tracing.yaml.YamlTracingConfiguration
  type: RDB
`;

/** Checks of types and extension points. */
export const typeChecks: Checks = {
  JobShardingStrategy: async () => {
    const strategies = [
      { type: 'MINE', sharding: ([one]: readonly library.JobInstance[]) => new Map([[one!.jobInstanceId, [0, 1, 2]]]) },
    ];

    expect(await loggedBy({ jobShardingStrategyType: 'mine' }, { strategies })).not.toContain('MINE');
  },
  AVG_ALLOCATION: divides([0, 2], [1]),
  ODEVITY: divides([1], [0, 2]),
  ROUND_ROBIN: divides([0, 2], [1]),
  SINGLE_SHARDING_BALANCE: divides([0, 2], [1]),
  'JobExecutorThreadPoolSizeProvider (JobExecutorServiceHandler until 3.0.4)': async () => {
    let asked = 0;
    const threadPoolSizeProviders = [{ type: 'MINE', getSize: () => ++asked }];

    await loggedBy({ jobExecutorThreadPoolSizeProviderType: 'mine' }, { threadPoolSizeProviders });

    expect(asked).toBeGreaterThan(0);
  },
  CPU: provides(2 * availableParallelism()),
  SINGLE_THREAD: provides(1),
  JobErrorHandler: async () => {
    const handled: string[] = [];
    const handleException = ({ configuration, cause }: JobFailure): void =>
      void handled.push(`${configuration.jobName}: ${String(cause)}`);

    await loggedBy({ jobErrorHandlerType: 'pager' }, { errorHandlers: [{ type: 'PAGER', handleException }] });

    expect(handled).toEqual(Array(3).fill('syncOrders: Error: out of paper'));
  },
  JobErrorHandlerPropertiesValidator: async () => {
    const handler: library.JobErrorHandler = {
      type: 'PAGER',
      handleException: () => undefined,
      validate: ({ props }) =>
        ['number', 'team'].filter((name) => !(name in props)).map((name) => `${name} is missing`),
    };
    const jobs = { syncOrders: { jobErrorHandlerType: 'pager', props: { number: '112' } } };

    expect(
      await refusalOf(metadataOf({ options: { jobs, errorHandlers: [handler] }, providers: [FailingJob] })),
    ).toEqual(['elasticjob.jobs.syncOrders.props: error handler PAGER: team is missing']);
  },
  LOG: logs(3),
  THROW: logs(3),
  IGNORE: logs(0),
  EMAIL: demands({
    'email.host': '127.0.0.1',
    'email.port': '25',
    'email.username': 'jobs',
    'email.password': '',
    'email.from': 'jobs@example.com',
    'email.to': 'one@example.com',
  }),
  WECHAT: demands({ 'wechat.webhook': 'http://127.0.0.1:1' }),
  DINGTALK: demands({ 'dingtalk.webhook': 'http://127.0.0.1:1' }),
  JobClassNameProvider: async () => {
    const jobs = { syncOrders: { jobClassName: 'org.acme.Orders' } };
    await using app = await running({ options: { jobs }, providers: [FailingJob] });

    expect(app.node('/syncOrders')).toBe('org.acme.Orders');
  },
  JobExtraConfigurationFactory: (row) => ofStarter(annotationChecks, 'extraConfigurations', row),
  'TracingConfiguration, TracingListenerFactory, TracingStorageConfigurationConverter': () => {
    const events: TraceEvent[] = [];
    const storage = { prepare: () => Promise.resolve(), write: () => Promise.resolve() };
    const tracing = new library.Tracing({
      ...{ storage, logger: new RecordingLogger(), listeners: [{ onTraceEvent: (event) => void events.push(event) }] },
    });
    expect(typeof tracing.onRunEvent).toBe('function');
    const stored = fromYaml(TRACING + toYaml(configuration({})), '/syncOrders/config');

    expect(toYaml(stored.configuration, stored)).toContain(TRACING);
  },
  IgnoredExceptionProvider: () => {
    expect(Object.keys(library).filter((name) => /ignore/i.test(name))).toEqual([]);
  },
};
