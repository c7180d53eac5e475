/**
 * `npm run mutants`: re-introduces known bugs of ElasticJob one at a time, in a copy of the sources, and shows that the
 * suite catches them.
 *
 *   npm run mutants                       all
 *   npm run mutants -- EJ2449 EJ523       those of these threads, or of these names
 *   npm run mutants -- --every-part       whether each part of the suite catches them by itself; takes long
 *   npm run mutants -- --parts kernel     only with these parts of the suite: kernel,scenarios,simulation
 *   npm run mutants -- --lanes 1          one at a time; two are usual
 *   npm run mutants -- --relocate         only rewrites the lists: which file of lib/ has the text that a mutant replaces
 *
 * Fails if fewer than 95 of 100 are caught, if one can no longer be made because the library has changed, or if the
 * suite fails without any.
 */
import { parseArgs } from 'node:util';
import { knownBugs } from './known-bugs/index.js';
import { type Mutant, OutdatedMutantError, select } from './mutant.js';
import { describeMisfit, relocate } from './relocate.js';
import { type Part, parts } from './suite.js';
import { table } from './table.js';
import { root, TreeCopy } from './tree-copy.js';

const WANTED_SHARE = 0.95;

const COLUMNS = [
  { title: 'thread', width: 10 },
  { title: 'mutant', width: 39 },
  { title: 're-introduced', width: 44 },
  { title: 'caught by', width: 60 },
  { title: '   time', width: 7 },
];

/** The result of a mutant. `caughtBy`: by part of the suite. */
interface Outcome {
  readonly mutant: Mutant;
  readonly caughtBy: ReadonlyMap<string, string>;
  readonly fault: string | undefined;
  readonly seconds: number;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'every-part': { type: 'boolean', default: false },
    parts: { type: 'string', default: 'kernel,scenarios,simulation' },
    lanes: { type: 'string', default: '2' },
    relocate: { type: 'boolean', default: false },
  },
});

const mutants = selected();
if (options.relocate) process.exit(rewriteLists());
const copies = Array.from(
  { length: Math.max(1, Math.min(Number(options.lanes), mutants.length)) },
  () => new TreeCopy(),
);
process.once('exit', () => copies.forEach((copy) => copy[Symbol.dispose]()));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
await run();

function selected(): readonly Mutant[] {
  try {
    return select(knownBugs, positionals);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(`${error.message} There are:\n${knownBugs.map(titleOf).join('\n')}`);
    process.exit(2);
  }
}

/** Returns the exit code: 1 if the lists still do not fit. */
function rewriteLists(): number {
  const misfits = relocate(mutants, root);
  const lost = misfits.filter(({ newFile }) => newFile === undefined);
  for (const misfit of misfits) console.log(describeMisfit(misfit));
  console.log(
    `Edits: ${misfits.length - lost.length} follow their text to another file, ${lost.length} have no place.`,
  );
  return lost.length > 0 ? 1 : 0;
}

async function run(): Promise<void> {
  const began = performance.now();
  const faults = await inLanes(wantedParts(), async (part, copy) => {
    const finding = await part.run(copy.root);
    if (finding.type === 'passed') return '';
    return `${part.name}: ${finding.type === 'failed' ? finding.by : finding.why}`;
  });
  if (faults.some((fault) => fault !== '')) {
    console.error(['The suite fails without any mutant.', ...faults].join('\n'));
    process.exitCode = 1;
    return;
  }
  console.log(`Without a mutant the suite passes (${secondsSince(began)}).`);
  report(await inLanes(mutants, meet), began);
}

function wantedParts(first?: string): readonly Part[] {
  const names = options.parts.split(',');
  return parts(root, first).filter(({ name }) => name === first || names.includes(name));
}

/** Puts a mutant before the parts of the suite, until one catches it. */
async function meet(mutant: Mutant, copy: TreeCopy): Promise<Outcome> {
  const began = performance.now();
  const caughtBy = new Map<string, string>();
  const fault = await copy
    .asMutant(mutant, () => judge(mutant, copy, caughtBy))
    .catch((error: unknown) => {
      if (error instanceof OutdatedMutantError) return error.message;
      throw error;
    });
  const outcome: Outcome = { mutant, caughtBy, fault, seconds: (performance.now() - began) / 1_000 };
  console.log(`${verdictOn(outcome).padEnd(8)}  ${titleOf(mutant)}${fault === undefined ? '' : `\n${fault}`}`);
  return outcome;
}

/** Returns what is wrong with the mutant itself, if so. */
async function judge(mutant: Mutant, copy: TreeCopy, caughtBy: Map<string, string>): Promise<string | undefined> {
  const isThorough = options['every-part'];
  for (const part of wantedParts(isThorough ? undefined : mutant.first)) {
    // Serial on purpose: the next part is only asked if this one has said nothing.
    const finding = await part.run(copy.root);
    if (finding.type === 'broken') return `It cannot be run: ${finding.why}`;
    if (finding.type === 'failed') caughtBy.set(part.name, finding.by);
    if (finding.type === 'failed' && !isThorough) return undefined;
  }
  return undefined;
}

function report(outcomes: readonly Outcome[], began: number): void {
  const rows = outcomes.map((outcome) => [
    outcome.mutant.threads.join(' ') || '–',
    outcome.mutant.name,
    outcome.mutant.bug,
    outcome.caughtBy.size === 0 ? verdictOn(outcome).toUpperCase() : byText(outcome.caughtBy),
    `${outcome.seconds.toFixed(1)} s`.padStart(7),
  ]);
  console.log(`\n${table(COLUMNS, rows)}\n`);
  const caught = outcomes.filter((outcome) => verdictOn(outcome) === 'caught').length;
  const isOutdated = outcomes.some(({ fault }) => fault !== undefined);
  console.log(`Mutants: ${caught} of ${outcomes.length} are caught (${secondsSince(began)})`);
  if (caught < WANTED_SHARE * outcomes.length || isOutdated) process.exitCode = 1;
}

function byText(caughtBy: ReadonlyMap<string, string>): string {
  if (!options['every-part']) return [...caughtBy.values()].join(' ');
  return [...caughtBy].map(([part, by]) => `[${part}] ${by}`).join(' ');
}

function verdictOn({ caughtBy, fault }: Outcome): 'caught' | 'outdated' | 'survived' {
  if (fault !== undefined) return 'outdated';
  return caughtBy.size > 0 ? 'caught' : 'survived';
}

function titleOf({ threads, name }: Mutant): string {
  return [name, ...threads].join(' ');
}

function secondsSince(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(0)} s`;
}

/** Does the tasks in their order, as many at a time as there are copies of the sources. */
async function inLanes<T, R>(
  tasks: readonly T[],
  perform: (task: T, copy: TreeCopy) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const waiting = [...tasks.entries()];
  const lane = async (copy: TreeCopy): Promise<void> => {
    // Serial on purpose: one copy holds one mutant at a time.
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results.set(next[0], await perform(next[1], copy));
  };
  await Promise.all(copies.map(lane));
  return [...results].sort(([one], [other]) => one - other).map(([, result]) => result);
}
