import { describeValue } from '../../api/text/describe-value.js';
import { requireKeys } from '../test-cluster-options.js';
import { commitPromises } from './commits.js';
import { holdPromises } from './holds.js';
import { mirrorPromises } from './mirrors.js';
import { mirrorRecoveryPromises } from './mirrors-after-outages.js';
import { narrowedMirrorPromises, unnarrowedMirrorPromises } from './narrowed-mirrors.js';
import { nodePromises } from './nodes.js';
import { completeRunner, type ContractRunner } from './runner.js';
import { sessionPromises } from './sessions.js';
import { type Contract, ContractStage, type ContractServer } from './stage.js';

/** The choices that the port leaves to an implementation, and the test runner. */
export interface ContractOptions {
  /** True if `Mirror.narrow` ever answers `true`. Default: true. */
  readonly canNarrow?: boolean;
  /** The test runner. Default: the one whose functions are globals, as Jest's are. */
  readonly runner?: ContractRunner;
  /**
   * The deadline of each test in milliseconds, for runners that have one. Default: 120000. It is for tests that hang: the
   * contract itself waits at most a minute for one thing, and says for which.
   */
  readonly deadlineMs?: number;
}

const KEYS = ['canNarrow', 'runner', 'deadlineMs'] as const satisfies readonly (keyof ContractOptions)[];

const DEADLINE_MS = 120_000;

/** The parts of the contract, in the order in which a new implementation comes to keep them. */
const PARTS: Readonly<Record<string, (contract: Contract, canNarrow: boolean) => void>> = {
  nodes: nodePromises,
  commits: commitPromises,
  mirrors: mirrorPromises,
  'narrowed mirrors': (contract, canNarrow) =>
    canNarrow ? narrowedMirrorPromises(contract) : unnarrowedMirrorPromises(contract),
  'mirrors after outages': mirrorRecoveryPromises,
  'exclusive holds': holdPromises,
  sessions: sessionPromises,
};

/**
 * Declares one test for each promise of the port `RegistryCenter`. Every implementation proves itself so, with a real
 * server:
 *
 *     import * as runner from 'node:test';
 *     registryCenterContract('the registry centre on Redis', openServer, { runner });
 *
 * All tests share one server; each has its own part of the tree, and closes its centres. Tests run one after the other.
 * Time is real, the contract waits for conditions, and sessions that must run out are short.
 *
 * @param name the subject of a sentence: the tests stand below `<name> keeps the promises of the registry centre`
 * @param openServer starts the server, once; the contract closes it
 * @throws RangeError if something is missing or has a wrong name; says what
 */
export function registryCenterContract(
  name: string,
  openServer: () => Promise<ContractServer>,
  options: ContractOptions = {},
): void {
  requireArguments(name, openServer, options);
  const { canNarrow = true, runner, deadlineMs = DEADLINE_MS } = options;
  const { describe, test: declare, beforeAll, beforeEach, afterEach, afterAll } = completeRunner(runner);
  const stage = new ContractStage();
  const test: Contract['test'] = (title, body) => void declare(title, body, deadlineMs);
  void describe(`${name} keeps the promises of the registry centre`, () => {
    beforeAll(() => stage.build(openServer));
    beforeEach(() => Promise.resolve(stage.beginTest()));
    afterEach(() => stage.endTest());
    afterAll(() => stage.strike());

    for (const [part, promises] of Object.entries(PARTS))
      void describe(part, () => promises({ test, stage }, canNarrow));
  });
}

function requireArguments(name: unknown, openServer: unknown, options: unknown): void {
  if (typeof name !== 'string' || name === '')
    throw new RangeError(`registryCenterContract needs the name of the registry centre, got ${describeValue(name)}`);
  if (typeof openServer !== 'function')
    throw new RangeError(
      `registryCenterContract needs a function that opens the server, got ${describeValue(openServer)}`,
    );
  requireKeys('registryCenterContract', options, KEYS);
}
