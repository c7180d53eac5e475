import { expect, test } from '@jest/globals';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

interface Total {
  readonly region: string;
  readonly status: string;
  readonly orders: number;
}

test('an instance of the sample ships orders, places new ones on demand, and ends on SIGTERM', async () => {
  await using app = new Program('dist/sample/main.js', { env: { ELASTICJOB_JOBS_SHIPORDERS_CRON: '* * * * * ?' } });
  const urlIn = (output: string): string | undefined => /Listening on (http:\S+\d)/.exec(output)?.[1];
  await until(() => urlIn(app.output) !== undefined, 'the application to listen');
  const url = urlIn(app.output);
  const totals = async (): Promise<readonly Total[]> =>
    JSON.parse(await (await fetch(`${url}/orders`)).text()) as Total[];
  const count = async (isCounted: (total: Total) => boolean): Promise<number> =>
    (await totals()).filter(isCounted).reduce((sum, { orders }) => sum + orders, 0);

  const health = await (await fetch(`${url}/health`)).json();
  await until(async () => (await count(({ status }) => status === 'shipped')) >= 60);
  const placed = await fetch(`${url}/orders`, { method: 'POST' });
  await until(async () => (await count(() => true)) === 720);
  await until(() => app.output.includes('After: 720 orders'), 'the last listener');
  const end = await app.end('SIGTERM');

  expect(health).toMatchObject({
    ready: true,
    session: 'connected',
    jobs: { shipOrders: { state: 'active' }, placeOrders: { state: 'active' } },
  });
  expect(placed.status).toBe(202);
  expect(app.output).toMatch(
    /Before: 600 orders[^]*placeOrders: north, south, east, west, central, overseas here, in \d+ ms/,
  );
  expect(app.output).not.toMatch(/\b(WARN|ERROR)\b/);
  expect(end).toBe('SIGTERM');
});
