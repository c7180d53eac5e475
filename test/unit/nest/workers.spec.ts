/** Jobs of a Nest application whose items run in worker threads. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ElasticJob, EmbeddedRegistryCenter, JobBootstraps, jobConfiguration, JobHost } from '../../../lib/index.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { type JobSettings } from '../../../lib/settings/job-settings.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'elasticjob-nest-workers-')));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'crunch.mjs');
writeFileSync(path, 'export default ({ shardingItem }, logger) => logger.log(`crunches ${shardingItem}`);');
const worker = pathToFileURL(path);
const empty = join(folder, 'empty.mjs');
writeFileSync(empty, '');

@ElasticJob('crunch', { shardingTotalCount: 2, worker })
class Crunch {}

@ElasticJob<object>('crunch', { shardingTotalCount: 2, props: { run: { worker: path } } })
class CrunchByProperty {}

@ElasticJob<object>('crunch', { shardingTotalCount: 2 })
class Plain {}

/** The root's text and the stored configuration of a job whose items have run. */
async function stored(registryCenter: EmbeddedRegistryCenter): Promise<readonly [string | undefined, string]> {
  const read = async (node: string): Promise<string | undefined> => registryCenter.get(node);
  return [await read('/crunch'), String(await read('/crunch/config'))];
}

describe('the default export of a module does the work,', () => {
  test.each([
    ['named by the decorator', [Crunch], {}, 'crunch', false],
    ['named by a property of the decorator', [CrunchByProperty], {}, 'WORKER', true],
    ['named by settings for a class', [Plain], { worker: path }, 'crunch', false],
    ['named by settings alone', [], { worker, shardingTotalCount: 2 }, 'crunch', false],
    ['named beside its type', [], { worker, shardingTotalCount: 2, elasticJobType: 'WORKER' }, 'WORKER', false],
    ['named by a property alone', [], { props: { 'run.worker': path }, shardingTotalCount: 2 }, 'WORKER', true],
    [
      'named by a property of its type',
      [],
      { elasticJobType: 'worker', props: { 'run.worker': path }, shardingTotalCount: 2 },
      'WORKER',
      true,
    ],
  ] as const)('%s', async (_, providers, settings: JobSettings, root, isStored) => {
    const logger = new RecordingLogger();
    const registryCenter = new EmbeddedRegistryCenter({ namespace: `workers-${root}-${Math.random()}` });
    await using app = await started({
      imports: [elasticJob({ logger, registryCenter, jobs: { crunch: settings } })],
      providers: [...providers],
    });

    await app.get(JobBootstraps).oneOff('crunch').execute();
    await until(() =>
      [0, 1].every((item) => logger.lines.includes(`log Job 'crunch': item ${item}: crunches ${item}`)),
    );

    const [text, configuration] = await stored(registryCenter);
    expect(text).toBe(root);
    expect(configuration.includes(folder)).toBe(isStored);
  });
});

