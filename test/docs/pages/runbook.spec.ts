/** Each recipe of docs/operations.md is carried out as it stands there, on instances that fire every second. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runInThisContext } from 'node:vm';
import ts from 'typescript';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { ExplanationAPI } from '../../../lib/operations/explanation-api.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ShardingStatisticsAPI } from '../../../lib/operations/sharding-statistics-api.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { CommandStage } from '../../unit/cli/stage.js';
import { until } from '../../support/until.js';
import { codeBlocks, exampleFile, textOf } from './pages.js';

const JOB = 'syncOrders';
const SILENT = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

/** The functions of an example, whose imports are only types. */
function functionsOf<T>(file: string): T {
  const { outputText } = ts.transpileModule(exampleFile(file), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exported: unknown = {};
  (runInThisContext(`(exports) => { ${outputText} }`) as (exports: unknown) => void)(exported);
  return exported as T;
}

/** The commands of a recipe, portion by portion. */
function commandsOf(recipe: string): readonly (readonly string[])[] {
  const [, section = ''] =
    new RegExp(`^### ${recipe}\n([^]*?)(?=^##|(?![^]))`, 'm').exec(textOf('docs/operations.md')) ?? [];
  return codeBlocks(section)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) =>
      code
        .trim()
        .split('\n')
        .map((line) => line.replace('npx elasticjob ', '')),
    );
}

/** Words of a command, those in quotes as one. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

interface Ran {
  readonly by: string;
  readonly item: number;
  readonly instant: number;
}

let stage: CommandStage;
let ran: Ran[];
let work: (context: ShardingContext) => Promise<void>;
const hosts = new Map<string, { readonly host: JobHost; readonly registry: EmbeddedRegistryCenter }>();

async function start(ip: string, { namespace = 'orders', failover = false } = {}): Promise<void> {
  const registry = new EmbeddedRegistryCenter({ server: stage.server, namespace });
  const instance = { jobInstanceId: `${ip}@-@${hosts.size}-a`, serverIp: ip };
  const host = new JobHost({ registryCenter: registry, logger: SILENT, instance });
  registry.connect();
  hosts.set(ip, { host, registry });
  const job = {
    execute: (context: ShardingContext) => {
      const { shardingItem: item, scheduledAt } = context;
      if (scheduledAt !== undefined) ran.push({ by: ip, item, instant: scheduledAt.getTime() });
      return work(context);
    },
  };
  const configuration = { jobName: JOB, cron: '* * * * * ?', shardingTotalCount: 2, failover };
  const { jobConfiguration } = await import('../../../lib/api/job/job-configuration.js');
  await host
    .add({ configuration: jobConfiguration(configuration), job, jobClassName: 'SyncOrders', owner: 'test' })
    .schedule();
}

async function stop(ip: string): Promise<void> {
  const { host, registry } = hosts.get(ip)!;
  await host.stop();
  await registry.close();
  hosts.delete(ip);
}

async function run(commands: readonly string[]): Promise<string> {
  let all = '';
  for (const line of commands) {
    const { out, err, exitCode } = await stage.run(wordsOf(line));
    expect([line, exitCode, err]).toEqual([line, 0, expect.any(String)]);
    all += out;
  }
  return all;
}

const items = () => new ShardingStatisticsAPI(stage.registry).getShardingInfo(JOB);
const owners = async () => (await items()).map(({ serverIp }) => serverIp);
const areOwnedBy = (...ips: readonly string[]) =>
  until(async () => {
    const found = await owners();
    return (
      found.length > 0 &&
      found.every((ip) => ip !== undefined && ips.includes(ip)) &&
      ips.every((ip) => found.includes(ip))
    );
  }, `owners ${ips.join()}`);
const hasRunOn = (ip: string) => {
  const from = ran.length;
  return until(() => ran.slice(from).some(({ by }) => by === ip), `a run on ${ip}`);
};

beforeEach(async () => {
  stage = await CommandStage.open();
  ran = [];
  work = () => Promise.resolve();
});

afterEach(async () => {
  for (const ip of [...hosts.keys()]) await stop(ip);
  await stage[Symbol.asyncDispose]();
});

/** Instants between the first and the last run of an item for which it did not run. */
function missed(item: number): readonly number[] {
  const instants = ran.filter((each) => each.item === item).map(({ instant }) => instant);
  const all = Array.from(
    { length: (Math.max(...instants) - Math.min(...instants)) / 1_000 },
    (_, index) => Math.min(...instants) + 1_000 * index,
  );
  return all.filter((instant) => !instants.includes(instant));
}

