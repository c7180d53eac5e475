import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * How `npm run mutation` changes the code and tests it: see mutation.mjs, which adds the folders.
 * Stryker 9 is the last line that runs on Node 20. Its two packages must have the very same version.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: '.config/vitest.config.mjs', related: false },
  // Only the tests that reach a mutant run against it.
  coverageAnalysis: 'perTest',
  // A mutant that times out counts as killed, so a busy machine must not be what makes it late.
  timeoutMS: 15_000,
  timeoutFactor: 3,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { reportTests: false, logTests: false },
  jsonReporter: { fileName: 'coverage/mutation.json' },
  // Outside of the project, where no other tool finds the copies.
  tempDirName: join(tmpdir(), 'elasticjob-mutation'),
  ignorePatterns: ['/dist', '/bench', '/sample', '/docs', '/test/campaigns/interop', '/test/scenarios', 'target'],
};
