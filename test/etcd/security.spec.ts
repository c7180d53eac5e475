import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EtcdConfiguration } from '../../lib/registry/etcd/etcd-configuration.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { until } from '../support/until.js';

function connecting(configuration: EtcdConfiguration): EtcdRegistryCenter & AsyncDisposable {
  const centre = new EtcdRegistryCenter({ sessionTimeoutMilliseconds: 4_000, ...configuration });
  centre.connect();
  return Object.assign(centre, { [Symbol.asyncDispose]: () => centre.close() });
}

describe('With users and passwords, a registry centre on etcd', () => {
  let server: EtcdServer;
  const at = (key: string): string => Buffer.from(key).toString('base64');

  beforeAll(async () => {
    server = await EtcdServer.start();
    await server.call('auth/role/add', { name: 'jobs' });
    const perm = { permType: 'READWRITE', key: at('/secured:'), range_end: at('/secured;') };
    await server.call('auth/role/grant', { name: 'jobs', perm });
    for (const [name, role] of [
      ['root', 'root'],
      ['jobs', 'jobs'],
    ]) {
      await server.call('auth/user/add', { name, password: 's3cret' });
      await server.call('auth/user/grant', { user: name, role });
    }
    await server.call('auth/enable', {});
  });
  afterAll(() => server.dispose());

  const endpoints = (): string => `http://${server.address}`;

  test('uses no other keys than those that begin with the namespace and a colon', async () => {
    await using centre = connecting({
      ...{ endpoints: endpoints(), namespace: 'secured' },
      ...{ username: 'jobs', password: 's3cret' },
    });
    await untilConnected(centre);

    await centre.create('/job/mine', 'x', 'session');
    const mirror = await centre.mirror('/job');
    await mirror.sync();
    const held = await centre.exclusively('/job/latch', 5_000, () => Promise.resolve('held'));

    expect(held).toBe('held');
    expect(mirror.nodes.get('/job/mine')?.value).toBe('x');
    expect(await centre.lineage()).toBeDefined();
  });

  test('asks for another token when the server has forgotten the one it gave', async () => {
    await using centre = connecting({
      ...{ endpoints: endpoints(), namespace: 'secured' },
      ...{ username: 'jobs', password: 's3cret' },
    });
    await untilConnected(centre);
    const { state } = centre.session;

    await server.restart();
    await until(() => centre.session.state.phase !== 'connected', 'the centre has noticed');
    await untilConnected(centre);

    expect(centre.session.state).toEqual(state);
    await centre.put('/job/x', 'after');
    expect(await centre.get('/job/x')).toBe('after');
  });

  test('asks for another token when the server takes the one that it has no more', async () => {
    await using centre = connecting({
      ...{ endpoints: endpoints(), namespace: 'secured' },
      ...{ username: 'jobs', password: 's3cret' },
    });
    await untilConnected(centre);
    const { state } = centre.session;

    const { token } = await server.call('auth/authenticate', { name: 'root', password: 's3cret' });
    // It is the same password, but tokens of the user are no longer valid.
    await server.call('auth/user/changepw', { name: 'jobs', password: 's3cret' }, String(token));
    await centre.put('/job/x', 'later');

    expect(await centre.get('/job/x')).toBe('later');
    expect(centre.session.state).toEqual(state);
  });

  test.each<[string, Partial<EtcdConfiguration>, RegExp]>([
    ['a wrong password', { username: 'jobs', password: 'wrong' }, /as user 'jobs'.*authentication failed/],
    ['a user that there is not', { username: 'nobody', password: 's3cret' }, /as user 'nobody'/],
    ['no user and password', {}, /without user and password.*user name is empty/],
    [
      'a user without rights in the namespace',
      { username: 'jobs', password: 's3cret', namespace: 'other' },
      /permission denied \(namespace 'other'\)/,
    ],
  ])('is refused for good with %s, and says why', async (_, options, reason) => {
    await using centre = connecting({ endpoints: endpoints(), namespace: 'secured', ...options });

    await until(() => centre.session.state.phase === 'closed', 'the centre is refused');

    expect(centre.session.state).toMatchObject({ reason: expect.stringMatching(reason) });
    expect(centre.session.state).toMatchObject({ refusal: { code: 'REGISTRY_CREDENTIALS' } });
    await expect(centre.get('/job')).rejects.toMatchObject({ code: 'REGISTRY_CREDENTIALS' });
  });

  test('connects with user and password where nobody asks for them', async () => {
    const open = await EtcdServer.start();
    try {
      await using centre = connecting({
        ...{ endpoints: `http://${open.address}`, namespace: 'open' },
        ...{ username: 'jobs', password: 's3cret' },
      });

      await untilConnected(centre);

      expect(await centre.create('/job', '')).toBe(true);
    } finally {
      await open.dispose();
    }
  });
});

describe('By TLS, a registry centre on etcd', () => {
  const directory = mkdtempSync(join(tmpdir(), 'etcd-tls-'));
  const file = (name: string): string => join(directory, name);
  let server: EtcdServer;

  beforeAll(async () => {
    for (const name of ['server', 'client', 'stranger']) makeCertificate(file(`${name}.pem`), file(`${name}.key`));
    server = await EtcdServer.start({
      tls: { cert: file('server.pem'), key: file('server.key'), clients: file('client.pem') },
    });
  });
  afterAll(async () => {
    await server.dispose();
    rmSync(directory, { recursive: true });
  });

  const configuration = (tls: NonNullable<EtcdConfiguration['tls']>): EtcdConfiguration => ({
    endpoints: `https://127.0.0.1:${server.port}`,
    namespace: 'secured',
    tls,
  });

  test('trusts the server, and shows its own certificate', async () => {
    const client = { cert: file('client.pem'), key: file('client.key') };
    await using centre = connecting(configuration({ ...client, ca: file('server.pem'), servername: 'localhost' }));

    await untilConnected(centre);

    expect(await centre.create('/job', '')).toBe(true);
  });

  test('does not trust a server whose certificate nobody has signed that it knows, and says so', async () => {
    const client = { cert: file('client.pem'), key: file('client.key') };
    await using centre = connecting(configuration({ ...client, ca: file('stranger.pem') }));

    await until(() => centre.session.reason?.includes(server.address) === true, 'the reason is known');

    expect(centre.session.reason).toMatch(/certificate/);
    expect(centre.session.state.phase).toBe('connecting');
  });
});

test.each([
  ['names the server that it connects to by TLS', 'localhost', 'localhost'],
  ['names no server by its address, which TLS forbids', '127.0.0.1', false],
])('a registry centre on etcd %s', async (_, host, named) => {
  const directory = mkdtempSync(join(tmpdir(), 'etcd-sni-'));
  const [pem, key] = [join(directory, 'server.pem'), join(directory, 'server.key')];
  makeCertificate(pem, key);
  const names: unknown[] = [];
  const server = createServer({ cert: readFileSync(pem), key: readFileSync(key), ALPNProtocols: ['h2'] }, (socket) => {
    names.push(socket.servername);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const tls = { rejectUnauthorized: false };
  const centre = connecting({ endpoints: `https://${host}:${port}`, namespace: 'names', tls });
  await until(() => names.length > 0, 'it has connected');

  expect(names[0]).toBe(named);
  await centre.close();
  server.close();
  rmSync(directory, { recursive: true });
});

/** A self-signed certificate for localhost. */
function makeCertificate(pem: string, key: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-nodes', '-keyout', key, '-out', pem];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-days', '2', ...subject, ...made], {
    stdio: 'ignore',
  });
}
