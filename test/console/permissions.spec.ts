/** Calls every route of the console as everybody. */
import { Controller, Get, type Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessControllers } from '../../lib/console/http/access/index.js';
import { protectedControllers } from '../../lib/console/http/protected-controllers.js';
import { permissionsOf } from '../../lib/console/security/callers/roles.js';
import { Browser } from './support/browser.js';
import { ConsoleApp } from './support/console-app.js';
import { allRoutes, type Route } from './support/routes.js';

const ROLES = ['admin', 'operator', 'guest'] as const;
const USER_OF = { admin: 'anna', operator: 'otto', guest: 'gina' } as const;

let app: ConsoleApp;
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await ConsoleApp.start();
  for (const role of ROLES) {
    const browser = await Browser.loggedIn(app, USER_OF[role]);
    const { json } = await browser.post('/api/v1/auth/tokens', { name: 'script', role, days: 1 });
    tokens.set(role, String(json['token']));
  }
});
afterAll(() => app[Symbol.asyncDispose]());

/** The answer of a route to a script; streams are not read to their end, as they have none. */
async function call(
  { method, path }: Route,
  token?: string,
): Promise<{ readonly status: number; readonly isRefused: boolean }> {
  const controller = new AbortController();
  const url = `${app.origin}/elasticjob${path.replaceAll(/:\w+/g, 'nothing')}`;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: controller.signal,
    headers: { ...(token !== undefined && { 'access-token': token }), 'content-type': 'application/json' },
    ...(['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && { body: '{}' }),
  });
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const text = isJson ? await response.text() : '';
  controller.abort();
  return { status: response.status, isRefused: response.status === 403 && text.includes('This needs the permission') };
}

const routes = allRoutes();
const inWords = ({ method, path }: Route): string => `${method} ${path}`;
const guarded = routes.filter(({ permission }) => permission !== 'public');

describe('every route of the console', () => {
  test('refuses who is not logged in, unless it is public', async () => {
    const answers = new Map<string, number>();
    for (const route of guarded) answers.set(inWords(route), (await call(route)).status);

    expect(guarded.length).toBeGreaterThan(30);
    expect([...answers].filter(([, status]) => status !== 401)).toEqual([]);
  });

  test('refuses who sends a token that there is not', async () => {
    const answers = new Map<string, number>();
    for (const route of routes) answers.set(inWords(route), (await call(route, 'ejc_nonsense')).status);

    expect([...answers].filter(([, status]) => status !== 401)).toEqual([]);
  });

  test.each(ROLES)('lets the role %s do what it is permitted, and nothing else', async (role) => {
    const wrong: string[] = [];
    for (const route of routes) {
      const { status, isRefused } = await call(route, tokens.get(role));
      const may = route.permission === 'public' || permissionsOf(role).includes(route.permission);
      if (may === isRefused || status === 401) wrong.push(`${inWords(route)}: ${status}`);
    }

    expect(wrong).toEqual([]);
  });
});

test('the routes of accounts ask for these permissions', () => {
  const own = accessControllers.map((controller) => String(Reflect.getMetadata('path', controller)));
  const listed = routes
    .filter(
      ({ path }) =>
        own.some((base) => path.startsWith(`/${base}`)) &&
        /\/(auth|setup|users|oidc-users|sessions|tokens|audit)/.test(path),
    )
    .map((route) => `${inWords(route)} ${route.permission}`);

  expect(listed.sort()).toEqual([
    'DELETE /api/v1/auth/tokens/:id read',
    'DELETE /api/v1/oidc-users/:id/tokens admin',
    'DELETE /api/v1/sessions/:id admin',
    'DELETE /api/v1/users/:username admin',
    'DELETE /api/v1/users/:username/tokens admin',
    'GET /api/v1/audit admin',
    'GET /api/v1/audit.csv admin',
    'GET /api/v1/auth/oidc/:provider/callback public',
    'GET /api/v1/auth/oidc/:provider/start public',
    'GET /api/v1/auth/providers public',
    'GET /api/v1/auth/session read',
    'GET /api/v1/auth/tokens read',
    'GET /api/v1/oidc-users admin',
    'GET /api/v1/sessions admin',
    'GET /api/v1/tokens admin',
    'GET /api/v1/users admin',
    'POST /api/v1/auth/login public',
    'POST /api/v1/auth/logout public',
    'POST /api/v1/auth/password read',
    'POST /api/v1/auth/tokens read',
    'POST /api/v1/setup public',
    'POST /api/v1/users admin',
    'PUT /api/v1/oidc-users/:id admin',
    'PUT /api/v1/users/:username admin',
  ]);
});

test('the only public routes are those of logging in, of health, and of what is not there', () => {
  const open = routes.filter(
    ({ permission, path }) => permission === 'public' && !path.includes(':rest') && path !== '/api',
  );

  expect(
    open.map(inWords).filter((name) => !/\/(auth|setup|healthz|readyz)|\/api\/(login|casdoor-login)/.test(name)),
  ).toEqual([]);
});

test('a controller with a route that does not say who may use it keeps the application from starting', () => {
  @Controller('api/v1/leak')
  class LeakyController {
    @Get()
    all(): string {
      return 'everything';
    }
  }

  expect(() => protectedControllers([LeakyController as Type], [])).toThrow(
    'These routes of the console do not say who may use them by @Permit: LeakyController.all.',
  );
});
