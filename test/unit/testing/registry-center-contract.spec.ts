import { expect, test } from '@jest/globals';
import { RegistryUnavailableError } from '../../../lib/api/errors/errors.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { expect as contractExpect, rejection } from '../../../lib/testing/contract/expect.js';
import { untilConnected } from '../../../lib/testing/contract/stage.js';
import { type ContractRunner, type ContractServer, registryCenterContract } from '../../../lib/testing/index.js';

type Body = () => Promise<void>;

/** A runner that keeps the tests, and runs one when it is asked to. */
class KeptTests implements ContractRunner {
  readonly tests = new Map<string, Body>();
  readonly #hooks: Record<'before' | 'beforeEach' | 'afterEach' | 'after', Body[]> = {
    ...{ before: [], beforeEach: [], afterEach: [], after: [] },
  };
  readonly describe = (_: string, body: () => void): void => body();
  readonly test = (name: string, body: Body): void => void this.tests.set(name, body);
  readonly before = (body: Body): void => void this.#hooks.before.push(body);
  readonly beforeEach = (body: Body): void => void this.#hooks.beforeEach.push(body);
  readonly afterEach = (body: Body): void => void this.#hooks.afterEach.push(body);
  readonly after = (body: Body): void => void this.#hooks.after.push(body);

  /** The message of the error with which the test of that name fails; `passed` if it does not. */
  async outcomeOf(name: string): Promise<string> {
    const body = this.tests.get(name);
    if (body === undefined) throw new Error(`The contract has no test named: ${name}`);
    const { before, beforeEach, afterEach, after } = this.#hooks;
    for (const hook of [...before, ...beforeEach]) await hook();
    const [outcome] = await Promise.allSettled([body()]);
    for (const hook of [...afterEach, ...after]) await hook();
    return outcome.status === 'fulfilled' ? 'passed' : (outcome.reason as Error).message;
  }
}

/** The contract for embedded registry centres that `spoil` has changed. */
function contractOf(spoil: (centre: EmbeddedRegistryCenter) => void): KeptTests {
  const runner = new KeptTests();
  registryCenterContract('a registry centre', () => Promise.resolve(serverOf(spoil)), { runner });
  return runner;
}

function serverOf(spoil: (centre: EmbeddedRegistryCenter) => void): ContractServer {
  const server = new EmbeddedRegistryServer();
  const faultsOf = (centre: RegistryCenter) => (centre as EmbeddedRegistryCenter).faults;
  return {
    async open({ sessionTimeoutMilliseconds = 10_000 } = {}) {
      const centre = new EmbeddedRegistryCenter({ server, sessionTimeoutMilliseconds });
      centre.connect();
      await untilConnected(centre);
      spoil(centre);
      return centre;
    },
    expire: (centre) => Promise.resolve(faultsOf(centre).expire()),
    disconnect: (centre) => Promise.resolve(faultsOf(centre).disconnect()),
    reconnect: (centre) => Promise.resolve(faultsOf(centre).resume()),
    contenders: async (centre, path) => (await centre.children(path)).length,
    close: () => Promise.resolve(server.close()),
  };
}

const FAULTS: readonly [string, string, (centre: EmbeddedRegistryCenter) => void][] = [
  [
    'reports absence while it cannot reach the registry',
    'a registry that cannot be reached is an error, never an absence, and nothing is changed',
    (centre) => {
      const get = centre.get.bind(centre);
      centre.get = (path) =>
        get(path).catch((error: unknown) => {
          if (error instanceof RegistryUnavailableError) return undefined;
          throw error;
        });
    },
  ],
  [
    'carries out a commit one operation after the other',
    'because of a set of a missing node the whole commit is refused, and the error names its path',
    (centre) => {
      const commit = centre.commit.bind(centre);
      centre.commit = async (operations) => {
        let revision = 0;
        for (const each of operations) revision = await commit([each]);
        return revision;
      };
    },
  ],
  [
    'lets two tasks hold a path',
    'at most one task holds a path, among sessions and within one',
    (centre) => {
      centre.exclusively = (_path, _timeoutMs, task) => task(new AbortController().signal);
    },
  ],
  [
    'makes all nodes persistent',
    'when a session ends its nodes vanish, and only its own; their parents stay',
    (centre) => {
      const create = centre.create.bind(centre);
      centre.create = (path, value) => create(path, value);
    },
  ],
];

test.each(FAULTS)('a registry centre that %s fails the contract', async (_, name, spoil) => {
  expect(await contractOf(() => undefined).outcomeOf(name)).toBe('passed');

  expect(await contractOf(spoil).outcomeOf(name)).not.toBe('passed');
});

test('a runner without hooks is refused with what is missing, and how to give one', () => {
  const { describe, test: declare } = new KeptTests();

  expect(() =>
    registryCenterContract('a', () => Promise.reject(new Error()), {
      runner: { describe, test: declare } as unknown as ContractRunner,
    }),
  ).toThrow(/no beforeEach, afterEach, beforeAll \(or before\), afterAll \(or after\)\..*import \* as runner from/);
});

test.each<[string, () => unknown]>([
  ['another value', () => contractExpect(1).toBe(2)],
  ['the same value where another is claimed', () => contractExpect(1).notToBe(1)],
  ['a value where none is claimed', () => contractExpect('').toBeUndefined()],
  ['another part', () => contractExpect({ a: [{ b: 1 }] }).toEqual({ a: [{ b: 2 }] })],
  ['one part more', () => contractExpect({ a: 1, b: 2 }).toEqual({ a: 1 })],
  ['one element more', () => contractExpect([1, 2]).toMatchObject([1])],
  ['no object', () => contractExpect(undefined).toMatchObject({})],
  ['another part that is named', () => contractExpect({ a: 1, b: 2 }).toMatchObject({ b: 3 })],
  ['an array without the element', () => contractExpect([1]).toContain(2)],
  ['a text without the part', () => contractExpect('abc').toContain('d')],
  ['another text', () => contractExpect('abc').toMatch(/^b/)],
  ['an equal number', () => contractExpect(1).toBeGreaterThan(1)],
  ['a number without another one', () => contractExpect(1).toBeGreaterThan(undefined)],
  ['no number', () => contractExpect('2').toBeGreaterThan(1)],
  ['a promise that resolves', () => rejection(Promise.resolve(1))],
])('the assertions of the contract notice %s', async (_, claim) => {
  await expect(new Promise((resolve) => resolve(claim()))).rejects.toThrow(/.+/);
});

test('the assertions of the contract take a property that is undefined for one that is not there, and any class', () => {
  class Phase {
    readonly phase = 'connected';
    readonly reason = undefined;
  }

  contractExpect(new Phase()).toEqual({ phase: 'connected' });
  contractExpect([new Phase()]).toMatchObject([{ reason: undefined }]);
  expect(() => contractExpect(new Phase()).toEqual({})).toThrow('connected');
});
