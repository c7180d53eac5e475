import { expect, test } from '@jest/globals';
import { decodeInstanceFault, encodeInstanceFault } from '../../../lib/layout/x-node/instance-fault.js';

test.each(['blocked', 'failed', 'impaired'] as const)('a fault, %s, is a text that people can read too', (state) => {
  const fault = { state, reason: 'no cgroup.\nCorrect it.' };

  expect(encodeInstanceFault(fault)).toBe(`${state} no cgroup.\nCorrect it.`);
  expect(decodeInstanceFault(encodeInstanceFault(fault))).toEqual(fault);
});

test('passwords in a reason are not stored', () => {
  const reason = 'could not reach postgres://billing:hunter2@db.example/billing';

  expect(encodeInstanceFault({ state: 'failed', reason })).not.toContain('hunter2');
});

test('a long reason is cut, by the one that writes and by the one that reads', () => {
  const reason = 'x'.repeat(3_000);

  const cut = decodeInstanceFault(encodeInstanceFault({ state: 'failed', reason }))?.reason ?? '';
  expect([cut.length, cut.at(-1)]).toEqual([2_000, '…']);
  expect(decodeInstanceFault(`failed ${reason}`)?.reason).toHaveLength(2_000);
});

test('what the registry centre does not store as a text is replaced', () => {
  expect(encodeInstanceFault({ state: 'failed', reason: 'a\0b\ud800c' })).toBe('failed a\ufffdb\ufffdc');
});

test('the cut leaves no half of a character', () => {
  const reason = `${'x'.repeat(1_998)}🦫 and more`;

  const stored = encodeInstanceFault({ state: 'failed', reason });

  expect(stored).toBe(`failed ${'x'.repeat(1_998)}\ufffd…`);
});

test.each(['', 'failed', 'broken by hand', 'faileda'])('a text of another hand, %j, says nothing', (text) => {
  expect(decodeInstanceFault(text)).toBeUndefined();
});
