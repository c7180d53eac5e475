/** Jobs in worker threads, with real threads: what their specs share. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { type ShardingContext } from '../../../lib/index.js';
import { workerExecutors } from '../../../lib/executors/worker/worker-executor.js';
import { ManualClock } from '../../../lib/testing/index.js';
import { until } from '../../support/until.js';
import { type RunItem, runItem } from './stage.js';

export const folder = realpathSync(mkdtempSync(join(tmpdir(), 'elasticjob-workers-')));
export const clock = new ManualClock();
export const { typed, classed } = workerExecutors(clock);
afterEach(() => typed.release?.('report'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A module of that name. Returns its path. */
export function file(name: string, code: string): string {
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

let count = 0;
/** A name that no module has yet: `endless3.mjs`. */
export const newName = (start: string): string => `${start}${++count}.mjs`;

/** A module whose default export is a function with this body. */
export const worker = (body: string): string =>
  file(newName('w'), `export default async (context, logger) => {${body}}`);

export const run = (
  path: string,
  changes: Partial<ShardingContext> = {},
  props: Record<string, string> = {},
): RunItem => runItem(typed, { 'run.worker': path, ...props }, changes);

export const has = (item: RunItem, text: string): Promise<void> =>
  until(() => item.log.some((line) => line.endsWith(`: ${text}`)), `the log to have ${text}`);

/** The error of an item's run. */
export const failure = (item: RunItem): Promise<Error> =>
  item.ended.then(
    () => new Error('it succeeded'),
    (error: Error) => error,
  );

/** How many channels to threads there are in this process. */
export const ports = (): number => process.getActiveResourcesInfo().filter((each) => each === 'MessagePort').length;

/** Runs for as long as the thread lives. */
export const SPIN = 'for (;;);';
export const WAIT = 'await new Promise((resolve) => setTimeout(resolve, 1e6));';
export const THREAD = "const { threadId } = await import('node:worker_threads');";
