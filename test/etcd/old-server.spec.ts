/** Members that are too old. Such a server is not among Debian's packages: stand-ins say that they are one. */
import { expect, test } from '@jest/globals';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { standInOf } from '../support/etcd-stand-in.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

test('an etcd that is too old is refused for good, with its version and the one that is needed', async () => {
  using member = await standInOf('3.3.27');
  const centre = new EtcdRegistryCenter({ endpoints: `http://${member.address}`, namespace: 'old' });
  centre.connect();

  await until(() => centre.session.state.phase === 'closed', 'the centre is refused');

  expect(centre.session.state).toMatchObject({
    refusal: { code: 'REGISTRY_INCOMPATIBLE' },
    reason:
      `etcd at ${member.address} is of version 3.3.27, and version 3.4 or later is needed: upgrade it, or name other ` +
      'members in regCenter.endpoints',
  });
  await centre.close();
});

test('a cluster whose members are all too old is refused after each of them was asked', async () => {
  using first = await standInOf('3.3.27');
  using second = await standInOf('3.2.1');
  const endpoints = [first, second].map(({ address }) => `http://${address}`).join();
  const centre = new EtcdRegistryCenter({ endpoints, namespace: 'old' });
  centre.connect();

  await until(() => centre.session.state.phase === 'closed', 'the centre is refused');

  expect(centre.session.state).toMatchObject({ refusal: { code: 'REGISTRY_INCOMPATIBLE' } });
  expect([first.calls, second.calls]).toEqual([['Status'], ['Status']]);
  await centre.close();
});

test('a member that is too old is passed over while the others cannot be reached yet', async () => {
  using old = await standInOf('3.3.27');
  const port = await freePort();
  const centre = new EtcdRegistryCenter({
    ...{ endpoints: `http://${old.address},http://127.0.0.1:${port}`, namespace: 'old' },
  });
  centre.connect();
  await until(() => old.calls.length > 2, 'the centre has asked the old member again and again');

  await using server = await EtcdServer.start({ port });
  await untilConnected(centre);

  expect(server.isRunning).toBe(true);
  await centre.close();
});

test('a member that is too old is passed over when another one has failed', async () => {
  using old = await standInOf('3.3.27');
  await using server = await EtcdServer.start();
  const endpoints = [old, server].map(({ address }) => `http://${address}`).join();
  const centre = new EtcdRegistryCenter({ endpoints, namespace: 'old' });
  centre.connect();
  await untilConnected(centre);

  await server.kill();
  await until(() => old.calls.length > 2, 'the centre has asked the old member again and again');
  await server.restart();
  await untilConnected(centre);

  expect(await centre.get('/')).toBeDefined();
  await centre.close();
});
