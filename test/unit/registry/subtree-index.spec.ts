import { expect, test } from '@jest/globals';
import { SubtreeIndex } from '../../../lib/registry/subtree-index.js';

function anIndex(...roots: readonly string[]): SubtreeIndex<string> {
  const index = new SubtreeIndex<string>();
  for (const root of roots) index.add(root, root);
  return index;
}

test.each([
  ['/a/b', ['/a/b', '/a', '/']],
  ['/a', ['/a', '/']],
  ['/a/bc', ['/a', '/']],
  ['/a/b/c/d', ['/a/b', '/a', '/']],
  ['/', ['/']],
  ['/x', ['/']],
])('%s is covered by the subtrees it lies within, and by no sibling', (path, expected) => {
  expect([...anIndex('/', '/a', '/a/b', '/ab').covering([path])]).toEqual(expected);
});

test('a subtree that covers several of the paths is found once', () => {
  expect([...anIndex('/a', '/b').covering(['/a/1', '/a/2', '/b/1'])]).toEqual(['/a', '/b']);
});

test('a value that was removed is not found, others with the same root are', () => {
  const index = new SubtreeIndex<string>();
  const remove = index.add('/a', 'one');
  index.add('/a', 'other');
  remove();
  remove();
  expect([...index.covering(['/a/b'])]).toEqual(['other']);
});
