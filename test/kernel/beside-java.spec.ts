import { describe, expect, test } from '@jest/globals';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { TestCluster } from '../../lib/testing/test-cluster.js';
import { joinJavaInstance } from '../support/java-instance.js';
import { aConfiguration, idOf, ipOf } from '../support/views.js';

describe('beside Java instances, which ask for an assignment only while they lead,', () => {
  test('a leader whose server is disabled leaves the request to its successor', async () => {
    await using cluster = await TestCluster.start(['A']);
    await joinJavaInstance(cluster, 'J');
    expect(cluster.owners).toEqual({ J: [0], A: [1] });

    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'DISABLED');
    await cluster.settle();
    expect(cluster.view.leader).toBeUndefined();
    expect(cluster.view.reshardingNeeded).toBe(true);
  });

  test('a leader that an operator has ended leaves the request to its successor', async () => {
    await using cluster = await TestCluster.start(['A']);
    await joinJavaInstance(cluster, 'J');

    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();
    expect(cluster.view.leader).toBeUndefined();
    expect(cluster.view.reshardingNeeded).toBe(true);
  });

  test('a leader that is ended leaves no request where items stay with their instance', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { staticSharding: true } });
    await joinJavaInstance(cluster, 'J');

    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();
    expect(cluster.view.leader).toBeUndefined();
    expect(cluster.view.reshardingNeeded).toBe(false);
  });
});

describe('beside Java instances, which leave no record of what they have begun,', () => {
  test('an item that comes back from one is not run again for the firing that it had there', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.fire();
    await joinJavaInstance(cluster, 'J');
    await cluster.fire();
    cluster.forget();

    await cluster.operator.remove(cluster.paths.instance(idOf('J')));
    await cluster.advance(2_000);
    expect(cluster.owners).toEqual({ A: [0, 1] });
    expect(cluster.runs).toEqual([]);

    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});

describe('beside a Java instance that believes to lead although it has been away for too long,', () => {
  test('a leader assigns the items anew whose owners it has removed', async () => {
    await using cluster = await TestCluster.start(['A']);
    await joinJavaInstance(cluster, 'J');
    for (const item of [0, 1]) await cluster.operator.remove(cluster.paths.item(item, 'instance'));
    await cluster.settle();
    expect(cluster.owners).toEqual({ J: [0], A: [1] });
  });
});

describe('beside Java instances with failover, whose marks outlive them,', () => {
  test('the items of one that crashed when no Java peer was left are run again', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { failover: true } });
    await joinJavaInstance(cluster, 'J');
    await cluster.operator.create(cluster.paths.item(0, 'running'), idOf('J'));
    await cluster.operator.remove(cluster.paths.instance(idOf('J')));
    await cluster.advance(6_000);
    expect(cluster.owners).toEqual({ A: [0, 1] });
    expect(cluster.view.items.filter(({ running }) => running)).toEqual([]);
    cluster.forget();

    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });

  test('they do not hold back an item that the job has no more', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { failover: true } });
    await joinJavaInstance(cluster, 'J');
    await cluster.operator.create(cluster.paths.item(1, 'running'), idOf('J'));
    const one = aConfiguration({ cron: '0/5 * * * * ?', timeZone: 'GMT', failover: true, shardingTotalCount: 1 });
    await cluster.operator.put(cluster.paths.config, toYaml(one));
    await cluster.operator.remove(cluster.paths.instance(idOf('J')));
    await cluster.advance(6_000);
    expect(cluster.view.items.map(({ item }) => item)).toEqual([0]);
  });
});
