import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { instanceYaml } from '../../../lib/layout/job-instance.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import {
  availableInstances,
  hasJavaPeers,
  isGone,
  isPresenceOnly,
  isRoutine,
  JobViewReader,
  readJobView,
  NO_GRAPH,
  NO_GUARANTEE,
} from '../../../lib/layout/job-view.js';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';
import { expectProperty } from '../../support/property.js';
import { javaTrees, mirrored } from './fixtures.js';

const java = '192.0.2.2@-@25530';
const other = '10.0.0.9@-@4711-k3j9x2ab';
const paths = new JobPaths('bill');

const node = (value: string | undefined = '', more: Partial<MirroredNode> = {}): MirroredNode => ({
  value,
  version: 0,
  revision: 1,
  session: undefined,
  ...more,
});

const described = (id: string, serverIp: string): MirroredNode =>
  node(instanceYaml({ jobInstanceId: id, serverIp }), { session: `session of ${id}` });

function nodesOf(entries: Readonly<Record<string, MirroredNode>>): ReadonlyMap<string, MirroredNode> {
  return new Map(Object.entries(entries));
}

/** Nodes that count how often one of them is looked up. */
class CountingNodes extends Map<string, MirroredNode> {
  lookups = 0;

  override get(path: string): MirroredNode | undefined {
    this.lookups++;
    return super.get(path);
  }

  override has(path: string): boolean {
    this.lookups++;
    return super.has(path);
  }
}

describe('the view of a tree written by Java', () => {
  const view = readJobView(mirrored(javaTrees.nodes), 'mixed');
  const nodes = javaTrees.nodes;

  test('tells job, configuration and leader', () => {
    expect(view).toMatchObject({
      exists: true,
      jobClass: 'peer.Work',
      configFault: undefined,
      configRevision: nodes['/mixed/config']!.revision,
      configVersion: 0,
      leader: java,
      reshardingNeeded: false,
      reshardingVersion: undefined,
      processing: false,
      shardingVersion: 0,
      nextJobInstanceIp: undefined,
    });
    expect(view.config).toEqual(javaTrees.configurations.find(({ jobName }) => jobName === 'mixed'));
  });

  test('tells the instances with their sessions, Java’s and ours', () => {
    expect([...view.instances.values()]).toEqual([
      {
        jobInstanceId: other,
        serverIp: '10.0.0.9',
        session: nodes[`/mixed/instances/${other}`]!.session,
        readable: true,
      },
      {
        jobInstanceId: java,
        serverIp: '192.0.2.2',
        session: nodes[`/mixed/instances/${java}`]!.session,
        readable: true,
      },
    ]);
    expect(availableInstances(view).map(({ jobInstanceId }) => jobInstanceId)).toEqual([java, other]);
  });

  test('tells the items, which Java has given to both', () => {
    const idle = {
      running: false,
      runningOn: undefined,
      disabled: false,
      misfired: false,
      takenOverBy: undefined,
      failoveringBy: undefined,
    };
    const ownerRevision = nodes['/mixed/sharding/0/instance']!.revision;

    expect(view.items).toEqual([
      { ...idle, version: 0, item: 0, owner: java, ownerRevision, running: true, runningOn: java, misfired: true },
      { ...idle, version: 0, item: 1, owner: java, ownerRevision, running: true, runningOn: java },
      { ...idle, version: 0, item: 2, owner: other, ownerRevision, misfired: true },
      { ...idle, version: 0, item: 3, owner: other, ownerRevision, misfired: true, disabled: true },
    ]);
    expect(view.crashedItems).toEqual([1]);
  });

  test('tells what our instances have begun', () => {
    expect(view.lastBegun).toEqual(
      new Map([
        [0, 1767225600000],
        [1, 1767225600000],
      ]),
    );
    expect([...view.beginRecords.keys()]).toEqual([other]);
  });

  test('tells Java’s instances by their keeping no record and having no sign of life', () => {
    expect(view.javaPeers).toEqual(new Set([java]));
    const alive = readJobView(new Map([...mirrored(nodes), ['/mixed/x-node/live/' + java, node('')]]), 'mixed');
    expect(alive.javaPeers).toEqual(new Set());
  });

  test.each(javaTrees.configurations.map((configuration) => [configuration.jobName, configuration] as const))(
    'has the configuration of %p, and instances that are all readable',
    (jobName, configuration) => {
      const { config, configFault, instances } = readJobView(mirrored(nodes), jobName);

      expect({ config, configFault }).toEqual({ config: configuration, configFault: undefined });
      expect(instances.size).toBeGreaterThan(0);
      expect([...instances.values()].every(({ readable }) => readable)).toBe(true);
    },
  );

  test('a disabled job’s server is disabled, so that nobody is available', () => {
    const disabled = readJobView(mirrored(nodes), 'disabledJob');

    expect(disabled.servers).toEqual(new Map([['192.0.2.2', 'DISABLED']]));
    expect(availableInstances(disabled)).toEqual([]);
    expect(disabled.leader).toBeUndefined();
  });
});

