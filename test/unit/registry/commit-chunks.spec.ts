import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commitChunks, type OperationGroup } from '../../../lib/registry/commit-chunks.js';
import { operationBytes } from '../../../lib/registry/commit-limits.js';
import { type CommitLimits, type Operation } from '../../../lib/registry/registry-center.js';
import { expectProperty } from '../../support/property.js';

const ROOMY: CommitLimits = { operations: 100, bytes: 100_000, overheadBytes: 10, valueBytes: 100_000 };

/** An operation of exactly `bytes` bytes under an overhead of 10. */
function sized(bytes: number): Operation {
  return { type: 'create', path: '/a', value: 'x'.repeat(bytes - 12) };
}

function group(...operations: readonly Operation[]): OperationGroup {
  return { operations };
}

const check: Operation = { type: 'check', path: '/leader' };

describe('The size of an operation', () => {
  test.each<[string, Operation, number]>([
    ['a check', { type: 'check', path: '/abc', version: 7 }, 104],
    ['a removal', { type: 'remove', path: '/abc' }, 104],
    ['a creation', { type: 'create', path: '/abc', value: 'value' }, 109],
    ['a write', { type: 'set', path: '/abc', value: '' }, 104],
    ['a replacement, which is a removal and a creation', { type: 'replace', path: '/abc', value: 'value' }, 213],
    ['names and values beyond ASCII', { type: 'set', path: '/ä', value: '日本' }, 109],
  ])('is overhead, path and value as UTF-8: %s', (_, operation, bytes) => {
    expect(operationBytes(operation, { overheadBytes: 100 })).toBe(bytes);
  });
});

describe('Operations that do not fit into one commit', () => {
  test('become as few commits as their order allows, each with the groups it carries out', () => {
    const groups = [20, 30, 50, 40, 70].map((bytes) => group(sized(bytes)));

    const chunks = commitChunks(groups, { ...ROOMY, bytes: 100 });

    expect(chunks.map((chunk) => chunk.groups)).toEqual([groups.slice(0, 3), groups.slice(3, 4), groups.slice(4)]);
    expect(chunks[0]?.operations).toEqual([sized(20), sized(30), sized(50)]);
  });

  test('are cut by their number too', () => {
    const chunks = commitChunks(
      Array.from({ length: 7 }, () => group(sized(20))),
      { ...ROOMY, operations: 3 },
    );

    expect(chunks.map(({ operations }) => operations.length)).toEqual([3, 3, 1]);
  });

  test('stay together with the rest of their group', () => {
    const pair = group(sized(40), sized(40));

    const chunks = commitChunks([group(sized(30)), pair, pair], { ...ROOMY, bytes: 100 });

    expect(chunks.map(({ operations }) => operations.length)).toEqual([1, 2, 2]);
  });

  test('begin each commit with the guard, which takes its share of the room', () => {
    const limits = { ...ROOMY, bytes: 17 + 40, operations: 4 };

    const chunks = commitChunks([group(sized(20)), group(sized(20)), group(sized(15))], limits, { guard: [check] });

    expect(chunks.map(({ operations }) => operations)).toEqual([
      [check, sized(20), sized(20)],
      [check, sized(15)],
    ]);
    expect(
      commitChunks([group(sized(20)), group(sized(20))], { ...limits, operations: 2 }, { guard: [check] }),
    ).toEqual([
      expect.objectContaining({ operations: [check, sized(20)] }),
      expect.objectContaining({ operations: [check, sized(20)] }),
    ]);
  });

  test('are refused if one group does not fit even alone, with the guard', () => {
    const limits = { ...ROOMY, bytes: 100, operations: 3 };

    expect(commitChunks([group(sized(83))], limits, { guard: [check] })).toHaveLength(1);
    expect(() => commitChunks([group(sized(20)), group(sized(84))], limits, { guard: [check] })).toThrow(
      expect.objectContaining({
        code: 'REGISTRY_REFUSED',
        message: expect.stringContaining('the commit has 101 bytes, the limit is 100') as unknown,
      }),
    );
    expect(() => commitChunks([group(sized(20), sized(20), sized(20))], limits, { guard: [check] })).toThrow(
      'the commit has 4 operations, the limit is 3',
    );
  });

  test('make no commit if there are none, and one if they are empty', () => {
    expect(commitChunks([], ROOMY, { guard: [check] })).toEqual([]);
    expect(commitChunks([group(), group()], ROOMY, { guard: [check] })).toEqual([
      { groups: [group(), group()], operations: [check] },
    ]);
  });

  test('are never lost, doubled or reordered, and no commit is beyond the limits', () => {
    const operation = fc.record({ type: fc.constant('set' as const), path: fc.constant('/p'), value: fc.string() });
    const groups = fc.array(fc.record({ operations: fc.array(operation, { maxLength: 4 }) }), { maxLength: 40 });
    const limits = { operations: 6, bytes: 120, overheadBytes: 10, valueBytes: 120 };
    expectProperty(
      fc.property(groups, fc.boolean(), (all, isGuarded) => {
        const guard = isGuarded ? [check] : [];

        const chunks = commitChunks(all, limits, { guard });

        expect(chunks.flatMap((chunk) => chunk.groups)).toEqual(all);
        for (const { groups: own, operations } of chunks) {
          expect(operations).toEqual([...guard, ...own.flatMap((each) => each.operations)]);
          expect(operations.length).toBeLessThanOrEqual(limits.operations);
          expect(operations.reduce((sum, each) => sum + operationBytes(each, limits), 0)).toBeLessThanOrEqual(
            limits.bytes,
          );
        }
      }),
    );
  });
});
