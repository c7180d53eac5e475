import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EXIT, type ExitCode } from '../../lib/cli/exit-codes.js';
import { runCommandLine } from '../../lib/cli/run.js';
import { verifyPassword } from '../../lib/console/security/passwords/password-hash.js';
import { systemClock } from '../../lib/time/clock.js';
import { until } from '../support/until.js';
import { TestTerminal } from '../unit/cli/stage.js';
import { Browser, send } from './support/browser.js';

const HASH = '$scrypt$ln=10,r=8,p=1$EYZuLZTPHAa1DTlI32lr8A$6GwffGpPp1JpDEfuHbclfFxQ+pCUjegMhy43sR88a80';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standalone-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Running {
  readonly origin: string;
  readonly terminal: TestTerminal;
  /** Presses Ctrl-C. */
  end(): Promise<ExitCode>;
}

function run(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  answers?: readonly string[],
): { readonly terminal: TestTerminal; readonly ended: Promise<ExitCode> } {
  const terminal = new TestTerminal(answers && { answers });
  const surroundings = { terminal, environment, directory: folder, clock: systemClock, version: () => '1.2.3' };
  return { terminal, ended: runCommandLine(words, surroundings) };
}

/** Starts the console by its command line, and waits until it listens. */
async function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Running> {
  const { terminal, ended } = run(['console', '--port', '0', ...words], environment);
  await until(() => terminal.out.text.includes('listens on'), 'the console listens');
  const [, origin = ''] = /listens on (http\S+)\/\n/.exec(terminal.out.text) ?? [];
  return {
    origin,
    terminal,
    async end() {
      terminal.end();
      return ended;
    },
  };
}

