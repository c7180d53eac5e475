import { expect, test } from '@jest/globals';
import { connectionFault, faultKindOf } from '../../../lib/registry/zookeeper/client/connection-faults.js';

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

test.each([
  ['ECONNREFUSED', 'tcp', 'refused'],
  ['ECONNREFUSED', 'tls', 'refused'],
  ['ENOTFOUND', 'tcp', 'unknown-host'],
  ['EAI_AGAIN', 'tcp', 'unknown-host'],
  ['EHOSTUNREACH', 'tcp', 'unroutable'],
  ['ENETUNREACH', 'tls', 'unroutable'],
  ['EADDRNOTAVAIL', 'tcp', 'unroutable'],
  ['ETIMEDOUT', 'tcp', 'unroutable'],
  ['ECONNRESET', 'tcp', 'dropped'],
  ['EPROTO', 'tls', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'tls'],
  // A server without TLS resets the connection when it reads the handshake.
  ['ECONNRESET', 'tls', 'tls'],
] as const)('the error %s of a %s connection means: %s', (code, protocol, kind) => {
  expect(faultKindOf(withCode(code), protocol)).toBe(kind);
});

test('a fault has its detail on one line, without a full stop', () => {
  const { detail } = connectionFault('tls', 'a:2181', 'wrong version:\nssl3.c:350:\n.');

  expect(detail).toBe('wrong version: ssl3.c:350:');
});
