/**
 * A registry centre that comes back without its nodes: a ZooKeeper pod without a volume, or a backup from before the
 * job.
 */
import { expect, test } from '@jest/globals';
import { type JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { fromYaml } from '../../../../lib/layout/job-configuration-yaml.js';
import { TestCluster } from '../../../../lib/testing/index.js';

/**
 * The registry centre goes away and comes back: all sessions have ended, and the nodes for which `isLost` holds are
 * gone.
 */
async function loseNodes(cluster: TestCluster, isLost?: (path: string) => boolean): Promise<void> {
  const members = [...cluster.members.values()];
  const sessions = members.map(({ registry }) => registry.session.state);
  for (const { registry } of members) registry.faults.disconnect();
  for (const state of sessions) if ('id' in state) cluster.server.endSession(state.id);
  const tree = cluster.server.namespace('elasticjob');
  if (isLost === undefined) tree.lose('nobody');
  else for (const path of [...tree.subtree('/').keys()].filter(isLost).reverse()) tree.remove('nobody', path);
  await cluster.advance('20s');
  for (const { registry } of members) registry.faults.resume();
  await cluster.settle();
}

const storedConfiguration = ({ tree, paths }: TestCluster): JobConfiguration =>
  fromYaml(tree.get(paths.config) ?? '', paths.config).configuration;

test.each<[what: string, isLost: ((path: string) => boolean) | undefined]>([
  ['anything', undefined],
  ['its settings', (path) => path === '/job/config'],
  ['its instances, items and records', (path) => /^\/job\/(instances|sharding|x-node)/.test(path)],
])(
  'a job whose registry centre comes back without %s is stored again, and runs at the next firing',
  async (_, isLost) => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { jobParameter: 'from the code' } });
    await cluster.fire();
    await loseNodes(cluster, isLost);
    cluster.forget();

    await cluster.fire();

    expect(cluster.tree.get(cluster.paths.root)).toBe('TestJob');
    expect(storedConfiguration(cluster)).toMatchObject({ jobParameter: 'from the code', shardingTotalCount: 2 });
    expect(cluster.ran).toEqual(cluster.owners);
    expect(Object.keys(cluster.owners).sort()).toEqual(['A', 'B']);
  },
);

test('a job that was removed while its instances were cut off is not stored again when they return', async () => {
  await using cluster = await TestCluster.start(['A', 'B']);

  await loseNodes(cluster, (path) => path === '/job');
  await cluster.advance('1m');

  expect(await cluster.operator.children('/')).toEqual([]);
  expect([...cluster.members.values()].map(({ host }) => host.jobs.get('job')?.health.state)).toEqual([
    'removed',
    'removed',
  ]);
});

test('a job is stored again where other jobs came and went after the data were lost', async () => {
  await using cluster = await TestCluster.start(['A']);
  cluster.cut('A');
  await cluster.advance('20s');
  cluster.server.namespace('elasticjob').lose('nobody');
  for (const name of ['one', 'two', 'three']) await cluster.operator.create(`/${name}`, '');

  await cluster.heal('A');

  expect(cluster.owners).toEqual({ A: [0, 1] });
});

test('a one-off job whose registry centre comes back empty can be triggered again', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '' } });
  await loseNodes(cluster);

  await cluster.trigger();

  expect(Object.values(cluster.ran).flat().sort()).toEqual([0, 1]);
});

test('settings that an operator has changed survive the return of an instance whose job overwrites at its start', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { overwrite: true, jobParameter: 'from the code' },
  });
  await cluster.reconfigure({ jobParameter: 'from an operator' });

  await cluster.expire('A');
  await cluster.fire();

  expect(storedConfiguration(cluster).jobParameter).toBe('from an operator');
  expect(cluster.runs.map(({ context }) => context.jobParameter)).toEqual(['from an operator', 'from an operator']);
});

test('settings that cannot be read are left to the operator when an instance returns, though its job overwrites at its start', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: { overwrite: true } });
  await cluster.operator.put(cluster.paths.config, 'shardingTotalCount: [three');

  await cluster.expire('A');

  expect(cluster.tree.get(cluster.paths.config)).toBe('shardingTotalCount: [three');
  expect(cluster.view.instances.has(cluster.idOf('A'))).toBe(true);
});
