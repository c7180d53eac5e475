import base from './jest.config.mjs';

/** The page of the console in a real browser: for `npm run test:console`, which provides the browser. */
export default {
  ...base,
  testMatch: ['<rootDir>/test/console/page/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 60_000,
  maxWorkers: 1,
};
