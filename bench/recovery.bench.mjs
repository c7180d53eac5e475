// How long a cluster takes to recover, on a real ZooKeeper with its stock tick of 2 s: `npm run bench -- recovery`.
//   1. crash → takeover: from SIGKILL until a survivor has taken over the item that was running (session 4 s)
//   2. graceful takeover: from the stop of an instance until its items belong to the others
//   3. takeover: from the moment when the registry shows the end of an instance until 100 items of it have started
//      elsewhere
//   4. registry outage: from the moment when ZooKeeper serves again until 1,000 jobs of a process take part again
// Takes about four minutes. `ROUNDS=1` is a glimpse.
import '../.config/typescript.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { zooKeeperEnvironment } from '../.config/zookeeper.mjs';
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';

Object.assign(process.env, zooKeeperEnvironment());
const { ZooKeeperServer } = await import('../test/support/zookeeper-server.ts');
const { Program } = await import('../test/support/program.ts');
const { until } = await import('../test/support/until.ts');

const SESSION_MS = 4_000;
const ROUNDS = Number(process.env.ROUNDS ?? 10);
const folder = mkdtempSync(join(tmpdir(), 'recovery-'));
const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
const silent = { debug() {}, log() {}, warn() {}, error: (message) => console.error(message) };
const server = await ZooKeeperServer.start({ configuration: ['tickTime=2000', 'minSessionTimeout=4000'] });

/** A process that hosts these jobs; `work` is how long its items take. */
async function start(name, jobs, { steps, stepMs }) {
  const log = join(folder, `${name}.log`);
  const settings = Object.fromEntries(
    Object.entries(jobs).map(([job, more]) => [job, { ...more, work: { steps: [steps], stepMs } }]),
  );
  const program = new Program('test/zookeeper/processes/instance.mjs', {
    env: {
      INSTANCE: name,
      RUN_LOG: log,
      SERVERS: server.address,
      NAMESPACE: 'bench',
      SESSION_MS: `${SESSION_MS}`,
      JOBS: JSON.stringify(settings),
    },
  });
  await until(() => program.output.includes('ready\n') || program.hasExited, `process ${name} to be ready`, 60_000);
  if (program.hasExited) throw new Error(program.output);
  const starts = (job) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .filter((entry) => entry.event === 'start' && entry.job === job);
  return { program, starts, id: `@-@${program.pid}-` };
}

async function connect(namespace) {
  const registry = new ZookeeperRegistryCenter({
    serverLists: server.address,
    namespace,
    sessionTimeoutMilliseconds: SESSION_MS,
  });
  registry.connect();
  await until(() => registry.session.state.phase === 'connected', 'a session', 30_000);
  return registry;
}

function print(what, values, goal = '') {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (percent) => Math.round(sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]);
  console.log(`${what}: p50 ${at(50)} ms, p99 ${at(99)} ms, greatest ${at(100)} ms (${sorted.length} times)${goal}`);
}

const failover = { failover: true, misfire: false, timeZone: 'GMT', cron: '* * * * * ?' };
const WITHOUT_END = { steps: 10_000, stepMs: 100 };
const SHORT = { steps: 1, stepMs: 1 };

/** Five instances at a time, each with a job of its own, die with an item in progress. */
async function crashes() {
  const names = ['v1', 'v2', 'v3', 'v4', 'v5'];
  const jobOf = (name) => ({ [`crash-${name}`]: { ...failover, shardingTotalCount: 2 } });
  const survivor = await start('survivor', Object.assign({}, ...names.map(jobOf)), SHORT);
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      names.map(async (name, index) => {
        const job = `crash-${name}`;
        const victim = await start(`${name}-${round}`, jobOf(name), WITHOUT_END);
        await until(() => victim.starts(job).length > 0, `${name} to run an item`, 30_000);
        // Not all in the same phase of the tick.
        await new Promise((resolve) => setTimeout(resolve, 370 * index));
        const [{ item, scheduledAt }] = victim.starts(job);
        const killedAt = monotonicMs();
        await victim.program.end('SIGKILL');
        const takeover = () => survivor.starts(job).find((run) => run.t > killedAt && run.item === item);
        await until(() => takeover() !== undefined, `the takeover of ${job}/${item}`, 30_000);
        if (takeover().scheduledAt !== scheduledAt) throw new Error(`${job}/${item} was run for another instant`);
        times.push(takeover().t - killedAt);
      }),
    );
  }
  await survivor.program.end('SIGKILL');
  print(`crash → takeover, session ${SESSION_MS} ms, tick 2000 ms`, times);
}

