/** The command line as a process of its own, on a real ZooKeeper, between pipes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Invocation } from '../../../lib/cli/invocation.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { ZooKeeperClient } from '../../../lib/registry/zookeeper/client/zookeeper-client.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { AccessGuard, READ } from '../../support/access-rules.js';
import { bash, cleanEnvironment, elasticjob, ELASTICJOB } from '../../support/command-line.js';
import { SecureZooKeeper } from '../../support/secure-zookeeper.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

const zooKeeper = sharedZooKeeper();
const DIGEST = 'app:right';

let env: Record<string, string>;
let registry: ZookeeperRegistryCenter;

function open(digest?: string): void {
  const namespace = zooKeeper.namespace();
  env = { ELASTICJOB_REGCENTER_SERVERLISTS: zooKeeper.servers, ELASTICJOB_REGCENTER_NAMESPACE: namespace };
  registry = new ZookeeperRegistryCenter({
    serverLists: zooKeeper.servers,
    namespace,
    ...(digest !== undefined && { digest }),
  });
  registry.connect();
}

afterEach(() => registry?.close());

async function store(jobName: string): Promise<void> {
  await registry.put(`/${jobName}/config`, toYaml(aConfiguration({ jobName, cron: '0 0 2 * * ?' })));
  await registry.put(`/${jobName}/servers/10.0.0.1`, 'ENABLED');
  await registry.put(`/${jobName}/sharding/0/instance`, '10.0.0.1@-@1-a');
}

describe('on an open ZooKeeper', () => {
  beforeEach(async () => {
    open();
    await store('bill');
  });

  test('jobs with names in any script are listed, one with an unreadable configuration in its row only', async () => {
    await store('同步订单-ü');
    await registry.put('/broken/config', '{');

    const { out, err, code } = await elasticjob(['jobs'], env);

    expect(out).toMatch(
      /^JOB +STATUS[^\n]*\nbill +CRASHED +2 [^\n]*\nbroken +CRASHED +\? [^\n]*\/broken\/config: [^\n]*\n同步订单-ü +CRASHED +2 /,
    );
    expect([err, code]).toEqual(['', 0]);
  });

  test('a pipe that is closed ends the command quietly', async () => {
    const config = toYaml(aConfiguration());
    await Promise.all(Array.from({ length: 1_000 }, (_, job) => registry.put(`/job${job}/config`, config)));

    const { out, err } = await bash('set -o pipefail; elasticjob jobs | head -1; echo "code $?"', env);

    expect(out).toMatch(/^JOB +STATUS [^\n]*\ncode 0\n$/);
    expect(err).toBe('');
  });

  test('a job is disabled, an item too, and removed; the exit codes say how it went', async () => {
    const line = `
      elasticjob disable bill --reason repair; echo $?
      elasticjob disable bill --item 1; echo $?
      elasticjob items bill --json; echo $?
      elasticjob remove bill </dev/null; echo $?
      elasticjob remove bill --yes; echo $?
      elasticjob items bill; echo $?`;

    const { out, err } = await bash(line, env);

    expect(out).toBe(
      [
        "Disabled job 'bill' on all its servers (1 server).\n0",
        "Disabled item 1 of job 'bill'.\n0",
        `[{"item":0,"serverIp":"10.0.0.1","instanceId":"10.0.0.1@-@1-a","status":"SHARDING_FLAG","failover":false},{"item":1,"status":"DISABLED","failover":false}]\n0`,
        '5',
        "Removed job 'bill' (0 instances shut down).\n0",
        '3',
        '',
      ].join('\n'),
    );
    expect(err).toMatch(/give --yes to do it\. Nothing was changed\.\n[^]*There is no job 'bill'/);
    expect(await registry.children('/')).toEqual([]);
  });

  test('the completion of bash offers commands, options and jobs', async () => {
    const line = `
      eval "$(elasticjob completion bash)"
      offered() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _elasticjob; echo "\${COMPREPLY[*]}"; }
      offered elasticjob sh
      offered elasticjob shutdown --se
      offered elasticjob items ''`;

    expect(await bash(line, env)).toEqual({
      out: 'shutdown\n--server --servers --settings-env\nbill\n',
      err: '',
      code: 0,
    });
  });

  test('the settings come from the YAML file of the application', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cli-yaml-'));
    const { ELASTICJOB_REGCENTER_SERVERLISTS: servers, ELASTICJOB_REGCENTER_NAMESPACE: namespace } = env;
    const yaml = `elasticjob: { regCenter: { serverLists: '${servers}', namespace: ${namespace} }, jobs: { bill: { elasticJobClass: X, cron: '0 0 3 * * ?' } } }`;
    writeFileSync(join(folder, 'elasticjob.yaml'), yaml);

    expect((await elasticjob(['jobs', '--json'], {}, { cwd: folder })).out).toContain('"jobName":"bill"');
    expect(await elasticjob(['config', 'diff'], {}, { cwd: folder })).toMatchObject({
      out: 'JOB   SETTING  STORED       FILE\nbill  cron     0 0 2 * * ?  0 0 3 * * ?\n',
      code: 1,
    });
    rmSync(folder, { recursive: true });
  });
});

test('--help names all commands, and loads neither a command nor a registry centre', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'elasticjob-help-'));

  // Node writes down which sources it has loaded.
  const { out: help } = await elasticjob(['--help'], { NODE_V8_COVERAGE: folder });

  const reports = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  rmSync(folder, { recursive: true });
  const loaded = reports.flatMap((report) => [...report.matchAll(/"url":"(file:[^"]*)"/g)]).map(([, url = '']) => url);
  const packages = loaded.flatMap((url) => /\/node_modules\/([\w-]+)/.exec(url)?.[1] ?? []);
  // Errors are cut to lines that a terminal can show, which needs the width of characters.
  expect([...new Set(packages)].sort()).toEqual(['commander', 'fast-string-truncated-width']);
  const code = loaded.filter((url) => url.includes('/dist/')).map((url) => readFileSync(fileURLToPath(url), 'utf8'));
  expect(code.join()).toContain('function addShowCommands(');
  for (const { name } of [Invocation, ZooKeeperClient]) expect(code.join()).not.toContain(`class ${name} `);
  const commands =
    'jobs job items servers next watch dump trigger disable enable shutdown remove prune config completion';
  for (const command of commands.split(' ')) expect(help).toMatch(new RegExp(`\n  ${command} `));
});

describe('a namespace of a digest', () => {
  beforeEach(async () => {
    open(DIGEST);
    await store('bill');
  });

  test('what the command line writes with the digest carries it', async () => {
    const guard = await AccessGuard.connect(zooKeeper.servers, DIGEST);
    const folder = mkdtempSync(join(tmpdir(), 'cli-digest-'));
    writeFileSync(join(folder, 'digest'), `${DIGEST}\n`);

    const byFile = [
      'disable',
      'bill',
      '--server',
      '10.0.0.9',
      '--unknown-server',
      '--digest-file',
      join(folder, 'digest'),
    ];
    expect((await elasticjob(byFile, env)).code).toBe(0);
    const byVariable = { ...env, ELASTICJOB_REGCENTER_DIGEST: DIGEST };
    expect((await elasticjob(['disable', 'bill', '--item', '1'], byVariable)).code).toBe(0);

    await guard.open(registry.fullPath('/'), READ);
    await using stranger = Object.assign(
      new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace: registry.fullPath('/').slice(1) }),
      { [Symbol.asyncDispose]: () => stranger.close() },
    );
    stranger.connect();
    for (const path of ['/bill/servers/10.0.0.9', '/bill/sharding/1', '/bill/sharding/1/disabled']) {
      expect(await registry.get(path)).toBeDefined();
      await expect(stranger.get(path)).rejects.toMatchObject({ code: 'REGISTRY_CREDENTIALS' });
    }
    await guard.close();
    rmSync(folder, { recursive: true });
  });

  test('without the digest it is refused, and no secret is printed', async () => {
    const wrong = { ...env, ELASTICJOB_REGCENTER_DIGEST: 'app:wr0ng' };

    for (const each of [env, wrong]) {
      const { out, err, code } = await elasticjob(['jobs', '--verbose'], each);
      expect(err).toMatch(/refuses this client[^]*--digest-file/);
      expect([out, code]).toEqual(['', 7]);
      expect(err).not.toContain('wr0ng');
    }
  });

  test('an identity that may only read sees everything, and is refused each change as a whole', async () => {
    const guard = await AccessGuard.connect(zooKeeper.servers, DIGEST);
    const before = await nodes();
    for (const path of ['/', ...before.keys()]) await guard.open(registry.fullPath(path), READ);

    expect((await elasticjob(['items', 'bill', '--json'], env)).out).toContain('"item":0');
    for (const line of ['disable bill', 'remove bill --yes', 'config set bill misfire=false', 'prune --yes']) {
      const { out, err, code } = await elasticjob(line.split(' '), env);
      expect([line, code]).toEqual([line, 7]);
      expect(err).toMatch(/elasticjob: The registry centre refuses this client: [^]*belongs to other credentials/);
      expect(out).not.toMatch(/Disabled|Removed job/);
    }

    expect(await nodes()).toEqual(before);
    await guard.close();
  });

  async function nodes(): Promise<ReadonlyMap<string, string | undefined>> {
    const mirror = await registry.mirror('/bill');
    const values = new Map([...mirror.nodes].map(([path, { value }]) => [path, value]));
    mirror.close();
    return values;
  }
});

describe('a ZooKeeper with TLS and SASL', () => {
  let server: SecureZooKeeper;
  beforeAll(async () => {
    server = await SecureZooKeeper.start();
    writeFileSync(server.file('passphrase'), 'changeit\n');
    writeFileSync(server.file('password'), 's3cret\n');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const place = () => ['--servers', server.address, '--namespace', 'secured'];
  const certificates = () => [
    ...['--tls-ca', server.file('server.pem'), '--tls-cert', server.file('client.pem')],
    ...['--tls-key', server.file('client.key'), '--tls-passphrase-file', server.file('passphrase')],
  ];

  test('is used with certificates and a user from options and files', async () => {
    const sasl = ['--sasl-username', 'jobs', '--sasl-password-file', server.file('password')];

    const { out, err, code } = await elasticjob(['jobs', '--json', ...place(), ...certificates(), ...sasl]);

    expect([out, err, code]).toEqual(['[]\n', '', 0]);
  });

  test('is used with certificates from the environment of the application', async () => {
    const variables = {
      ELASTICJOB_REGCENTER_TLS_CA: server.file('server.pem'),
      ELASTICJOB_REGCENTER_TLS_CERT: server.file('client.pem'),
      ELASTICJOB_REGCENTER_TLS_KEY: server.file('client.key'),
      ELASTICJOB_REGCENTER_TLS_PASSPHRASE: 'changeit',
    };

    expect((await elasticjob(['jobs', '--json', ...place()], variables)).out).toBe('[]\n');
  });

  test('is not trusted if its certificate is not known; a wrong password is refused', async () => {
    const unknown = await elasticjob(['jobs', ...place(), '--tls', '--timeout', '2s']);
    expect(unknown.err).toMatch(/No connection to ZooKeeper at localhost:\d+[^]*does not complete the TLS handshake/);
    expect(unknown.code).toBe(6);

    writeFileSync(server.file('wrong'), 'wr0ng\n');
    const sasl = ['--sasl-username', 'jobs', '--sasl-password-file', server.file('wrong')];
    const refused = await elasticjob(['jobs', ...place(), ...certificates(), ...sasl]);
    expect(refused.code).toBe(7);
    expect(refused.err).not.toContain('wr0ng');
  });
});

test('a console that npm has started ends with npm, which passes no signal on', async () => {
  // As npm does: a shell that waits, and ends by the signal that npm gets.
  const line = `"${process.execPath}" "${ELASTICJOB}" console --port 0; exit`;
  const npm = spawn('sh', ['-c', line], { env: cleanEnvironment({ npm_command: 'exec' }), cwd: tmpdir() });
  let output = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(npm, 'close');
  await until(() => output.includes('listens on'), 'the console listens');

  npm.kill('SIGTERM');

  // The pipes are closed when the last process that holds them has ended.
  await closed;
  const [, url = ''] = /listens on (http\S+)/.exec(output) ?? [];
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

describe('a registry centre that is lost', () => {
  test('while a job is watched ends the command after the deadline, naming the servers', async () => {
    await using server = await ZooKeeperServer.start();
    const own = { ELASTICJOB_REGCENTER_SERVERLISTS: server.address, ELASTICJOB_REGCENTER_NAMESPACE: 'lost' };
    const { err, code } = await elasticjob(['watch', '--timeout', '2s', '--json'], own, {
      onOutput: () => void server.kill(),
    });

    expect(err).toMatch(
      /The connection to ZooKeeper at 127\.0\.0\.1:\d+, namespace 'lost' is lost for 2 s: 127\.0\.0\.1:\d+ refuses connections/,
    );
    expect(code).toBe(6);
  });

  test('and accepts connections without an answer is given up after the deadline', async () => {
    await using server = await ZooKeeperServer.start();
    server.pause();
    const own = { ELASTICJOB_REGCENTER_SERVERLISTS: server.address, ELASTICJOB_REGCENTER_NAMESPACE: 'lost' };

    const { err, code } = await elasticjob(['jobs', '--timeout', '1s'], own);

    server.resume();
    expect(err).toContain('accepts connections, but does not answer');
    expect(code).toBe(6);
  });
});
