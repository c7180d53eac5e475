import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionFault } from '../../../lib/registry/zookeeper/transport.js';
import { freePort } from '../../support/free-port.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { rejectionOf, TestClient } from './test-client.js';

const NOTHING = Buffer.alloc(0);
const JAAS = `Server {
  org.apache.zookeeper.server.auth.DigestLoginModule required
  user_jobs="s3cr=t\\"x"
  user_jürgen="grüße";
};`;

describe('Digest', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await ZooKeeperServer.start();
  });
  afterAll(() => server.dispose());

  test('what a client creates, in transactions too, is closed to others', async () => {
    await using owner = await TestClient.connect(server.address, { digest: 'jobs:secret' });
    await owner.create('/closed', NOTHING, 'persistent');
    await owner.create('/closed-box', NOTHING, 'container');
    await owner.multi([{ type: 'create', path: '/closed-too', data: NOTHING, mode: 'persistent' }]);

    for (const digest of [undefined, 'jobs:wrong']) {
      await using other = await TestClient.connect(server.address, { digest });
      for (const path of ['/closed', '/closed-box', '/closed-too']) {
        expect(await rejectionOf(other.getData(path))).toMatchObject({ errorName: 'NO_AUTH', errorCode: -102 });
      }
      expect(await rejectionOf(other.multiRead(['/', '/closed']))).toMatchObject({
        errorName: 'NO_AUTH',
        failedIndex: 1,
      });
      expect(other.phases).toEqual(['connected']);
    }
    await using same = await TestClient.connect(server.address, { digest: 'jobs:secret' });
    await expect(same.getData('/closed-too')).resolves.toMatchObject({ data: NOTHING });
  });

  test('without a digest nodes are open to all', async () => {
    await using owner = await TestClient.connect(server.address);
    await owner.create('/open', NOTHING, 'persistent');
    await using other = await TestClient.connect(server.address, { digest: 'jobs:secret' });

    await expect(other.setData('/open', Buffer.from('x'))).resolves.toMatchObject({ version: 1 });
  });

  test('is sent again on each connection, before anything else', async () => {
    await using proxy = await TcpProxy.start(server.address);
    await using client = await TestClient.connect(proxy.address, { digest: 'jobs:secret' });
    await client.create('/again', NOTHING, 'persistent');
    let firstRead: Promise<unknown> = Promise.resolve();
    client.onState = ({ phase }) => {
      if (phase === 'connected') firstRead = client.getData('/again');
    };

    proxy.cut();
    await client.reached('disconnected');
    await client.reached('connected');

    await expect(firstRead).resolves.toMatchObject({ data: NOTHING });
    expect(proxy.count('auth')).toBe(2);
  });
});

describe('SASL', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await ZooKeeperServer.start({
      configuration: ['authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider'],
      systemProperties: { 'java.security.auth.login.config': '{dir}/jaas.conf', 'file.encoding': 'UTF-8' },
      files: { 'jaas.conf': JAAS },
    });
  });
  afterAll(() => server.dispose());

  test.each([
    ['a user with special characters in the password', { username: 'jobs', password: 's3cr=t"x' }],
    ['a user with accents', { username: 'jürgen', password: 'grüße' }],
  ])('%s is let in, on each connection', async (_, sasl) => {
    await using proxy = await TcpProxy.start(server.address);
    await using client = await TestClient.connect(proxy.address, { sasl });

    proxy.cut();
    await client.passed('connected', 2);

    expect(await client.exists('/')).toBeDefined();
    expect(proxy.count('sasl')).toBe(4);
  });

  test('a wrong password ends the session with the reason', async () => {
    const client = TestClient.of(server.address, { sasl: { username: 'jobs', password: 'wrong' } });

    client.connect();
    await client.reached('auth-failed');

    expect(client.states).toEqual([{ phase: 'auth-failed', reason: expect.stringContaining("SASL user 'jobs'") }]);
    expect(await rejectionOf(client.getData('/'))).toMatchObject({ errorName: 'AUTH_FAILED', outcomeUnknown: false });
    await client.close();
  });

  test('together with a digest creates nodes that only such clients may read', async () => {
    const sasl = { username: 'jobs', password: 's3cr=t"x' };
    await using client = await TestClient.connect(server.address, { sasl, digest: 'a:b' });

    await client.create('/both', NOTHING, 'persistent');

    await using other = await TestClient.connect(server.address);
    expect(await rejectionOf(other.getData('/both'))).toMatchObject({ errorName: 'NO_AUTH' });
  });
});

