import { expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';

test.each<[unknown, string]>([
  ['orders', 'EmbeddedRegistryCenter: needs a plain object of settings, got a string that is not shown'],
  [{ namespace: 5 }, 'EmbeddedRegistryCenter.namespace: must be a text, got 5'],
  [{ namespace: ' ' }, 'EmbeddedRegistryCenter.namespace: must be a text that is not empty, got " "'],
  [{ namspace: 'a' }, "EmbeddedRegistryCenter.namspace: unknown key; did you mean 'namespace'?"],
  [
    { foo: 1 },
    'EmbeddedRegistryCenter.foo: unknown key; known are: namespace, sessionTimeoutMilliseconds, server, clock',
  ],
  [
    { sessionTimeoutMilliseconds: 0 },
    'EmbeddedRegistryCenter.sessionTimeoutMilliseconds: must be an integer of at least 1, got 0',
  ],
  [{ server: {} }, 'EmbeddedRegistryCenter.server: must be an EmbeddedRegistryServer, got keys with values'],
  [{ clock: 5 }, 'EmbeddedRegistryCenter.clock: must be a Clock, got 5'],
])('the options %j of an embedded registry centre are refused', (options, said) => {
  expect(() => new EmbeddedRegistryCenter(options as never)).toThrow(said);
});
