import { describe, expect, test } from '@jest/globals';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  HttpCode,
  Module,
  Post,
  RequestMethod,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Answer, send } from './support/browser.js';
import { ConsoleApp, SERVERS } from './support/console-app.js';

/** How the application itself answers errors. */
@Catch()
class OwnFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(_error: unknown, host: ArgumentsHost): void {
    this.host.httpAdapter.reply(host.switchToHttp().getResponse(), { own: true }, 418);
  }
}

/** Its path has the console's in the middle. */
@Controller('orders/elasticjob')
class OrdersController {
  @Post()
  @HttpCode(204)
  order(): void {}
}

@Module({ controllers: [OrdersController] })
class OrdersModule {}

const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LARGE = JSON.stringify({ username: 'x'.repeat(2_000_000) });

function post(app: ConsoleApp, path: string, body: string): Promise<Answer> {
  return send(app.origin + path, { method: 'POST', body, headers: JSON_TYPE });
}

function expectProblem(answer: Answer, problem: { readonly status: number; readonly code: string }): void {
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.json).toMatchObject(problem);
  expect(answer.status).toBe(problem.status);
  expect(answer.json['requestId']).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers.get('x-request-id')).toBe(answer.json['requestId']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

describe.each(SERVERS)('the console on %s', (server) => {
  test('answers a body that is no JSON, or too large, with a problem', async () => {
    await using app = await ConsoleApp.start({ server });

    const broken = await post(app, '/elasticjob/api/v1/auth/login', '{ "username": ');
    const large = await post(app, '/elasticjob/api/v1/auth/login', TOO_LARGE);

    expectProblem(broken, { status: 400, code: 'bad-request' });
    expect(broken.json['detail']).toBe('The body of the request is not valid JSON.');
    expectProblem(large, { status: 413, code: 'too-large' });
  });

  test('answers every method on a path without a route with a problem', async () => {
    await using app = await ConsoleApp.start({ server });

    const posted = await send(`${app.origin}/elasticjob/jobs`, { method: 'POST' });
    const deleted = await send(`${app.origin}/elasticjob/healthz`, { method: 'DELETE' });
    const deep = await send(`${app.origin}/elasticjob/api${'/x'.repeat(30)}?a=1`);

    expectProblem(posted, { status: 404, code: 'unknown-route' });
    expectProblem(deleted, { status: 405, code: 'method-not-allowed' });
    expectProblem(deep, { status: 404, code: 'unknown-route' });
  });

  test.each([
    ['below the prefix of the application', '/ops/elasticjob', []],
    [
      'where the application has exempted it from its prefix',
      '/elasticjob',
      [{ path: 'elasticjob{/*path}', method: RequestMethod.ALL }],
    ],
  ])('answers so %s too', async (_where, base, exclude) => {
    await using app = await ConsoleApp.start({
      server,
      prepare: (nest) => void nest.setGlobalPrefix('ops', { exclude }),
    });

    const broken = await post(app, `${base}/api/v1/auth/login`, '{');
    const unknown = await send(`${app.origin}${base}/api/v1/nonsense`);

    expectProblem(broken, { status: 400, code: 'bad-request' });
    expectProblem(unknown, { status: 404, code: 'unknown-route' });
  });

  test('leaves the answers of the rest of the application to its filters', async () => {
    await using app = await ConsoleApp.start({
      server,
      imports: [{ module: OrdersModule }],
      prepare: (nest) => void nest.useGlobalFilters(new OwnFilter(nest.get(HttpAdapterHost))),
    });

    const ordered = await post(app, '/orders/elasticjob', '{}');
    const broken = await post(app, '/orders/elasticjob', '{');
    const unknown = await post(app, '/elasticjobs', '{}');
    const own = await post(app, '/elasticjob/api/v1/auth/login', '{');

    expect(ordered.status).toBe(204);
    expect([broken.status, broken.json]).toEqual([418, { own: true }]);
    expect([unknown.status, unknown.json]).toEqual([418, { own: true }]);
    expectProblem(own, { status: 400, code: 'bad-request' });
  });

  test('answers the error of a middleware of the application by an id, with which the log has the error', async () => {
    await using app = await ConsoleApp.start({
      server,
      prepare: (nest) =>
        void nest.use((_request: unknown, _response: unknown, next: (error: unknown) => void) =>
          next(new Error('no tenant in db.internal')),
        ),
    });

    const answer = await send(`${app.origin}/elasticjob/api/v1/auth/providers`);

    expectProblem(answer, { status: 500, code: 'internal' });
    expect(answer.text).not.toContain('db.internal');
    expect(app.log.join('\n')).toMatch(
      new RegExp(`\\(request ${String(answer.json['requestId'])}\\): .*no tenant in db\\.internal`),
    );
  });
});
