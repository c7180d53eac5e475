// The cost of a graph of twenty jobs beside twenty jobs without: two instances, four items a job, a firing a minute.
import { TestCluster } from 'nestjs-elasticjob/testing';

const JOBS = 20;
const ROUNDS = 60;
const CRON = '0 * * * * ?';

/** Four roots; each further job runs after the two of the same place and the next one in the row before: diamonds. */
function afterOf(number) {
  const row = Math.floor(number / 4);
  return row === 0 ? undefined : [number, number + 1].map((place) => `job${(row - 1) * 4 + (place % 4)}`);
}

function jobOf(number, isGraph) {
  const after = isGraph ? afterOf(number) : undefined;
  const timing = after === undefined ? { cron: CRON, timeZone: 'GMT' } : { after };
  return { jobName: `job${number}`, shardingTotalCount: 4, failover: true, ...timing };
}

async function measure(isGraph) {
  const [job, ...otherJobs] = Array.from({ length: JOBS }, (_, number) => jobOf(number, isGraph));
  const cluster = await TestCluster.start(['A', 'B'], { job, otherJobs });
  await cluster.advance('10m');
  let commits = 0;
  let changes = 0;
  cluster.server.namespace('elasticjob').watch('/', (commit) => {
    commits++;
    changes += commit.changes.length;
  });
  cluster.forget();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) await cluster.advance('1m');
  const { user, system } = process.cpuUsage(before);
  const runs = Array.from({ length: JOBS }, (_, number) => cluster.runsOf(`job${number}`).length);
  await cluster[Symbol.asyncDispose]();
  const total = runs.reduce((sum, each) => sum + each, 0);
  if (total !== JOBS * ROUNDS * 4) throw new Error(`There were ${total} runs: ${runs.join(' ')}`);
  const a = (figure) => (figure / ROUNDS / JOBS).toFixed(2);
  console.log(
    `${isGraph ? 'a graph of 20 jobs' : '20 jobs without'}: ${a(commits)} commits with ${a(changes)} changes, and ` +
      `${a((user + system) / 1_000)} ms of the processor, for each firing of a job (4 items, 2 instances)`,
  );
}

for (const isGraph of [false, true, false, true]) await measure(isGraph);
