import { describe, expect, test } from '@jest/globals';
import { MirroredTree } from '../../../lib/registry/mirrored-tree.js';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';

const node = (value: string): MirroredNode => ({ value, version: 0, revision: 1, session: undefined });

function treeOf(...paths: readonly string[]): MirroredTree {
  const tree = new MirroredTree();
  tree.replaceAll(new Map(paths.map((path) => [path, node(path)])));
  return tree;
}

describe('a mirrored tree', () => {
  test('names what has come, changed and gone since a moment', () => {
    const tree = treeOf('/a', '/b', '/c');
    const { moment } = tree;

    tree.set('/a', node('other'));
    const later = tree.moment;
    tree.set('/b', undefined);
    tree.set('/d', node('new'));

    expect(tree.changesSince(moment)).toEqual(['/a', '/b', '/d']);
    expect(tree.changesSince(later)).toEqual(['/b', '/d']);
    expect(tree.changesSince(tree.moment)).toEqual([]);
    expect([...tree.nodes.keys()]).toEqual(['/a', '/c', '/d']);
  });

  test('stays at its moment if a node is set to what it is, or one is removed that is not there', () => {
    const tree = treeOf('/a');
    const { moment, nodes } = tree;

    expect([tree.set('/a', nodes.get('/a')), tree.set('/b', undefined)]).toEqual([false, false]);

    expect(tree.moment).toBe(moment);
  });

  test('does not know the changes before all its nodes were replaced', () => {
    const tree = treeOf('/a');
    const { moment } = tree;

    tree.replaceAll(new Map());

    expect(tree.moment).toBeGreaterThan(moment);
    expect(tree.changesSince(moment)).toBeUndefined();
    expect(tree.changesSince(tree.moment)).toEqual([]);
  });

  test.each([0, 5, 40])('remembers sixteen changes, or as many as it has nodes: with %i nodes', (count) => {
    const tree = treeOf(...Array.from({ length: count }, (_, index) => `/n${index}`));
    const { moment } = tree;
    const remembered = Math.max(16, count);

    for (let change = 0; change < remembered; change++) tree.set(count === 0 ? '/a' : '/n0', node(`${change}`));
    expect(tree.changesSince(moment)).toHaveLength(remembered);

    tree.set(count === 0 ? '/a' : '/n0', node('one more'));
    expect(tree.changesSince(moment)).toBeUndefined();
  });

  test('counts as significant all changes that are not routine, and each replacement of all nodes', () => {
    const tree = new MirroredTree((path) => path === '/mark');
    const significantAfter = (change: () => unknown): number => {
      const before = tree.significantChanges;
      change();
      return tree.significantChanges - before;
    };

    expect(significantAfter(() => tree.replaceAll(new Map([['/a', node('a')]])))).toBe(1);
    expect(significantAfter(() => tree.set('/a', node('other')))).toBe(1);
    expect(significantAfter(() => tree.set('/a', undefined))).toBe(1);
    expect(significantAfter(() => tree.set('/a', undefined))).toBe(0);
    expect(significantAfter(() => tree.set('/mark', node('')))).toBe(0);
    expect(significantAfter(() => tree.set('/mark', undefined))).toBe(0);
  });

  test('knows nothing that is routine unless it is given the rule', () => {
    const tree = treeOf();
    const { significantChanges } = tree;

    tree.set('/mark', node(''));

    expect(tree.significantChanges).toBe(significantChanges + 1);
  });
});
