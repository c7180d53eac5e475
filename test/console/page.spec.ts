import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, send } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';

const INDEX = '<!doctype html><html><head lang="en"><base href="/"><title>Jobs</title></head><body></body></html>';
const HTML = { accept: 'text/html,application/xhtml+xml' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-page-'));
  await mkdir(join(folder, 'page/assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'not for everybody');
  await writeFile(join(folder, 'page/index.html'), INDEX);
  await writeFile(join(folder, 'page/assets/index-3f2a9c01.js'), `/*${'x'.repeat(5_000)}*/`);
  await writeFile(join(folder, 'page/icon.svg'), '<svg/>');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (server: (typeof SERVERS)[number], prefix?: string): Promise<ConsoleApp> =>
  ConsoleApp.start({
    server,
    console: { users: USERS, pageFolder: join(folder, 'page') },
    prepare: (nest) => void (prefix === undefined || nest.setGlobalPrefix(prefix)),
  });

describe.each(SERVERS)('the page on %s', (server) => {
  test.each(['/elasticjob', '/elasticjob/', '/elasticjob/jobs/elasticjob/a%20b?tab=runs', '/elasticjob/index.html'])(
    'is shown at %s, and finds its files from there',
    async (path) => {
      await using app = await start(server);

      const { status, headers, text } = await send(app.origin + path, { headers: HTML });

      expect(status).toBe(200);
      expect(text).toBe(
        INDEX.replace('<base href="/">', '').replace('<head lang="en">', '<head lang="en"><base href="/elasticjob/">'),
      );
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    },
  );

  test.each([
    ['', '*/*', 200],
    ['/', 'application/json', 200],
    ['/jobs', '*/*', 200],
    ['/r/main/jobs/my.job', '*/*', 404],
    ['/r/main/jobs/my.job', 'text/html,*/*', 200],
    ['/jobs', 'application/json', 404],
    ['/assets/gone', 'text/html', 404],
  ])('at %j, a client that accepts %s is answered with %d', async (path, accept, expected) => {
    await using app = await start(server);

    const { status, headers } = await send(`${app.origin}/elasticjob${path}`, { headers: { accept } });

    expect(status).toBe(expected);
    expect(headers.get('content-type')).toContain(expected === 200 ? 'text/html' : 'application/problem+json');
  });

  test('finds its files below the prefix of the application too', async () => {
    await using app = await start(server, 'ops/tools');

    const { text } = await send(`${app.origin}/ops/tools/elasticjob/jobs`, { headers: HTML });

    expect(text).toContain('<base href="/ops/tools/elasticjob/">');
  });

  test('has files that caches keep for ever if their names have a hash, and gives them gzipped', async () => {
    await using app = await start(server);
    const url = `${app.origin}/elasticjob/assets/index-3f2a9c01.js`;

    const { status, headers, text } = await send(url, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await send(url, { headers: { 'accept-encoding': 'identity' } });
    const icon = await send(`${app.origin}/elasticjob/icon.svg`);

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(Number(headers.get('content-length'))).toBeLessThan(200);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.text).toBe(text);
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
  });

  test.each([
    '/assets/gone-3f2a9c01.js',
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
  ])('has nothing at %s', async (path) => {
    await using app = await start(server);

    const answer: Answer = await send(`${app.origin}/elasticjob${path}`);

    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('not for everybody');
  });

  test('says in one sentence that it was not built', async () => {
    await using app = await ConsoleApp.start({
      server,
      console: { users: USERS, pageFolder: join(folder, 'nothing') },
    });

    const { json } = await send(`${app.origin}/elasticjob`, { headers: HTML });

    expect(json).toMatchObject({
      status: 404,
      code: 'no-page',
      detail: expect.stringContaining('dist/console-ui'),
    });
  });
});

test('behind a proxy the page is where publicUrl says', async () => {
  const console = { users: USERS, pageFolder: join(folder, 'page'), publicUrl: 'https://ops.example.com/jobs"&<' };
  await using app = await ConsoleApp.start({ console });

  const { text } = await send(`${app.origin}/elasticjob`, { headers: HTML });

  expect(text).toContain('<base href="/jobs%22&amp;%3C/">');
});
