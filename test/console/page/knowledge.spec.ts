/**
 * The page claims nothing that it does not know. Each page of the router, and each tab of a job, has its requests held
 * back, and then refused.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Browser, type Page, type Route } from 'playwright-core';
import { en } from '../../../lib/console/ui/i18n/en.js';
import { screenshot, startBrowser, visit, type Visit } from './support/browser.js';
import { until } from '../../support/until.js';
import { FakeConsole } from './support/fake-console.js';

let browser: Browser;
let server: FakeConsole;
let url: string;
let opened: Visit;
const held: Route[] = [];
/** The fate of the API's requests after the session is known: they are answered, held back, or refused. */
let fate: 'answered' | 'held back' | 'refused';

beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser.close());
beforeEach(async () => {
  server = new FakeConsole();
  url = await server.start();
  fate = 'answered';
  opened = await visit(browser, { width: 1280 });
});
afterEach(async () => {
  await opened.context.close();
  held.length = 0;
  await server.stop();
});

const REFUSAL = 'Nobody is there to answer.';
const PARAMETERS: Readonly<Record<string, string>> = {
  registry: 'main',
  job: 'settle-invoices',
  ip: '10.0.0.11',
  graph: 'nightly',
  tab: '',
};
/** Pages that ask for nothing. */
const STATIC = ['setup', 'help', 'missing'];
/** Words that claim that there is nothing, or that all is well. */
const CLAIMS = Object.entries(en).flatMap(([key, text]) =>
  /\.(?:no[A-Z]|none)|^fires\.none|^job\.gone|^jobs\.oneOff/.test(key) && !key.startsWith('load.')
    ? [text.split('{')[0] ?? '']
    : [],
);

async function intercept(page: Page): Promise<void> {
  await page.route(/\/api\/v1\//, async (route) => {
    const isEntry = /\/api\/v1\/(?:auth\/session|meta)$/.test(route.request().url());
    if (fate === 'answered' || isEntry) return route.continue();
    if (fate === 'held back') return void held.push(route);
    const body = {
      type: 'about:blank',
      title: 'refused',
      status: 503,
      code: 'refused',
      detail: REFUSAL,
      requestId: 'req-1',
    };
    return route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(body) });
  });
}

/** The page's own router, of which the test wants to know. */
interface Routed {
  readonly __vue_app__: {
    readonly config: {
      readonly globalProperties: {
        readonly $router: {
          readonly getRoutes: () => readonly {
            readonly name: string;
            readonly path: string;
            readonly redirect?: unknown;
          }[];
          readonly push: (path: string) => Promise<unknown>;
          readonly currentRoute: { readonly value: { readonly path: string } };
        };
      };
    };
  };
}

/** Every address of the router, with the tabs of a job. */
async function addresses(page: Page): Promise<ReadonlyMap<string, string>> {
  await page.goto(`${url}/r/main/jobs/settle-invoices`);
  await page.locator('.tabs a').first().waitFor();
  const tabs = await page
    .locator('.tabs a')
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).pathname.split('/').at(-1) ?? ''));
  const routes = await page
    .locator('#app')
    .evaluate((app) =>
      (app as unknown as Routed).__vue_app__.config.globalProperties.$router
        .getRoutes()
        .flatMap(({ name, path, redirect }) => (redirect === undefined ? [{ name, path }] : [])),
    );
  const found = routes.map(({ name, path }) => [name, filled(path)] as const);
  return new Map([...found, ...tabs.map((tab) => [`job ${tab}`, `/r/main/jobs/settle-invoices/${tab}`] as const)]);
}

/** Goes to a page as a link does, without loading the application again. */
async function go(page: Page, path: string): Promise<void> {
  await page.locator('#app').evaluate(async (app, wanted) => {
    const { $router } = (app as unknown as Routed).__vue_app__.config.globalProperties;
    await $router.push(wanted);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, path);
}

function filled(path: string): string {
  if (path.includes(':rest')) return '/nowhere';
  return path.replace(/:(\w+)\??/g, (_, name: string) => {
    if (!(name in PARAMETERS)) throw new Error(`This test does not know what the parameter ${name} of ${path} may be.`);
    return PARAMETERS[name] ?? '';
  });
}

/** The text of the page, without its frame. */
const said = (page: Page): Promise<string> => page.locator('main').innerText();

function claims(text: string): readonly string[] {
  const zeros = text.match(/(?<![\d.:-])0(?![\d.:])/g) ?? [];
  return [...CLAIMS.filter((claim) => claim !== '' && text.includes(claim)), ...zeros];
}

test('while its requests are held back, each page says that it loads, and claims nothing', async () => {
  const { page } = opened;
  const pages = await addresses(page);
  await intercept(page);
  fate = 'held back';
  await page.goto(`${url}/help`);
  await page.locator('#main').waitFor();

  const found: string[] = [];
  for (const [name, path] of pages) {
    if (name === 'home') continue;
    await go(page, path);
    const loading = page.locator('main [aria-busy=true]').filter({ hasText: en['load.title'] });
    if (!STATIC.includes(name))
      await loading
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => found.push(`${name}: does not say that it loads`));
    else if ((await loading.count()) > 0) found.push(`${name}: says that it loads, and asks for nothing`);
    if (STATIC.includes(name)) continue;
    found.push(...claims(await said(page)).map((claim) => `${name}: claims “${claim}”`));
  }

  expect(pages.size).toBeGreaterThan(20);
  expect(found).toEqual([]);
}, 120_000);

