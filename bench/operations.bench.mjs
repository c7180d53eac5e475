// How long it takes to list very many jobs by the operations API, on a ZooKeeper of its own: `--jobs 10000 --rounds
// 40`.
import '../.config/typescript.mjs';
import { parseArgs } from 'node:util';
import { JobConfiguration } from 'nestjs-elasticjob';
import { JobStatisticsAPI, ServerStatisticsAPI } from 'nestjs-elasticjob/operations';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';
import { instanceYaml, jobInstanceOn } from '../dist/modules/layout/job-instance.js';
import { zooKeeperEnvironment } from '../.config/zookeeper.mjs';
import { toYaml } from '../dist/modules/layout/job-configuration-yaml.js';

Object.assign(process.env, zooKeeperEnvironment());
const { ZooKeeperServer } = await import('../test/support/zookeeper-server.ts');

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '40' } },
  strict: false,
});
const JOBS = Number(values.jobs);
const ROUNDS = Number(values.rounds);
const GOAL_MS = 1_000;
const ITEMS = 3;
const JOBS_PER_COMMIT = 20;

const server = await ZooKeeperServer.start({ heapMb: 1024 });
const registry = new ZookeeperRegistryCenter({ serverLists: server.address, namespace: 'bench' });
registry.connect();
try {
  await storeJobs();
  const statistics = new JobStatisticsAPI(registry);
  await measure(`list ${JOBS} jobs`, async () => {
    const jobs = await statistics.getAllJobsBriefInfo();
    if (jobs.length !== JOBS || jobs.some(({ status }) => status !== 'OK')) throw new Error('The list is wrong');
  });
  const servers = new ServerStatisticsAPI(registry);
  await measure(`list the servers of ${JOBS} jobs`, async () => {
    const all = await servers.getAllServersBriefInfo();
    if (all.length !== 2) throw new Error('The list is wrong');
  });
} finally {
  await registry.close();
  await server.dispose();
}

/** Each with two servers, two instances and three items, as they are while they run. */
async function storeJobs() {
  const instances = ['10.0.0.1', '10.0.0.2'].map((ip) => jobInstanceOn(ip, '4711-k3j9x2ab'));
  await registry.create('/job-0', '');
  await registry.remove('/job-0');
  const nodesOf = (number) => {
    const name = `job-${number}`;
    const root = `/${name}`;
    const configuration = JobConfiguration.newBuilder(name, ITEMS)
      .cron('0/5 * * * * ?')
      .shardingItemParameters('0=Beijing,1=Shanghai,2=Guangzhou')
      .description('Copies the orders of a region: all of them')
      .failover(true)
      .build();
    return [
      [root, 'com.example.SyncOrdersJob'],
      [`${root}/config`, toYaml(configuration)],
      [`${root}/servers`, ''],
      [`${root}/instances`, ''],
      [`${root}/sharding`, ''],
      ...instances.flatMap((each) => [
        [`${root}/servers/${each.serverIp}`, 'ENABLED'],
        [`${root}/instances/${each.jobInstanceId}`, instanceYaml(each)],
      ]),
      ...Array.from({ length: ITEMS }, (_, item) => [
        [`${root}/sharding/${item}`, ''],
        [`${root}/sharding/${item}/instance`, instances[item % 2].jobInstanceId],
      ]).flat(),
    ].map(([path, value]) => ({ type: 'create', path, value }));
  };
  for (let first = 0; first < JOBS; first += JOBS_PER_COMMIT) {
    const count = Math.min(JOBS_PER_COMMIT, JOBS - first);
    const operations = Array.from({ length: count }, (_, index) => nodesOf(first + index)).flat();
    // One after the other: a server that syncs to disk takes no more.
    await registry.commit(operations);
  }
}

async function measure(what, task) {
  const tookMs = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await task();
    tookMs.push(performance.now() - began);
  }
  const [first] = tookMs;
  const sorted = tookMs.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
  console.log(
    `${what}: ${first.toFixed(0)} ms the first time, ${at(0.5).toFixed(0)} ms (median), ${at(0.95).toFixed(0)} ms (95 %)`,
  );
  if (at(0.95) > GOAL_MS) console.log(`  more than the goal of ${GOAL_MS} ms`);
}
