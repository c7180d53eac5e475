import { describe, expect, test } from '@jest/globals';
import {
  ancestors,
  childPath,
  isWithin,
  nodeName,
  parentPath,
  pathsDownTo,
  pathsUpwards,
} from '../../../lib/registry/node-paths.js';

describe('The path of a node', () => {
  test.each([
    ['/a/b/c', '/a/b', 'c'],
    ['/a', '/', 'a'],
  ])('%s is made of its parent and its name, and is taken apart again', (path, parent, name) => {
    expect(childPath(parent, name)).toBe(path);
    expect([parentPath(path), nodeName(path)]).toEqual([parent, name]);
  });

  test.each([
    ['/a/b/c', ['/a/b/c', '/a/b', '/a', '/']],
    ['/a', ['/a', '/']],
    ['/', ['/']],
  ])('%s leads upwards to the root', (path, upwards) => {
    expect([...pathsUpwards(path)]).toEqual(upwards);
  });

  test.each([
    ['/a/b/c', ['/a', '/a/b']],
    ['/a', []],
    ['/', []],
  ])('the nodes above %s are named from the top', (path, above) => {
    expect(ancestors(path)).toEqual(above);
  });

  test.each([
    ['/a/b/c', '/a', ['/a/b', '/a/b/c']],
    ['/a/b', '/', ['/a', '/a/b']],
    ['/a', '/a', []],
    ['/ab/c', '/a', []],
  ])('the nodes down to %s of those below %s', (path, root, below) => {
    expect(pathsDownTo(path, root)).toEqual(below);
  });

  test.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/a/b', '/', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
  ])('whether %s is within %s: %s', (path, root, expected) => {
    expect(isWithin(path, root)).toBe(expected);
  });
});
