import { describe } from '@jest/globals';
import { onceListeners } from './once-listeners.suite.js';
import { REGISTRIES } from './registries.js';

describe.each(REGISTRIES)('On $name', (kind) => {
  onceListeners(kind);
});
