/** Each page, in both languages, both themes and both widths: it shows what it should, and nothing complains. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { type Look, screenshot, startBrowser, visit } from './support/browser.js';
import { FakeConsole } from './support/fake-console.js';

const JOB = '/r/main/jobs/settle-invoices';
const PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
  ['login', '/login', 'form'],
  ['overview', '/r/main', '.u-wrap'],
  ['jobs', '/r/main/jobs', 'text=refresh-search-index'],
  ['job-items', JOB, '[data-item="23"]'],
  ['job-items-by-item', `${JOB}?view=item&item=4`, '[data-item="23"]'],
  ['job-config', `${JOB}/config`, '.fires'],
  ['job-runs', `${JOB}/runs`, 'svg rect'],
  ['job-instances', `${JOB}/instances`, 'td code'],
  ['job-registry', `${JOB}/registry`, '.tree li'],
  ['job-explain', `${JOB}/explain?item=3`, 'blockquote'],
  ['graphs', '/r/main/graphs', 'text=weekly'],
  ['graph', '/r/main/graphs/nightly', '.vue-flow__node >> nth=5'],
  ['servers', '/r/main/servers', 'text=10.0.0.99'],
  ['server', '/r/main/servers/10.0.0.11', 'text=settle-invoices'],
  ['schedule', '/r/main/schedule', 'svg circle'],
  ['executions', '/trace/executions', 'tbody tr >> nth=3'],
  ['statuses', '/trace/statuses', 'tbody tr'],
  ['registries', '/registries', '.tiles section'],
  ['data-sources', '/data-sources', '.tiles section'],
  ['users', '/users', 'tbody tr'],
  ['tokens', '/tokens', 'tbody tr'],
  ['sessions', '/sessions', 'tbody tr'],
  ['audit', '/audit', 'tbody tr'],
  ['help', '/help', '.kbd'],
];
const LOOKS: readonly Look[] = [
  { language: 'en', theme: 'light', width: 1280 },
  { language: 'zh', theme: 'dark', width: 1280 },
  { language: 'zh', theme: 'light', width: 390 },
  { language: 'en', theme: 'dark', width: 390 },
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeAnswer {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

let browser: Browser;
let server: FakeConsole;
let url: string;
beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser.close());
beforeEach(async () => {
  server = new FakeConsole();
  url = await server.start();
});
afterEach(() => server.stop());

for (const look of LOOKS) {
  const title = `${look.language} ${look.theme} ${look.width}`;
  test(`every page shows without a complaint, accessibly, and no wider than the window (${title})`, async () => {
    const { context, page, complaints } = await visit(browser, look);
    const found: string[] = [];
    for (const [name, path, shows] of PAGES) {
      await page.goto(url + path);
      await page
        .locator(shows)
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => found.push(`${name}: does not show ${shows}`));
      await page.waitForTimeout(250);
      await screenshot(page, `${name}-${look.language}-${look.theme}-${look.width}`);
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (excess > 0) found.push(`${name}: ${excess} px wider than the window`);
      found.push(...(await accessibility(page)).map((each) => `${name}: ${each}`));
      found.push(...complaints.splice(0).map((each) => `${name}: ${each}`));
    }
    await context.close();

    expect(found).toEqual([]);
  }, 120_000);

  test(`empty pages say why they are empty (${title})`, async () => {
    Object.assign(server.known, { isEmpty: true, jobs: [], shards: [] });
    const { context, page, complaints } = await visit(browser, look);
    const found: string[] = [];
    for (const path of [
      '/r/main',
      '/r/main/jobs',
      '/r/main/servers',
      '/r/main/graphs',
      '/trace/executions',
      '/data-sources',
      '/r/main/schedule',
      '/nowhere',
    ]) {
      await page.goto(url + path);
      await page
        .locator('.empty')
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => found.push(`${path}: says nothing`));
    }
    await context.close();

    expect([...found, ...complaints]).toEqual([]);
  });
}

/** The serious findings of axe. It runs through the debugger, to which the page's policy does not apply. */
async function accessibility(page: { evaluate: (script: string) => Promise<unknown> }): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as AxeAnswer;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 140)} ${failureSummary.split('\n')[1] ?? ''}`),
    );
}
