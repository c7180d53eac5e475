import { expect, test } from '@jest/globals';
import { type LogEntry } from '../../../../lib/api/text/logger.js';
import { NamedTimers } from '../../../../lib/async/named-timers.js';
import { JobLog } from '../../../../lib/kernel/job/job-log.js';
import { type JobTimer } from '../../../../lib/kernel/job/job-context.js';
import { StandingObstacle } from '../../../../lib/kernel/log/standing-obstacle.js';
import { type Obstacle } from '../../../../lib/kernel/view/obstacles.js';
import { ManualClock } from '../../../../lib/testing/index.js';

const UNREADABLE: Obstacle = {
  key: 'unreadable',
  effect: 'blocked',
  graceMs: 0,
  reason: 'unreadable',
  ending: 'readable',
};
const UNASSIGNED: Obstacle = {
  key: 'unassigned',
  effect: 'blocked',
  graceMs: 30_000,
  reason: 'unassigned',
  ending: 'assigned',
};
const LEADERLESS: Obstacle = { ...UNASSIGNED, key: 'leaderless', reason: 'leaderless', ending: 'led' };
const DISABLED: Obstacle = { ...UNREADABLE, key: 'disabled', effect: 'disabled' };

function standing() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line.replace(/^Job 'bill': /, ''));
  const logger = new JobLog(
    { debug: write, log: write, warn: write, error: write },
    { jobName: 'bill', instance: 'A' },
  );
  const timers = new NamedTimers<JobTimer>(clock);
  let reconciliations = 0;
  const obstacle = new StandingObstacle({ clock, timers, logger, requestReconcile: () => void reconciliations++ });
  return { clock, lines, obstacle, reconciliations: () => reconciliations };
}

test('what blocks a job, and that it is over, are events of the log', () => {
  const events: (string | undefined)[] = [];
  const clock = new ManualClock();
  const nothing = (): void => undefined;
  const write = ({ level, event }: LogEntry): void => void events.push(`${level} ${event}`);
  const sink = { debug: nothing, log: nothing, warn: nothing, error: nothing, write };
  const logger = new JobLog(sink, { jobName: 'bill', instance: 'A' });
  const timers = new NamedTimers<JobTimer>(clock);
  const obstacle = new StandingObstacle({ clock, timers, logger, requestReconcile: nothing });

  obstacle.note(UNREADABLE);
  obstacle.note({ ...UNREADABLE, key: 'other', effect: 'impaired' });
  obstacle.note(undefined);

  expect(events).toEqual(['error blocked', 'error impaired', 'log recovered']);
});

test('an obstacle with a grace counts when it has lasted for it, and asks to be looked at then', async () => {
  const { clock, lines, obstacle, reconciliations } = standing();

  obstacle.note(UNASSIGNED);
  await clock.advance(29_999);
  obstacle.note(UNASSIGNED);
  expect([obstacle.present, lines]).toEqual([undefined, []]);
  await clock.advance(1);
  expect(reconciliations()).toBe(1);
  obstacle.note(UNASSIGNED);

  expect([obstacle.present, lines]).toEqual([UNASSIGNED, ['unassigned']]);
});

test('an obstacle without a grace is over although another one may follow from it', () => {
  const { lines, obstacle } = standing();
  obstacle.note(UNREADABLE);

  obstacle.note(UNASSIGNED);

  expect([obstacle.present, lines]).toEqual([undefined, ['unreadable', 'readable']]);
});

test('an obstacle that needed its grace stands until another one has lasted for its own', async () => {
  const { clock, lines, obstacle } = standing();
  obstacle.note(UNASSIGNED);
  await clock.advance(30_000);
  obstacle.note(UNASSIGNED);

  obstacle.note(LEADERLESS);
  expect(obstacle.present).toBe(UNASSIGNED);
  await clock.advance(30_000);
  obstacle.note(LEADERLESS);

  expect([obstacle.present, lines]).toEqual([LEADERLESS, ['unassigned', 'leaderless']]);
});

test('what an operator wishes is not logged, and ends what was', () => {
  const { lines, obstacle } = standing();
  obstacle.note(UNREADABLE);

  obstacle.note(DISABLED);
  obstacle.note(undefined);

  expect([obstacle.present, lines]).toEqual([undefined, ['unreadable', 'readable']]);
});
