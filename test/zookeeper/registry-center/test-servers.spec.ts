import { expect, test } from '@jest/globals';
import { type AddressInfo, connect, createServer } from 'node:net';
import { once } from 'node:events';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

test('a test server serves, freezes, dies and comes back on its port', async () => {
  await using server = await ZooKeeperServer.start();
  const { port } = server;

  expect(await server.mode()).toBe('standalone');

  server.pause();
  // The threads of a process stop one after the other, a moment after the signal was sent.
  await until(async () => (await server.mode()) === undefined);
  server.resume();
  await until(async () => (await server.mode()) === 'standalone');

  await server.kill();
  expect(await server.mode()).toBeUndefined();

  await server.restart();
  expect(await server.mode()).toBe('standalone');
  expect(server.port).toBe(port);
});

test('an ensemble elects another leader when its leader is killed', async () => {
  await using ensemble = await ZooKeeperEnsemble.start();
  const first = await ensemble.leader();

  await first.kill();

  expect(await ensemble.leader()).not.toBe(first);
});

test('a proxy withholds what a black hole swallows until it is healed', async () => {
  // Not a ZooKeeper, which breaks the connection off after such an answer, so that it is lost with what is withheld.
  const server = createServer((client) => {
    client.on('data', () => client.write('imok'));
    client.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await using proxy = await TcpProxy.start((server.address() as AddressInfo).port);
  proxy.blackHole('down');
  const socket = connect(proxy.port, '127.0.0.1', () => socket.write('ruok'));
  await until(() => proxy.heldBytes('down') === 4);

  proxy.heal();

  expect(String(await once(socket, 'data'))).toBe('imok');
  socket.destroy();
  server.close();
});
