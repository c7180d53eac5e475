/** What the kernel does on every registry centre, on PostgreSQL. */
import { describe } from '@jest/globals';
import { graphs } from '../../registries/graphs.suite.js';
import { health } from '../../registries/health.suite.js';
import { insight } from '../../registries/insight.suite.js';
import { ItemCluster } from '../../registries/item-cluster.js';
import { itemStories } from '../../registries/item-stories.suite.js';
import { lostData } from '../../registries/lost-data.suite.js';
import { manyItems } from '../../registries/many-items.suite.js';
import { onceListeners } from '../../registries/once-listeners.suite.js';
import { operations } from '../../registries/operations.suite.js';
import { processes } from '../../registries/processes.suite.js';
import { postgresql } from '../support/postgresql-kind.js';

describe('On PostgreSQL', () => {
  describe('items', () => {
    const server = postgresql.shared();
    itemStories(() => ItemCluster.start(server));
  });
  describe('health', () => {
    health(postgresql);
  });
  describe('graphs', () => {
    graphs(postgresql);
  });
  describe('operations', () => {
    operations(postgresql);
  });
  describe('explain and dump', () => {
    insight(postgresql);
  });
  describe('once-listeners', () => {
    onceListeners(postgresql);
  });
  describe('many items', () => {
    manyItems(postgresql);
  });
  describe('lost data', () => {
    lostData(postgresql);
  });
  describe('several processes', () => {
    processes(postgresql);
  });
});