describe('a view', () => {
  test('of nothing has nothing', () => {
    expect(readJobView(new Map(), 'bill')).toEqual({
      exists: false,
      jobClass: undefined,
      config: undefined,
      configFault: undefined,
      configRevision: undefined,
      configVersion: undefined,
      instances: new Map(),
      live: new Set(),
      javaPeers: new Set(),
      servers: new Map(),
      leader: undefined,
      reshardingNeeded: false,
      reshardingVersion: undefined,
      processing: false,
      shardingVersion: undefined,
      items: [],
      triggers: new Set(),
      acceptedTriggers: new Map(),
      withdrawn: [],
      crashedItems: [],
      crashReports: new Map(),
      strayItems: [],
      startedItems: new Set(),
      completedItems: new Set(),
      guarantee: NO_GUARANTEE,
      nextJobInstanceIp: undefined,
      assignmentRecord: undefined,
      lastBegun: new Map(),
      lastKeys: new Map(),
      manuallyBegun: new Map(),
      beginRecords: new Map(),
      graph: NO_GRAPH,
    });
  });

  test('tells every mark and request', () => {
    const view = readJobView(
      nodesOf({
        [paths.root]: node(''),
        [paths.leader]: node(java),
        [paths.resharding]: node('', { version: 4 }),
        [paths.processing]: node(undefined),
        [paths.sharding]: node('', { version: 7 }),
        [paths.item(10, 'instance')]: node(java, { revision: 31 }),
        [paths.item(2, 'instance')]: node('', { revision: 30 }),
        [paths.item(2, 'running')]: node(undefined),
        [paths.item(2, 'failover')]: node(other, { revision: 40 }),
        [paths.item(2, 'failovering')]: node(other),
        [paths.crashedItem(10)]: node(),
        [paths.crashedItem(9)]: node(),
        [paths.trigger(java)]: node(),
        [paths.guarantee('started', 2)]: node(undefined),
        [paths.guarantee('completed', 10)]: node(undefined),
        [paths.nextJobInstanceIp]: node('10.0.0.9'),
        [paths.assignmentRecord]: node('items: 11\nbasis: 5f'),
        [paths.beginRecord(java)]: node('2000: 0-1'),
        [paths.beginRecord(other)]: node('3000: 1\n1000: 0'),
        '/bills/leader/election/instance': node('another job’s'),
      }),
      'bill',
    );

    expect(view).toMatchObject({
      exists: true,
      jobClass: undefined,
      leader: java,
      reshardingNeeded: true,
      reshardingVersion: 4,
      processing: true,
      shardingVersion: 7,
      crashedItems: [9, 10],
      triggers: new Set([java]),
      startedItems: new Set([2]),
      completedItems: new Set([10]),
      nextJobInstanceIp: '10.0.0.9',
      assignmentRecord: { itemCount: 11, basis: '5f' },
    });
    expect(view.items).toMatchObject([
      {
        item: 2,
        owner: undefined,
        ownerRevision: 0,
        running: true,
        runningOn: undefined,
        takenOverBy: other,
        failoveringBy: other,
      },
      { item: 10, owner: java, ownerRevision: 31, running: false },
    ]);
    expect(Object.fromEntries(view.lastBegun)).toEqual({ 0: 2000, 1: 3000 });
  });

  test('tells what our instances say of themselves: who has stopped, which run was cut short, what was begun manually', () => {
    const view = readJobView(
      nodesOf({
        [paths.lives]: node(`${other}\n${java}`),
        [paths.live(other)]: node(''),
        [paths.crashReport(2)]: node('1767225600000'),
        [paths.crashReport(3)]: node('manual "only Beijing"'),
        [paths.beginRecord(other)]: node('1000: 0-3\nmanual: 1\nmanual "x": 3\nreturned 2000: 1'),
      }),
      'bill',
    );

    expect(view).toMatchObject({ withdrawn: [other, java], live: new Set([other]) });
    expect(Object.fromEntries(view.crashReports)).toEqual({
      2: { instant: 1767225600000, jobParameter: undefined },
      3: { instant: undefined, jobParameter: 'only Beijing' },
    });
    // An item that was brought back is to be run for its last instant, whatever was begun before.
    expect(view.manuallyBegun).toEqual(new Map([[3, 'x']]));
  });

  test('lists what stands among the items and is none, which would break Java instances', () => {
    const view = readJobView(nodesOf({ [`${paths.sharding}/x`]: node(), [paths.item(0)]: node() }), 'bill');

    expect(view.strayItems).toEqual(['x']);
    expect(view.items.map(({ item }) => item)).toEqual([0]);
  });

  test('has the session of the leader, if there is one', () => {
    const session = (nodes: Readonly<Record<string, MirroredNode>>): string | undefined =>
      readJobView(nodesOf(nodes), 'bill').leaderSession;

    expect(session({ [paths.leader]: node(java, { session: '5' }) })).toBe('5');
    expect(session({ [paths.leader]: node('', { session: '5' }) })).toBeUndefined();
    expect(session({})).toBeUndefined();
  });

  test.each([
    ['', 'the document is empty'],
    ['jobName: bill\nshardingTotalCount: 0', 'shardingTotalCount must be at least 1 and at most 100000, got 0'],
    [
      'misfire: 1\nfailover: 2',
      'failover must be true or false, got "2". /bill/config: misfire must be true or false, got "1"',
    ],
  ])('of a configuration %j says why it cannot be used', (text, fault) => {
    const view = readJobView(nodesOf({ [paths.config]: node(text, { revision: 5, version: 2 }) }), 'bill');

    expect(view).toMatchObject({ configRevision: 5, configVersion: 2, configFault: `/bill/config: ${fault}.` });
    expect(view.config).toBeUndefined();
  });

  test('of nodes whose values have not been read yet has what their existence says, and nothing else', () => {
    const unread = (): MirroredNode => node(undefined, { value: undefined });
    const view = readJobView(
      nodesOf({
        [paths.config]: unread(),
        [paths.instance(java)]: unread(),
        [paths.beginRecord(java)]: unread(),
        [paths.lives]: unread(),
        [paths.crashReport(2)]: unread(),
        [paths.assignmentRecord]: unread(),
        [paths.arrivals(java)]: unread(),
        [paths.called('started')]: unread(),
        [paths.call('completed')]: unread(),
      }),
      'bill',
    );

    expect(view).toMatchObject({
      config: undefined,
      configFault: '/bill/config: the document is empty.',
      withdrawn: [],
      crashReports: new Map([[2, { instant: undefined, jobParameter: undefined }]]),
      assignmentRecord: undefined,
      beginRecords: new Map([[java, undefined]]),
      javaPeers: new Set(),
      guarantee: { ...NO_GUARANTEE, arrivals: new Map([[java, new Map()]]) },
    });
    expect(view.instances.get(java)).toMatchObject({ serverIp: '192.0.2.2', readable: false });
  });

  test.each(['', 'TRIGGER', instanceYaml({ jobInstanceId: 'x@-@1', serverIp: 'x' })])(
    'counts an instance whose node says %j as living, but not as available',
    (text) => {
      const nodes = nodesOf({ [paths.instance(java)]: node(text), [paths.server('192.0.2.2')]: node('ENABLED') });
      const view = readJobView(nodes, 'bill');

      expect(view.instances.get(java)).toEqual({
        jobInstanceId: java,
        serverIp: '192.0.2.2',
        session: undefined,
        readable: false,
      });
      expect(availableInstances(view)).toEqual([]);
    },
  );

  test('finds the available instances once', () => {
    const view = readJobView(
      new Map([[paths.instance('10.0.0.9@-@1'), described('10.0.0.9@-@1', '10.0.0.9')]]),
      'bill',
    );

    expect(availableInstances(view)).toBe(availableInstances(view));
  });

  test('has available instances in descending UTF-16 order, those of enabled servers only', () => {
    const ids = ['10.0.0.10@-@1', '10.0.0.9@-@2', '10.0.0.9@-@10', '10.0.0.1@-@3', '10.0.0.2@-@4', '10.0.0.3@-@5'];
    const status: Readonly<Record<string, string>> = { '10.0.0.1': 'DISABLED', '10.0.0.2': '' };
    const instances = ids.map((id) => [paths.instance(id), described(id, id.split('@')[0]!)] as const);
    const servers = ids
      .filter((id) => !id.startsWith('10.0.0.3@'))
      .map((id) => id.split('@')[0]!)
      .map((ip) => [paths.server(ip), node(status[ip] ?? 'ENABLED')] as const);
    const view = readJobView(new Map([...instances, ...servers]), 'bill');

    expect(availableInstances(view).map(({ jobInstanceId }) => jobInstanceId)).toEqual([
      '10.0.0.9@-@2',
      '10.0.0.9@-@10',
      '10.0.0.10@-@1',
    ]);
    expect(Object.fromEntries(view.servers)).toMatchObject({ '10.0.0.1': 'DISABLED', '10.0.0.2': 'UNKNOWN' });
    expect(view.instances.size).toBe(6);
  });
});

