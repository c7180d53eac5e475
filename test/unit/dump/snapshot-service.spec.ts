import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SnapshotService, type SnapshotServiceOptions } from '../../../lib/dump/snapshot-service.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { RecordingLogger } from '../nest/application.js';
import { until } from '../../support/until.js';

let registry: EmbeddedRegistryCenter;
let open: { close(): unknown }[] = [];

beforeEach(async () => {
  registry = new EmbeddedRegistryCenter({ namespace: `dump-${Math.random()}` });
  registry.connect();
  open = [registry];
  await until(() => registry.session.state.phase === 'connected');
  await registry.put('/bill/config', 'cron: a');
  await registry.put('/bill/servers/10.0.0.7', 'ENABLED');
});
afterEach(async () => {
  for (const each of open.reverse()) await each.close();
});

const BILL = '/bill/servers | \n/bill/servers/ip1 | ENABLED\n/bill/config | cron: a\n';
const HELP = 'This is the dump port of ElasticJob. Send one line, dump@ and the name of a job: dump@syncOrders\n';

async function listening(
  options: Partial<SnapshotServiceOptions> = {},
): Promise<SnapshotService & { readonly port: number }> {
  const service = new SnapshotService(registry, { port: 0, ...options });
  open.push(service);
  await service.listen();
  return service as SnapshotService & { readonly port: number };
}

/** A client that keeps what it is sent, until the service ends the connection. */
async function client(port: number): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1' });
  open.push({ close: () => socket.destroy() });
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString()));
  socket.on('error', () => undefined);
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return { socket, answer };
}

async function said(port: number, text: string): Promise<string> {
  const { socket, answer } = await client(port);
  socket.write(text);
  return answer;
}

describe('the dump port answers', () => {
  test.each([
    ['dump@bill\n', BILL],
    ['dump@bill\r\n', BILL],
    ['dump@bill\nand more', BILL],
    ['dump@unknown\n', '\n'],
    ['dump@a/b\n', '\n'],
    ['dump\n', HELP],
    ['dump@\n', HELP],
    ['dump@a@b\n', HELP],
    ['GET / HTTP/1.1\r\n', HELP],
    ['\n', HELP],
    ['x'.repeat(2_000), HELP],
  ])('%j', async (command, answer) => {
    const { port } = await listening();

    expect(await said(port, command)).toBe(answer);
  });

  test('a command that comes in pieces', async () => {
    const { port } = await listening();
    const { socket, answer } = await client(port);
    socket.setNoDelay(true);
    for (const letter of 'dump@bill\n') await new Promise((resolve) => socket.write(letter, resolve));

    expect(await answer).toBe(BILL);
  });

  test('fifty clients at once, beside one that says nothing', async () => {
    const { port } = await listening();
    await client(port);

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => SnapshotService.dumpJob('127.0.0.1', port, 'bill')),
    );

    expect(new Set(answers)).toEqual(new Set([BILL]));
  });

  test('with what this process sees otherwise', async () => {
    const localNodes = (jobName: string) => (jobName === 'bill' ? new Map() : undefined);
    const { port } = await listening({ localNodes });

    expect(await said(port, 'dump@bill\n')).toContain('/bill/servers/ip1 | ENABLED |  | \n');
  });

  test('that the registry centre cannot be reached', async () => {
    const { port } = await listening();
    await registry.close();

    expect(await said(port, 'dump@bill\n')).toMatch(/^The job could not be read: RegistryUnavailableError: .+\n$/);
  });
});

describe('the dump port drops', () => {
  test('a client that says nothing for five seconds', async () => {
    const clock = new ManualClock();
    const { port } = await listening({ clock });
    const { answer } = await client(port);
    await until(() => clock.timers === 1);

    await clock.advance(5_000);

    expect(await answer).toBe('');
  });

  test('a client that does not read its answer', async () => {
    const clock = new ManualClock();
    const { port } = await listening({ clock });
    // More than the buffers between the two take.
    await registry.put('/bill/config', 'x'.repeat(900_000));
    for (let item = 0; item < 40; item++) await registry.put(`/bill/sharding/${item}`, 'x'.repeat(900_000));
    const { socket, answer } = await client(port);
    const isAnswered = new Promise<void>((resolve) =>
      socket.once('data', () => {
        socket.pause();
        resolve();
      }),
    );
    socket.write('dump@bill\n');
    await isAnswered;

    await clock.advance(5_000);
    socket.resume();

    expect((await answer).length).toBeLessThan(30_000_000);
  });

  test('all clients when it is closed', async () => {
    const service = await listening();
    const { answer } = await client(service.port);

    await service.close();

    expect(await answer).toBe('');
    await expect(SnapshotService.dumpJob('127.0.0.1', service.port ?? 1, 'bill')).rejects.toThrow();
  });
});

describe('the dump port', () => {
  test('is heard of on this machine only, unless it is given another address', async () => {
    const addressOf = async (options: Partial<SnapshotServiceOptions>): Promise<string> => {
      const logger = new RecordingLogger();
      const service = await listening({ ...options, logger });
      return (logger.lines[0] ?? '').replace(String(service.port), '<port>');
    };

    expect(await addressOf({})).toBe(
      'log The dump port is open: it answers "dump@<job name>" on 127.0.0.1, port <port>.',
    );
    expect(await addressOf({ host: '0.0.0.0' })).toBe(
      'log The dump port is open: it answers "dump@<job name>" on 0.0.0.0, port <port>.',
    );
  });

  test('that is taken is a warning', async () => {
    const logger = new RecordingLogger();
    const other = createServer();
    open.push(other);
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { readonly port: number };

    const service = await listening({ port, logger });

    expect(logger.lines).toEqual([
      `warn The dump port ${port} on 127.0.0.1 cannot be used, so that jobs cannot be dumped from this process: Error: listen EADDRINUSE: ` +
        `address already in use 127.0.0.1:${port}. Set elasticjob.dump.port to a free port, or elasticjob.dump.enabled to false.`,
    ]);
    expect(service.port).toBeUndefined();
    await service.close();
  });

  test.each([-1, 65_536, 1.5, NaN])('%d is refused', (port) => {
    expect(() => new SnapshotService(registry, { port })).toThrow(new RangeError(`Port value out of range: ${port}`));
  });

  test('that breaks off is an empty answer, not a wait for ever', async () => {
    const rude = createServer((socket) => socket.destroy());
    open.push(rude);
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    const { port } = rude.address() as { readonly port: number };

    // The client may see the end of the connection, or that it was reset.
    const outcome = await SnapshotService.dumpJob('127.0.0.1', port, 'bill').catch((error: Error) => error.message);

    expect(outcome).toMatch(/^$|ECONNRESET|EPIPE/);
  });

  test('that nobody answers at is an error for who asks', async () => {
    const silent = createServer();
    open.push(silent);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { readonly port: number };
    silent.close();

    await expect(SnapshotService.dumpJob('127.0.0.1', port, 'bill')).rejects.toThrow('ECONNREFUSED');
  });
});
