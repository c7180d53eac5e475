/**
 * The parts of the suite that mutants meet, each in a process of its own. They are those that need nothing but Node: a
 * mutant of the kernel must be caught on the embedded registry.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The finding of a part of the suite about a copy of the sources. */
export type Finding =
  | { readonly type: 'passed' }
  /** `by`: a test, or a seed of the simulation. */
  | { readonly type: 'failed'; readonly by: string }
  /** No test has said anything: sources that cannot be loaded, a program that has died. */
  | { readonly type: 'broken'; readonly why: string };

/** A part of the suite. */
export interface Part {
  readonly name: string;
  /** Runs it in the sources below `root`. */
  readonly run: (root: string) => Promise<Finding>;
}

/** A part that takes longer has met a mutant that never ends; each takes seconds. */
const LIMIT_MS = 240_000;
const HISTORIES = 600;

/** All parts, the likely ones first; `first` is a spec that is tried before all others. */
export function parts(root: string, first?: string): readonly Part[] {
  const specs = [...specsBelow(root, 'test/unit/kernel'), ...specsBelow(root, 'test/unit/testing')];
  const scenarios = specsBelow(root, 'test/scenarios');
  return [
    ...(first !== undefined && existsSync(join(root, 'test', first)) ? [jest(first, [`test/${first}`])] : []),
    jest(
      'kernel',
      specs.filter((path) => path !== `test/${first}`),
    ),
    ...(scenarios.length > 0 ? [jest('scenarios', scenarios)] : []),
    ...(existsSync(join(root, 'test/campaigns/simulation/main.ts')) ? [simulation] : []),
  ];
}

/** Specs below a folder that need no ZooKeeper. */
function specsBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(
      (path) => path.endsWith('.spec.ts') && !/^import .*zookeeper/im.test(readFileSync(join(root, path), 'utf8')),
    )
    .sort();
}

function jest(name: string, specs: readonly string[]): Part {
  const flags = ['ExperimentalWarning', 'ElasticJobWarning'].map((type) => `--disable-warning=${type}`);
  const program = ['node_modules/jest/bin/jest.js', '-c', '.config/jest.config.mjs'];
  const manner = ['--runInBand', '--ci', '--silent', '--forceExit'];
  const args = [...manner, '--reporters=<rootDir>/test/campaigns/mutants/reporter.mjs', '--runTestsByPath', ...specs];
  return {
    name,
    run: async (root) => {
      const { hasEnded, text } = await nodeIn(
        root,
        ['--experimental-vm-modules', ...flags, ...program, ...args],
        FAILED,
      );
      return jestFinding(root, text) ?? (hasEnded ? { type: 'broken', why: text } : endless(name));
    },
  };
}

/** An event of `reporter.mjs`. */
interface TestEvent {
  readonly failed?: string;
  readonly unrunnable?: string;
  readonly passed?: number;
  readonly path?: string;
}

/**
 * The finding in the output of Jest, if there is one. A file that could not even be loaded is no test that has failed.
 */
export function jestFinding(root: string, text: string): Finding | undefined {
  const events = [...text.matchAll(/^MUTANT (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? '') as TestEvent);
  const failed = events.find((event) => event.failed !== undefined);
  if (failed !== undefined)
    return { type: 'failed', by: `${relative(join(root, 'test'), failed.path ?? '')}: ${failed.failed}` };
  const unrunnable = events.find((event) => event.unrunnable !== undefined);
  if (unrunnable !== undefined) return { type: 'broken', why: `${unrunnable.path}: ${unrunnable.unrunnable}` };
  const passed = events.find((event) => event.passed !== undefined)?.passed;
  if (passed === undefined) return undefined;
  return passed > 0 ? { type: 'passed' } : { type: 'broken', why: 'no test has run' };
}

/** After this line nothing more has to be known. */
const FAILED = /^MUTANT \{"failed".*\}$/m;

function endless(part: string): Finding {
  return { type: 'failed', by: `${part}: has not ended after ${LIMIT_MS / 1_000} s` };
}

const simulation: Part = {
  name: 'simulation',
  run: async (root) => {
    const program = ['--import', './.config/typescript.mjs', 'test/campaigns/simulation/main.ts'];
    const manner = ['--histories', String(HISTORIES), '--processes', '1', '--failures', '1'];
    const { code, hasEnded, text } = await nodeIn(root, [...program, ...manner], SEEDS);
    const [, rule, seed] = SEEDS.exec(text) ?? [];
    if (rule !== undefined) return { type: 'failed', by: `simulation, seed ${seed}: ${rule}` };
    if (!hasEnded) return endless('simulation');
    return code === 0 ? { type: 'passed' } : { type: 'broken', why: text };
  },
};
/**
 * The line that the simulation prints for each broken rule, before it looks for the smallest history that breaks it.
 */
const SEEDS = /^(\S.*): seeds (\d+)/m;

interface End {
  readonly code: number | null;
  readonly hasEnded: boolean;
  readonly text: string;
}

/** Runs Node in `cwd` until it ends, or prints something like `enough`. */
function nodeIn(cwd: string, args: readonly string[], enough?: RegExp): Promise<End> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = (): boolean => child.kill('SIGKILL');
    process.once('exit', kill);
    let hasEnded = true;
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (enough?.test(text) === true) kill();
      });
    const limit = setTimeout(() => {
      hasEnded = false;
      kill();
    }, LIMIT_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      process.off('exit', kill);
      resolve({ code, hasEnded, text });
    });
  });
}
