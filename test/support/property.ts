/**
 * Properties that hold for all values, tried with a hundred or more that fast-check draws.
 *
 * `npm test` draws the same values in each run: if a test fails, the change broke it, and it fails again. `npm run
 * properties` looks for new values: it draws a seed and tries many times as many. Each failure says how to play it
 * again:
 *
 *     PROPERTY_SEED=4711 PROPERTY_RUNS=20 npm test -- test/unit/time/cron.spec.ts
 */
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { relative } from 'node:path';
import { root } from './program.js';

/** The seed of all properties of a run. */
const SEED = integerOf('PROPERTY_SEED', 1);

/** How many times as many values as usual are tried. */
const RUNS = integerOf('PROPERTY_RUNS', 1);

/** How many values are tried. */
interface PropertyOptions {
  /** Default: 100. `PROPERTY_RUNS` multiplies it. */
  readonly numRuns?: number;
}

/** Fails, with the simplest values that could be found, if the property does not hold. */
export function expectProperty<T>(property: fc.IProperty<T>, options: PropertyOptions = {}): void {
  expectHeld(fc.check(property, parameters(options)));
}

/** As `expectProperty`, for a property that waits for something. */
export async function expectAsyncProperty<T>(
  property: fc.IAsyncProperty<T>,
  options: PropertyOptions = {},
): Promise<void> {
  expectHeld(await fc.check(property, parameters(options)));
}

function parameters<T>({ numRuns = 100 }: PropertyOptions): fc.Parameters<T> {
  return { seed: SEED, numRuns: numRuns * RUNS };
}

function expectHeld<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return;
  const { errorInstance: cause } = details;
  const what = cause instanceof Error ? `${cause.message}\n` : '';
  throw new Error(`${what}${fc.defaultReportMessage(details)}\n\nPlay it again:\n${replay()}`, { cause });
}

function replay(): string {
  const file = relative(root, expect.getState().testPath ?? '');
  return `  PROPERTY_SEED=${SEED} PROPERTY_RUNS=${RUNS} npm test -- ${file}`;
}

function integerOf(variable: string, usual: number): number {
  const text = process.env[variable];
  if (text === undefined || text === '') return usual;
  const value = Number(text);
  if (Number.isInteger(value)) return value;
  throw new RangeError(`${variable} must be an integer, got '${text}'`);
}