describe('the boot is refused', () => {
  class Working {
    execute(): void {}
  }

  test.each([
    [
      Plain,
      { worker: './missing.js' },
      /^elasticjob\.jobs\.crunch\.worker: must be a file that exists, but there is no .*missing\.js/,
    ],
    [
      Plain,
      { worker: new URL('https://example.com/a.js') },
      /crunch\.worker: must be a file: URL or a path, got "https:/,
    ],
    [
      Plain,
      { worker: 5 },
      /^elasticjob\.jobs\.crunch\.worker: must be a file: URL, such as .*, or a path, such as .*, got 5$/,
    ],
    [
      Plain,
      { worker, props: { 'run.worker': 'b.js' } },
      /crunch\.worker: must not be set beside props\['run\.worker'\] "b\.js": only one can do the work, got "file:/,
    ],
    [Crunch, { elasticJobType: 'SCRIPT' }, /crunch\.worker: must not be set beside elasticJobType "SCRIPT": only one/],
    [
      Plain,
      { worker, elasticJobClass: Working },
      /crunch\.worker: must not be set beside elasticJobClass Working: only/,
    ],
    [
      Plain,
      { worker: path, props: { 'run.workerMemoryMegabytes': 1 } },
      /Megabytes'\]: must be an integer of at least 16/,
    ],
  ])('of %p with %j', async (provider, settings, problem) => {
    const jobs = { crunch: settings as JobSettings };

    expect(await refusalOf({ imports: [elasticJob({ jobs })], providers: [provider] })).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  test.each<[JobSettings, RegExp]>([
    [
      { worker: empty },
      /crunch\.worker: has no function as its default export; its exports: none, got ".*empty\.mjs"$/,
    ],
    [{ props: { 'run.worker': empty } }, /props\['run\.worker'\]: has no function as its default export/],
  ])('with failOnJobError, of a job with %j; otherwise that job alone fails', async (settings, problem) => {
    const jobs = { crunch: settings };
    const imports = [elasticJob({ jobs, failOnJobError: true })];
    expect(await refusalOf({ imports, providers: [Plain] })).toEqual([expect.stringMatching(problem)]);

    await using app = await started({ imports: [elasticJob({ jobs })], providers: [Plain] });
    expect(app.get(ElasticJobHealth).report.jobs['crunch']).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('has no function as its default export') as unknown,
    });
  });

  test('if the class does the work too', async () => {
    @ElasticJob('crunch', { shardingTotalCount: 1, worker })
    class Both extends Working {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [Both] })).toEqual([
      expect.stringMatching(
        /^elasticjob\.jobs\.crunch\.worker: must not be set beside the methods of provider Both of /,
      ),
    ]);
  });

  test('if what concerns threads has no effect', async () => {
    const problem =
      /^elasticjob\.jobs\.crunch\.props\['run\.workerMemoryMegabytes'\]: must be left out, since its type SCRIPT does/;
    const props = { 'script.command.line': 'true', 'run.workerMemoryMegabytes': 64 };
    const jobs = { crunch: { elasticJobType: 'SCRIPT', shardingTotalCount: 1, props } };

    expect(await refusalOf({ imports: [elasticJob({ jobs })] })).toEqual([expect.stringMatching(problem)]);
  });
});

test('without Nest, a class with a method and a property for threads is refused, as stored settings may have it', () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'workers-refused' });
  const host = new JobHost({ registryCenter, logger: new RecordingLogger() });
  const configuration = jobConfiguration({ jobName: 'crunch', shardingTotalCount: 1, props: { 'run.worker': path } });

  expect(() => host.add({ configuration, job: { execute: () => undefined }, owner: 'a test' })).toThrow(
    `elasticjob.jobs.crunch.props['run.worker']: must be left out, since its class does the job's work, not a worker; got ${JSON.stringify(path)}`,
  );
});

test('a worker whose time is up is ended, and the job goes on in a new thread', async () => {
  const spinning = join(folder, 'spinning.mjs');
  writeFileSync(spinning, 'export default ({ shardingItem }, logger) => { logger.log("spins"); for (;;); };');
  const logger = new RecordingLogger();
  const jobs = { crunch: { worker: spinning, shardingTotalCount: 1, timeoutMilliseconds: 300 } };
  await using app = await started({ imports: [elasticJob({ logger, jobs })] });
  const spins = (): number => logger.lines.filter((line) => line.endsWith('item 0: spins')).length;
  const timeouts = (): number => logger.lines.filter((line) => /^error .*300 ms/.test(line)).length;

  // On a busy machine the time may be up before the thread has started.
  for (let time = 1; spins() < 2; time++) {
    await app.get(JobBootstraps).oneOff('crunch').execute();
    await until(() => timeouts() === time, `time ${time} to be up`);
  }

  expect(logger.lines.join('\n')).not.toContain('given up');
});
