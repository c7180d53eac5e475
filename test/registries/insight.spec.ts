import { describe } from '@jest/globals';
import { insight } from './insight.suite.js';
import { REGISTRIES } from './registries.js';

describe.each(REGISTRIES)('On $name', (kind) => {
  insight(kind);
});
