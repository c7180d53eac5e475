/** Declares a test; `body` rejects if the test fails. */
export type DeclareTest = (name: string, body: () => Promise<void>) => void;

/** Declares what is done before or after tests. */
type DeclareHook = (body: () => Promise<void>) => unknown;

/**
 * The functions of a test runner that the contract calls: those that Jest has as globals, and Vitest if `globals` is
 * set, or that `@jest/globals`, `vitest` and `node:test` export.
 */
export interface ContractRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  /** Declares a test. The deadline is for runners that have one, in milliseconds. */
  readonly test: (name: string, body: () => Promise<void>, deadlineMs: number) => unknown;
  readonly beforeEach: DeclareHook;
  readonly afterEach: DeclareHook;
  readonly beforeAll?: DeclareHook;
  readonly afterAll?: DeclareHook;
  /** As `node:test` calls `beforeAll`. */
  readonly before?: DeclareHook;
  /** As `node:test` calls `afterAll`. */
  readonly after?: DeclareHook;
}

/** A runner whose hooks have one name each. */
export type CompleteRunner = Required<Omit<ContractRunner, 'before' | 'after'>>;

const ALWAYS = ['describe', 'test', 'beforeEach', 'afterEach'] as const;

/**
 * The functions of the given runner, or those that the runner of this file has as globals.
 * @throws RangeError if one is missing; names it, and how a runner is given
 */
export function completeRunner(given: Partial<ContractRunner> = globalThis as Partial<ContractRunner>): CompleteRunner {
  const { describe, test, beforeEach, afterEach, beforeAll = given.before, afterAll = given.after } = given;
  if (describe && test && beforeEach && afterEach && beforeAll && afterAll)
    return { describe, test, beforeEach, afterEach, beforeAll, afterAll };
  const missing: string[] = ALWAYS.filter((name) => !given[name]);
  if (!beforeAll) missing.push('beforeAll (or before)');
  if (!afterAll) missing.push('afterAll (or after)');
  throw new RangeError(
    `registryCenterContract needs a test runner, and finds no ${missing.join(', ')}. Run it in a test file of a runner ` +
      `with globals, or give it the runner: import * as runner from 'node:test' (or 'vitest', '@jest/globals'), { runner }.`,
  );
}
