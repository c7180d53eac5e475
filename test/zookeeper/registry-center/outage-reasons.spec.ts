import { expect, test } from '@jest/globals';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type ConnectionOptions } from 'node:tls';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { freePort } from '../../support/free-port.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { untilConnected } from '../../support/zookeeper-centres.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

const zooKeeper = sharedZooKeeper();

interface Options {
  readonly namespace?: string;
  readonly digest?: string;
  readonly tls?: ConnectionOptions;
}

/** A registry centre that connects, with what it logs above the level `debug`. */
class LoggedCentre implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly centre: ZookeeperRegistryCenter;

  constructor(serverLists: string, { namespace = zooKeeper.namespace(), digest, tls }: Options = {}) {
    const keep = (level: string) => (line: string) => void this.lines.push(`${level} ${line}`);
    const logger = { debug: () => undefined, log: keep('log'), warn: keep('warn'), error: keep('error') };
    this.centre = new ZookeeperRegistryCenter(
      { serverLists, namespace, connectionTimeoutMilliseconds: 300, ...(digest !== undefined && { digest }) },
      { logger, ...(tls && { tls }) },
    );
    this.centre.connect();
  }

  async firstLine(): Promise<string> {
    await until(() => this.lines.length > 0, 'a line of the log');
    return this.lines[0]!;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.centre.close();
  }
}

/** A listening server, with its sockets, which it leaves to the test. */
class Listening implements AsyncDisposable {
  readonly #sockets: Socket[] = [];
  private constructor(readonly server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.push(socket);
      socket.on('error', () => undefined);
    });
  }

  static async start(server: Server): Promise<Listening> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Listening(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

test.each<[string, () => Server, Options, RegExp]>([
  [
    'that speaks HTTP is no ZooKeeper',
    () => createHttpServer(),
    {},
    /^warn ZooKeeper server [\d.:]+ answers, but is no ZooKeeper \(.*\)\. Check host and port in serverLists/,
  ],
  [
    'that greets as a mail server does is no ZooKeeper',
    () => createServer((socket) => void socket.write('220 mail ESMTP\r\n')),
    {},
    /^warn ZooKeeper server [\d.:]+ answers, but is no ZooKeeper \(.*\)/,
  ],
  [
    'that sends too short a greeting is no ZooKeeper',
    () => createServer((socket) => void socket.on('data', () => socket.write(Buffer.from('0000000200ff', 'hex')))),
    {},
    /^warn ZooKeeper server [\d.:]+ answers, but is no ZooKeeper \(.*\)/,
  ],
  [
    'that accepts and never answers is silent',
    () => createServer(),
    {},
    /^warn ZooKeeper server [\d.:]+ accepts connections, but does not answer \(no answer within 300 ms\)\. Check that a ZooKeeper/,
  ],
  [
    'that closes each connection hangs up',
    () => createServer((socket) => void socket.on('data', () => socket.end())),
    {},
    /^warn ZooKeeper server [\d.:]+ closes connections without an answer \(the server closed the connection\)\. Check/,
  ],
  [
    'without TLS does not complete the handshake of a client with TLS',
    () => createServer((socket) => void socket.on('data', () => socket.end('plain text'))),
    { tls: {} },
    /^warn ZooKeeper server [\d.:]+ does not complete the TLS handshake \(.*\)\. Check that its port is a TLS port/,
  ],
])('a server %s', async (_, serve, options, expected) => {
  await using server = await Listening.start(serve());
  await using logged = new LoggedCentre(server.address, options);

  expect(await logged.firstLine()).toMatch(expected);
  expect(logged.lines[0]).toContain(server.address);
  expect(logged.centre.session.reason).toContain(server.address);
});

test('a server that does not exist refuses, and one without a name cannot be resolved; each is logged once', async () => {
  const refusing = `127.0.0.1:${await freePort()}`;
  await using logged = new LoggedCentre(`${refusing},name.invalid:2181`);

  await until(() => logged.lines.length > 1, 'a line for each server');
  // Calls that fail show that further attempts have been made.
  await expect(logged.centre.get('/a')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });

  expect([...logged.lines].sort()).toEqual([
    `warn ZooKeeper server ${refusing} refuses connections (connect ECONNREFUSED ${refusing}). Check serverLists, and that a ZooKeeper listens there.`,
    expect.stringMatching(
      /^warn ZooKeeper server name\.invalid:2181 has a host name that cannot be resolved \(getaddrinfo \w+ name\.invalid\)\. Check the host name in serverLists, and the DNS\.$/,
    ),
  ]);
  expect(logged.centre.session.reason).toContain(`${refusing} refuses connections (`);
  expect(logged.centre.session.reason).toContain('name.invalid:2181 has a host name that cannot be resolved (');
});

test('a host name with several addresses that all refuse is logged as one server', async () => {
  const port = await freePort();
  await using logged = new LoggedCentre(`localhost:${port}`);

  expect(await logged.firstLine()).toMatch(
    new RegExp(`^warn ZooKeeper server localhost:${port} refuses connections \\(connect ECONNREFUSED .*${port}\\)`),
  );
});

test('the recovery is logged, and the session has no reason any longer', async () => {
  const port = await freePort();
  await using logged = new LoggedCentre(`127.0.0.1:${port}`);
  await logged.firstLine();

  await using server = await ZooKeeperServer.start({ port });
  await untilConnected(logged.centre);

  expect(server.port).toBe(port);
  expect(logged.lines.at(-1)).toMatch(`log ZooKeeper server 127.0.0.1:${port} is connected, after `);
  expect(logged.centre.session.reason).toBeUndefined();
});

test('a connection that breaks gives the suspended session its reason', async () => {
  await using server = await ZooKeeperServer.start();
  await using logged = new LoggedCentre(server.address);
  await untilConnected(logged.centre);

  await server.stop();
  await until(() => logged.centre.session.state.phase === 'suspended');

  expect(logged.centre.session.reason).not.toBeUndefined();
  await until(() => logged.lines.some((line) => line.startsWith(`warn ZooKeeper server ${server.address} refuses`)));
  expect(logged.centre.session.reason).toContain(`${server.address} refuses connections (`);
});

test.each([
  ['app:wrong', ' than the configured digest'],
  [undefined, ', and no digest is configured'],
])('credentials %p for a namespace that belongs to others are logged as an error', async (digest, words) => {
  const namespace = zooKeeper.namespace();
  await using owner = new LoggedCentre(zooKeeper.servers, { namespace, digest: 'app:right' });
  await owner.centre.put('/job', '');
  await using stranger = new LoggedCentre(zooKeeper.servers, { namespace, ...(digest !== undefined && { digest }) });

  await until(() => stranger.centre.session.state.phase === 'closed');

  const reason = `namespace '${namespace}' belongs to other credentials${words}`;
  expect(stranger.lines).toEqual([
    `error ZooKeeper refuses this client for good: ${reason}. Check digest and namespace, and start the application again.`,
  ]);
  expect(stranger.centre.session.reason).toBe(reason);
});
