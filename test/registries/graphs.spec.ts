import { describe } from '@jest/globals';
import { graphs } from './graphs.suite.js';
import { REGISTRIES } from './registries.js';

describe.each(REGISTRIES)('Jobs that run after others on $name', (kind) => {
  graphs(kind);
});
