/**
 * The built console by its command line, with the page in a browser, on a real ZooKeeper with instances that are
 * killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { screenshot, startBrowser, visit } from './support/browser.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const built = (path: string): string => new URL(`../../../dist/esm/${path}`, import.meta.url).href;

let browser: Browser;
let server: ZooKeeperServer;
const children: ChildProcess[] = [];

beforeAll(async () => {
  [browser, server] = await Promise.all([startBrowser(), ZooKeeperServer.start()]);
}, 60_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await browser.close();
  await server.dispose();
});

/** Starts a process, and waits until it has said `word`. Resolves with what it has said. */
async function start(args: readonly string[], word: RegExp): Promise<{ readonly child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const started = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (started.said += String(text)));
  await until(() => word.test(started.said), `${args[0]} to say ${word}: ${started.said}`, 20_000).catch(() => {
    throw new Error(started.said);
  });
  return started;
}

const startInstance = () =>
  start(
    [
      '--input-type=module',
      '--eval',
      `const { ZookeeperRegistryCenter, JobHost, ScheduleJobBootstrap, jobConfiguration } = await import('${built('index.js')}');
       const silent = () => undefined;
       const registryCenter = new ZookeeperRegistryCenter({ serverLists: '${server.address}', namespace: 'shop', sessionTimeoutMilliseconds: 4000 });
       registryCenter.connect();
       const host = new JobHost({ registryCenter, logger: { debug: silent, log: silent, warn: silent, error: silent } });
       const job = { execute: () => new Promise((resolve) => setTimeout(resolve, 1500)) };
       for (const [jobName, shardingTotalCount] of [['syncOrders', 12], ['${HOSTILE}', 2]]) {
         const configuration = jobConfiguration({ jobName, cron: '0/3 * * * * ?', shardingTotalCount, failover: true });
         await new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'Job' + shardingTotalCount }).schedule();
       }
       console.log('started');
       setInterval(silent, 1_000_000);`,
    ],
    /started/,
  );

test('an administrator is made, sees each item where it runs, and sees items move when their instance is killed', async () => {
  const [first, second] = [await startInstance(), await startInstance()];
  const cli = fileURLToPath(built('elasticjob.js'));
  const words = ['console', '--port', '0', '-s', server.address, '--namespace', 'shop'];
  const { said } = await start([cli, ...words], /listens on/);
  const [, code = ''] = /15 minutes: (\S+)/.exec(said) ?? [];
  const [, origin = ''] = /listens on (\S+)\//.exec(said) ?? [];
  const { page, context, complaints } = await visit(browser);

  await page.goto(`${origin}/`);
  await page.fill('[name=code]', code);
  await page.fill('[name=username]', 'anna');
  await page.fill('[name=password]', 'correct horse battery');
  await page.click('button[type=submit]');
  await page.waitForURL(`${origin}/r/shop`);
  await page.getByRole('link', { name: HOSTILE, exact: true }).first().waitFor();
  await page.goto(`${origin}/r/shop/jobs/syncOrders`);
  await page.getByText(/^Instances: 2$/).waitFor();
  for (const { child } of [first, second]) await page.getByText(`· ${child.pid}-`).first().waitFor();
  await page
    .getByText(/running/)
    .first()
    .waitFor();
  await screenshot(page, 'cluster-before-crash');

  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  await page
    .getByText(/taken over/)
    .first()
    .waitFor({ timeout: 20_000 });
  await page.getByText(/^Instances: 1$/).waitFor({ timeout: 20_000 });
  await screenshot(page, 'cluster-after-crash');
  expect(complaints).toEqual([]);
  await context.close();
}, 120_000);
