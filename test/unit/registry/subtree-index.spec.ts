import { expect, test } from '@jest/globals';
import { SubtreeIndex } from '../../../lib/registry/subtree-index.js';

function anIndex(...roots: readonly string[]): SubtreeIndex<string> {
  const index = new SubtreeIndex<string>();
  for (const root of roots) index.add(root, root);
  return index;
}

test.each([
  ['/a/b', ['/', '/a', '/a/b']],
  ['/a', ['/', '/a']],
  ['/a/bc', ['/', '/a']],
  ['/a/b/c/d', ['/', '/a', '/a/b']],
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
  index.add('/a', 'one');
  index.add('/a', 'other');
  index.remove('/a', 'one');
  index.remove('/a', 'one');
  index.remove('/b', 'other');
  expect([...index.covering(['/a/b'])]).toEqual(['other']);
});

test('a root is found as long as it has values, whatever roots of the same depth have gone', () => {
  const index = new SubtreeIndex<string>();
  index.add('/a/b', 'one');
  index.add('/c/d', 'other');
  index.add('/', 'all');

  index.remove('/a/b', 'one');
  expect([...index.covering(['/a/b/x', '/c/d/x'])]).toEqual(['all', 'other']);
  index.remove('/c/d', 'other');
  index.remove('/', 'all');
  expect([...index.covering(['/a/b/x', '/c/d/x', '/'])]).toEqual([]);
  index.add('/c/d', 'again');
  expect([...index.covering(['/c/d', '/c/dd', '/c'])]).toEqual(['again']);
});
