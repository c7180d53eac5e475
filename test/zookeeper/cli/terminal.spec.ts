/** The command line on a real pseudo-terminal, beside real instances. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { elasticjob, PseudoTerminal } from '../../support/command-line.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { Processes } from '../../registries/processes.js';

const zooKeeper = sharedZooKeeper();

let env: Record<string, string>;
let registry: ZookeeperRegistryCenter;
beforeEach(async () => {
  const namespace = zooKeeper.namespace();
  env = { ELASTICJOB_REGCENTER_SERVERLISTS: zooKeeper.servers, ELASTICJOB_REGCENTER_NAMESPACE: namespace };
  registry = new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace });
  registry.connect();
  const configuration = aConfiguration({ cron: '0 0 2 * * ?', description: 'sends a bill to each customer at night' });
  await registry.put('/bill/config', toYaml(configuration));
  await registry.put('/bill/servers/10.0.0.1', 'ENABLED');
});
afterEach(() => registry.close());

const RED = '\u001b[31m';

describe('a table', () => {
  test('has colours, and fits the width of the terminal', async () => {
    await using terminal = new PseudoTerminal(['jobs'], { columns: 60, env });

    expect(await terminal.end()).toBe(0);

    expect(terminal.output).toContain(`${RED}CRASHED`);
    const lines = terminal.text.trimEnd().split('\n');
    expect(lines[1]).toMatch(/^bill +CRASHED +2 +0 +0 0 2 \* \* \? +sends .*…$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test.each([[['jobs'], { NO_COLOR: '1' }] as const, [['jobs', '--no-color'], {}] as const])(
    'of %j with %j has none',
    async (args, more) => {
      await using terminal = new PseudoTerminal(args, { columns: 200, env: { ...env, ...more } });

      expect(await terminal.end()).toBe(0);

      expect(terminal.output).not.toContain('\u001b[');
      expect(terminal.output).toContain('at night');
    },
  );
});

describe('a question', () => {
  const isThere = async () => (await registry.get('/bill/config')) !== undefined;

  test('is answered at the keyboard', async () => {
    await using terminal = new PseudoTerminal(['remove', 'bill'], { columns: 200, env });
    await until(() => terminal.text.includes("Remove job 'bill' with its configuration"), terminal.output);
    expect(terminal.text).toContain('[y/N] ');

    terminal.type('y\r');

    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toContain("Removed job 'bill'");
    expect(await isThere()).toBe(false);
  });

  test.each([
    ['n\r', 5, 'Not confirmed. Nothing was changed.'],
    ['\u0003', 130, 'Interrupted. Nothing was changed.'],
    ['\u0004', 130, 'Interrupted. Nothing was changed.'],
  ])('answered by %j changes nothing', async (keys, code, message) => {
    await using terminal = new PseudoTerminal(['remove', 'bill'], { columns: 200, env });
    await until(() => terminal.text.includes('[y/N] '), terminal.output);

    terminal.type(keys);

    expect(await terminal.end()).toBe(code);
    expect(terminal.text).toContain(message);
    expect(await isThere()).toBe(true);
  });
});

test('config edit opens the editor on the terminal, shows what changes, and asks', async () => {
  const editor = { EDITOR: `sed -i 's/^cron: .*/cron: 0 0 4 * * ?/'` };
  await using terminal = new PseudoTerminal(['config', 'edit', 'bill'], { columns: 120, env: { ...env, ...editor } });
  await until(() => terminal.text.includes('Store these changes?'), terminal.output);
  expect(terminal.text).toMatch(/cron +0 0 2 \* \* \? +0 0 4 \* \* \?/);

  terminal.type('y\r');

  expect(await terminal.end()).toBe(0);
  expect(await registry.get('/bill/config')).toContain('cron: 0 0 4 * * ?\n');
});

test('watch keeps up with a crash, and q ends it', async () => {
  const namespace = env['ELASTICJOB_REGCENTER_NAMESPACE'] ?? '';
  const job = { cron: '* * * * * ?', shardingTotalCount: 4, failover: true, work: { steps: [2], stepMs: 100 } };
  const processes = new Processes({
    SERVERS: zooKeeper.servers,
    NAMESPACE: namespace,
    JOBS: JSON.stringify({ recorded: job }),
  });
  try {
    await processes.start('A');
    await processes.start('B');
    await using terminal = new PseudoTerminal(['watch', 'recorded'], { columns: 120, rows: 12, env });
    await until(() => /Job recorded: OK, 4 items, 2 instances/.test(terminal.screen), 'both instances');
    const owners = () => new Set(terminal.screen.match(/\d+-[\w-]+(?=\s)/g));
    await until(() => terminal.screen.includes('RUNNING'), 'a run');
    const triggered = await elasticjob(['trigger', 'recorded', '--wait', '--json'], env);
    expect(JSON.parse(triggered.out)).toMatchObject({ ended: true, instances: [{}, {}] });
    expect(owners().size).toBeGreaterThan(0);

    await processes.end('A', 'SIGKILL');

    await until(() => /Job recorded: \w+, 4 items, 1 instance\n/.test(terminal.screen), 'the end of one');
    await until(() => /Job recorded: OK, 4 items, 1 instance\n/.test(terminal.screen), 'the new assignment');
    terminal.type('q');
    expect(await terminal.end()).toBe(0);
    expect(terminal.output).toContain('\u001b[?25h\u001b[?1049l');
  } finally {
    await processes[Symbol.asyncDispose]();
  }
});

test('watch shows that the connection is lost, and goes on when it is back', async () => {
  await using server = await ZooKeeperServer.start();
  const own = { ELASTICJOB_REGCENTER_SERVERLISTS: server.address, ELASTICJOB_REGCENTER_NAMESPACE: 'lost' };
  await using terminal = new PseudoTerminal(['watch', '--interval', '100ms'], { columns: 200, env: own });
  await until(() => terminal.screen.includes('0 jobs'), terminal.output);

  await server.kill();
  await until(() => terminal.screen.includes('no connection (127.0.0.1:'), 'the outage');
  await server.restart();
  await until(() => !terminal.screen.includes('no connection'), 'the connection');

  terminal.type('\u0003');
  expect(await terminal.end()).toBe(0);
});
