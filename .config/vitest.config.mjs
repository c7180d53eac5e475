import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import failedImports from './failed-imports.mjs';

/** Plain tests notice most mutants. Those that try hundreds of values run when these have noticed nothing. */
class PlainTestsFirst extends BaseSequencer {
  async sort(specifications) {
    const triesMany = ({ moduleId }) => Number(readFileSync(moduleId, 'utf8').includes('expectProperty'));
    return [...specifications].sort((one, other) => triesMany(one) - triesMany(other));
  }
}

/** How `npm run mutation` runs the tests, which Jest runs otherwise: see mutation.mjs, which names them. */
export default defineConfig({
  resolve: { alias: { '@jest/globals': fileURLToPath(new URL('jest-globals.mjs', import.meta.url)) } },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    testTimeout: 30_000,
    isolate: false,
    sequence: { sequencer: PlainTestsFirst },
    reporters: [failedImports],
  },
});