describe('The recipe', () => {
  test.each(['Deploy without a missed firing', 'Upgrade the library in a running cluster'])(
    '%s: no firing is missed, and nothing is found afterwards',
    async (recipe) => {
      await start('10.0.0.1');
      await hasRunOn('10.0.0.1');
      await start('10.0.0.2');
      await areOwnedBy('10.0.0.1', '10.0.0.2');
      await stop('10.0.0.1');
      await hasRunOn('10.0.0.2');
      await areOwnedBy('10.0.0.2');
      await hasRunOn('10.0.0.2');

      const output = await run(commandsOf(recipe).flat());

      expect(output).toContain('10.0.0.2');
      expect([missed(0), missed(1)]).toEqual([[], []]);
      const { findings } = await new DoctorAPI(stage.registry).examine({ settleMs: 200 });
      expect(findings.filter(({ severity }) => severity !== 'notice')).toEqual([]);
    },
  );

  test('Drain a server: its items go to the others, and come back', async () => {
    for (const ip of ['10.0.0.1', '10.0.0.2']) await start(ip);
    await areOwnedBy('10.0.0.1', '10.0.0.2');
    const [drain = [], back = []] = commandsOf('Drain a server');

    expect(await run(drain)).toContain('DISABLED');
    await areOwnedBy('10.0.0.1');

    await run(back);
    await areOwnedBy('10.0.0.1', '10.0.0.2');
  });

  test('Move a job: the other server has its items, and the old one is gone', async () => {
    for (const ip of ['10.0.0.1', '10.0.0.3']) await start(ip);
    await areOwnedBy('10.0.0.1', '10.0.0.3');
    const [[disable = '', list = '', remove = ''] = []] = commandsOf('Move a job');

    await run([disable]);
    await areOwnedBy('10.0.0.3');
    await run([list, remove]);

    expect(await stage.registry.children(`/${JOB}/servers`)).toEqual(['10.0.0.3']);
    await hasRunOn('10.0.0.3');
  });

  test('Change the number of items: the new item runs', async () => {
    await start('10.0.0.1');
    await hasRunOn('10.0.0.1');

    await run(commandsOf('Change the number of items').flat());

    await until(() => ran.some(({ item }) => item === 2), 'item 2');
  });

  test('An item is stuck: why() says since when, and another instance runs it when its process has ended', async () => {
    let isStuck = true;
    work = ({ shardingItem }) => (shardingItem === 1 && isStuck ? new Promise(() => undefined) : Promise.resolve());
    await start('10.0.0.1', { failover: true });
    await until(() => ran.some(({ item }) => item === 1), 'item 1');
    await start('10.0.0.2', { failover: true });
    const { why } = functionsOf<{ why: (api: ExplanationAPI, jobName: string, item: number) => Promise<string> }>(
      'why.ts',
    );

    await until(
      async () =>
        /^Item 1 is still running on 10\.0\.0\.1@-@\S+ since /m.test(
          await why(new ExplanationAPI(stage.registry), JOB, 1),
        ),
      'the explanation',
    );
    isStuck = false;
    // As SIGKILL: the server hears no more of it.
    hosts.get('10.0.0.1')!.registry.faults.expire();
    await until(() => ran.some(({ item, by }) => item === 1 && by === '10.0.0.2'), 'the takeover');
    await run(commandsOf('An item is stuck').flat());

    const { props } = await new JobConfigurationAPI(stage.registry).getJobConfiguration(JOB);
    expect(props).toEqual({ 'run.timeoutMilliseconds': '60000' });
  });

  test('Nothing fires: why() names the reason, and the command ends it', async () => {
    await start('10.0.0.1');
    await hasRunOn('10.0.0.1');
    await new JobOperateAPI(stage.registry).disable({ jobName: JOB });
    const { why } = functionsOf<{ why: (api: ExplanationAPI, jobName: string) => Promise<string> }>('why.ts');

    expect(await why(new ExplanationAPI(stage.registry), JOB)).toContain(
      "All servers with instances of job 'syncOrders' are disabled: 10.0.0.1.",
    );
    await run(commandsOf('Nothing fires').flat());

    await hasRunOn('10.0.0.1');
  });

  test('It fires twice: an instance in another namespace is not in the list', async () => {
    await start('10.0.0.1');
    await start('10.0.0.2', { namespace: 'order' });
    await hasRunOn('10.0.0.2');

    const output = await run(commandsOf('It fires twice').flat());

    expect(output).toContain('10.0.0.1');
    expect(output).not.toContain('10.0.0.2');
    const twice = ran.filter(
      ({ item, instant }) => ran.filter((other) => other.item === item && other.instant === instant).length > 1,
    );
    expect(twice).not.toEqual([]);
  });

  test('Move to another ZooKeeper: settings and what is disabled are there before the instances', async () => {
    const { moveJobs } = functionsOf<{ moveJobs: (from: unknown, to: unknown) => Promise<void> }>('move.ts');
    await start('10.0.0.1');
    await hasRunOn('10.0.0.1');
    await run([
      'disable syncOrders --item 1',
      'config set syncOrders jobParameter=theirs',
      'disable syncOrders --server 10.0.0.9 --unknown-server',
    ]);
    await stop('10.0.0.1');
    await using another = await CommandStage.open();

    await moveJobs(stage.registry, another.registry);
    [stage, ran] = [another, []];
    await start('10.0.0.1');
    await hasRunOn('10.0.0.1');
    await hasRunOn('10.0.0.1');

    expect(new Set(ran.map(({ item }) => item))).toEqual(new Set([0]));
    expect((await new JobConfigurationAPI(another.registry).getJobConfiguration(JOB)).jobParameter).toBe('theirs');
    expect(await another.get(`/${JOB}/servers/10.0.0.9`)).toBe('DISABLED');
    await stop('10.0.0.1');
  });

  test('Backup: settings are restored as they were', async () => {
    const recipe = functionsOf<{
      backup: (statistics: JobStatisticsAPI, configurations: JobConfigurationAPI) => Promise<string>;
      restore: (text: string, configurations: JobConfigurationAPI) => Promise<void>;
    }>('backup.ts');
    await start('10.0.0.1');
    const configurations = new JobConfigurationAPI(stage.registry);
    const before = await configurations.getJobConfiguration(JOB);

    const text = await recipe.backup(new JobStatisticsAPI(stage.registry), configurations);
    await run(['config set syncOrders description=spoilt shardingTotalCount=5']);
    await recipe.restore(text, configurations);

    expect(await configurations.getJobConfiguration(JOB)).toEqual({ ...before, version: before.version + 2 });
  });

  test('of a check-up mends what can be mended', async () => {
    const { checkUp } = functionsOf<{ checkUp: (doctor: DoctorAPI) => Promise<readonly string[]> }>('check-up.ts');
    await start('10.0.0.1');
    await stage.registry.create(`/${JOB}/servers/10.0.0.8`, 'ENABLED');

    const found = await checkUp(new DoctorAPI(stage.registry));

    expect(found).toEqual([`notice ${JOB}: The server 10.0.0.8 has no living instance.`]);
    expect(await stage.get(`/${JOB}/servers/10.0.0.8`)).toBeUndefined();
  });
});