test('an instance is gone with its node, unless it brings its items to their end after an operator has removed it', () => {
  const view = readJobView(
    nodesOf({ [paths.instance(java)]: described(java, '192.0.2.2'), [paths.live(other)]: node('') }),
    'bill',
  );

  expect([java, other, '10.0.0.1@-@1'].map((id) => isGone(view, id))).toEqual([false, false, true]);
});

test('Java takes part if one of its instances does', () => {
  expect(hasJavaPeers(readJobView(mirrored(javaTrees.nodes), 'mixed'))).toBe(true);
  expect(hasJavaPeers(readJobView(new Map(), 'mixed'))).toBe(false);
});

describe('a reader', () => {
  test('does not parse settings again that have not changed, and does what has', () => {
    const reader = new JobViewReader('mixed');
    const nodes = new Map(mirrored(javaTrees.nodes));
    const first = reader.read(nodes);

    const second = reader.read(new Map(nodes).set('/mixed/sharding/1/disabled', node()));
    expect(second.config).toBe(first.config);
    expect(second.items[1]).toMatchObject({ disabled: true });
    expect(first.items[1]).toMatchObject({ disabled: false });

    const config = node(nodes.get('/mixed/config')!.value!.replace('misfire: true', 'misfire: false'));
    expect(reader.read(new Map(nodes).set('/mixed/config', config)).config?.misfire).toBe(false);
    expect(reader.read(nodes).config).toBe(first.config);
  });

  test('reads from changes alone what it reads from all nodes', () => {
    const everyPath = [
      ...[paths.root, paths.config, paths.instance(java), paths.instance(other), paths.server('192.0.2.2')],
      ...[paths.leader, paths.resharding, paths.processing, paths.sharding, `${paths.sharding}/x`, paths.lives],
      ...[paths.live(other), paths.beginRecord(java), paths.beginRecord(other), paths.assignmentRecord],
      ...[paths.trigger(java), paths.crashedItem(2), paths.crashedItem(0), paths.crashReport(2), paths.arrivals(other)],
      ...[paths.called('started'), paths.call('completed'), paths.guarantee('started', 1), paths.nextJobInstanceIp],
      ...[paths.guarantee('completed', 0), `${paths.item(1)}/else`, '/other/config', paths.systemTime],
      ...[0, 1, 2, 10].flatMap((item) => [
        ...[paths.item(item), paths.item(item, 'instance'), paths.item(item, 'running'), paths.item(item, 'misfire')],
        ...[paths.item(item, 'failover'), paths.item(item, 'failovering'), paths.item(item, 'disabled')],
      ]),
    ];
    const values = [undefined, '', java, other, 'ENABLED', '5000: 0-1', 'jobName: bill\nshardingTotalCount: 2\n'];
    const change = fc.record({
      path: fc.constantFrom(...everyPath),
      node: fc.option(fc.record({ value: fc.constantFrom(...values), version: fc.nat(3), revision: fc.nat(9) })),
    });
    const property = fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 20 }), (moments) => {
      const reader = new JobViewReader('bill');
      const nodes = new Map<string, MirroredNode>();
      reader.read(nodes);
      for (const changes of moments) {
        for (const { path, node: written } of changes) {
          if (written === null) nodes.delete(path);
          else nodes.set(path, node(written.value, { version: written.version, revision: written.revision }));
        }
        const view = reader.read(
          nodes,
          changes.map(({ path }) => path),
        );
        expect(view).toEqual(readJobView(nodes, 'bill'));
      }
    });

    expectProperty(property, { numRuns: 300 });
  });

  test('keeps the parts that have not changed, and the view itself if nothing has', () => {
    const reader = new JobViewReader('mixed');
    const nodes = new Map(mirrored(javaTrees.nodes));
    const first = reader.read(nodes);
    expect(reader.read(nodes, [])).toBe(first);
    expect(reader.read(nodes, ['/mixed/leader/election/latch/x'])).toBe(first);

    nodes.set('/mixed/sharding/1/disabled', node());
    const second = reader.read(nodes, ['/mixed/sharding/1/disabled']);

    expect(second.items[1]).toMatchObject({ disabled: true });
    expect(second.items[0]).toBe(first.items[0]);
    expect(second.servers).toBe(first.servers);
    expect(second.lastBegun).toBe(first.lastBegun);
    expect(first.items[1]).toMatchObject({ disabled: false });
  });

  test('looks up each node of a thousand running items a few times, however often it has read them before', () => {
    const nodes = new CountingNodes([[paths.instance(java), described(java, '192.0.2.2')]]);
    for (let item = 0; item < 1000; item++) {
      nodes.set(paths.item(item), node()).set(paths.item(item, 'instance'), node(java));
      nodes.set(paths.item(item, 'running'), node(undefined)).set(paths.item(item, 'misfire'), node());
    }
    const reader = new JobViewReader('bill');
    for (let times = 0; times < 3; times++) {
      nodes.lookups = 0;
      expect(reader.read(nodes).items).toHaveLength(1000);

      expect(nodes.lookups).toBeLessThanOrEqual(3 * nodes.size);
    }
  });
});

