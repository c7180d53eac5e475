import { expect, test } from '@jest/globals';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { encodeBeginRecord, NOTHING_BEGUN } from '../../../lib/layout/x-node/begin-record.js';
import { DEFAULT_LIMITS } from '../../../lib/registry/request-limits.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type EmbeddedRegistryCenterOptions } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type CommitLimits, type Operation, type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { type Surroundings } from '../../../lib/cli/surroundings.js';
import { type RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { untilConnected } from '../../../lib/testing/contract/stage.js';
import { aConfiguration } from '../../support/views.js';
import { CommandStage, type Outcome, type Seat } from './stage.js';

const RECORD = encodeBeginRecord({ ...NOTHING_BEGUN, instants: new Map([[0, 1_767_225_600_000]]) });

/** Two registry centres, `zoo:2181` and `other:2181`, and copies between them. */
class TwoRegistries implements AsyncDisposable {
  readonly #stage: CommandStage;
  /** Happens after each commit of a copy, before the copy goes on. */
  afterCommit: () => Promise<unknown> = () => Promise.resolve();
  readonly #servers: Readonly<Record<string, EmbeddedRegistryServer>>;

  private constructor(
    stage: CommandStage,
    readonly to: RegistryCenter,
    servers: Readonly<Record<string, EmbeddedRegistryServer>>,
  ) {
    this.#stage = stage;
    this.#servers = servers;
  }

  static async open(limits: Partial<CommitLimits> = {}): Promise<TwoRegistries> {
    const stage = await CommandStage.open();
    const other = new EmbeddedRegistryServer({ limits: { ...DEFAULT_LIMITS, ...limits } });
    const to = new EmbeddedRegistryCenter({ server: other, namespace: 'orders' });
    to.connect();
    await untilConnected(to);
    return new TwoRegistries(stage, to, { 'zoo:2181': stage.server, 'other:2181': other });
  }

  get from(): RegistryCenter {
    return this.#stage.registry;
  }

  /** Carries out `registry copy`. */
  copy(words: string, seat: Seat = {}, more: Partial<Surroundings> = {}): Promise<Outcome> {
    const openRegistry = (settings: RegCenterSettings): RegistryCenter => this.#open(settings);
    return this.#stage.run(`registry copy ${words}`, seat, { openRegistry, ...more });
  }

  /** A job in the first registry centre, with all that a job can have, whose instances have ended. */
  async store(jobName = 'bill'): Promise<void> {
    const { from } = this;
    const root = `/${jobName}`;
    await from.create(root, 'org.acme.Job');
    await from.create(
      `${root}/config`,
      toYaml(aConfiguration({ jobName, shardingTotalCount: 3, cron: '0 0 2 * * ?' })),
    );
    for (const [path, value] of Object.entries({
      'servers/10.0.0.1': 'ENABLED',
      'servers/10.0.0.2': 'DISABLED',
      'sharding/0/instance': '10.0.0.1@-@1',
      'sharding/2/instance': '10.0.0.1@-@1',
      'sharding/2/disabled': '',
      'x-node/fired/10.0.0.1@-@1': RECORD,
      'x-node/assigned-for': 'items: 3\nbasis: 5fec',
      'leader/sharding/necessary': '',
      'leader/election/latch': '',
      'systemTime/current': '',
    }))
      await from.create(`${root}/${path}`, value);
  }

  /** The nodes of a job in the other registry centre: values by path below its root. */
  async copied(jobName = 'bill'): Promise<Readonly<Record<string, string | undefined>>> {
    const mirror = await this.to.mirror(`/${jobName}`);
    const nodes = [...mirror.nodes].map(([path, { value }]) => [path.slice(jobName.length + 1), value] as const);
    mirror.close();
    return Object.fromEntries(nodes.sort());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.to.close();
    await this.#stage[Symbol.asyncDispose]();
  }

  #open({ serverLists = '', namespace = '' }: RegCenterSettings): RegistryCenter {
    const server = this.#servers[serverLists];
    if (server === undefined) throw new Error(`There is no ${serverLists}`);
    return new EventfulRegistryCenter({ server, namespace }, () => this.afterCommit());
  }
}

/** A registry centre in which something else happens after each commit. */
class EventfulRegistryCenter extends EmbeddedRegistryCenter {
  readonly #afterCommit: () => Promise<unknown>;

  constructor(options: EmbeddedRegistryCenterOptions, afterCommit: () => Promise<unknown>) {
    super(options);
    this.#afterCommit = afterCommit;
  }

  override async commit(operations: readonly Operation[]): Promise<number> {
    const revision = await super.commit(operations);
    await this.#afterCommit();
    return revision;
  }
}

