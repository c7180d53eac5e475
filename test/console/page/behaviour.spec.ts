/** The behaviour of the page: permissions, live changes, reconnection, and hostile names. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { type Look, screenshot, startBrowser, type Visit, visit } from './support/browser.js';
import { FakeConsole } from './support/fake-console.js';
import { firings, HOSTILE, instanceId, manyJobs, shards } from './support/fixtures.js';

let browser: Browser;
let server: FakeConsole;
let url: string;
const visits: Visit[] = [];

beforeAll(async () => void (browser = await startBrowser()));
afterAll(() => browser.close());
beforeEach(async () => {
  server = new FakeConsole();
  url = await server.start();
});
afterEach(async () => {
  const complaints = visits.flatMap((each) => each.complaints);
  await Promise.all(visits.splice(0).map(({ context }) => context.close()));
  await server.stop();
  if (complaints.length > 0) throw new Error(`The page complains:\n${complaints.join('\n')}`);
});

async function open(path: string, look: Look = {}): Promise<Page> {
  const opened = await visit(browser, look);
  visits.push(opened);
  await opened.page.goto(url + path);
  return opened.page;
}

const JOB = '/r/main/jobs/settle-invoices';
const sent = (method: string, path: RegExp): typeof server.known.requests =>
  server.known.requests.filter((each) => each.method === method && path.test(each.path));

describe('logging in', () => {
  test('who is not logged in comes to the login, and from there to the wanted page', async () => {
    server.known.role = undefined;
    const page = await open(`${JOB}/runs?x=1`);

    await page.fill('[name=username]', 'operator');
    await page.fill('[name=password]', 'wrong');
    await page.click('button[type=submit]');
    await page.getByRole('alert').getByText('The user name or the password is wrong.').waitFor();
    await page.fill('[name=password]', 'correct horse battery');
    await page.click('button[type=submit]');

    await page.waitForURL(`${url}${JOB}/runs?x=1`);
    expect(sent('POST', /login/)[0]?.headers).toMatchObject({ 'x-ejc': '1', 'content-type': 'application/json' });
  });

  test('a page to return to is never on another site', async () => {
    server.known.role = undefined;
    const page = await open('/login?returnTo=//evil.example/');

    await page.fill('[name=username]', 'guest');
    await page.fill('[name=password]', 'correct horse battery');
    await page.click('button[type=submit]');

    await expectUrl(page, '/r/main');
  });

  test('without an administrator, the first visit is the set-up', async () => {
    Object.assign(server.known, { role: undefined, isSetupNeeded: true });
    const page = await open('/login');

    await page.fill('[name=code]', 'ABCD-1234');
    await page.fill('[name=username]', 'root');
    await page.fill('[name=password]', 'correct horse battery');
    await screenshot(page, 'setup');
    await page.click('button[type=submit]');

    await expectUrl(page, '/r/main');
  });

  test('a session that ends while the page is open leads to the login', async () => {
    const page = await open('/r/main/jobs');
    await page.getByText('Live', { exact: true }).waitFor();

    server.send({ type: 'bye', reason: 'logged-out' });

    await expectUrl(page, '/login?returnTo=/r/main/jobs');
  });
});

describe('roles', () => {
  const offered = async (page: Page): Promise<readonly string[]> => {
    await page.locator('[data-item="0"]').waitFor();
    await page.getByText('Settles open invoices').waitFor();
    return page.locator('.head button').allInnerTexts();
  };

  test('a guest is offered nothing that changes something', async () => {
    server.known.role = 'guest';
    const page = await open(JOB);

    expect(await offered(page)).toEqual([]);
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await page.goto(`${url}${JOB}/config`);
    await page.locator('#s-cron').waitFor();
    expect(await page.locator('#s-cron').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Review changes' }).count()).toBe(0);
  });

  test('a guest who comes to the users by their address is not offered to add one', async () => {
    server.known.role = 'guest';
    const page = await open('/users');

    await page.locator('tbody tr').first().waitFor();

    expect(await page.getByRole('button', { name: 'Add' }).count()).toBe(0);
  });

  test('an administrator blocks a user of a login provider, once that is confirmed', async () => {
    const page = await open('/users');
    const users = page.locator('section', { has: page.getByRole('heading', { name: 'Users of login providers' }) });
    await users
      .getByRole('row', { name: /nora.*casdoor/ })
      .getByRole('button', { name: 'Block' })
      .click();
    expect(sent('PUT', /oidc-users/)).toEqual([]);

    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    expect(sent('PUT', /oidc-users\/o1$/).map(({ body }) => body)).toEqual([{ isBlocked: true }]);
  });

  test('an operator triggers and disables, and is not offered to remove', async () => {
    server.known.role = 'operator';
    const page = await open(JOB);

    expect((await offered(page)).map((text) => text.trim())).toEqual(['Trigger', 'Disable', '']);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Shut down/ }).waitFor();
    expect(await page.getByRole('menuitem', { name: /Remove/ }).count()).toBe(0);
  });

  test('an operator runs an item again from the picture, and the failed items of a firing from the runs', async () => {
    server.known.role = 'operator';
    const page = await open(JOB);
    await page.locator('[data-item="3"]').click();
    await page.getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The item runs once now, beside its schedule').waitFor();
    expect(sent('POST', /rerun$/)).toEqual([]);
    await dialog.getByLabel('Reason').fill('the file was late');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Item 3 runs now.').waitFor();
    await page.goto(`${url}${JOB}/runs`);
    await page.getByRole('button', { name: 'Run failed items again' }).first().click();
    await dialog.getByLabel('Reason').fill('repaired');
    expect(sent('POST', /trigger$/)).toEqual([]);
    await dialog.getByRole('button', { name: 'Run failed items again' }).click();
    await page.getByText('1 of 1 instances run it.').waitFor();

    expect(sent('POST', /shards\/3\/rerun$/).map(({ body }) => body)).toEqual([{ reason: 'the file was late' }]);
    const [firing] = firings('settle-invoices').filter(({ failed }) => failed > 0);
    const failed = firing?.items.filter(({ result }) => result === 'failed').map(({ item }) => item);
    expect(sent('POST', /trigger$/)[0]?.body).toEqual({
      items: [...new Set(failed)],
      reason: 'repaired',
    });
  });

  test('an operator asks an instance for its dump, a guest is not offered to', async () => {
    const page = await open(`${JOB}/registry`);
    await page.getByLabel('Port').fill('9999');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('/settle-invoices | com.example.Job at 9999').waitFor();
    const serverIp = await page.getByLabel('Server').inputValue();
    expect(sent('POST', /dump$/)[0]?.body).toEqual({ serverIp, port: 9999 });

    server.known.role = 'guest';
    await page.reload();
    await page.getByLabel('Filter nodes').waitFor();
    expect(await page.getByText('Dump of an instance').count()).toBe(0);
  });

  test('a guest is not offered to run items', async () => {
    server.known.role = 'guest';
    const page = await open(JOB);
    await page.locator('[data-item="3"]').click();
    await page.getByText('Item 3', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
    await page.goto(`${url}${JOB}/runs`);
    await page.getByText('Firings', { exact: true }).waitFor();

    expect(await page.getByRole('button', { name: 'Run failed items again' }).count()).toBe(0);
  });

  test('a confirmation that was not given is gone on another page', async () => {
    const page = await open('/r/main/jobs');
    await page.getByRole('link', { name: 'settle-invoices' }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable: settle-invoices' });
    await dialog.waitFor();

    await page.goBack();

    await dialog.waitFor({ state: 'hidden' });
    expect(sent('POST', /disable$/)).toEqual([]);
  });

  test('removing a job wants its name typed, and sends the reason', async () => {
    const page = await open(JOB);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Remove/ }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Remove' });
    expect(await confirm.isDisabled()).toBe(true);

    await dialog.locator('input').first().fill('retired');
    await dialog.locator('input').last().fill('settle-invoices');
    await confirm.click();

    await page.waitForURL(`${url}/r/main/jobs`);
    expect(sent('DELETE', /jobs\/settle-invoices$/)[0]?.body).toEqual({
      reason: 'retired',
      confirm: 'settle-invoices',
      living: true,
    });
  });
});

describe('live', () => {
  const live = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor();

  test('an item that moves is seen at its new instance, and is noted', async () => {
    const page = await open(JOB);
    await live(page);
    const item = page.locator('[data-item="9"]');
    const before = await item.boundingBox();

    // Only the event says so: what the page reads shows the item where it was.
    server.send({
      type: 'shards',
      jobName: 'settle-invoices',
      shards: [{ ...shards(24)[9]!, instanceId: instanceId(2), status: 'RUNNING' }],
    });

    await page.locator(`[data-item="9"][data-worker="${instanceId(2)}"].running.moved`).waitFor();
    await page.getByRole('log').getByText('moved').waitFor();
    await page.waitForTimeout(350);
    await screenshot(page, 'item-travelling');
    await page.waitForTimeout(600);
    expect((await item.boundingBox())?.x).toBeGreaterThan((before?.x ?? 0) + 200);
  });

  test('a takeover is marked, and items of the dead instance are shown at once', async () => {
    const page = await open(JOB);
    await live(page);

    const taken = shards(24)
      .slice(16, 19)
      .map((shard) => ({ ...shard, takenOverBy: instanceId(0), status: 'RUNNING' as const }));
    server.send({ type: 'shards', jobName: 'settle-invoices', shards: taken });

    await page.locator('[data-item="16"].taken.running').waitFor();
    await expectShown(page, '4 taken over');
  });

  test('the list of jobs changes, while its rows keep their places under the pointer', async () => {
    const page = await open('/r/main/jobs?sort=name');
    await live(page);
    await page.getByText('warm-caches').hover();
    const [job] = server.known.jobs;

    server.send({ type: 'job', job: { ...job!, jobName: 'aaa-first', status: 'CRASHED' } });
    await page.getByText('aaa-first').waitFor();
    const held = await page.locator('tbody tr').last().innerText();
    await page.mouse.move(5, 5);
    await expectEventually(
      async () =>
        (await page.locator('tbody tr').first().innerText()).includes('aaa-first') ||
        (await page.locator('tbody tr').nth(1).innerText()).includes('aaa-first'),
    );

    expect(held).toContain('aaa-first');
  });

  test('a lost stream is shown, and comes back', async () => {
    const page = await open(JOB);
    await live(page);

    server.isStreaming = false;
    server.cut();
    await page.getByText(/Offline since|Connecting/).waitFor();
    server.isStreaming = true;

    await expectShown(page, 'Live');
  });

  test('pausing ends the stream, and resuming reads again', async () => {
    const page = await open(JOB);
    await live(page);

    await page.getByText('Live', { exact: true }).click();
    await page.getByText('Paused').waitFor();
    await expectEventually(() => Promise.resolve(server.streamCount === 0));
    const before = sent('GET', /shards$/).length;
    await page.getByText('Paused').click();

    await live(page);
    await expectEventually(() => Promise.resolve(sent('GET', /shards$/).length > before));
  });

  test('two tabs of a browser read one stream', async () => {
    const page = await open(JOB);
    await live(page);
    const second = await page.context().newPage();
    await second.goto(url + JOB);
    await second.getByText('Live', { exact: true }).waitFor();

    expect(server.streamCount).toBe(1);
  });
});

describe('explaining', () => {
  test('is in sentences, local times and headings, with a button for what it advises', async () => {
    const page = await open(`${JOB}/explain`);
    await page.getByText('Still running. Firings during the run are made up for').waitFor();
    await page.getByText('Item 5 rests, as a later server says.').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).not.toMatch(/T\d\d:\d\d:\d\d\.\d{3}Z|holds|[{}]|<job>/);
    expect(text.match(/Disabled by an operator\./g)).toHaveLength(1);
    expect(text).toContain('a broken disk');
    expect(text).toContain('Job (Asia/Kathmandu)');
    await screenshot(page, 'explain');

    await page.getByRole('button', { name: 'Enable item' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('disk replaced');
    await dialog.getByRole('button', { name: 'Enable item' }).click();
    await page.getByText('Enabled.').waitFor();

    expect(sent('POST', /shards\/4\/enable$/).map(({ body }) => body)).toEqual([{ reason: 'disk replaced' }]);
  });

  test('gives a guest the command with the name of the job', async () => {
    server.known.role = 'guest';
    const page = await open(`${JOB}/explain`);

    await page.getByText('npx elasticjob enable settle-invoices --item 4').waitFor();

    expect(await page.getByRole('button', { name: 'Enable item' }).count()).toBe(0);
  });

  test('speaks Chinese', async () => {
    const page = await open(`${JOB}/explain`, { language: 'zh' });

    await page.getByText('仍在运行。期间的触发会在结束后补执行一次').waitFor();
    expect(await page.getByText('已被操作员置为失效。').count()).toBe(1);
    await screenshot(page, 'explain-zh');
  });
});

describe('hostile and large data', () => {
  test('names are text, and lead to where they say', async () => {
    const page = await open('/r/main/jobs');

    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByRole('link', { name: 'Explain' }).click();
    await page.locator('blockquote').waitFor();

    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect(await page.locator('img').count()).toBe(0);
  });

  test('two hundred items fit into the picture', async () => {
    server.known.shards = shards(200);
    const page = await open(JOB);
    await page.locator('[data-item="199"]').waitFor();
    await page.waitForTimeout(300);
    await screenshot(page, 'items-200');

    expect(await page.locator('[data-item]').count()).toBe(200);
  });

  test('five thousand jobs are drawn as the rows that are seen, up to the last one', async () => {
    server.known.jobs = manyJobs(5_000);
    const page = await open('/r/main/jobs');
    await page.getByText('5,000', { exact: true }).first().waitFor({ timeout: 15_000 });

    await page.evaluate(() => document.querySelector('.box')?.scrollTo(0, 1e9));
    await page.getByText('job-4999').waitFor();

    expect(await page.locator('tbody tr').count()).toBeLessThan(60);
  });
});

describe('configuration', () => {
  test('a bad setting is refused at its field, a good one is shown as a difference before it is saved', async () => {
    const page = await open(`${JOB}/config`);
    await page.locator('#s-cron').fill('nonsense');
    await page.getByText("got 'nonsense'").waitFor();
    expect(await page.getByRole('button', { name: 'Review changes' }).isDisabled()).toBe(true);

    await page.locator('#s-cron').fill('0 0/10 * * * ?');
    await page.getByText('Changed settings: 1').waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('0 0/10 * * * ?').waitFor();
    await page.waitForTimeout(400);
    await screenshot(page, 'config-review');
    await dialog.getByRole('button', { name: 'Save' }).click();

    await page.getByText('Saved.').waitFor();
    expect(sent('PUT', /config$/)[0]).toMatchObject({
      body: { cron: '0 0/10 * * * ?', props: { 'mail.password': '******' } },
    });
  });

  test('a property is edited in a row of its own, and values of several lines stay whole', async () => {
    const page = await open(`${JOB}/config`);
    await page.getByLabel('Value of batch.size').fill('600');
    await page.locator('#s-maxRetries').fill('2');
    await page.getByRole('button', { name: 'Add a property' }).click();
    await page.getByLabel('Name of the property').last().fill('batch.size');
    await page.getByText('There are two properties named batch.size.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Review changes' }).isDisabled()).toBe(true);
    await page.getByLabel('Name of the property').last().fill('http.data');
    await page.getByLabel('Value of http.data').fill('{\n "a": "b=c"\n}');
    await screenshot(page, 'config-properties');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

    await page.getByText('Saved.').waitFor();
    expect((sent('PUT', /config$/)[0]?.body as { props: unknown }).props).toEqual({
      'mail.password': '******',
      'batch.size': '600',
      'run.maxRetries': '2',
      'http.data': '{\n "a": "b=c"\n}',
    });
  });

  test('a job is set to run after others, and rules at their defaults are not stored', async () => {
    const page = await open(`${JOB}/config`);
    await page.locator('#s-cron').fill('');
    await page.locator('#s-after').fill('importA,importB');
    await page.locator('#s-afterItems').selectOption('the upstream items of its number');
    await page.locator('#s-afterFailure').selectOption('run all the same');
    await page.locator('#s-afterFailure').selectOption('do not run, nor do jobs after it');
    await screenshot(page, 'config-after');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

    await page.getByText('Saved.').waitFor();
    const { props, ...settings } = sent('PUT', /config$/)[0]?.body as { props: unknown };
    expect(settings).not.toHaveProperty('cron');
    expect(props).toMatchObject({ 'graph.after': 'importA,importB', 'graph.afterItems': 'same' });
    expect(props).not.toHaveProperty('graph.afterFailure');
  });

  test('who saves later than somebody else is told, and loses no text', async () => {
    const page = await open(`${JOB}/config`);
    await page.locator('#s-description').fill('mine');
    await page.getByText('Changed settings: 1').waitFor();
    server.known.version++;
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

    await page.getByText('Another user has changed these settings').waitFor();
    expect(await page.locator('#s-description').inputValue()).toBe('mine');
  });
});

test('several jobs are triggered together, and what refused is named', async () => {
  const page = await open('/r/main/jobs');
  await page.getByLabel('import-orders').check();
  await page.getByLabel('warm-caches').check();
  await page.getByRole('button', { name: 'Trigger' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Trigger' }).click();

  await page.getByText('No living instance.').waitFor();
  expect(sent('POST', /batch$/)[0]?.body).toEqual({ action: 'trigger', names: ['import-orders', 'warm-caches'] });
});

test('filters stand in the address, and the keyboard finds the search', async () => {
  const page = await open('/r/main/jobs');
  await page.getByText('import-orders').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('invoices');

  await page.waitForURL(/q=invoices/);
  await expectEventually(async () => (await page.locator('tbody tr').count()) === 1);
});

test('filters of executions stand in the address, and are cleared together', async () => {
  const page = await open('/trace/executions');
  await page.locator('tbody tr').first().waitFor();
  await page.getByLabel('Result').selectOption('failed');
  await page.getByLabel('Server').fill('10.0.0.11');
  await page.getByLabel('Server').press('Enter');
  await page.waitForURL(/ip=10\.0\.0\.11/);
  await expectEventually(async () => (await page.locator('tbody tr', { hasText: 'succeeded' }).count()) === 0);
  expect(await page.getByRole('link', { name: 'CSV' }).getAttribute('href')).toMatch(/ip=10\.0\.0\.11&result=failed/);

  await page.getByRole('button', { name: 'Clear' }).click();

  await expectUrl(page, '/trace/executions');
  await page.locator('tbody tr', { hasText: 'succeeded' }).first().waitFor();
});

test('the audit of one user is downloaded as it is filtered', async () => {
  const page = await open('/audit?user=anna&span=all');
  await page.locator('tbody tr').first().waitFor();

  const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');

  expect(new URL(href ?? '', url).search).toBe('?username=anna');
});

describe('connections', () => {
  test('a registry centre that was added in the page is tried, edited and removed', async () => {
    const page = await open('/registries');
    const card = page.locator('.tiles section', { hasText: 'No server of zk-old' });
    await card.getByRole('button', { name: 'Edit' }).click();
    expect(await page.locator('.tiles').getByRole('button', { name: 'Edit' }).count()).toBe(1);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Servers').fill('zk9:2181');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await dialog.locator('.bad').first().waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').locator('input').fill('old');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    const change = { name: 'old', serverLists: 'zk9:2181', namespace: 'production-jobs', tls: null, sasl: null };
    expect(sent('POST', /^registries\/test$/)[0]?.body).toEqual(change);
    expect(sent('PUT', /^registries\/old$/)[0]?.body).toEqual(change);
    expect(sent('DELETE', /^registries\/old$/)).toHaveLength(1);
  });

  describe.each([
    {
      ...{ type: 'POSTGRESQL', serverLists: 'postgres://db1:5432/jobs', schema: 'shop' },
      own: { schema: 'shop', notify: true },
    },
    { type: 'ETCD', serverLists: 'https://etcd1:2379,https://etcd2:2379', schema: undefined, own: {} },
  ])('a registry centre of the kind $type', ({ type, serverLists, schema, own }) => {
    const place = { name: 'shared', serverLists, namespace: 'orders' };

    test('is tried and added with its user and its authority', async () => {
      const page = await open('/registries');
      await page.getByRole('button', { name: 'Add' }).click();
      const dialog = page.getByRole('dialog');
      const fill = (label: string, text: string): Promise<void> => dialog.getByLabel(label).first().fill(text);
      await dialog.getByLabel('Name', { exact: true }).fill('shared');
      await fill('Servers', serverLists);
      await fill('Namespace', 'orders');
      await fill('User name', 'jobs');
      await dialog.getByLabel('Password', { exact: true }).fill('hush');
      if (schema !== undefined) await fill('Schema', schema);
      await dialog.getByLabel('Encrypt by TLS').check();
      await fill('Certificates of trusted authorities', '-----BEGIN CERTIFICATE-----');
      await fill('Name in the certificate', 'db.internal');
      await dialog.getByRole('button', { name: 'Test' }).click();
      await dialog.locator('.bad').first().waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });

      const added = {
        ...{ ...place, ...own, credentials: { username: 'jobs', password: 'hush' } },
        tls: { ca: '-----BEGIN CERTIFICATE-----', servername: 'db.internal', rejectUnauthorized: true },
      };
      expect(sent('POST', /^registries\/test$/)[0]?.body).toEqual(added);
      expect(sent('POST', /^registries$/)[0]?.body).toEqual(added);
    });

    test('is edited without its secrets, and removed', async () => {
      const stored = {
        ...{ ...place, type, schema, username: 'jobs', origin: 'console', jobCount: 1, hasDigest: false },
        tls: { hasCa: true, hasCertificate: true, servername: 'db.internal', rejectUnauthorized: true },
        status: { phase: 'connected', since: 0, latencyMs: 1 },
      };
      const opened = await visit(browser, {});
      visits.push(opened);
      const { page } = opened;
      await page.route('**/api/v1/registries', (route) =>
        route.request().method() === 'GET' ? route.fulfill({ json: [stored] }) : route.fallback(),
      );
      await page.goto(`${url}/registries`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Namespace').fill('bills');
      await dialog.getByLabel('Accept any certificate').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').locator('input').fill('shared');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });

      expect(sent('PUT', /^registries\/shared$/)[0]?.body).toEqual({
        ...{ ...place, ...own, namespace: 'bills', credentials: { username: 'jobs' } },
        tls: { servername: 'db.internal', rejectUnauthorized: false },
      });
      expect(sent('DELETE', /^registries\/shared$/)).toHaveLength(1);
    });
  });

  test('a data source that is refused keeps its form, which says why', async () => {
    const page = await open('/data-sources');
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('archive');
    await dialog.getByLabel('Driver').selectOption('mysql');
    await dialog.getByLabel('Database').fill('jobs');
    await dialog.getByLabel('Host').fill('nowhere');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The name nowhere has no address.').waitFor();

    await dialog.getByLabel('Host').fill('db2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const place = { name: 'archive', driver: 'mysql', port: 3306, database: 'jobs' };
    expect(sent('POST', /^data-sources$/).map(({ body }) => body)).toEqual([
      { ...place, host: 'nowhere', tls: null },
      { ...place, host: 'db2', tls: null },
    ]);
  });

  test('whoever may not manage is offered no button at a registry centre', async () => {
    server.known.role = 'operator';
    const page = await open('/registries');
    await page.locator('.tiles section').first().waitFor();

    expect(await page.locator('.tiles').getByRole('button').count()).toBe(0);
  });
});

