import { expect, test } from '@jest/globals';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { Bystander } from './bystander.js';
import { type JobSpec } from './history.js';
import { monotonicMs } from './monotonic.js';

const job = { name: 'quick', items: 1 } as JobSpec;

test('a bystander who hears nothing says that it has seen nothing since it last heard something', async () => {
  await using server = await ZooKeeperServer.start();
  await using proxy = await TcpProxy.start(server.address);
  await using bystander = await Bystander.open({ serverLists: proxy.address, namespace: 'silence' }, [job]);

  const cutAt = monotonicMs();
  proxy.blackHole('up', 'down');
  await until(() => bystander.latest('quick')?.isSeen === false, 'the bystander to notice that it hears nothing');

  expect(bystander.latest('quick')?.t).toBeLessThanOrEqual(cutAt);
});
