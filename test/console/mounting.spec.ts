import { describe, expect, test } from '@jest/globals';
import { type ArgumentMetadata, type PipeTransform, VersioningType } from '@nestjs/common';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, SERVERS } from './support/console-app.js';

/** Refuses whatever has a class, as the pipe of an application that validates all classes may. */
class StrictPipe implements PipeTransform {
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || [String, Number, Boolean, Object, Array].some((type) => type === metatype))
      return value;
    throw new Error(`The pipe of the application has seen a ${metatype.name}.`);
  }
}

describe.each(SERVERS)('the console on %s', (server) => {
  test('lets a user log in, says who it is, and logs it out', async () => {
    await using app = await ConsoleApp.start({ server });
    const browser = await Browser.loggedIn(app, 'otto');

    const session = await browser.get('/api/v1/auth/session');
    const out = await browser.post('/api/v1/auth/logout');
    const after = await browser.get('/api/v1/auth/session');

    expect(session.status).toBe(200);
    expect(session.json).toMatchObject({ username: 'otto', role: 'operator', permissions: ['read', 'operate'] });
    expect(out.status).toBe(204);
    expect(after.status).toBe(401);
    // The browser stays known, so that no stranger's guesses keep the user out of it.
    expect([...browser.cookies.keys()].filter((name) => !name.endsWith('device'))).toEqual([]);
  });

  test('answers below the prefix of the application, whatever its pipes and versions are', async () => {
    await using app = await ConsoleApp.start({
      server,
      prepare: (nest) => {
        nest.setGlobalPrefix('ops');
        nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
        nest.useGlobalPipes(new StrictPipe());
      },
    });

    const browser = await Browser.loggedIn(app, 'anna', '/ops/elasticjob');
    const created = await browser.post('/api/v1/users', {
      username: 'nora',
      role: 'guest',
      password: 'a long enough word',
    });

    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ username: 'nora', role: 'guest', isEnabled: true, origin: 'console' });
  });

  test('answers what is not there with a problem that has the id of the request', async () => {
    await using app = await ConsoleApp.start({ server });

    const answer = await send(`${app.origin}/elasticjob/api/v1/nonsense?a=1`);

    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.json).toMatchObject({
      status: 404,
      code: 'unknown-route',
      detail: 'There is no route GET /elasticjob/api/v1/nonsense.',
    });
    expect(answer.json['requestId']).toBe(answer.headers.get('x-request-id'));
  });

  test('sends the headers that keep the page from running anything but its own files', async () => {
    await using app = await ConsoleApp.start({ server });

    const { headers } = await send(`${app.origin}/elasticjob/api/v1/auth/providers`);

    expect(headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self';");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
