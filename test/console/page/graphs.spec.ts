/** The pages of jobs that run after others. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { type Look, screenshot, startBrowser, visit, type Visit } from './support/browser.js';
import { FakeConsole } from './support/fake-console.js';
import { HOSTILE } from './support/fixtures.js';

const GRAPH = '/r/main/graphs/nightly';

let browser: Browser;
let server: FakeConsole;
let url: string;
let opened: Visit | undefined;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser.close());
beforeEach(async () => {
  server = new FakeConsole();
  server.known.role = 'operator';
  url = await server.start();
});
afterEach(async () => {
  const complaints = opened?.complaints ?? [];
  await opened?.context.close();
  opened = undefined;
  await server.stop();
  if (complaints.length > 0) throw new Error(`The page complains:\n${complaints.join('\n')}`);
});

async function open(path: string, look: Look = {}): Promise<Page> {
  opened = await visit(browser, look);
  await opened.page.goto(url + path);
  return opened.page;
}

const node = (page: Page, name: string) => page.locator('.vue-flow__node').getByRole('button', { name, exact: false });
const entry = (page: Page, name: string) => page.locator(`ol li[data-job="${name}"]`);
const sent = (path: RegExp) => server.known.requests.filter((each) => each.method === 'POST' && path.test(each.path));

async function confirm(page: Page, action: string, reason = 'a late delivery'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await page.getByText('Done.').first().waitFor();
}

test('graphs are listed with their last rounds, and found by a job', async () => {
  const page = await open('/r/main/graphs');
  await page.getByRole('link', { name: 'nightly' }).waitFor();
  expect(await page.locator('tbody tr').first().innerText()).toMatch(/running[^]*Problems: 1[^]*triggered/);

  await page.getByLabel('Search graphs and jobs').fill('warm');

  await page.getByRole('link', { name: 'nightly' }).waitFor({ state: 'detached' });
  expect(await page.locator('tbody tr').count()).toBe(1);
});

describe('a graph', () => {
  test.each<[string, Look]>([
    ['en light 1440', { width: 1440 }],
    ['zh dark 1440', { language: 'zh', theme: 'dark', width: 1440 }],
    ['zh light 390', { language: 'zh', width: 390 }],
    ['en dark 390', { theme: 'dark', width: 390 }],
  ])('is drawn as a whole, and fits (%s)', async (name, look) => {
    const page = await open(GRAPH, look);
    await page.locator('.vue-flow__edge').nth(5).waitFor({ state: 'attached' });
    await page.waitForTimeout(400);
    await screenshot(page, `graph-${name.replaceAll(' ', '-')}`);

    const frame = (await page.locator('.drawing').boundingBox())!;
    const boxes = await page.locator('.vue-flow__node').evaluateAll((all) =>
      all.map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
    expect(boxes).toHaveLength(6);
    for (const { left, right, top, bottom } of boxes) {
      expect(left).toBeGreaterThanOrEqual(frame.x);
      expect(right).toBeLessThanOrEqual(frame.x + frame.width);
      expect(top).toBeGreaterThanOrEqual(frame.y);
      expect(bottom).toBeLessThanOrEqual(frame.y + frame.height);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
  });

  test('says in its list what the drawing shows, in the order in which the jobs run', async () => {
    const page = await open(GRAPH);

    const words = await page.getByRole('list', { name: 'Jobs in the order in which they run' }).innerText();

    expect(words).toMatch(
      /settle-invoices\s+succeeded[^]*build-report\s+running[^]*mail-report[^]*Waits for build-report/,
    );
    expect(words).toContain('after settle-invoices, import-orders');
    expect(words).toContain("It runs after 'b<i>', which it waits for");
    expect(words).toContain(HOSTILE);
  });

  test('is walked through with the keyboard, and a chosen job is shown in the list', async () => {
    const page = await open(GRAPH);
    await node(page, 'settle-invoices').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/build-report\s*running/);

    await page.keyboard.press('Enter');

    await page.locator('ol li.chosen[data-job="build-report"]').waitFor();
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['job'])).toBe('build-report');
  });

  test('shows another round, with its critical path and its failures', async () => {
    const page = await open(GRAPH);
    const history = page.getByRole('region', { name: 'Rounds' });
    await history.getByRole('button').nth(1).click();

    await entry(page, 'build-report').getByText('Items that failed: 2').waitFor();
    expect(page.url()).toContain('round=');
    const path = page.getByRole('list', { name: 'Critical path' });
    expect((await path.innerText()).split('\n').filter((line) => /^[a-z-]+$/.test(line))).toEqual([
      'settle-invoices',
      'build-report',
    ]);
    expect(await path.innerText()).toContain('3 min 0 s');
  });

  test('follows the registry centre', async () => {
    const page = await open(GRAPH);
    await page.getByText('Live', { exact: true }).waitFor();
    server.known.isGraphPaused = true;

    server.send({ type: 'graph', jobName: 'a-job-of-another-graph' });
    server.send({ type: 'graph', jobName: 'build-report' });

    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await page.getByText('paused').count()).toBe(1);
  });

  test('that is gone says so', async () => {
    const page = await open('/r/main/graphs/gone');

    await page.getByText('There is no such graph').waitFor();
    expect(await page.locator('.vue-flow').count()).toBe(0);
  });
});

describe('an operator', () => {
  test('runs a graph, pauses and resumes it, each with a reason', async () => {
    const page = await open(GRAPH);
    await page.getByRole('button', { name: 'Run the graph now' }).click();
    await confirm(page, 'Run the graph now');
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click();
    await confirm(page, 'Pause');
    await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
    await confirm(page, 'Resume');

    expect(sent(/graphs\/nightly\//).map(({ path, body }) => [path.split('/').at(-1), body])).toEqual(
      ['trigger', 'pause', 'resume'].map((act) => [act, { reason: 'a late delivery' }]),
    );
  });

  test('skips a job of a round, and stops the round', async () => {
    const page = await open(GRAPH);
    await entry(page, 'build-report').getByRole('button', { name: 'Skip build-report' }).click();
    await confirm(page, 'Skip');
    await page.getByRole('button', { name: 'Stop the round' }).click();
    await confirm(page, 'Stop the round');

    expect(sent(/\/rounds\/\d+\/jobs\/build-report\/skip$/)).toHaveLength(1);
    expect(sent(/\/rounds\/\d+\/stop$/)).toHaveLength(1);
  });

  test('runs a round again that has failed, as a whole or from a job', async () => {
    const page = await open(GRAPH);
    await page.getByRole('region', { name: 'Rounds' }).getByRole('button').nth(1).click();
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await confirm(page, 'Run again');
    // The page shows the newest round again, which the act has begun.
    await page.getByRole('region', { name: 'Rounds' }).getByRole('button').nth(1).click();
    await entry(page, 'import-orders').getByRole('button', { name: 'Run again from here import-orders' }).click();
    await confirm(page, 'Run again');

    expect(sent(/\/again$/).map(({ body }) => body)).toEqual([
      { reason: 'a late delivery' },
      { reason: 'a late delivery', from: 'import-orders' },
    ]);
  });

  test('is the only one who may: a guest sees no acts', async () => {
    server.known.role = 'guest';
    const page = await open(GRAPH);
    await entry(page, 'build-report').waitFor();

    for (const act of ['Run the graph now', 'Pause', 'Stop the round', 'Skip build-report'])
      expect(await page.locator('#main').getByRole('button', { name: act, exact: true }).count()).toBe(0);
  });
});
