/**
 * The cost of views of a job with 20,000 running items, in processor time: of the command line, the console, health,
 * and metrics. A command or a route that is not listed here is found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { ElasticJobHealth } from '../../lib/nest/elastic-job.health.js';
import { type ElasticJobLifecycle } from '../../lib/nest/elastic-job.lifecycle.js';
import { JobHosts } from '../../lib/nest/centers/job-hosts.js';
import { prometheusMetrics } from '../../lib/observability/prometheus/index.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { runCommandLine } from '../../lib/cli/run.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import { Browser } from '../console/support/browser.js';
import { ConsoleApp, USERS } from '../console/support/console-app.js';
import { root } from '../support/program.js';
import { until } from '../support/until.js';
import { TestTerminal } from '../unit/cli/stage.js';
import { leastProcessorMs, LIMIT_MS, processorMsOf } from './processor-time.js';
import { Stage } from './stage.js';

/** A command of the command line, and how long its output is at least: a command that fails prints little. */
const COMMANDS: readonly (readonly [line: string, characters: number])[] = [
  ['jobs', 100],
  ['job job', 300],
  ['job job --json', 300],
  ['items job', 500_000],
  ['items job --json', 500_000],
  ['servers', 100],
  ['next --job job', 50],
  ['dump job', 500_000],
  ['explain job', 10],
  ['explain job 7', 10],
  ['doctor --settle 0s', 10],
  ['doctor job --settle 0s', 10],
  ['config get job', 100],
];

/** Commands that change something, or show nothing of items. `watch` goes on until it is ended. */
const OTHER_COMMANDS =
  /^(trigger|graphs|graph|run-again|skip|stop|shutdown|remove|prune|completion|complete|get|set|edit|diff|console|hash-password|audit|verify|watch|registry|migrate|copy)$/;

const ROUTES: readonly (readonly [route: string, characters: number])[] = [
  ['registries/main/jobs', 100],
  ['registries/main/jobs/job', 300],
  ['registries/main/jobs/job/shards?limit=1000', 100_000],
  ['registries/main/jobs/job/instances', 100],
  ['registries/main/jobs/job/tree?limit=10000', 500_000],
  ['registries/main/jobs/job/tree?masked=true&limit=10000', 500_000],
  ['registries/main/jobs/job/dump', 500_000],
  ['registries/main/jobs/job/explain', 100],
  ['registries/main/jobs/job/explain?item=7', 100],
  ['registries/main/jobs/job/fires', 100],
  ['registries/main/jobs/job/config', 100],
  ['registries/main/overview', 100],
  ['registries/main/schedule', 10],
  ['registries/main/servers', 100],
  ['registries/main/servers/10.0.0.65', 50],
  ['registries/main/servers/10.0.0.65/jobs', 50],
];

let stage: Stage;
let app: ConsoleApp;
let browser: Browser;
let registryCenter: EmbeddedRegistryCenter;
const metrics = new Registry();

beforeAll(async () => {
  stage = await Stage.start({ observers: [prometheusMetrics({ registry: metrics })] });
  await stage.fireAndHang();
  registryCenter = new EmbeddedRegistryCenter({ server: stage.cluster.server });
  app = await ConsoleApp.start({
    console: { users: USERS, registries: [{ name: 'main', registryCenter }] },
    // Other tests run between two requests, and the connection is to outlive them.
    prepare: (nest) => void ((nest.getHttpServer() as Server).keepAliveTimeout = 0),
  });
  browser = await Browser.loggedIn(app, 'anna');
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await registryCenter.close();
  await stage[Symbol.asyncDispose]();
});

test.each(COMMANDS)('`elasticjob %s` stays within a second of processor time', async (line, characters) => {
  let printed = '';

  const ms = await leastProcessorMs(LIMIT_MS, () =>
    processorMsOf(async () => {
      printed = await outputOf(line);
    }),
  );

  expect(printed.length).toBeGreaterThan(characters);
  expect(ms).toBeLessThan(LIMIT_MS);
});

