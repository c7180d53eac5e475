/**
 * `npm run demo`: several instances of the sample in one process, on the embedded registry and one database. Shows
 * where the items of the sharded job run while an instance joins and another one leaves, then checks the run log: from
 * the moment at which three instances ran, every firing must have run every item exactly once. Ends by itself, with
 * exit code 1 if one did not.
 *
 * `npm run demo -- --console` goes on until Ctrl-C, and shows the instances in the console instead.
 *
 * `DEMO_PERIOD_SECONDS` (default 2, a divisor of 60) and `DEMO_FIRINGS` (in each of the three acts, default 3) set its
 * pace.
 */
import { JobBootstraps } from 'nestjs-elasticjob';
import { type Run } from '../orders/run.entity.js';
import { Instances } from './instances.js';
import { keepOpen } from './open-house.js';
import { RunLog } from './run-log.js';
import { Screen } from './screen.js';
import { isComplete, summaryOf } from './summary.js';

const periodSeconds = Number(process.env['DEMO_PERIOD_SECONDS'] ?? 2);
const firingsPerAct = Number(process.env['DEMO_FIRINGS'] ?? 3);
// Environment variables come before elasticjob.yaml.
process.env['ELASTICJOB_JOBS_SHIPORDERS_CRON'] = `0/${periodSeconds} * * * * ?`;
delete process.env['ELASTICJOB_REGCENTER_SERVERLISTS'];

const startedAt = new Date();
const log = await RunLog.openEmpty();
const instances = new Instances();
const screen = new Screen(process.stdout);

try {
  if (process.argv.includes('--console')) await showConsole();
  else process.exitCode = (await play()) ? 0 : 1;
} finally {
  await instances.stopAll();
  await log.close();
}

async function showConsole(): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const say = (note: string): void => void process.stdout.write(`${note}\n`);
  await keepOpen({ instances, dataSource: log.dataSource, say, signal: ending.signal });
}

/** @returns true if every firing ran every item exactly once */
async function play(): Promise<boolean> {
  screen.say(`Orders of 6 regions are shipped every ${periodSeconds} s. Starting three instances: A, B and C.`);
  for (const name of ['A', 'B', 'C']) await instances.start(name);
  const from = Date.now();
  await watchFirings();

  screen.say('A fourth instance, D, joins.');
  await tellWhatMoves(async () => {
    await instances.start('D');
    await watchFirings();
  });

  screen.say('Instance A is stopped.');
  await tellWhatMoves(async () => {
    await instances.stop('A');
    await watchFirings();
  });

  const until = Math.max(...completeFirings());
  await placeOrders();
  await instances.stopAll();
  await log.readOn();
  return conclude(from, until);
}

/** Shows runs until enough new firings are complete. */
async function watchFirings(): Promise<void> {
  const from = Date.now();
  const enough = (): boolean => completeFirings().filter((instant) => instant > from).length >= firingsPerAct;
  await readUntil(enough, `${firingsPerAct} firings of shipOrders`);
}

async function tellWhatMoves(act: () => Promise<void>): Promise<void> {
  const before = screen.owners;
  await act();
  const moves = [...screen.owners].flatMap(([item, owner]) =>
    before.get(item) === owner ? [] : [`${item} from ${before.get(item) ?? 'nobody'} to ${owner}`],
  );
  screen.say(`  moved: ${moves.length === 0 ? 'nothing' : moves.sort().join(', ')}`);
}

/** Executes the one-off job on one instance, which makes all instances run it. */
async function placeOrders(): Promise<void> {
  screen.say('A one-off job places new orders in all regions.');
  await instances.get('B').get(JobBootstraps).oneOff('placeOrders').execute();
  const placing = (): readonly Run[] => log.runs.filter(({ jobName }) => jobName === 'placeOrders');
  await readUntil(() => placing().length === 6, 'placeOrders');
  const where = placing().map(({ item, instance, orders }) => `${orders} by item ${item} on ${instance}`);
  screen.say(`  placed: ${where.sort().join(', ')}`);
}

async function conclude(from: number, until: number): Promise<boolean> {
  const { firings, runs, orders, faults } = summaryOf(shippingRuns(), { from, until, periodMs: periodSeconds * 1000 });
  const shipped = await log.shippedOrders();
  const trace = await log.trace(startedAt);
  const all = [
    ...faults,
    ...(shipped === orders ? [] : [`The runs shipped ${orders} orders, the database has ${shipped}.`]),
    ...(trace.succeeded === log.runs.length
      ? []
      : [`${log.runs.length} items ran, and ${trace.succeeded} are recorded.`]),
  ];
  for (const fault of all) screen.say(`WRONG: ${fault}`);
  const verdict = all.length === 0 ? 'every firing ran every item exactly once' : `${all.length} faults`;
  screen.say(
    `Recorded in the database: ${trace.succeeded} items that succeeded and ${trace.failed} that failed (JOB_EXECUTION_LOG), ` +
      `${trace.states} states of runs (JOB_STATUS_TRACE_LOG).`,
  );
  screen.say(`${firings} firings, ${runs} runs of items, ${shipped} orders shipped: ${verdict}.`);
  return all.length === 0;
}

function readUntil(isEnough: () => boolean, what: string): Promise<void> {
  return log.readUntil(isEnough, {
    what,
    onRun: (run) => {
      if (run.jobName === 'shipOrders') screen.show(run);
    },
  });
}

/** The instants (milliseconds since 1970) for which all items have been run. */
function completeFirings(): readonly number[] {
  const instants = new Set(shippingRuns().map(({ scheduledAt }) => Number(scheduledAt)));
  return [...instants].filter((instant) => isComplete(instant, shippingRuns()));
}

function shippingRuns(): readonly Run[] {
  return log.runs.filter(({ jobName }) => jobName === 'shipOrders');
}
