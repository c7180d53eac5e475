import { describe } from '@jest/globals';
import { lostData } from './lost-data.suite.js';
import { REGISTRIES } from './registries.js';

describe.each(REGISTRIES)('On $name', (kind) => {
  lostData(kind);
});