test('where its requests are refused, each page says so in a box with a way to try again, and claims nothing', async () => {
  const { page } = opened;
  const pages = await addresses(page);
  await intercept(page);
  fate = 'refused';
  await page.goto(`${url}/help`);
  await page.locator('#main').waitFor();

  const found: string[] = [];
  for (const [name, path] of pages) {
    if (STATIC.includes(name) || name === 'home') continue;
    await go(page, path);
    const box = page.locator('main').getByRole('alert').filter({ hasText: REFUSAL });
    await box
      .getByRole('button', { name: en['action.retry'] })
      .first()
      .waitFor({ timeout: 20_000 })
      .catch(() => found.push(`${name}: says nothing of the refusal`));
    await page
      .waitForFunction(() => document.querySelector('[aria-busy=true]') === null, undefined, { timeout: 20_000 })
      .catch(() => found.push(`${name}: seems to load for ever`));
    // A stream that is refused as well has a page ask again from time to time.
    await until(async () => !(await said(page)).includes(en['load.title']), `${name} to load no more`).catch(
      (error: unknown) => found.push(String(error)),
    );
    found.push(...claims(await said(page)).map((claim) => `${name}: claims “${claim}”`));
  }

  expect(found).toEqual([]);
}, 300_000);

test('the way to the first page says that it loads, and then what has failed', async () => {
  const { page } = opened;
  await intercept(page);
  fate = 'held back';
  await page.goto(url);
  await page.locator('main[aria-busy=true]').getByText(en['load.title']).waitFor();

  fate = 'refused';
  await page.reload();

  await page.getByRole('alert').filter({ hasText: REFUSAL }).waitFor();
  expect(await page.locator('[aria-busy=true]').count()).toBe(0);
});

test('before it is known who is logged in, the page says that it loads, and then what has failed', async () => {
  const { page } = opened;
  await page.route(/\/api\/v1\/auth\/session$/, (route) => void held.push(route));
  await page.goto(`${url}/r/main`);
  await page.locator('main[aria-busy=true]').getByText(en['load.title']).waitFor();

  await held[0]?.fulfill({ status: 503, body: 'a proxy says so' });
  const box = page.getByRole('alert').filter({ hasText: '503' });
  await box.waitFor();
  await page.unrouteAll();
  await box.getByRole('button', { name: en['action.retry'] }).click();

  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('what is heard of single jobs does not fill a list that could not be read', async () => {
  const { page } = opened;
  await intercept(page);
  fate = 'refused';
  await page.goto(`${url}/r/main/jobs`);
  const box = page.getByRole('alert').filter({ hasText: REFUSAL });
  await box.waitFor();
  fate = 'answered';
  await expectStream();

  const [first] = server.known.jobs;
  server.send({ type: 'job', job: { ...first!, runningItems: 5 } });
  server.send({ type: 'servers' });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await page.locator('tbody tr').count()).toBe(0);
  await box.getByRole('button').click();

  await page.getByRole('link', { name: 'settle-invoices' }).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(server.known.jobs.length);
});

test('what a dialog asks for is loading, failed, or there', async () => {
  const { page } = opened;
  await intercept(page);
  await page.goto(`${url}/trace/executions`);
  await page.locator('tbody tr').first().waitFor();
  fate = 'held back';
  await page.locator('tbody button').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[aria-busy=true]').getByText(en['load.title']).waitFor();

  fate = 'refused';
  await page.goto(`${url}/r/main/servers`);
  await page.locator('main').getByText(REFUSAL).waitFor();
  await page.getByRole('button', { name: en['servers.prune'] }).click();
  await dialog.getByRole('alert').getByText(REFUSAL).waitFor();
  expect(claims(await dialog.innerText())).toEqual([]);
  fate = 'answered';
  await dialog.getByRole('button', { name: en['action.retry'] }).click();

  await dialog.getByText('import-orders · 10.0.0.99').waitFor();
});

test('settings that are not checked yet, or have a fault, do not say that nothing is changed or fires', async () => {
  const { page } = opened;
  await page.goto(`${url}/r/main/jobs/settle-invoices/config`);
  await page.locator('.fires').waitFor();

  await page.fill('#s-cron', 'nonsense');
  await page.getByText(en['fires.unknown']).waitFor();

  await page.getByText('Changed settings: 1').waitFor();
  expect(await page.getByText(en['fires.none']).count()).toBe(0);
});

test('a value that the page has no word for is shown as it is, on every page', async () => {
  const { page, complaints } = opened;
  const pages = await addresses(page);
  const known =
    /(?<=[:[,])"(?:NORMAL_TRIGGER|MISFIRE|FAILOVER|ok|failed|running|RUNNING|PENDING|OK|DISABLED|CRASHED|SHARDING_FLAG|node|java|online|offline|settings|console|application|connected|lost|error|warning|done|refused|admin|operator|guest|local|TASK_\w+|READY)"(?=[,}\]])/g;
  await page.route(/\/api\/v1\//, async (route) => {
    if (/auth\/(?:session|providers)$|\/events/.test(route.request().url())) return route.continue();
    const answer = await route.fetch();
    const text = (await answer.text()).replaceAll(known, '"UNHEARD_OF"').replaceAll('"OK":', '"UNHEARD_OF":');
    await route.fulfill({ response: answer, body: text });
  });
  await page.goto(`${url}/help`);
  await page.locator('#main').waitFor();

  const found: string[] = [];
  for (const [name, path] of pages) {
    if ([...STATIC, 'home', 'login'].includes(name)) continue;
    await go(page, path);
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    if ((await page.getByRole('alert').count()) > 0)
      found.push(`${name}: ${await page.getByRole('alert').first().innerText()}`);
    const isNaming = !['job config', 'job registry', 'job explain', 'schedule'].includes(name);
    if (isNaming && !(await said(page)).includes('UNHEARD_OF')) found.push(`${name}: does not show the value`);
    found.push(...complaints.splice(0).map((each) => `${name}: ${each}`));
  }

  expect(found).toEqual([]);
}, 120_000);

