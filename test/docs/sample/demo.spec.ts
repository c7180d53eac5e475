import { expect, test } from '@jest/globals';
import { Program } from '../../support/program.js';

test('the demonstration moves items as instances come and go, and every firing runs every item once', async () => {
  await using demo = new Program('dist/sample/demo/main.js', { env: { DEMO_PERIOD_SECONDS: '1', DEMO_FIRINGS: '2' } });

  const exitCode = await demo.end();

  expect(demo.output).toMatch(/joins\.\n[^]*→ D\n[^]* moved: .* to D/);
  expect(demo.output).toMatch(/A is stopped\.\n[^]* moved: .*from A to [BCD]/);
  expect(demo.output).toMatch(/placed: 20 by item 0 on [BCD], .*, 20 by item 5 on [BCD]\n/);
  expect(demo.output).toMatch(/\d+ orders shipped: every firing ran every item exactly once\.\n$/);
  expect(exitCode).toBe(0);
}, 60_000);
