import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { accessControllers } from '../../lib/console/http/access/index.js';
import { MetaController } from '../../lib/console/http/meta.controller.js';
import { routesOf } from '../../lib/console/http/protected-controllers.js';
import { PERMISSION_METADATA } from '../../lib/console/security/callers/permit.decorator.js';
import { consoleServiceControllers } from '../../lib/console/start/services.providers.js';
import { Browser } from './support/browser.js';
import { ConsoleApp } from './support/console-app.js';

interface Operation {
  readonly summary?: string;
  readonly 'x-permission': string;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly required: boolean }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** As the build has made it. */
function document(): Document {
  const file = new URL('../../dist/openapi.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Document;
}

/** `GET /api/v1/registries/{registry} read` for each route. */
function routes(): readonly string[] {
  const controllers: readonly Type[] = [...accessControllers, ...consoleServiceControllers, MetaController];
  return controllers.flatMap((controller) =>
    routesOf(controller).flatMap(({ handler }) => {
      const bases = [Reflect.getMetadata('path', controller) as string | string[]].flat();
      const paths = [Reflect.getMetadata('path', handler) as string | string[]].flat();
      const method = RequestMethod[Reflect.getMetadata('method', handler) as number];
      const permission = Reflect.getMetadata(PERMISSION_METADATA, handler) as string;
      return bases.flatMap((base) => paths.map((path) => `${method} ${full(base, path)} ${permission}`));
    }),
  );
}

function full(base: string, path: string): string {
  const joined = `/${[base, path]
    .map((each) => each.replace(/^\/|\/$/g, ''))
    .filter((each) => each !== '')
    .join('/')}`;
  return joined.replace(/:(\w+)/g, '{$1}');
}

test('the OpenAPI document has every route with its permission, and no other', () => {
  const documented = Object.entries(document().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${method.toUpperCase()} ${path} ${operation['x-permission']}`,
    ),
  );

  expect(documented.sort()).toEqual([...routes()].sort());
});

test('the document says of each route below /api/v1 of registry centres, jobs and traces what it does', () => {
  const silent = Object.entries(document().paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { summary }]) => (summary === undefined ? [`${method} ${path}`] : [])),
  );

  expect(silent.filter((each) => /registries|data-sources|trace|cron|\/api\/(jobs|servers|event)/.test(each))).toEqual(
    [],
  );
});

test.each([
  [
    'GET /api/v1/registries/{registry}/jobs/{job}/shards',
    ['path registry!', 'path job!', 'query limit', 'query cursor'],
  ],
  ['POST /api/v1/registries/{registry}/jobs/{job}/trigger', ['path registry!', 'path job!']],
  ['POST /api/servers/{ip}/jobs/{job}/disable', ['path ip!', 'path job!', 'header x-registry-center']],
])('the document names the parameters of %s', (route, expected) => {
  const [method = '', path = ''] = route.split(' ');
  const operation = document().paths[path]?.[method.toLowerCase()];

  const named = operation?.parameters.map((each) => `${each.in} ${each.name}${each.required ? '!' : ''}`);

  expect(named).toEqual(expected);
});

test('the document is served to who is logged in', async () => {
  await using app = await ConsoleApp.start();

  const answer = await (await Browser.loggedIn(app, 'gina')).get('/api/v1/openapi.json');

  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.json).toMatchObject({
    openapi: expect.stringMatching(/^3\./) as unknown,
    info: { title: 'ElasticJob console' },
  });
  expect((await new Browser(app).get('/api/v1/openapi.json')).status).toBe(401);
});