test('a fault of the page shows in a box, until one goes to another page', async () => {
  const { page } = opened;
  await page.route(/\/api\/v1\/users$/, (route) => route.fulfill({ json: [{ username: 'a' }, null] }));
  await page.goto(`${url}/users`);
  const box = page.getByRole('alert').filter({ hasText: 'A part of this page has failed' });
  await box.getByRole('button', { name: en['action.retry'] }).waitFor();

  await page.getByRole('link', { name: 'Tokens' }).click();

  await page.getByText('nightly <script>').waitFor();
  expect(await box.count()).toBe(0);
});

test('the chip of live updates is not green while the registry centre, or the console, is out of reach', async () => {
  const { page } = opened;
  await page.goto(`${url}/r/main/jobs`);
  await expectStream();

  server.send({ type: 'registry', status: { phase: 'lost', since: Date.now(), reason: 'No server answers.' } });
  await page.locator('button.cut').getByText('Connection lost').waitFor();
  server.send({ type: 'registry', status: { phase: 'connected', since: Date.now() } });
  await expectStream();
  server.isStreaming = false;
  server.cut();

  await page.locator('button.polling').waitFor();
  await page.getByText(en['live.polling.text']).waitFor({ timeout: 10_000 });
  expect(await page.locator('.switch .dot.ok').count()).toBe(0);
});

test('a run whose instance is gone was cut off, and has not ended', async () => {
  const { page } = opened;
  const [ended, killed] = server.known.shards.filter(({ status }) => status === 'RUNNING');
  const dead = server.known.instances.find(({ instanceId }) => instanceId !== ended!.instanceId)!.instanceId;
  const lost =
    server.known.shards.find(({ status, instanceId }) => status === 'RUNNING' && instanceId === dead) ?? killed!;
  await page.goto(`${url}/r/main/jobs/settle-invoices`);
  await page.locator('[data-item="0"]').waitFor();
  await expectStream();

  server.known.instances = server.known.instances.filter(({ instanceId }) => instanceId !== dead);
  const shards = [ended!, lost].map((each) => ({ ...each, status: 'PENDING' as const }));
  server.send({ type: 'shards', jobName: 'settle-invoices', shards });

  const log = page.getByRole('log').locator('li');
  await log
    .filter({ hasText: `${lost.item}` })
    .getByText('cut off', { exact: true })
    .waitFor();
  await log.getByText('ended', { exact: true }).waitFor();
});

test('one wide schedule or label squeezes no name', async () => {
  const { page } = opened;
  server.known.jobs[1] = {
    ...server.known.jobs[1]!,
    cron: '0 0,15,30,45 8-11,13-18 ? * MON-FRI',
    label: 'a-label-of-thirty-seven-letters-in-all',
  };
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${url}/r/main/jobs`);
    const names = page.locator('td.fill a');
    await names.first().waitFor();
    const widths = await page.locator('td.fill').evaluateAll((cells) => cells.map((cell) => cell.clientWidth));
    const rows = await page
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    await screenshot(page, `wide-cells-${width}`);

    expect(Math.min(...widths)).toBeGreaterThanOrEqual(150);
    expect(Math.max(...rows)).toBeLessThan(60);
    expect(Math.max(...rows) - Math.min(...rows)).toBeLessThanOrEqual(1);
  }
});

async function expectStream(): Promise<void> {
  await opened.page.getByText('Live', { exact: true }).waitFor();
}
