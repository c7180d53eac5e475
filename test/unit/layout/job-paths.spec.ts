import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { type JobPath, JobPaths } from '../../../lib/layout/job-paths.js';
import { javaTrees } from './fixtures.js';
import { NarrowScope } from '../../../lib/registry/narrow-scope.js';
import { expectProperty } from '../../support/property.js';

const paths = new JobPaths('bill');
const id = '10.0.0.1@-@4711-k3j9x2ab';

const every: readonly (readonly [path: string, written: string, parsed: JobPath])[] = [
  [paths.root, '/bill', { type: 'root' }],
  [paths.config, '/bill/config', { type: 'config' }],
  [paths.instances, '/bill/instances', { type: 'instances' }],
  [paths.instance(id), `/bill/instances/${id}`, { type: 'instance', id }],
  [paths.servers, '/bill/servers', { type: 'servers' }],
  [paths.server('10.0.0.1'), '/bill/servers/10.0.0.1', { type: 'server', ip: '10.0.0.1' }],
  [paths.leader, '/bill/leader/election/instance', { type: 'leader' }],
  [paths.electionLatch, '/bill/leader/election/latch', { type: 'electionLatch' }],
  [paths.leaderSharding, '/bill/leader/sharding', { type: 'leaderSharding' }],
  [paths.resharding, '/bill/leader/sharding/necessary', { type: 'resharding' }],
  [paths.processing, '/bill/leader/sharding/processing', { type: 'processing' }],
  [paths.crashedItems, '/bill/leader/failover/items', { type: 'crashedItems' }],
  [paths.crashedItem(3), '/bill/leader/failover/items/3', { type: 'crashedItem', item: 3 }],
  [paths.failoverLatch, '/bill/leader/failover/latch', { type: 'failoverLatch' }],
  [paths.sharding, '/bill/sharding', { type: 'sharding' }],
  [paths.item(10), '/bill/sharding/10', { type: 'item', item: 10 }],
  [paths.item(0, 'instance'), '/bill/sharding/0/instance', { type: 'itemMark', item: 0, mark: 'instance' }],
  [paths.item(0, 'running'), '/bill/sharding/0/running', { type: 'itemMark', item: 0, mark: 'running' }],
  [paths.item(0, 'failover'), '/bill/sharding/0/failover', { type: 'itemMark', item: 0, mark: 'failover' }],
  [paths.item(0, 'failovering'), '/bill/sharding/0/failovering', { type: 'itemMark', item: 0, mark: 'failovering' }],
  [paths.item(0, 'misfire'), '/bill/sharding/0/misfire', { type: 'itemMark', item: 0, mark: 'misfire' }],
  [paths.item(0, 'disabled'), '/bill/sharding/0/disabled', { type: 'itemMark', item: 0, mark: 'disabled' }],
  [paths.guarantee('started'), '/bill/guarantee/started', { type: 'guarantee', stage: 'started' }],
  [paths.guarantee('started', 1), '/bill/guarantee/started/1', { type: 'guaranteeItem', stage: 'started', item: 1 }],
  [paths.guaranteeLatch('started'), '/bill/guarantee/started-latch', { type: 'guaranteeLatch', stage: 'started' }],
  [paths.guarantee('completed'), '/bill/guarantee/completed', { type: 'guarantee', stage: 'completed' }],
  [
    paths.guarantee('completed', 1),
    '/bill/guarantee/completed/1',
    { type: 'guaranteeItem', stage: 'completed', item: 1 },
  ],
  [
    paths.guaranteeLatch('completed'),
    '/bill/guarantee/completed-latch',
    { type: 'guaranteeLatch', stage: 'completed' },
  ],
  [paths.systemTime, '/bill/systemTime/current', { type: 'systemTime' }],
  [paths.triggers, '/bill/trigger', { type: 'triggers' }],
  [paths.trigger(id), `/bill/trigger/${id}`, { type: 'trigger', id }],
  [paths.nextJobInstanceIp, '/bill/next-job-instance-ip', { type: 'nextJobInstanceIp' }],
  [paths.acceptedTriggers, '/bill/x-node/triggered', { type: 'acceptedTriggers' }],
  [paths.accepted(id), `/bill/x-node/triggered/${id}`, { type: 'accepted', id }],
  [paths.beginRecords, '/bill/x-node/fired', { type: 'beginRecords' }],
  [paths.beginRecord(id), `/bill/x-node/fired/${id}`, { type: 'beginRecord', id }],
  [paths.assignmentRecord, '/bill/x-node/assigned-for', { type: 'assignmentRecord' }],
  [paths.crashReports, '/bill/x-node/crashed', { type: 'crashReports' }],
  [paths.crashReport(3), '/bill/x-node/crashed/3', { type: 'crashReport', item: 3 }],
  [paths.endRecords, '/bill/x-node/ended', { type: 'endRecords' }],
  [paths.endRecord(id), `/bill/x-node/ended/${id}`, { type: 'endRecord', id }],
  [paths.graph, '/bill/x-node/graph', { type: 'unknown' }],
  [paths.rounds, '/bill/x-node/graph/rounds', { type: 'rounds' }],
  [paths.orders, '/bill/x-node/graph/orders', { type: 'orders' }],
  [paths.successors, '/bill/x-node/graph/successors', { type: 'successors' }],
  [paths.successor('report'), '/bill/x-node/graph/successors/report', { type: 'successor', jobName: 'report' }],
  [paths.lives, '/bill/x-node/live', { type: 'lives' }],
  [paths.live(id), `/bill/x-node/live/${id}`, { type: 'live', id }],
  // Nothing is decided from them.
  [paths.faults, '/bill/x-node/faults', { type: 'unknown' }],
  [paths.fault(id), `/bill/x-node/faults/${id}`, { type: 'unknown' }],
  [paths.arrivalRecords, '/bill/x-node/guarantee/present', { type: 'arrivalRecords' }],
  [paths.arrivals(id), `/bill/x-node/guarantee/present/${id}`, { type: 'arrivals', id }],
  [paths.called('started'), '/bill/x-node/guarantee/started', { type: 'called', stage: 'started' }],
  [paths.call('completed'), '/bill/x-node/guarantee/completed-by', { type: 'call', stage: 'completed' }],
];

