import { expect, test } from '@jest/globals';
import { Browser } from '../../console/support/browser.js';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

test('the demonstration moves items as instances come and go, and every firing runs every item once', async () => {
  await using demo = new Program('dist/sample/demo/main.js', { env: { DEMO_PERIOD_SECONDS: '1', DEMO_FIRINGS: '2' } });

  const exitCode = await demo.end();

  expect(demo.output).toMatch(/joins\.\n[^]*→ D\n[^]* moved: .* to D/);
  expect(demo.output).toMatch(/A is stopped\.\n[^]* moved: .*from A to [BCD]/);
  expect(demo.output).toMatch(/placed: 20 by item 0 on [BCD], .*, 20 by item 5 on [BCD]\n/);
  expect(demo.output).toMatch(/\d+ orders shipped: every firing ran every item exactly once\.\n$/);
  expect(exitCode).toBe(0);
});

test('with --console, the demonstration is seen in the console until Ctrl-C', async () => {
  await using demo = new Program('dist/sample/demo/main.js', {
    env: { DEMO_PERIOD_SECONDS: '1', DEMO_CONSOLE_PORT: '0' },
    words: ['--console'],
  });
  const printed = (): RegExpExecArray | null => /listens on (\S+): user name (\w+), password (\S+)/.exec(demo.output);
  await until(() => printed() !== null, 'the console listens');
  const [, origin = '', username = '', password = ''] = printed() ?? [];
  const browser = new Browser({ origin }, '');
  await browser.login(username, password);
  const recorded = async (): Promise<number> => {
    const { json } = await browser.get('/api/v1/trace/executions?job=shipOrders');
    return (json['items'] as readonly unknown[] | undefined)?.length ?? 0;
  };

  await until(async () => (await recorded()) >= 6, 'runs in the database');
  const { json: jobs } = await browser.get('/api/v1/registries/orders-sample/jobs');
  const exitCode = await demo.end('SIGINT');

  expect(jobs).toMatchObject({ items: [{ jobName: 'placeOrders' }, { jobName: 'shipOrders', instanceCount: 3 }] });
  expect(exitCode).toBe(0);
});