test('`elasticjob watch job` draws its first picture within a second of processor time', async () => {
  const ms = await leastProcessorMs(LIMIT_MS, () =>
    processorMsOf(async () => {
      const terminal = new TestTerminal({ columns: 120, rows: 40 });
      const ended = runOn(terminal, 'watch job', systemClock);
      await until(() => terminal.out.text.includes('RUNNING'));
      terminal.end();
      await ended;
    }),
  );

  expect(ms).toBeLessThan(LIMIT_MS);
});

test.each(ROUTES)('GET %s of the console stays within a second of processor time', async (route, characters) => {
  let answer = { status: 0, text: '' };

  const ms = await leastProcessorMs(LIMIT_MS, () =>
    processorMsOf(async () => {
      answer = await browser.get(`/api/v1/${route}`);
    }),
  );

  expect(answer.status).toBe(200);
  expect(answer.text.length).toBeGreaterThan(characters);
  expect(ms).toBeLessThan(LIMIT_MS);
});

test('the health report and the metrics stay within a second of processor time', async () => {
  const { host } = stage.cluster.member('A');
  const health = new ElasticJobHealth({
    ...{ hosts: new JobHosts(new Map([['default', host]])), isSwitchedOff: false },
  } as ElasticJobLifecycle);

  expect(health.report.jobs['job']).toMatchObject({ state: 'active' });
  expect(await leastProcessorMs(LIMIT_MS, () => processorMsOf(() => health.report))).toBeLessThan(LIMIT_MS);
  expect(await metrics.metrics()).toContain('elasticjob_firings_total');
  expect(await leastProcessorMs(LIMIT_MS, () => processorMsOf(() => metrics.metrics()))).toBeLessThan(LIMIT_MS);
});

describe('the gate', () => {
  test('knows each command, or why it is left out', () => {
    const folder = join(root, 'lib/cli/program');
    const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const commands = sources.flatMap((source) =>
      [...source.matchAll(/\.command\(['`]([\w-]+)/g)].map(([, name]) => name),
    );
    const known = COMMANDS.map(([line]) => line.split(' ')[0]);

    expect(commands).toContain('items');
    expect(commands.filter((name = '') => !known.includes(name) && !OTHER_COMMANDS.test(name))).toEqual([]);
  });

  test('knows each route that reads jobs and servers', () => {
    const controllers = ['jobs', 'job-configurations', 'overview', 'servers'];
    const routes = controllers.flatMap((name) => {
      const source = readFileSync(join(root, `lib/console/http/api/${name}.controller.ts`), 'utf8');
      const [, base = ''] = /@Controller\('api\/v1\/?([^']*)'/.exec(source) ?? [];
      return [...source.matchAll(/@Get\((?:'([^']*)')?\)/g)].map(([, path = '']) =>
        [base, path].filter(Boolean).join('/'),
      );
    });
    const patterns = routes.map((route) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`));
    const asked = ROUTES.map(([route]) => route.replace(/\?.*/, ''));

    expect(routes.length).toBeGreaterThan(10);
    expect(routes.filter((_, index) => !asked.some((route) => patterns[index]!.test(route)))).toEqual([]);
  });
});

/** The output of a command, errors included. */
async function outputOf(line: string): Promise<string> {
  const terminal = new TestTerminal();
  await runOn(terminal, line, stage.cluster.clock);
  return terminal.out.text + terminal.err.text;
}

function runOn(terminal: TestTerminal, line: string, clock: Clock): Promise<unknown> {
  const { server } = stage.cluster;
  return runCommandLine(line.split(' '), {
    terminal,
    environment: { ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181', ELASTICJOB_REGCENTER_NAMESPACE: 'elasticjob' },
    directory: root,
    clock,
    version: () => '1.2.3',
    openRegistry: ({ namespace = '' }) => new EmbeddedRegistryCenter({ server, namespace }),
  });
}