const COPY = {
  '': 'org.acme.Job',
  '/config': toYaml(aConfiguration({ jobName: 'bill', shardingTotalCount: 3, cron: '0 0 2 * * ?' })),
  '/servers': '',
  '/servers/10.0.0.2': 'DISABLED',
  '/sharding': '',
  '/sharding/2': '',
  '/sharding/2/disabled': '',
  '/x-node': '',
  '/x-node/fired': '',
  '/x-node/fired/10.0.0.1@-@1': RECORD,
};

test('a copy has the settings, what is disabled and the records of begun runs, and nothing else', async () => {
  await using two = await TwoRegistries.open();
  await two.store();

  const { out, err, exitCode } = await two.copy('--to other:2181');

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining('Now start the applications'), exitCode: 0 });
  expect(out).toMatch(/^bill +copied +10\.0\.0\.2 +2 +1$/m);
  expect(await two.copied()).toEqual(COPY);
  expect(await two.from.get('/bill/servers/10.0.0.1')).toBe('ENABLED');
});

test('a copy leaves nodes of sessions behind, even if an instance wrote them where others are persistent', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  await two.from.create('/bill/servers/10.0.0.3', 'DISABLED', 'session');

  await two.copy('--to other:2181');

  expect(await two.copied()).toEqual(COPY);
});

test('all jobs are copied, of any name, or those that are named', async () => {
  await using two = await TwoRegistries.open();
  for (const name of ['bill', '账单-ä', 'mails']) await two.store(name);

  const some = await two.copy('--to other:2181 --job 账单-ä --job bill --json');
  expect(JSON.parse(some.out)).toMatchObject({
    dryRun: false,
    jobs: [
      { jobName: '账单-ä', outcome: 'copied', replaces: false, disabledServers: ['10.0.0.2'], disabledItems: [2] },
      { jobName: 'bill', outcome: 'copied', beginRecords: 1, nodes: 10, revision: expect.any(Number) },
    ],
  });
  expect([...(await two.to.children('/'))].sort()).toEqual(['bill', '账单-ä']);

  const all = await two.copy('--to other:2181 --overwrite --yes');
  expect(all.exitCode).toBe(0);
  expect([...(await two.to.children('/'))].sort()).toEqual(['bill', 'mails', '账单-ä']);
});

test('--dry-run copies nothing, and names what keeps jobs from being copied', async () => {
  await using two = await TwoRegistries.open();
  await two.store('bill');
  await two.store('mails');
  await two.from.create('/mails/instances/10.0.0.1@-@1', '', 'session');

  const { out, err, exitCode } = await two.copy('--to other:2181 --dry-run');

  expect(exitCode).toBe(4);
  expect(out).toMatch(/^bill +would be copied /m);
  expect(out).toMatch(/^mails +not possible now /m);
  expect(err).toContain("Job 'mails' has 1 living instance in");
  expect(await two.to.children('/')).toEqual([]);
});

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['an instance lives', 'living instance', { 'x-node/live/10.0.0.9@-@9': '' }],
  ['a crashed item waits', 'items that crashed and wait for another instance: 1', { 'leader/failover/items/1': '' }],
  ['an item was taken over', 'were taken over and have not ended: 1', { 'sharding/1/failover': '10.0.0.1@-@1' }],
  ['an item makes up for a firing', 'make up for a missed firing: 0', { 'sharding/0/misfire': '' }],
  ['a trigger waits', 'triggers that no instance has taken: 1', { 'trigger/10.0.0.1@-@1': '' }],
])('no job is copied while %s', async (_, reason, nodes) => {
  await using two = await TwoRegistries.open();
  await two.store('alone');
  await two.store();
  for (const [path, value] of Object.entries(nodes)) await two.from.create(`/bill/${path}`, value);

  const { err, exitCode } = await two.copy('--to other:2181');

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining(reason), exitCode: 4 });
  expect(err).toContain('Nothing was copied.');
  expect(await two.to.children('/')).toEqual([]);
});

test('--leave-unfinished copies a job without the runs that are due', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  await two.from.create('/bill/sharding/0/misfire', '');

  expect((await two.copy('--to other:2181 --leave-unfinished')).exitCode).toBe(0);
  expect(await two.copied()).toEqual(COPY);
});

test('a job that is there already is replaced only with --overwrite, and only after confirmation', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  await two.to.create('/bill/config', 'former');
  await two.to.create('/bill/sharding/7/disabled', '');

  expect(await two.copy('--to other:2181')).toMatchObject({
    err: expect.stringContaining("has a job 'bill' already"),
    exitCode: 4,
  });
  expect((await two.copy('--to other:2181 --overwrite')).exitCode).toBe(5);
  expect((await two.copy('--to other:2181 --overwrite', { answers: ['n'] })).exitCode).toBe(5);
  expect(await two.to.get('/bill/config')).toBe('former');

  expect((await two.copy('--to other:2181 --overwrite', { answers: ['y'] })).exitCode).toBe(0);
  expect(await two.copied()).toEqual(COPY);
});

