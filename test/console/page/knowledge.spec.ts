/**
 * What the page claims while it does not know: nothing. Each page of the router, and each tab of a job, has its requests
 * held back, and then refused.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Browser, type Page, type Route } from 'playwright-core';
import { en } from '../../../lib/console/ui/i18n/en.js';
import { startBrowser, visit, type Visit } from './support/browser.js';
import { FakeConsole } from './support/fake-console.js';

let browser: Browser;
let server: FakeConsole;
let url: string;
let opened: Visit;
const held: Route[] = [];
/** What happens to requests of the API, once one knows who is logged in: they are answered, held back, or refused. */
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

/** What the page says, without its frame. */
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
      .waitFor({ timeout: 5_000 })
      .catch(() => found.push(`${name}: says nothing of the refusal`));
    await page
      .waitForFunction(() => document.querySelector('[aria-busy=true]') === null, undefined, { timeout: 5_000 })
      .catch(() => found.push(`${name}: seems to load for ever`));
    const text = await said(page);
    found.push(...claims(text).map((claim) => `${name}: claims “${claim}”`));
    if (text.includes(en['load.title'])) found.push(`${name}: says that it loads`);
  }

  expect(found).toEqual([]);
}, 120_000);

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

async function expectStream(): Promise<void> {
  await opened.page.getByText('Live', { exact: true }).waitFor();
}