test.each([
  [paths.item(12, 'running'), true],
  [paths.item(12, 'misfire'), true],
  [paths.item(12, 'disabled'), true],
  [paths.guarantee('started', 1), true],
  [paths.guarantee('completed', 1), true],
  [paths.crashedItem(1), true],
  [paths.trigger(java), true],
  [paths.processing, true],
  [paths.systemTime, true],
  [`${paths.electionLatch}/_c_6f0c-latch-0000000042`, true],
  [`${paths.guaranteeLatch('started')}/_c_6f0c-latch-0000000042`, true],
  [paths.root, false],
  [paths.config, false],
  [paths.instance(java), false],
  [paths.server('10.0.0.1'), false],
  [paths.leader, false],
  [paths.resharding, false],
  [paths.sharding, false],
  [paths.item(12, 'instance'), false],
  [paths.item(12, 'failover'), false],
  [paths.item(12, 'failovering'), false],
  [paths.nextJobInstanceIp, false],
  [paths.beginRecord(java), true],
  ['/sharding/1/running', false],
])('of %s only the existence matters: %p', (path, expected) => {
  expect(isPresenceOnly(path)).toBe(expected);
});

test.each([
  [paths.item(12, 'running'), true],
  [paths.item(0, 'misfire'), true],
  [paths.trigger(java), true],
  [paths.beginRecord(other), true],
  [paths.systemTime, true],
  [paths.item(0), false],
  [paths.item(0, 'instance'), false],
  [paths.item(0, 'disabled'), false],
  [paths.item(0, 'failover'), false],
  [paths.item(0, 'failovering'), false],
  [paths.sharding, false],
  [paths.triggers, false],
  [paths.beginRecords, false],
  [`${paths.beginRecord(other)}/x`, false],
  [`${paths.trigger(java)}/x`, false],
  [`${paths.item(0, 'running')}/x`, false],
  ['/bill/systemTime', false],
  ['/x/bill/sharding/0/running', false],
  [paths.root, false],
  [paths.config, false],
  [paths.instance(other), false],
  [paths.live(other), false],
  [paths.server('10.0.0.1'), false],
  [paths.leader, false],
  [paths.resharding, false],
  [paths.processing, false],
  [paths.crashedItem(0), false],
  [paths.crashReport(0), false],
  [paths.assignmentRecord, false],
  [paths.guarantee('started', 0), false],
  [paths.arrivals(other), false],
  [paths.nextJobInstanceIp, false],
])('a change of %s is routine: %p', (path, expected) => {
  expect(isRoutine(path)).toBe(expected);
});
