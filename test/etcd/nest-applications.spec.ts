/** Nest applications that share a job on etcd, with nothing but its members in their settings. */
import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type SimpleJob } from '../../lib/api/job/job.js';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { ElasticJob } from '../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule } from '../../lib/nest/elastic-job.module.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { mergeSettings } from '../../lib/settings/merge-settings.js';
import { EtcdServer } from '../support/etcd-server.js';
import { until } from '../support/until.js';
import { RecordingLogger, refusalOf, started } from '../unit/nest/application.js';

/** An application's module with one job of four items that fires each second, and what it has run. */
function application(regCenter: Readonly<Record<string, unknown>>) {
  const ran: { readonly item: number; readonly scheduledAt: number }[] = [];
  @ElasticJob('job', { cron: '* * * * * ?', shardingTotalCount: 4 })
  @Injectable()
  class Job implements SimpleJob {
    execute({ shardingItem, scheduledAt }: ShardingContext): void {
      ran.push({ item: shardingItem, scheduledAt: Number(scheduledAt) });
    }
  }
  const logger = new RecordingLogger();
  const imports = [ElasticJobModule.forRoot({ logger, regCenter })];
  return { metadata: { imports, providers: [Job] }, ran, logger };
}

describe('Nest applications on etcd', () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await EtcdServer.start();
  });
  afterAll(() => server.dispose());

  test('share the items of a job, and one takes over all of them when the other ends', async () => {
    const endpoints = `http://${server.address}`;
    const regCenter = { endpoints, namespace: 'orders', sessionTimeoutMilliseconds: 4_000 };
    const [one, other] = [application(regCenter), application(regCenter)];
    await using first = await started(one.metadata);
    const second = await started(other.metadata);

    const itemsOf = ({ ran }: typeof one): ReadonlySet<number> => new Set(ran.slice(-4).map(({ item }) => item));
    await until(() => itemsOf(one).size === 2 && itemsOf(other).size === 2, 'each runs two items', 20_000);
    await second.close();
    const before = one.ran.length;
    await until(() => new Set(one.ran.slice(before).map(({ item }) => item)).size === 4, 'one runs all items', 20_000);

    const firings = [...one.ran, ...other.ran].map(({ item, scheduledAt }) => `${item} at ${scheduledAt}`);
    expect(new Set(firings).size).toBe(firings.length);
    expect(one.logger.lines.join('\n')).toContain(`etcd at ${server.address}, namespace 'orders'`);
    expect(first).toBeDefined();
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'endpoints of another kind',
      { endpoints: 'postgres://localhost:5432', namespace: 'orders' },
      "elasticjob.regCenter.endpoints: must be a list like 'http://host1:2379,http://host2:2379', and 'postgres://localhost:5432' is no such endpoint",
    ],
    [
      'endpoints with and without TLS',
      { endpoints: 'https://one:2379,http://two:2379', namespace: 'orders' },
      'elasticjob.regCenter.endpoints: must have https in all of its endpoints or in none',
    ],
    [
      'no endpoints',
      { type: 'etcd', namespace: 'orders' },
      "elasticjob.regCenter.endpoints: is required with type ETCD and must be a list of members like 'http://host1:2379,http://host2:2379'",
    ],
    [
      'settings of ZooKeeper',
      { endpoints: 'localhost', namespace: 'orders', digest: 'a:b' },
      'elasticjob.regCenter.digest: is a setting of ZooKeeper, and the registry centre is etcd; remove it',
    ],
    [
      'a user without password',
      { endpoints: 'localhost', namespace: 'orders', username: 'jobs' },
      'elasticjob.regCenter.username: must be given together with password, got "jobs"',
    ],
    [
      'too few operations in a transaction',
      { endpoints: 'localhost', namespace: 'orders', maxTxnOps: 3 },
      'elasticjob.regCenter.maxTxnOps: must be 0 (the default) or an integer of at least 16, got 3',
    ],
    [
      'a namespace with a colon',
      { endpoints: 'localhost', namespace: 'team:orders' },
      "elasticjob.regCenter.namespace: must be a name such as 'orders' or 'team/orders', without colons and quotes, got \"team:orders\"",
    ],
    [
      'certificates for endpoints without TLS',
      { endpoints: 'http://localhost', namespace: 'orders', tls: {} },
      "elasticjob.regCenter.tls: is given, but endpoints have no https; write 'https://host:2379'",
    ],
    ['no namespace', { endpoints: 'localhost' }, 'elasticjob.regCenter.namespace: is required'],
  ])('with %s are refused at start, with key path and what would be right', async (_, regCenter, refusal) => {
    const lines = await refusalOf(application(regCenter).metadata);

    expect(lines).toContainEqual(expect.stringContaining(refusal));
  });
});

test('endpoints, user and password may come from the environment and from a file', () => {
  const merged = mergeSettings({
    code: [],
    file: { regCenter: { namespace: 'orders', maxTxnOps: 1_024, tls: { servername: 'etcd' } } },
    environment: {
      ELASTICJOB_REGCENTER_ENDPOINTS: 'https://etcd1:2379,https://etcd2:2379',
      ELASTICJOB_REGCENTER_USERNAME: 'jobs',
      ELASTICJOB_REGCENTER_PASSWORD: 's3cret',
    },
  });

  expect(merged?.problems).toEqual([]);
  const centre = createRegistryCenter(merged!.regCenters.get('default')!, new RecordingLogger());
  expect(centre.description).toBe("etcd at etcd1:2379,etcd2:2379, namespace 'orders'");
  expect(centre.limits.operations).toBe(300);
});
