import { describe, expect, test } from '@jest/globals';
import { type CanActivate, type ExecutionContext, Injectable, Module, SetMetadata, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ElasticJobConsoleModule } from '../../lib/console/console.module.js';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';

/** The guard of an application that refuses all requests without its own login. */
@Injectable()
class OwnGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return Reflect.getMetadata('own:public', context.getClass()) === true;
  }
}

const ownGuard = { provide: APP_GUARD, useClass: OwnGuard };

describe('the console in an application with a guard of its own', () => {
  test('is exempted from it by a decorator, and keeps its own', async () => {
    @Module({
      imports: [
        ElasticJobConsoleModule.forRoot({
          users: USERS,
          decorators: [SetMetadata('own:public', true)],
        }),
      ],
      providers: [ownGuard],
    })
    class AppModule {}
    const nest = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false, abortOnError: false });
    await nest.listen(0, '127.0.0.1');
    const origin = (await nest.getUrl()).replace('[::1]', '127.0.0.1');

    try {
      const nobody = await send(`${origin}/elasticjob/api/v1/users`);
      const admin = await Browser.loggedIn({ origin }, 'anna');

      expect(nobody.json).toMatchObject({ status: 401, code: 'not-logged-in' });
      expect((await admin.get('/api/v1/users')).status).toBe(200);
    } finally {
      await nest.close();
    }
  });
});

describe.each(SERVERS)('the console on %s', (server) => {
  test('takes options from a factory', async () => {
    const module = ElasticJobConsoleModule.forRootAsync({
      path: '/console',
      inject: ['SETTINGS'],
      imports: [
        {
          module: class Settings {} as Type,
          providers: [{ provide: 'SETTINGS', useValue: { environment: 'test' } }],
          exports: ['SETTINGS'],
        },
      ],
      useFactory: (settings: { readonly environment: string }) => ({ users: USERS, ...settings }),
    });
    await using app = await ConsoleApp.start({ server, module });
    const browser = await Browser.loggedIn(app, 'gina', '/console');

    expect((await browser.get('/api/v1/meta')).json).toMatchObject({
      environment: 'test',
      nodeVersion: process.versions.node,
      canAddConnections: false,
    });
  });

  test('says to probes that it lives and is ready', async () => {
    await using app = await ConsoleApp.start({ server });

    expect((await send(`${app.origin}/elasticjob/healthz`)).json).toEqual({ status: 'ok' });
    expect((await send(`${app.origin}/elasticjob/readyz`)).json).toEqual({ status: 'ok' });
  });

  test('shows administrators the tokens of all users, without their secrets', async () => {
    await using app = await ConsoleApp.start({ server });
    const [anna, otto] = [await Browser.loggedIn(app, 'anna'), await Browser.loggedIn(app, 'otto')];
    await otto.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days: 1 });

    const { json, text } = await anna.get('/api/v1/tokens');

    expect(json).toEqual([expect.objectContaining({ owner: 'otto', name: 'ci', role: 'guest' })]);
    expect(text).not.toMatch(/hash|ejc_/);
  });

  test('does not start with options that are wrong, and names all of them', async () => {
    const start = ConsoleApp.start({ server, console: { path: '/a', sessionHours: 0, environment: '' } });

    await expect(start).rejects.toThrow(
      /console\.environment: must be a text[^]*console\.sessionHours: must be a number/,
    );
  });
});
