/** Jobs that run after others, in the console's API. */
import { describe, expect, test } from '@jest/globals';
import { type Page } from '../../lib/console/contract/common.js';
import { type GraphDetail, type GraphRoundRow, type GraphRow } from '../../lib/console/contract/graphs.js';
import { encodeRounds } from '../../lib/layout/x-node/round-record.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';
import { EventReader } from './support/event-reader.js';
import { JobStage } from './support/job-stage.js';

const GRAPHS = '/api/v1/registries/main/graphs';
const INSTANT = Date.UTC(2030, 0, 1, 2);
const A = '10.0.0.1@-@11';

interface Opened extends AsyncDisposable {
  readonly stage: JobStage;
  readonly app: ConsoleApp;
  readonly operator: Browser;
}

/** `report` runs after `importA` and `importB`; `importB` and `report` have failed for an instant. */
async function open(server: (typeof SERVERS)[number] = 'express'): Promise<Opened> {
  const stage = await JobStage.open();
  const owners = { [A]: [0, 1] };
  const cron = '0 0 2 * * ?';
  const paths = [
    await stage.add('importA', { owners, cron, timeZone: 'GMT' }),
    await stage.add('importB', { owners, cron, timeZone: 'GMT' }),
    await stage.add('report', { owners, cron: '', after: ['importA', 'importB'] }),
  ];
  await stage.add('alone');
  const outcomes = ['succeeded', 'failed', 'stopped'] as const;
  for (const [index, { rounds }] of paths.entries()) {
    const outcome = outcomes[index] ?? 'succeeded';
    const failed = outcome === 'failed' ? [1] : [];
    const round = { instant: INSTANT, completedAt: INSTANT + 60_000 * (index + 1), outcome, failed };
    await stage.instances.put(rounds, encodeRounds({ rounds: [round], count: 1, droppedUpTo: undefined }));
  }
  const registries = [{ name: 'main', registryCenter: stage.console }];
  const app = await ConsoleApp.start({ server, console: { users: USERS, registries } });
  const close = async (): Promise<void> => {
    await app[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  };
  return { stage, app, operator: await Browser.loggedIn(app, 'otto'), [Symbol.asyncDispose]: close };
}

const rowsIn = <Row>({ json }: { readonly json: object }): readonly Row[] => (json as unknown as Page<Row>).items;

describe.each(SERVERS)('graphs on %s', (server) => {
  test('are listed, and shown with their jobs, lines and rounds', async () => {
    await using opened = await open(server);
    const guest = await Browser.loggedIn(opened.app, 'gina');

    const list = rowsIn<GraphRow>(await guest.get(GRAPHS));
    const graph = (await guest.get(`${GRAPHS}/importA`)).json as unknown as GraphDetail;
    const rounds = rowsIn<GraphRoundRow>(await guest.get(`${GRAPHS}/importA/rounds?limit=1`));

    expect(list).toEqual([
      {
        ...{ name: 'importA', jobs: ['importA', 'importB', 'report'], roots: ['importA', 'importB'] },
        ...{ isPaused: false, problemCount: 0 },
        lastRound: {
          ...{ instant: INSTANT, scheduledAt: INSTANT, cause: 'schedule', state: 'failed' },
          endedAt: INSTANT + 180_000,
        },
      },
    ]);
    expect(graph.nodes.map(({ jobName, level, cron }) => [jobName, level, cron])).toEqual([
      ['importA', 0, '0 0 2 * * ?'],
      ['importB', 0, '0 0 2 * * ?'],
      ['report', 1, undefined],
    ]);
    expect(graph.edges).toEqual(['importA', 'importB'].map((from) => ({ from, to: 'report', items: 'all' })));
    expect(rounds).toHaveLength(1);
    expect(
      rounds[0]!.nodes.map(({ jobName, state, failedItems, since }) => [jobName, state, failedItems, since]),
    ).toEqual([
      ['importA', 'succeeded', [], INSTANT + 60_000],
      ['importB', 'failed', [1], INSTANT + 120_000],
      ['report', 'stopped', [], INSTANT + 180_000],
    ]);
  });

  test('that are unknown are not found, with the nearest name', async () => {
    await using opened = await open(server);

    const answer = await opened.operator.get(`${GRAPHS}/importC`);

    expect(answer).toMatchObject({ status: 404, json: { code: 'unknown-graph' } });
    expect(answer.json['detail']).toContain("did you mean 'importA'?");
  });
});

test('the problems of a graph are told at the job that has them, as codes with values', async () => {
  await using opened = await open();
  await opened.stage.add('mail', { cron: '', after: 'reprot' });

  const { json } = await opened.operator.get(`${GRAPHS}/mail`);

  const mail = (json as unknown as GraphDetail).nodes.find(({ jobName }) => jobName === 'mail');
  expect(mail?.problems).toMatchObject([
    { message: expect.stringContaining("did you mean 'report'?"), wording: { code: 'sentence' } },
  ]);
});

describe('an operator', () => {
  test('triggers a graph, which begins a round that the page can name', async () => {
    await using opened = await open();
    const { operator, stage } = opened;

    const begun = await operator.post(`${GRAPHS}/importA/trigger`, { reason: 'late files' });

    expect(begun).toMatchObject({ status: 200, json: { jobs: ['importA', 'importB', 'report'] } });
    const key = begun.json['instant'] as number;
    expect(await stage.instances.get('/importA/x-node/graph/orders')).toBe(`run ${key}`);
    const anna = await Browser.loggedIn(opened.app, 'anna');
    expect(rowsIn(await anna.get('/api/v1/audit'))[0]).toMatchObject({ action: 'auth.login' });
    const record = rowsIn<{ readonly action: string }>(await anna.get('/api/v1/audit')).find(
      ({ action }) => action === 'graph.trigger',
    );
    expect(record).toMatchObject({ username: 'otto', target: 'importA', reason: 'late files', outcome: 'done' });
  });

  test('pauses and resumes a graph', async () => {
    await using opened = await open();
    const { operator } = opened;
    const pausedSince = async (): Promise<unknown> => (await operator.get(`${GRAPHS}/importA`)).json['pausedSince'];
    using events = new EventReader(opened.app, operator, '/api/v1/registries/main/events');
    await events.next('registry');

    expect((await operator.post(`${GRAPHS}/report/pause`)).status).toBe(204);
    await events.next('graph', ({ jobName }) => jobName === 'report');
    expect(await pausedSince()).toEqual(expect.any(Number));
    expect((await operator.post(`${GRAPHS}/importA/trigger`)).json).toMatchObject({ status: 409, code: 'job-state' });

    expect((await operator.post(`${GRAPHS}/importA/resume`)).status).toBe(204);
    await events.next('graph', ({ jobName }) => jobName === 'report');
    expect(await pausedSince()).toBeUndefined();
  });

  test('runs a failed round again, from the failed jobs or from the named one', async () => {
    await using opened = await open();
    const { operator } = opened;
    const at = new Date(INSTANT).toISOString();

    const again = await operator.post(`${GRAPHS}/importA/rounds/${INSTANT}/again`);
    const from = await operator.post(`${GRAPHS}/importA/rounds/${at}/again`, { from: 'report' });
    const unknown = await operator.post(`${GRAPHS}/importA/rounds/${at}/again`, { from: 'nobody' });

    expect(again).toMatchObject({ status: 200, json: { jobs: ['importB', 'report'] } });
    expect(from).toMatchObject({ status: 200, json: { jobs: ['report'] } });
    expect(unknown.status).toBe(422);
  });

  test('stops a round and skips a job of it, as long as they are open', async () => {
    await using opened = await open();
    const { operator, stage } = opened;
    const { json } = await operator.post(`${GRAPHS}/importA/trigger`);
    const round = `${GRAPHS}/importA/rounds/${json['instant'] as number}`;

    expect((await operator.post(`${round}/jobs/report/skip`)).status).toBe(204);
    expect(await stage.instances.get('/report/x-node/graph/orders')).toContain(`skip ${json['instant'] as number}`);
    expect(await operator.post(`${round}/stop`)).toMatchObject({ status: 200, json: { jobs: expect.any(Array) } });
    expect(await operator.post(`${GRAPHS}/importA/rounds/${INSTANT}/stop`)).toMatchObject({ status: 409 });
    expect(await operator.post(`${GRAPHS}/importA/rounds/yesterday/stop`)).toMatchObject({ status: 400 });
  });

  test('may do so, a guest may not', async () => {
    await using opened = await open();
    const guest = await Browser.loggedIn(opened.app, 'gina');

    for (const act of ['trigger', 'pause', 'resume', `rounds/${INSTANT}/again`, `rounds/${INSTANT}/stop`])
      expect((await guest.post(`${GRAPHS}/importA/${act}`)).status).toBe(403);
  });
});
