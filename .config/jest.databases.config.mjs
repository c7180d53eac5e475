import base from './jest.config.mjs';

/** The tests on real database servers: for `npm run test:databases`, which starts them. */
export default {
  ...base,
  testMatch: ['<rootDir>/test/databases/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
  // Some of them stop a server for a while.
  maxWorkers: 1,
};
