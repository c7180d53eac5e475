import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommandStage } from './stage.js';

/** 2026-11-26T02:00:00Z */
const AT = Date.UTC(2026, 10, 26, 2);
const IMPORTS = { jobName: 'imports', props: { 'graph.name': 'nightly' } };
const REPORT = { jobName: 'report', cron: '', props: { 'graph.after': 'imports' } };
const MAIL = { jobName: 'mail', cron: '', props: { 'graph.after': 'report' } };

let stage: CommandStage;
beforeEach(async () => {
  stage = await CommandStage.open();
  for (const job of [IMPORTS, REPORT, MAIL]) {
    await stage.store({ shardingTotalCount: 2, ...job });
    for (const number of [1, 2]) await put(job.jobName, `live/10.0.0.${number}@-@${number}-a`, '');
  }
  await put('imports', 'graph/rounds', `1 ${AT} ${AT + 60_000} succeeded`);
  await put('imports', 'graph/successors/report', 'since: none');
  await put('report', 'graph/successors/mail', 'since: none');
  await put('report', 'graph/rounds', `1 ${AT} ${AT + 90_000} failed: 1`);
});
afterEach(() => stage[Symbol.asyncDispose]());

const put = (job: string, path: string, value: string) => stage.registry.put(`/${job}/x-node/${path}`, value);
const orders = (job: string) => stage.get(`/${job}/x-node/graph/orders`);

describe('graphs', () => {
  test('lists the graphs with their latest rounds', async () => {
    const { out, exitCode } = await stage.run('graphs');

    expect(out).toMatch(
      /^GRAPH +JOBS +ROOTS +LAST ROUND +STATE.*\nnightly +3 +imports +2026-11-26T02:00:00.000Z +running/,
    );
    expect(exitCode).toBe(0);
  });

  test('prints them as JSON', async () => {
    const { out } = await stage.run('graphs --json');

    expect(JSON.parse(out)).toMatchObject([{ name: 'nightly', jobs: ['imports', 'report', 'mail'], isPaused: false }]);
  });
});

describe('graph', () => {
  test('draws the jobs as a tree, with their states in the latest round', async () => {
    const { out } = await stage.run('graph nightly');

    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      'Graph nightly: round 2026-11-26T02:00:00.000Z running',
      'JOB         STATE      ITEMS  SINCE',
      'imports     succeeded    2/2  2026-11-26T02:01:00.000Z',
      '└▶ report   failed       2/2  2026-11-26T02:01:30.000Z  failed: 1',
      '   └▶ mail  waiting      0/2  2026-11-26T02:01:30.000Z',
      '',
    ]);
  });

  test('shows one round, and refuses one that is not on record', async () => {
    const { out } = await stage.run('graph report 2026-11-26T02:00:00Z --json');
    expect(JSON.parse(out)).toMatchObject({ name: 'nightly', round: { cause: 'schedule', state: 'running' } });

    const { err, exitCode } = await stage.run('graph report 2026-11-25T02:00:00Z');
    expect(err).toContain('no round 2026-11-25T02:00:00.000Z on record; the latest are 2026-11-26T02:00:00.000Z');
    expect(exitCode).toBe(4);
  });

  test('of an unknown name is refused with the nearest one', async () => {
    const { err, exitCode } = await stage.run('graph nigthly');

    expect(err).toContain("did you mean 'nightly'?");
    expect(exitCode).toBe(3);
  });
});

describe('a round', () => {
  test('is stopped, and run again from what has failed, when that is confirmed', async () => {
    const stopped = await stage.run('stop nightly --yes');
    expect(stopped.out).toBe('Stopped the round 2026-11-26T02:00:00.000Z: mail.\n');
    expect(await orders('mail')).toBe(`stop ${AT}`);
    await put('mail', 'graph/rounds', `1 ${AT} ${AT + 95_000} stopped`);

    const declined = await stage.run('run-again nightly', { answers: ['no'] });
    expect(declined.exitCode).toBe(5);
    const again = await stage.run('run-again nightly --reason mended', { answers: ['yes'] });

    expect(again.out).toMatch(/runs report, mail\.\n$/);
    expect(await orders('imports')).toMatch(new RegExp(`^run \\d+ of ${AT} as succeeded$`));
    expect(await orders('report')).toMatch(new RegExp(`^run \\d+ of ${AT} items 1$`));
    expect(await orders('mail')).toMatch(new RegExp(`^run \\d+ of ${AT}\nstop ${AT}$`));
  });

  test('leaves out a job that is skipped', async () => {
    const { out } = await stage.run(`skip nightly mail --at 2026-11-26T02:00:00Z --yes --json`);

    expect(JSON.parse(out)).toMatchObject({ skipped: ['mail'], record: { operation: 'skip-job', jobName: 'mail' } });
    expect(await orders('mail')).toBe(`skip ${AT}`);
    expect((await stage.run('skip nightly report --yes')).exitCode).toBe(4);
    expect((await stage.run('skip nightly post --yes')).exitCode).toBe(2);
  });
});

describe('a graph', () => {
  test('is paused and resumed', async () => {
    expect((await stage.run('pause nightly --yes')).out).toBe("Graph 'nightly' is paused.\n");
    expect(await orders('report')).toMatch(/^paused \d+$/);
    expect((await stage.run('trigger imports')).err).toContain('is paused since');

    expect((await stage.run('resume nightly')).out).toBe("Graph 'nightly' goes on.\n");
    expect(await orders('report')).toBeUndefined();
  });

  test('runs when its root is triggered', async () => {
    const { out, err } = await stage.run('trigger imports --json');

    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({ jobName: 'imports', round: expect.stringMatching(/^20/) as unknown });
    expect(await orders('imports')).toMatch(/^run \d+$/);
  });
});
