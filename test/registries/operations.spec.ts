import { describe } from '@jest/globals';
import { operations } from './operations.suite.js';
import { REGISTRIES } from './registries.js';

describe.each(REGISTRIES)('On $name', (kind) => {
  operations(kind);
});
