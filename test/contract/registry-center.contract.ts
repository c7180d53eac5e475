/* eslint-disable jest/no-export -- a suite that the specs of the implementations call */
/**
 * The promises of the port `RegistryCenter`, one test each. Every implementation calls this suite with a real server:
 *
 *     registryCenterContract('the embedded registry', openEmbeddedServer);
 *
 * All tests share one server; each has its own part of the tree and closes its centres. Time is real, waits are for
 * conditions, and sessions that must run out are short.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { commitPromises } from './commits.js';
import { holdPromises } from './holds.js';
import { mirrorPromises } from './mirrors.js';
import { mirrorRecoveryPromises } from './mirrors-after-outages.js';
import { narrowedMirrorPromises, unnarrowedMirrorPromises } from './narrowed-mirrors.js';
import { nodePromises } from './nodes.js';
import { sessionPromises } from './sessions.js';
import { ContractStage, type ContractServer } from './stage.js';

export { type ContractOpenOptions, type ContractServer } from './stage.js';

/** The choices that the port leaves to an implementation. */
export interface ContractChoices {
  /** True if `Mirror.narrow` ever answers `true`. Default: true. */
  readonly canNarrow?: boolean;
}

/** Declares the whole contract for one implementation. */
export function registryCenterContract(
  name: string,
  openServer: () => Promise<ContractServer>,
  { canNarrow = true }: ContractChoices = {},
): void {
  describe(`${name} keeps the promises of the registry centre`, () => {
    const stage = new ContractStage();
    beforeAll(() => stage.build(openServer));
    beforeEach(() => stage.beginTest());
    afterEach(() => stage.endTest());
    afterAll(() => stage.strike());

    describe('nodes', () => {
      nodePromises(stage);
    });
    describe('commits', () => {
      commitPromises(stage);
    });
    describe('mirrors', () => {
      mirrorPromises(stage);
    });
    describe('narrowed mirrors', () => {
      if (canNarrow) narrowedMirrorPromises(stage);
      else unnarrowedMirrorPromises(stage);
    });
    describe('mirrors after outages', () => {
      mirrorRecoveryPromises(stage);
    });
    describe('exclusive holds', () => {
      holdPromises(stage);
    });
    describe('sessions', () => {
      sessionPromises(stage);
    });
  });
}