describe('SASL on servers that are configured otherwise', () => {
  const sasl = { username: 'jobs', password: 'x' };

  test('a server without SASL is reported as such', async () => {
    await using server = await ZooKeeperServer.start();
    const client = TestClient.of(server.address, { sasl });

    client.connect();
    await client.reached('auth-failed');

    expect(client.state).toMatchObject({ reason: expect.stringContaining('SASL') as unknown as string });
  });

  test('a client without credentials reports that the server requires them', async () => {
    await using server = await ZooKeeperServer.start({
      configuration: ['authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider'],
      systemProperties: {
        'java.security.auth.login.config': '{dir}/jaas.conf',
        'zookeeper.sessionRequireClientSASLAuth': 'true',
      },
      files: { 'jaas.conf': JAAS },
    });
    const client = await TestClient.connect(server.address);

    const refusal = await rejectionOf(client.create('/x', NOTHING, 'persistent'));
    await client.reached('auth-failed');

    expect(refusal).toMatchObject({ errorName: 'AUTH_FAILED', outcomeUnknown: false });
    expect(client.phases).toEqual(['connected', 'auth-failed']);
  });
});

describe('TLS', () => {
  let server: ZooKeeperServer;
  let directory: string;
  let certificate: string;
  let securePort: number;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'zookeeper-tls-'));
    const [store, pem, trust] = ['store.p12', 'cert.pem', 'trust.p12'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    const keytool = (...args: readonly string[]): void =>
      void execFileSync('keytool', [...args, '-storepass', 'changeit', '-storetype', 'PKCS12'], { stdio: 'ignore' });
    const name = ['-dname', 'CN=localhost', '-ext', 'san=dns:localhost,ip:127.0.0.1'];
    keytool('-genkeypair', '-alias', 'server', '-keyalg', 'EC', ...name, '-validity', '2', '-keystore', store);
    keytool('-exportcert', '-rfc', '-alias', 'server', '-keystore', store, '-file', pem);
    keytool('-importcert', '-noprompt', '-alias', 'server', '-keystore', trust, '-file', pem);
    certificate = readFileSync(pem, 'utf8');
    securePort = await freePort();
    server = await ZooKeeperServer.start({
      configuration: [
        'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
        `secureClientPort=${securePort}`,
        `ssl.keyStore.location=${store}`,
        'ssl.keyStore.password=changeit',
        `ssl.trustStore.location=${trust}`,
        'ssl.trustStore.password=changeit',
        'ssl.clientAuth=none',
      ],
    });
  });
  afterAll(async () => {
    await server.dispose();
    rmSync(directory, { recursive: true });
  });

  test('requests and large values go through an encrypted connection', async () => {
    await using client = await TestClient.connect(`localhost:${securePort}`, { tls: { ca: certificate } });
    const value = Buffer.alloc(900_000, 'z');

    await client.create('/large', value, 'ephemeral');

    expect((await client.getData('/large')).data.equals(value)).toBe(true);
  });

  test('a session survives a cut of the encrypted connection', async () => {
    await using proxy = await TcpProxy.start(securePort);
    await using client = await TestClient.connect(proxy.address, { tls: { ca: certificate } });

    proxy.cut();
    await client.passed('connected', 2);

    expect(client.states[2]).toEqual(client.states[0]);
  });

  test('a certificate that is not trusted is refused, and the reason is reported', async () => {
    const faults: ConnectionFault[] = [];
    const client = TestClient.of(`localhost:${securePort}`, { tls: {} });
    client.onFault = (fault) => void faults.push(fault);

    client.connect();
    await until(() => faults.length > 1, 'a second attempt to fail');
    await client.close();

    expect(faults[1]).toMatchObject({
      server: `localhost:${securePort}`,
      problem: 'does not complete the TLS handshake',
      detail: expect.stringMatching(/certificate/) as unknown,
    });
    expect(client.phases).toEqual(['closed']);
  });

  test('a client without TLS at an encrypted port is dropped, and goes on trying', async () => {
    const client = TestClient.of(`localhost:${securePort}`);
    let faults = 0;
    client.onFault = () => void faults++;

    client.connect();
    await until(() => faults > 2, 'a third attempt to fail');
    await client.close();

    expect(client.phases).toEqual(['closed']);
  });
});
