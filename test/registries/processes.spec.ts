import { describe } from '@jest/globals';
import { processes } from './processes.suite.js';
import { REGISTRIES } from './registries.js';

describe.each(REGISTRIES)('Several processes on $name', (kind) => {
  processes(kind);
});
