import base from './jest.config.mjs';

/** The tests beside Java: for `npm run test:interop`, which provides what they need. */
export default {
  ...base,
  testMatch: ['<rootDir>/test/campaigns/interop/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
};
