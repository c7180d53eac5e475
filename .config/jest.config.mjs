import { fileURLToPath } from 'node:url';

export default {
  rootDir: fileURLToPath(new URL('..', import.meta.url)),
  testEnvironment: '<rootDir>/.config/jest-environment.mjs',
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/campaigns/interop/',
    '<rootDir>/test/databases/',
    '<rootDir>/test/console/page/',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^\\./scrypt-costs\\.js$': '<rootDir>/test/support/low-scrypt-costs.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // For tests that hang. No test is to be this close to it that a busy machine makes it late: what a test waits for has
  // a shorter deadline, whose message says what it was (test/support/until.ts).
  testTimeout: 300_000,
  maxWorkers: 2,
  // Jest never frees the modules of a test file that is over: a worker that ran all of them would need more than Node
  // allows.
  workerIdleMemoryLimit: '1.5GB',
  // A worker with the memory of many test files takes some 300 ms to exit on a busy machine, of Jest's 500. One that
  // something keeps from exiting is still found.
  workerGracefulExitTimeout: 5_000,
  reporters: ['<rootDir>/.config/jest-reporter.mjs'],
  coverageProvider: 'v8',
  collectCoverageFrom: ['lib/**/*.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          keepClassNames: true,
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