test('a job with living instances in the other registry centre is not replaced', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  await two.to.create('/bill/instances/10.0.0.1@-@1', '', 'session');

  const { err, exitCode } = await two.copy('--to other:2181 --overwrite --yes');

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining('1 living instance'), exitCode: 4 });
});

test('a job that needs several commits has its settings last, so that it is none before', async () => {
  await using two = await TwoRegistries.open({ operations: 4 });
  await two.store();
  await two.to.create('/bill/old', '');
  const mirror = await two.to.mirror('/bill');
  const withSettings: number[] = [];
  mirror.onChange(() => {
    if (mirror.nodes.has('/bill/config')) withSettings.push(mirror.nodes.size);
  });

  const { exitCode } = await two.copy('--to other:2181');

  expect(exitCode).toBe(0);
  expect(await two.copied()).toEqual(COPY);
  expect(Math.min(...withSettings)).toBe(Object.keys(COPY).length);
});

test('each copy leaves the record of an operation on the other registry centre', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  await two.to.create('/bill/config', 'former');

  const { out } = await two.copy('--to other:2181 --overwrite --yes --reason moved --json');

  expect(JSON.parse(out)).toMatchObject({
    jobs: [
      {
        record: {
          ...{ operation: 'copy-job', jobName: 'bill', reason: 'moved', outcome: 'done' },
          ...{ before: { '/bill/config': 'former' }, after: { '/bill/config': COPY['/config'] } },
        },
      },
    ],
  });
});

test('a job that is replaced by several commits is not there meanwhile, which the command says', async () => {
  await using two = await TwoRegistries.open({ operations: 4 });
  await two.store();
  await two.to.create('/bill/config', 'former');

  const { err } = await two.copy('--to other:2181 --overwrite --yes');

  expect(err).toMatch(/Job 'bill' needed 4 commits: between the first and the last one, .* had no such job\./);
});

test('settings that are too large for the other registry centre are refused, and nothing is removed there', async () => {
  await using two = await TwoRegistries.open({ valueBytes: 20 });
  await two.store();
  await two.to.create('/bill/old', '');

  const { err, exitCode } = await two.copy('--to other:2181');

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining("Job 'bill' cannot be kept there"), exitCode: 4 });
  expect(await two.copied()).toEqual({ '': '', '/old': '' });
});

test('somebody else who writes the job at the same moment is noticed', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  await two.to.create('/bill/config', 'former');

  const { err, exitCode } = await two.copy('--to other:2181 --overwrite', {
    answers: [() => two.to.put('/bill/config', 'newer').then(() => 'y')],
  });

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining('was changed in'), exitCode: 4 });
  expect(await two.to.get('/bill/config')).toBe('newer');
});

test.each<[string, string, (two: TwoRegistries) => Promise<unknown>]>([
  ['whose settings are changed', 'was changed in', ({ from }) => from.put('/bill/config', 'newer')],
  ['that ran meanwhile', '/bill/x-node/fired/b', ({ from }) => from.create('/bill/x-node/fired/b', RECORD)],
  ['whose item is enabled', 'sharding/2/disabled', ({ from }) => from.remove('/bill/sharding/2/disabled')],
  ['whose application starts', '1 living instance', ({ from }) => from.create('/bill/instances/a', '', 'session')],
  ['that misses a firing', 'missed firing: 0', ({ from }) => from.put('/bill/sharding/0/misfire', '')],
  ['that is removed', 'no settings', ({ from }) => from.remove('/bill')],
  ['whose application starts there', '1 living', ({ to }) => to.create('/bill/instances/a', '', 'session')],
])('a job %s after it was read is not copied', async (_, message, change) => {
  for (const limits of [{}, { operations: 4 }]) {
    await using two = await TwoRegistries.open(limits);
    await two.store();
    await two.to.create('/bill/config', 'former');

    const { err, exitCode } = await two.copy('--to other:2181 --overwrite', {
      answers: [() => change(two).then(() => 'y')],
    });

    expect({ err, exitCode }).toEqual({ err: expect.stringContaining(message), exitCode: 4 });
    expect(err).toContain("Job 'bill' was not copied.");
    expect(await two.to.get('/bill/config')).toBe('former');
  }
});

test.each<[string, string, (two: TwoRegistries) => Promise<unknown>]>([
  ['is changed', 'was changed in', ({ from }) => from.put('/bill/config', 'newer')],
  ['is started', '1 living instance', ({ from }) => from.put('/bill/instances/a', '')],
  ['is removed', 'no settings', ({ from }) => from.remove('/bill')],
])('a job that %s while it is copied is noticed', async (_, message, change) => {
  await using two = await TwoRegistries.open();
  await two.store();
  two.afterCommit = () => change(two);

  const { err, exitCode } = await two.copy('--to other:2181');

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining(message), exitCode: 4 });
  expect(err).toContain("Job 'bill' was copied, but");
  expect(err).toContain('--overwrite');
});

