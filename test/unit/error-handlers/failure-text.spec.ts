import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FailureDigest } from '../../../lib/error-handlers/failure-digest.js';
import { noticeOf, textOf, traceOf } from '../../../lib/error-handlers/failure-text.js';
import { aFailure } from '../../support/failures.js';
import { expectProperty } from '../../support/property.js';

/** An error with a stack that does not depend on where the test stands. */
function thrown(message: string, cause?: unknown): Error {
  const error = new Error(message, { cause });
  error.stack = `Error: ${message}\n    at Bill.execute (bill.ts:1:1)`;
  return error;
}

describe('the text of one failure', () => {
  test('has no secret of what was thrown, nor of the item’s parameter', () => {
    const failure = aFailure({}, { cause: thrown('cannot open db:5432;password=s3cret'), parameter: 'token=s3cret' });

    const text = textOf(noticeOf(failure));

    expect(text).not.toContain('s3cret');
    expect(text).toContain('password=******');
  });

  test('begins with Java’s, has the trace with its causes, and says where, when and for what the item ran', () => {
    const failure = aFailure({}, { cause: thrown('no stock', thrown('the warehouse is closed')) });

    expect(textOf(noticeOf(failure))).toBe(
      [
        "Job 'bill' exception occur in job processing, caused by Error: no stock",
        '    at Bill.execute (bill.ts:1:1)',
        'Caused by: Error: the warehouse is closed',
        '    at Bill.execute (bill.ts:1:1)',
        'Item: 1 (Beijing)',
        'Instance: 10.0.0.1@-@7',
        'Scheduled at: 2026-01-02T12:00:05.000Z',
        'Task: bill@-@0,1,2@-@READY@-@10.0.0.1@-@7',
        'Attempt: 1',
        '',
      ].join('\n'),
    );
  });

  test('of a firing that failed as a whole names no item, and says that it was run manually', () => {
    const failure = aFailure(
      {},
      { item: undefined, parameter: undefined, taskId: undefined, scheduledAt: undefined, cause: 'clocks differ' },
    );

    expect(textOf(noticeOf(failure))).toBe(
      "Job 'bill' exception occur in job processing, caused by 'clocks differ'\n" +
        'Instance: 10.0.0.1@-@7\nScheduled at: not scheduled, run manually\nAttempt: 1\n',
    );
  });

  test('that is too long is cut in its trace, and says so', () => {
    const text = textOf(noticeOf(aFailure({}, { cause: thrown('x'.repeat(5_000)) })), 500);

    expect(Buffer.byteLength(text)).toBe(500);
    expect(text).toMatch(/^Job 'bill' .*caused by Error: x+… \(cut, 5\d+ bytes in all\)\nItem: 1[^]*Attempt: 1\n$/);
  });

  test('never exceeds the limit, and never ends in half a character', () => {
    const property = fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 600 }), (message, maxBytes) => {
      const text = textOf(noticeOf(aFailure({}, { cause: message.repeat(20) })), maxBytes);

      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(text).not.toContain('\ufffd');
    });
    expectProperty(property);
  });
});

describe('a trace', () => {
  test('ends although causes form a circle', () => {
    const one = thrown('one');
    one.cause = thrown('two', one);

    expect(traceOf(one).match(/Caused by/g)).toHaveLength(1);
  });

  test('of an error whose cause or stack throws has what can be read', () => {
    const fault = (): never => {
      throw new TypeError('a fault in the error itself');
    };
    const noCause = Object.defineProperty(thrown('no cause'), 'cause', { get: fault });
    const noStack = Object.defineProperty(new Error('no stack'), 'stack', { get: fault });

    expect(traceOf(noCause)).toContain('Error: no cause');
    expect(traceOf(noStack)).toContain('Error: no stack');
  });
});

describe('the text of several failures', () => {
  const at = Date.parse('2026-01-02T12:00:00Z');

  test('counts them by their cause, with their items, and has the details of the last one', () => {
    const digest = new FailureDigest(aFailure({}, { cause: thrown('no stock'), item: 0 }), at);
    digest.add(aFailure({}, { cause: thrown('no stock'), item: 2 }));
    digest.add(aFailure({}, { cause: thrown('no stock'), item: 2 }));
    digest.add(aFailure({}, { cause: new TypeError('no paper'), item: 1 }));
    digest.add(aFailure({}, { cause: 'clocks differ', item: undefined }));

    expect(textOf(digest.notice)).toBe(
      [
        "Job 'bill' exception occur in job processing, 5 more failures since 2026-01-02T12:00:00.000Z:",
        '3 ×, items 0, 2: Error: no stock',
        '1 ×, item 1: TypeError: no paper',
        "1 ×: 'clocks differ'",
        'The last one:',
        'Instance: 10.0.0.1@-@7',
        'Scheduled at: 2026-01-02T12:00:05.000Z',
        'Task: bill@-@0,1,2@-@READY@-@10.0.0.1@-@7',
        'Attempt: 1',
        '',
      ].join('\n'),
    );
  });

  test('stays short, however many there are and however different', () => {
    const digest = new FailureDigest(aFailure({}), at);
    for (let item = 0; item < 5_000; item++)
      digest.add(
        aFailure({}, { item, cause: new Error(`${item % 2 === 0 ? 'even' : String(item)} ${'x'.repeat(1_000)}`) }),
      );

    const text = textOf(digest.notice);

    expect(text).toContain('5001 more failures');
    expect(text).toMatch(/^2500 ×, items (\d+, ){19}38: Error: even/m);
    expect(text).toMatch(/^\d+ × other causes$/m);
    expect(text.length).toBeLessThan(5_000);
  });
});