describe('npx elasticjob console', () => {
  test('says that its port is taken, and by what to go on', async () => {
    const running = await start([]);
    const port = new URL(running.origin).port;

    const { terminal, ended } = run(['console', '--port', port]);
    const exitCode = await ended;
    await running.end();

    expect(exitCode).toBe(EXIT.usage);
    expect(terminal.err.text).toContain(
      `--port: another program listens on 127.0.0.1:${port} already; give another port, such as --port ${Number(port) + 1}`,
    );
  });

  test('serves the page and the routes at the root, until it is told to end', async () => {
    const running = await start(['--state', join(folder, 'state')]);

    const providers = await send(`${running.origin}/api/v1/auth/providers`);
    const broken = await send(`${running.origin}/api/v1/auth/login`, {
      method: 'POST',
      body: '{"username":',
      headers: { 'content-type': 'application/json' },
    });
    const long = await send(`${running.origin}/api/v1/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ username: 'anna', password: 'x'.repeat(1_500_000) }),
      headers: { 'content-type': 'application/json' },
    });
    const exitCode = await running.end();

    // As long as the settings of a job may be: it is read, and only then refused.
    expect(long.status).not.toBe(413);
    expect(broken.json).toMatchObject({ status: 400, code: 'bad-request' });
    expect(running.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(providers.json).toMatchObject({ isSetupNeeded: true });
    expect(running.terminal.err.text).toMatch(/^\S+Z WARN The console has no administrator yet\. .* \S{14}\n$/);
    expect(exitCode).toBe(EXIT.done);
    await expect(send(`${running.origin}/healthz`)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['state']);
  });

  test('takes users and other options from the file, and secrets from the environment', async () => {
    const file = join(folder, 'console.yaml');
    const yaml = `
console:
  environment: staging
  users: [{ username: anna, role: admin, passwordHash: '${HASH}' }]
  secretKey: '\${SECRET}'
auth: { root_username: olga, root_password: '\${OLGAS}', guest_username: gina, guest_password: view from the gallery }
`;
    await writeFile(file, yaml);
    const running = await start(['-c', file], {
      SECRET: 'a random text of at least 32 characters',
      OLGAS: 'another long word',
    });
    const browser = new Browser(running, '');

    const logins = [
      await browser.login('olga', 'another long word'),
      await browser.login('gina', 'view from the gallery'),
      await browser.login('anna', 'correct horse battery'),
    ];
    const meta = await browser.get('/api/v1/meta');
    const users = await browser.get('/api/v1/users');
    await running.end();

    expect(logins.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(meta.json).toMatchObject({
      environment: 'staging',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      canAddConnections: false,
    });
    expect(
      (users.json as unknown as readonly { readonly username: string; readonly role: string }[]).map(
        ({ username, role }) => [username, role],
      ),
    ).toEqual([
      ['anna', 'admin'],
      ['gina', 'guest'],
      ['olga', 'admin'],
    ]);
  });

  test.each([
    [
      'an address that others reach, without TLS',
      ['--host', '0.0.0.0'],
      '',
      'The console would send passwords in clear on 0.0.0.0',
    ],
    [
      'a shipped password on such an address',
      ['--host', '0.0.0.0', '--insecure-http'],
      'auth: { root_username: root, root_password: root }',
      "'root' has a password that everybody knows, and the console would listen on 0.0.0.0",
    ],
    ['an unknown option', [], 'console: { paht: /a }', "console.paht: unknown key; did you mean 'path'?"],
    [
      'a variable that is not set',
      [],
      'console: { secretKey: "${NOTHING}" }',
      'console.secretKey: has the placeholder ${NOTHING}, for which neither the environment nor the file has a value',
    ],
    [
      'a certificate that is not there',
      [],
      'console: { tls: { cert: a.pem, key: b.pem } }',
      'console.tls.cert: must be a PEM file',
    ],
    [
      'half a certificate',
      [],
      'console: { tls: { cert: a.pem } }',
      'console.tls.key: is required, the path of a PEM file',
    ],
    [
      'an option of TLS that it does not have',
      [],
      'console: { tls: { cert: a.pem, key: b.pem, pasphrase: x } }',
      'console.tls.pasphrase: unknown key; known are: cert, key',
    ],
    ['a misspelt section', [], 'consol: { path: /a }', "consol: unknown key; did you mean 'console'?"],
    [
      'a misspelt user of ElasticJob’s console',
      [],
      'auth: { root_username: anna, root_pasword: hush }',
      "auth.root_pasword: unknown key; did you mean 'root_password'?",
    ],
    [
      'a database for another program',
      [],
      'console: { dataSources: [{ name: main, type: postgres }] }',
      'console.dataSources[0].driver: is required, one of postgres, mysql, mariadb, sqljs',
    ],
    [
      'a registry centre without servers',
      [],
      'console: { registries: [{ name: main, namespace: orders }] }',
      'console.registries[0].serverLists: is required',
    ],
    [
      'a namespace for its state and no registry centre',
      ['--state-namespace', 'shared'],
      '',
      '--state-namespace needs the registry centre of the jobs.',
    ],
    [
      'its state in the namespace of the jobs',
      ['--state-namespace', 'orders'],
      'elasticjob: { regCenter: { serverLists: "127.0.0.1:1", namespace: orders } }',
      "console.stateRegistry.namespace: must not be in the namespace 'orders', which has jobs",
    ],
    [
      'shared state and no keys',
      ['--state-namespace', 'orders-console'],
      'elasticjob: { regCenter: { serverLists: "127.0.0.1:1", namespace: orders } }',
      'console.secretKey: is required with stateRegistry',
    ],
    [
      'a section that is none',
      [],
      'console: 7',
      'console: must be keys with values (key: value), got a number that is not shown',
    ],
    ['YAML that is none', [], 'console: [', 'is not valid YAML'],
  ])('does not start with %s', async (_, words, yaml, complaint) => {
    const file = join(folder, 'console.yaml');
    await writeFile(file, yaml === '' ? 'other: 1' : yaml);
    const { terminal, ended } = run(['console', '--port', '0', '-c', file, ...words]);

    expect(await ended).toBe(EXIT.usage);
    expect(terminal.err.text).toContain(complaint);
    expect(terminal.out.text).toBe('');
  });
});

describe('the settings of npx elasticjob console', () => {
  test('names all that is wrong with the file and the environment at once, secrets hidden', async () => {
    const file = join(folder, 'console.yaml');
    await writeFile(
      file,
      'consle: {}\nconsole: { path: a, secretKey: "${GONE}", tls: { cert: 7, key: b.pem }, registries: [{ name: main, sasl: { username: a, password: 7 } }] }',
    );
    const { terminal, ended } = run(['console', '--port', '0', '-c', file], {
      EJC_SESSION_KEYS: 'short',
      EJC_SECRETKEYS: 'x',
    });

    expect(await ended).toBe(EXIT.usage);
    const problems = terminal.err.text.match(/^.*(?:console|consle|EJC)\S*: .*$/gm) ?? [];
    expect(problems.map((line) => line.replace(/^\W+/, '').replace(/: .*$/, ''))).toEqual([
      'consle',
      'console.secretKey',
      'console.tls.cert',
      'console.path',
      'console.sessionKeys',
      'console.registries[0].serverLists',
      'console.registries[0].namespace',
      'console.registries[0].sasl.password',
      'EJC_SECRETKEYS',
    ]);
    expect(terminal.err.text).toContain('(from environment variable EJC_SESSION_KEYS)');
  });

  test('reads variables of a file that is named, and numbers and lists that are texts there', async () => {
    await writeFile(join(folder, '.env'), 'HOURS=5\nEJC_SECRET_KEY=a random text of at least 32 characters\n');
    await writeFile(
      join(folder, 'console.properties'),
      [
        'console.sessionHours=${HOURS}',
        'console.compat.always200=true',
        'console.connections.allow=127.0.0.0/8, zk:2181',
        'console.trustedProxies=loopback',
        'console.dataSources[0].name=runs',
        'console.dataSources[0].driver=postgres',
        'console.dataSources[0].port=5433',
        'console.dataSources[0].database=jobs',
        'console.users[0].username=anna',
        'console.users[0].role=admin',
        `console.users[0].passwordHash=${HASH}`,
      ].join('\n'),
    );
    const running = await start(['-c', 'console.properties', '--settings-env', '.env']);
    const browser = new Browser(running, '');
    await browser.login('anna', 'correct horse battery');

    const meta = await browser.get('/api/v1/meta');
    const sources = await browser.get('/api/v1/data-sources');
    const added = await browser.post('/api/v1/registries', {
      ...{ name: 'mine', serverLists: '127.0.0.1:1', namespace: 'orders', digest: 'me:hush' },
    });
    await running.end();

    expect(meta.json).toMatchObject({ canAddConnections: true });
    expect(sources.json).toMatchObject([{ name: 'runs', driver: 'postgres', port: 5_433 }]);
    expect(added.status).toBe(201);
  });
});

describe('npx elasticjob hash-password', () => {
  test('prints what the settings take', async () => {
    const { terminal, ended } = run(['hash-password'], {}, ['a long enough word']);

    expect(await ended).toBe(EXIT.done);
    expect(terminal.questions).toEqual(['Password: ']);
    expect(await verifyPassword('a long enough word', terminal.out.text.trim())).toBe(true);
  });

  test('refuses a password that the console would refuse', async () => {
    const { terminal, ended } = run(['hash-password'], {}, ['short']);

    expect(await ended).toBe(EXIT.usage);
    expect(terminal.err.text).toContain('The password must have at least 12 characters.');
  });
});
