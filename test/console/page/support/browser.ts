import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS });

export interface Look {
  readonly language?: 'en' | 'zh';
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** A page in a context of its own, and everything that it complains about. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
}

/**
 * Errors of the console, failed promises and breaches of the policy are complaints; refusals that a test provokes are
 * not.
 */
export async function visit(
  browser: Browser,
  { language = 'en', theme = 'light', width = 1280 }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 860 },
    locale: 'en-GB',
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'no-preference',
  });
  const complaints: string[] = [];
  await context.addInitScript(
    ([spoken, worn]) => {
      localStorage.setItem('elasticjob.language', spoken ?? 'en');
      localStorage.setItem('elasticjob.theme', worn ?? 'light');
      document.addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
      );
    },
    [language, theme],
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const isRefusal = /Failed to load resource|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefusal)
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  return { context, page, complaints };
}

export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: false });
}