describe('a page that is left open', () => {
  const HOUR_MS = 3_600_000;
  const MINUTES_MS = 300_000;

  /** The page of a job, on a clock that the test turns on. */
  async function left(): Promise<Page> {
    const opened = await visit(browser);
    visits.push(opened);
    await opened.page.clock.install();
    await opened.page.goto(url + JOB);
    await opened.page.locator('[data-item="0"]').waitFor();
    await expectShown(opened.page, 'Live');
    return opened.page;
  }

  test('for a day stays logged in and live, and what it keeps does not grow', async () => {
    const page = await left();
    const size = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);
    const day = async (hours: number): Promise<void> => {
      for (let hour = 0; hour < hours; hour++) {
        const status = hour % 2 === 0 ? ('RUNNING' as const) : ('PENDING' as const);
        const all = shards(24).map((shard) => ({ ...shard, status }));
        server.send({ type: 'shards', jobName: 'settle-invoices', shards: all });
        await page.locator(`[data-item="9"]${status === 'RUNNING' ? '.running' : ':not(.running)'}`).waitFor();
        // Each timer of five minutes, and those of the rest of the hour once.
        await page.clock.runFor(MINUTES_MS);
        await page.clock.fastForward(HOUR_MS - MINUTES_MS);
      }
    };
    await day(4);
    const before = await size();

    await day(20);

    expect(await size()).toBeLessThan(before * 1.2);
    await expectShown(page, 'Live');
    expect(page.url()).toBe(url + JOB);
    await expectEventually(() => Promise.resolve(sent('GET', /auth\/session$/).length >= 24 * 10));
    expect(sent('GET', /auth\/session$/).length).toBeLessThan(24 * 15);
    expect(server.streamCount).toBe(1);
  }, 180_000);

  test('that nobody sees lets its session end', async () => {
    const page = await left();
    const asked = (): number => sent('GET', /auth\/session$/).length;
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
    const before = asked();

    await page.clock.runFor(MINUTES_MS);

    await page.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => false }));
    expect(asked()).toBe(before);
    await page.clock.runFor(60_000);
    await expectEventually(() => Promise.resolve(asked() > before));
  });
});

test('marks of direction in a name turn nothing round but the name', async () => {
  server.known.jobs = [{ ...server.known.jobs[0]!, jobName: 'a\u202Elive' }];
  const page = await open('/r/main/jobs');

  const name = page.locator('tbody').getByText('\u202Elive');
  await name.waitFor();

  expect(await name.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('isolate');
});

async function expectEventually(holds: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 5_000;
  while (!(await holds()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await holds()).toBe(true);
}

async function expectUrl(page: Page, path: string): Promise<void> {
  await page.waitForURL(url + path);
  expect(page.url()).toBe(url + path);
}

async function expectShown(page: Page, text: string): Promise<void> {
  await page.getByText(text, { exact: true }).waitFor({ timeout: 10_000 });
  expect(await page.getByText(text, { exact: true }).isVisible()).toBe(true);
}