describe('the paths of a job', () => {
  test.each(every)('%s is where Java keeps it, and is recognised', (path, written, parsed) => {
    expect(path).toBe(written);
    expect(paths.parse(path)).toEqual(parsed);
  });

  test('the list above is complete', () => {
    const builders = Object.getOwnPropertyNames(JobPaths.prototype).filter(
      (name) => !['constructor', 'own', 'parse', 'itemOf', 'shareOf'].includes(name),
    );

    expect(new Set(every.map(([path]) => path)).size).toBe(every.length);
    // The root is a field, item() builds seven kinds of paths, guarantee() four, and guaranteeLatch() two.
    expect(every).toHaveLength(builders.length + 1 + 6 + 3 + 1);
  });

  test('the share of an instance is everything but other items, what others have begun, what instances say of themselves, and the root', () => {
    const scope = new NarrowScope(paths.shareOf(id, [3, 10]), () => false);
    const left = every.map(([path]) => path).filter((path) => !scope.covers(path));
    const isOther = (path: string): boolean => path === paths.sharding || path.startsWith(paths.item(0));

    expect(left.filter((path) => !isOther(path)).sort()).toEqual(
      [paths.root, paths.beginRecords, paths.endRecords, paths.faults, paths.fault(id)].sort(),
    );
    expect(left.filter(isOther)).toHaveLength(7);
    expect([paths.item(3), paths.item(10, 'disabled')].every((path) => scope.covers(path))).toBe(true);
    expect(
      [paths.item(1), paths.item(30), paths.beginRecord('10.0.0.2@-@1-other')].some((path) => scope.covers(path)),
    ).toBe(false);
  });

  test.each([
    '',
    '/',
    '/bil',
    '/bill/',
    '/bills',
    '/bills/config',
    '/bill2/sharding/1',
    '/billconfig',
    'bill/config',
    '/bill/config/x',
    '/bill/instances/',
    '/bill/instances/a/b',
    '/bill/servers/1/2',
    '/bill/leader',
    '/bill/leader/election/latch/_c_6f0c-latch-0000000042',
    '/bill/sharding/',
    '/bill/sharding/1/completed',
    '/bill/sharding/1/running/x',
    '/bill/sharding/01/running',
    '/bill/sharding//running',
    '/bill/shardings/1/running',
    '/bill/x/sharding/1/running',
    '/bill/running',
    '/bill/guarantee',
    '/bill/guarantee/started/x',
    '/bill/guarantee/started-latch/1',
    '/bill/trigger/a/b',
    '/bill/x-node',
    '/bill/x-node/fired/',
    '/bill/constructor',
  ])('%p names no node of the job', (path) => {
    expect(paths.parse(path)).toEqual({ type: 'unknown' });
  });

  test.each(['01', '+1', '-1', '1.0', '1e3', ' 1', 'x', '2147483648'])(
    'a node %p beside the items is no item',
    (name) => {
      expect(paths.parse(`/bill/sharding/${name}`)).toEqual({ type: 'strayItem', name });
    },
  );

  test.each([
    ['/bill/sharding/7', 7],
    ['/bill/sharding/7/running', 7],
    ['/bill/sharding/70/some/thing/else', 70],
    ['/bill/sharding/7x', undefined],
    ['/bill/sharding/07/running', undefined],
    ['/bill/sharding', undefined],
    ['/bill/sharding/', undefined],
    ['/bill/shardings/7', undefined],
    ['/bill/leader/failover/items/7', undefined],
    ['/bills/sharding/7', undefined],
  ])('%p is or is below item %p', (path, item) => {
    expect(paths.itemOf(path)).toBe(item);
  });

  test('one job does not take the nodes of another for its own, whatever the names', () => {
    expectProperty(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        fc.pre(one !== other && !one.includes('/') && !other.includes('/'));
        return new JobPaths(one).parse(new JobPaths(other).item(1, 'running')).type === 'unknown';
      }),
    );
  });

  test('a job may be called like one of its nodes', () => {
    const sharding = new JobPaths('sharding');

    expect(sharding.parse('/sharding/1')).toEqual({ type: 'unknown' });
    expect(sharding.parse('/sharding/sharding/1')).toEqual({ type: 'item', item: 1 });
  });

  test.each(['', 'a/b', '/'])('%p is refused as a job, since it names no single node', (jobName) => {
    expect(() => new JobPaths(jobName)).toThrow(/must be a single path segment/);
  });

  test('of all nodes that Java makes, only inner folders mean nothing', () => {
    const unknown = Object.keys(javaTrees.nodes).filter((path) => {
      const jobName = path.split('/')[1]!;
      return new JobPaths(jobName).parse(path).type === 'unknown';
    });

    expect(new Set(unknown.map((path) => path.replace(/^\/[^/]+\//, '')))).toEqual(
      new Set(['leader', 'leader/election', 'leader/failover', 'x-node']),
    );
  });
});