test('a job that others change in the other registry centre stays as they have left it, also if it needs several commits', async () => {
  await using two = await TwoRegistries.open({ operations: 4 });
  await two.store();
  await two.to.create('/bill/config', 'former');
  await two.to.create('/bill/old', 'former');

  const { err, exitCode } = await two.copy('--to other:2181 --overwrite', {
    answers: [() => two.to.put('/bill/old', 'newer').then(() => 'y')],
  });

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining('nothing was copied over it'), exitCode: 4 });
  expect(await two.copied()).toEqual({ '': '', '/config': 'former', '/old': 'newer' });
});

test('a job that others change between its commits is said to be incomplete, and the next copy completes it', async () => {
  await using two = await TwoRegistries.open({ operations: 4 });
  await two.store();
  await two.to.create('/bill/config', 'former');
  let commits = 0;
  two.afterCommit = async () => {
    if (commits++ === 0) await two.to.put('/bill/servers/10.0.0.2', 'newer');
  };

  const { err, exitCode } = await two.copy('--to other:2181 --overwrite --yes');

  expect({ err, exitCode }).toEqual({ err: expect.stringContaining('it is incomplete there'), exitCode: 4 });
  expect(err).not.toContain('nothing was copied');
  expect(await two.to.get('/bill/config')).toBeUndefined();
  expect((await two.copy('--to other:2181')).exitCode).toBe(0);
  expect(await two.copied()).toEqual(COPY);
});

test('fencing tokens that would go back are noticed', async () => {
  await using two = await TwoRegistries.open();
  for (let write = 0; write < 50; write++) await two.from.put('/mails/config', `${write}`);
  await two.from.remove('/mails');
  await two.store();

  expect((await two.copy('--to other:2181')).err).toContain('Fencing tokens of bill start lower there');
});

test.each<[string, number, string]>([
  ['', 2, 'Copy to which registry centre?'],
  ['--to zoo:2181', 2, 'are the same place'],
  ['--from zoo:2181 --to other:2181 --servers zoo:2181', 2, 'both name the source'],
  ['--to other:2181 --job none', 3, "There is no job 'none'"],
  ['--to other:2181 --to-namespace a/../b', 2, 'elasticjob.regCenter.namespace'],
  ['--to-config none.yaml', 2, 'none.yaml'],
  ['--to other:2181 --job', 2, "option '--job <job>' argument missing"],
  ['--to other:2181 --jobs bill', 2, "unknown option '--jobs'"],
])('registry copy %s ends with exit code %i', async (words, exitCode, message) => {
  await using two = await TwoRegistries.open();
  await two.store();

  expect(await two.copy(words)).toEqual({ out: '', err: expect.stringContaining(message), exitCode });
});

test('a job without settings is not copied', async () => {
  await using two = await TwoRegistries.open();
  await two.from.create('/rest', '');

  expect(await two.copy('--to other:2181')).toMatchObject({
    err: expect.stringContaining("Job 'rest' has no settings in"),
    exitCode: 4,
  });
});

test('a job moves to a registry centre of elasticjob.regCenters, and to its own namespace, if it has one', async () => {
  await using two = await TwoRegistries.open();
  await two.store();
  const environment = {
    ...{ ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181', ELASTICJOB_REGCENTER_NAMESPACE: 'orders' },
    ...{ ELASTICJOB_REGCENTERS_REPORTS_SERVERLISTS: 'other:2181', ELASTICJOB_REGCENTERS_REPORTS_NAMESPACE: 'reports' },
    ELASTICJOB_REGCENTERS_NAMELESS_SERVERLISTS: 'other:2181',
  };
  const namespaceOf = async (words: string): Promise<unknown> =>
    /namespace '(\w+)'/.exec(
      (JSON.parse((await two.copy(`${words} --json`, {}, { environment })).out) as { to: string }).to,
    )?.[1];

  expect(await namespaceOf('--to reports')).toBe('reports');
  expect(await two.copied()).toEqual({});
  expect(await namespaceOf('--to nameless')).toBe('orders');
  expect(await two.copied()).toEqual(COPY);
  expect(await namespaceOf('--to reports --to-namespace archive')).toBe('archive');
});

test('a job moves to another namespace of the same registry centre', async () => {
  await using two = await TwoRegistries.open();
  await two.store();

  expect((await two.copy('--to zoo:2181 --to-namespace archive')).exitCode).toBe(0);
  expect((await two.copy('--to other:2181 --namespace archive')).exitCode).toBe(0);
  expect(await two.to.children('/')).toEqual([]);
});
