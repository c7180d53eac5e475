import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import failedImports from './failed-imports.mjs';

/** How `npm run mutation` runs the tests, which Jest runs otherwise: see mutation.mjs, which names them. */
export default defineConfig({
  resolve: { alias: { '@jest/globals': fileURLToPath(new URL('jest-globals.mjs', import.meta.url)) } },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    testTimeout: 30_000,
    isolate: false,
    reporters: [failedImports],
  },
});