async function gracefulTakeovers() {
  const job = { execute: () => {} };
  const configuration = jobConfiguration({
    jobName: 'graceful',
    shardingTotalCount: 10,
    cron: '0/5 * * * * ?',
    timeZone: 'GMT',
  });
  const join = async () => {
    const registryCenter = await connect('graceful');
    const host = new JobHost({ registryCenter, logger: silent });
    await new ScheduleJobBootstrap(registryCenter, job, configuration, { host }).schedule();
    return { host, registryCenter };
  };
  const bystander = await connect('graceful');
  const stayer = await join();
  const mirror = await bystander.mirror('/graceful');
  const isSpread = (count) => {
    const owners = [...mirror.nodes].filter(([path]) => path.endsWith('/instance') && path.includes('/sharding/'));
    const living = [...mirror.nodes.keys()].filter((path) => path.startsWith('/graceful/instances/')).length;
    return living === count && owners.length === 10 && new Set(owners.map(([, { value }]) => value)).size === count;
  };
  const times = [];
  for (let round = 0; round < 10 * ROUNDS; round++) {
    const leaver = await join();
    await until(() => isSpread(2), 'the items to be shared', 20_000);
    const began = monotonicMs();
    const taken = new Promise((resolve) => {
      const unsubscribe = mirror.onChange(() => {
        if (!isSpread(1)) return;
        unsubscribe();
        resolve();
      });
    });
    await Promise.all([leaver.host.stop(), taken]);
    times.push(monotonicMs() - began);
    await leaver.registryCenter.close();
  }
  await stayer.host.stop();
  await stayer.registryCenter.close();
  await bystander.close();
  print('graceful takeover', times, '; goal 200 ms');
}

async function takeovers() {
  const bystander = await connect('bench');
  const times = [];
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
    const name = `takeover-${round}`;
    const job = { [name]: { ...failover, shardingTotalCount: 100, cron: '0/20 * * * * ?' } };
    const victim = await start(`victim-${round}`, job, WITHOUT_END);
    const mirror = await bystander.mirror(`/${name}`);
    const running = () => [...mirror.nodes.keys()].filter((path) => path.endsWith('/running')).length;
    await until(() => running() === 100, 'all items to be running', 60_000);
    const survivors = await Promise.all([1, 2, 3].map((each) => start(`survivor-${round}-${each}`, job, SHORT)));
    await victim.program.end('SIGKILL');
    const isThere = () =>
      [...mirror.nodes.keys()].some((path) => path.startsWith(`/${name}/instances/`) && path.includes(victim.id));
    let goneAt;
    mirror.onChange(() => (goneAt ??= isThere() ? undefined : monotonicMs()));
    const started = () => survivors.flatMap(({ starts }) => starts(name));
    await until(() => new Set(started().map(({ item }) => item)).size === 100, 'all items to be taken over', 60_000);
    const first = new Map();
    for (const { item, t } of started()) first.set(item, Math.min(t, first.get(item) ?? Infinity));
    times.push(Math.max(...first.values()) - goneAt);
    await Promise.all(survivors.map(({ program }) => program.end('SIGKILL')));
    mirror.close();
  }
  await bystander.close();
  print('100 items taken over by 3 instances, from detection', times, '; goal 1000 ms');
}

async function outages() {
  const registryCenter = await connect('thousand');
  const host = new JobHost({ registryCenter, logger: silent });
  const job = { execute: () => {} };
  const started = Array.from({ length: 1_000 }, (_, index) => {
    const settings = {
      jobName: `job-${index}`,
      shardingTotalCount: 1,
      cron: `${index % 60} * * * * ?`,
      timeZone: 'GMT',
    };
    return new ScheduleJobBootstrap(registryCenter, job, jobConfiguration(settings), { host }).schedule();
  });
  await Promise.all(started);
  const active = () => [...host.jobs.values()].filter(({ phase }) => phase === 'active').length;
  const lost = [];
  const kept = [];
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
    for (const [times, downMs] of [
      [lost, 2.5 * SESSION_MS],
      [kept, 0],
    ]) {
      await until(() => active() === 1_000, 'all jobs to take part', 120_000);
      await server.stop();
      await until(() => active() === 0, 'all jobs to pause', 30_000);
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await server.restart();
      const servesAt = monotonicMs();
      await until(() => active() === 1_000, 'all jobs to take part again', 120_000);
      times.push(monotonicMs() - servesAt);
    }
  }
  await host.stop();
  await registryCenter.close();
  print('1,000 jobs take part again after an outage that ended the session', lost, '; goal 5000 ms');
  print('1,000 jobs take part again after a restart of ZooKeeper within the session', kept, '; goal 5000 ms');
}

try {
  console.log(`Node ${process.versions.node}, ${cpus().length} cores`);
  const wanted = process.env.ONLY?.split(',');
  for (const part of [crashes, gracefulTakeovers, takeovers, outages])
    if (wanted === undefined || wanted.includes(part.name)) await part();
} finally {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
}
