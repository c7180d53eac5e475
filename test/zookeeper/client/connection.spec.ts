import { expect, test } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Connection } from '../../../lib/registry/zookeeper/client/connection.js';
import { until } from '../../support/until.js';

test('what arrives on a connection, and its end, come outside the store of the caller that opened it or sends', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: string[] = [];
  const note = (what: string) => (): void => void seen.push(`${what}: ${request.getStore() ?? 'none'}`);
  const server = createServer((socket) => socket.once('data', (frame) => socket.end(frame)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const listener = { onHeard: note('heard'), onMessage: note('message'), onClosed: note('closed') };
  const connection = new Connection({ host: '127.0.0.1', port }, listener, undefined);

  await request.run('a request', async () => {
    await connection.open();
    connection.send(Buffer.from([0, 0, 0, 1, 7]));
    await until(() => seen.length === 3);
  });
  server.close();

  expect(seen).toEqual(['heard: none', 'message: none', 'closed: none']);
});
