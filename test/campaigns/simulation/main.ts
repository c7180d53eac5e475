/**
 * `npm run simulate`: plays random histories of clusters and says what is wrong with them.
 *
 *   npm run simulate -- --histories 1000000              the long campaign
 *   npm run simulate -- --histories 5000 --seed 20001    from another seed on
 *   npm run simulate -- --play 4711 [--rule doubles]     one history, minimised if something is wrong with it
 *   npm run simulate -- --graphs …                       any of these with several jobs, some of which run after others
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { campaign, type Failure, type Outcome } from './campaign.js';
import { type History } from './history.js';
import { faultsOf, historyOfKind, type Kind } from './kind.js';
import { minimise } from './minimise.js';
import { play } from './player.js';
import { scenario } from './scenario.js';

const PROGRESS_EVERY_MS = 60_000;

/** How many failures of the same rule are told of in full. */
const TOLD = 1;

const { values: options } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: String(Math.min(8, availableParallelism())) },
    failures: { type: 'string', default: '20' },
    play: { type: 'string' },
    rule: { type: 'string' },
    graphs: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
  },
});

const kind: Kind = options.graphs ? 'graph' : 'one-job';

if (options.play !== undefined) console.log(await told(Number(options.play), options.rule));
else await run();

async function run(): Promise<void> {
  const [firstSeed, histories] = [Number(options.seed), Number(options.histories)];
  const began = performance.now();
  let toldAt = began;
  const outcome = await campaign({
    kind,
    firstSeed,
    histories,
    processes: Number(options.processes),
    mostFailures: Number(options.failures),
    // At once: a long campaign may be broken off.
    onFailure: ({ seed, faults: [first] }) => console.log(`  seed ${seed} ${first?.rule}: ${first?.text}`),
    onPlayed: (count) => {
      if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
      toldAt = performance.now();
      console.log(`  ${count} histories, ${rate(count, (toldAt - began) / 1_000)}`);
    },
  });
  if (outcome.failures.length > 0) {
    process.exitCode = 1;
    await tell(outcome.failures);
  }
  console.log(summary(firstSeed, outcome));
}

function summary(firstSeed: number, outcome: Outcome): string {
  const { played, seconds, failures, features } = outcome;
  const shares = [...features]
    .sort(([, one], [, other]) => other - one)
    .map(([feature, count]) => `${feature} ${((100 * count) / played).toFixed(1)} %`);
  return [
    `Simulated ${played} histories${kind === 'graph' ? ' of graphs' : ''}, seeds ${firstSeed} to ${firstSeed + played - 1}, in ${seconds.toFixed(0)} s ` +
      `(${rate(played, seconds)}): ${failures.length === 0 ? 'nothing is wrong.' : `${failures.length} failed.`}`,
    `With: ${shares.join(', ')}.`,
  ].join(' ');
}

async function tell(failures: readonly Failure[]): Promise<void> {
  const seeds = new Map<string, number[]>();
  for (const { seed, faults } of failures)
    for (const rule of new Set(faults.map((fault) => fault.rule))) seeds.set(rule, [...(seeds.get(rule) ?? []), seed]);
  for (const [rule, list] of seeds) console.log(`${rule}: seeds ${list.join(' ')}`);
  if (options.brief) return;
  for (const [rule, list] of seeds) for (const seed of list.slice(0, TOLD)) console.log(`\n${await told(seed, rule)}`);
}

/** The history of a seed, cut down to what is needed for the fault of this rule, or the first one. */
async function told(seed: number, rule: string | undefined): Promise<string> {
  const history = historyOfKind(kind, seed);
  const faults = await faultsOf(history);
  const wanted = rule ?? faults[0]?.rule;
  const shows = async (other: History): Promise<boolean> =>
    (await faultsOf(other)).some((fault) => fault.rule === wanted);
  const isMinimised = !options.whole && faults.some((fault) => fault.rule === wanted);
  const smallest = isMinimised ? await minimise(history, shows) : history;
  const recording = await play(smallest);
  const text = scenario(smallest, recording, await faultsOf(smallest));
  if (!options.log) return text;
  return [text, ...[...recording.logs].map(([name, lines]) => `${name}:\n  ${lines.join('\n  ')}`)].join('\n');
}

function rate(count: number, seconds: number): string {
  return `${(count / seconds).toFixed(0)} histories/s`;
}
