// How long many new jobs of one process take until they are ready, and until their items are assigned; their requests
// to ZooKeeper, the round trips that one of them waits for, and their memory. `--jobs 10000`, `--items 1`.
import '../.config/typescript.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { zooKeeperEnvironment } from '../.config/zookeeper.mjs';

Object.assign(process.env, zooKeeperEnvironment());
const { ZooKeeperServer } = await import('../test/support/zookeeper-server.ts');
const { TcpProxy } = await import('../test/support/tcp-proxy.ts');
const { ZookeeperRegistryCenter } = await import('../dist/modules/registry/zookeeper/zookeeper-registry-center.js');
const { JobHost, ScheduleJobBootstrap, jobConfiguration } = await import('../dist/modules/index.js');

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '1000,10000' }, items: { type: 'string', default: '1' } },
  strict: false,
});

/** Long enough that nothing else counts. */
const ROUND_TRIP_MS = 40;

for (const jobs of values.jobs.split(',').map(Number)) console.log(`${jobs} jobs: ${await measured(jobs)}`);

async function measured(jobs) {
  const server = await ZooKeeperServer.start({ heapMb: 2048 });
  const proxy = await TcpProxy.start(server.port);
  const registryCenter = new ZookeeperRegistryCenter({ serverLists: server.address, namespace: 'start' });
  const counted = new ZookeeperRegistryCenter({ serverLists: proxy.address, namespace: 'start' });
  registryCenter.connect();
  counted.connect();
  const one = host(counted);
  await start(one, counted, ['first']);
  await sleep(1_000);
  proxy.resetRequests();
  await start(one, counted, ['second']);
  await sleep(1_000);
  const requests = proxy.count();
  proxy.delay('up', ROUND_TRIP_MS / 2);
  proxy.delay('down', ROUND_TRIP_MS / 2);
  const asked = performance.now();
  await start(one, counted, ['third']);
  const roundTrips = (performance.now() - asked) / ROUND_TRIP_MS;
  proxy.heal();

  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const names = Array.from({ length: jobs }, (_, index) => `job-${index}`);
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const many = host(registryCenter);
  await start(many, registryCenter, names);
  const ready = performance.now() - began;
  const last = `/${names.at(-1)}/sharding/${Number(values.items) - 1}/instance`;
  while ((await registryCenter.getAll(names.map((name) => last.replace(names.at(-1), name)))).includes(undefined))
    await sleep(50);
  const assigned = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  await sleep(2_000);
  globalThis.gc?.();
  const heap = (process.memoryUsage().heapUsed - before) / jobs / 1024;
  const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
  const text =
    `ready ${seconds(ready)}, assigned ${seconds(assigned)}, ${((user + system) / 1_000 / jobs).toFixed(2)} ms CPU a job, ` +
    `${requests} requests a job, ${roundTrips.toFixed(1)} round trips until a job is ready, ${heap.toFixed(1)} KiB heap a job${globalThis.gc ? '' : ' (with garbage: run with --expose-gc)'}`;
  await Promise.all([registryCenter.close(), counted.close()]);
  await proxy[Symbol.asyncDispose]();
  await server.dispose();
  return text;
}

function host(registryCenter) {
  const silent = () => undefined;
  return new JobHost({ registryCenter, logger: { debug: silent, log: silent, warn: silent, error: silent } });
}

function start(jobHost, registryCenter, names) {
  const job = { execute: () => undefined };
  const schedule = (jobName) => {
    const configuration = jobConfiguration({
      ...{ jobName, cron: '0 0 0 * * ?', shardingTotalCount: Number(values.items) },
    });
    return new ScheduleJobBootstrap(registryCenter, job, configuration, {
      ...{ host: jobHost, jobClassName: 'StartedJob' },
    }).schedule();
  };
  return Promise.all(names.map(schedule));
}
