import { registeredEvent } from '../../../lib/kernel/job/job-events.js';
import { type JobView } from '../../../lib/layout/job-view.js';
import { describe, expect, test } from '@jest/globals';
import { type LogEntry } from '../../../lib/api/text/logger.js';
import { EventLog } from '../../../lib/kernel/job/event-log.js';
import { type CommonEvent } from '../../../lib/kernel/job/job-events.js';
import { groupOf, summaryOf } from '../../../lib/kernel/job/event-summaries.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.js';
import { type BusyProcess, busyProcess } from '../../support/rolling-restart.js';

const NAMES = ['A', 'B', 'C', 'D', 'E'];

/** Five processes with so many jobs each, of which one after the other is restarted. */
async function rollingRestart(
  jobs: number,
): Promise<{ readonly start: readonly LogEntry[]; readonly restart: readonly LogEntry[] }> {
  const clock = new ManualClock();
  const server = new EmbeddedRegistryServer({ clock });
  const all: BusyProcess[] = [];
  const up = new Map<string, BusyProcess>();
  const begin = async (name: string): Promise<void> => {
    const registryCenter = new EmbeddedRegistryCenter({ server, clock });
    const process = busyProcess(name, { registryCenter, clock, jobs });
    all.push(process);
    up.set(name, process);
    await Promise.all([process.started, settle()]);
    await clock.advance(20_000);
  };
  const entries = (): readonly LogEntry[] => all.flatMap((process) => process.entries);

  for (const name of NAMES) await begin(name);
  const start = entries();
  for (const name of NAMES) {
    await Promise.all([up.get(name)?.stop(), clock.advance(5_000)]);
    await begin(name);
  }
  const restart = entries()
    .slice(0)
    .filter((entry) => !start.includes(entry));
  await Promise.all([...up.values()].map((process) => process.stop()).concat(clock.advance(30_000)));
  return { start, restart };
}

/** How many entries there are of each event; of the whole process under `undefined`. */
function counts(entries: readonly LogEntry[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { event } of entries) found[`${event}`] = (found[`${event}`] ?? 0) + 1;
  return found;
}

describe('a rolling restart of five processes', () => {
  test('with a hundred jobs writes tens of entries, not a thousand', async () => {
    const { start, restart } = await rollingRestart(100);

    expect(start.length).toBeLessThan(30);
    expect(restart.length).toBeLessThan(60);
    expect(counts(restart)).toMatchObject({ stopped: 5, left: 5, registered: 5, joined: 5 });
    expect([...start, ...restart].filter(({ level }) => level !== 'log')).toEqual([]);
  }, 240_000);

  test('with five jobs writes an entry for each job', async () => {
    const { restart } = await rollingRestart(5);

    expect(counts(restart)).toMatchObject({ stopped: 25, left: 25, registered: 25, joined: 25 });
  }, 240_000);
});

describe('events that many jobs have together', () => {
  const [A, B] = ['10.0.0.1@-@1', '10.0.0.2@-@1'];
  const owners = (...ids: readonly string[]): ReadonlyMap<number, string> => new Map(ids.map((id, item) => [item, id]));
  const cases: readonly (readonly [events: readonly CommonEvent[], text: string])[] = [
    [
      [
        { type: 'registered', leader: A, owners: owners(A), isOneOff: false },
        { type: 'registered', leader: undefined, owners: owners(), isOneOff: false },
      ],
      `log Registered 2 jobs ('j0', 'j1') by instance ${A}; ${A} leads 1, no instance leads 1; items: 1 to ${A}.`,
    ],
    [[{ type: 'leads' }, { type: 'leads' }], `log Instance ${A} leads 2 jobs ('j0', 'j1').`],
    [
      [
        { type: 'assigned', owners: owners(A, B, B) },
        { type: 'assigned', owners: owners(B) },
      ],
      `log Assigned the items of 2 jobs ('j0', 'j1'): 1 to ${A}, 3 to ${B}.`,
    ],
    [[1, 2].map(() => ({ type: 'joined', peer: B })), `log Instance ${B} has joined 2 jobs ('j0', 'j1').`],
    [[1, 2].map(() => ({ type: 'left', peer: B })), `log Instance ${B} has stopped 2 jobs ('j0', 'j1').`],
    [
      [1, 2].map(() => ({ type: 'gone', peer: B })),
      `log Instance ${B} (Java) is gone from 2 jobs ('j0', 'j1'): it has stopped or crashed.`,
    ],
    [
      [1, 2].map(() => ({ type: 'crashed', peer: B })),
      `warn Instance ${B} is gone from 2 jobs ('j0', 'j1') without having stopped: its process has died, or its session has ended.`,
    ],
    [
      [1, 2].map(() => ({ type: 'stopped', why: 'the process is shutting down' })),
      `log Stopped 2 jobs ('j0', 'j1') on instance ${A}: the process is shutting down.`,
    ],
    [
      [1, 2].map(() => ({ type: 'server-disabled', ip: '10.0.0.1', by: 'operator' })),
      `log Server 10.0.0.1 is disabled by an operator for 2 jobs ('j0', 'j1'); this instance begins none of their items until an operator enables it.`,
    ],
    [
      [1, 2].map(() => ({ type: 'server-enabled', ip: '10.0.0.1' })),
      `log Server 10.0.0.1 is enabled again for 2 jobs ('j0', 'j1'); this instance is given items again.`,
    ],
    [
      [1_500, 5_012].map((lateMs) => ({ type: 'fired-late', lateMs, scheduledAt: new Date(0), others: 0 })),
      `warn Firings of 2 jobs ('j0', 'j1') came up to 5.0 s late: the event loop was blocked, the process was suspended, or the clock was set.`,
    ],
  ];

  test.each(cases)('%j', (events, text) => {
    const group = events.map((event, number) => ({ jobName: `j${number}`, event }));
    const summary = summaryOf(group, '10.0.0.1@-@1');

    expect(`${summary.level} ${summary.text}`).toBe(text);
    expect(summary.fields.jobs).toEqual(['j0', 'j1']);
    expect(new Set(group.map(groupOf)).size).toBe(1);
  });

  test('are of one kind only if their words are the same', () => {
    const groups = [
      { type: 'joined', peer: 'B' },
      { type: 'joined', peer: 'C' },
      { type: 'left', peer: 'B' },
      { type: 'stopped', why: 'one' },
      { type: 'stopped', why: 'other' },
      { type: 'server-disabled', ip: '1', by: 'operator' },
      { type: 'server-disabled', ip: '1', by: 'settings' },
    ].map((event) => groupOf({ jobName: 'j', event: event as CommonEvent }));

    expect(new Set(groups).size).toBe(groups.length);
  });

  test('name five jobs, and how many others there are', () => {
    const group = Array.from({ length: 8 }, (_, number) => ({
      jobName: `j${number}`,
      event: { type: 'leads' } as const,
    }));

    expect(summaryOf(group, 'A').text).toBe("Instance A leads 8 jobs ('j0', 'j1', 'j2', 'j3', 'j4' and 3 others).");
    expect(summaryOf(group, 'A').fields.jobs).toHaveLength(8);
  });
});

/** The log of events of a process with so many jobs. */
function events(jobs: number): { readonly log: EventLog; readonly written: string[]; readonly clock: ManualClock } {
  const clock = new ManualClock();
  const written: string[] = [];
  const note = ({ context, message }: LogEntry): void => void written.push(`${context} | ${message}`);
  const quiet = (): void => undefined;
  const logger = { debug: quiet, log: quiet, warn: quiet, error: quiet, write: note };
  return { log: new EventLog({ clock, logger, instance: 'A', jobCount: () => jobs }), written, clock };
}

describe('the start of a job without a leader', () => {
  /** The job, and what an instance sees of it. */
  const job = (watch: { leader?: string; items: { item: number; owner: string }[] } = { items: [] }) => ({
    watch,
    event: registeredEvent(
      {
        get view() {
          return watch as unknown as JobView;
        },
      },
      { isOneOff: false },
    ),
  });

  test('is one entry, which says who leads and which items go where', () => {
    const { log, written } = events(1);
    const { watch, event } = job();

    expect(log.collect('bills', event)).toBe(true);
    watch.leader = 'A';
    expect(log.collect('bills', { type: 'leads' })).toBe(true);
    expect(written).toEqual([]);
    watch.items = [{ item: 0, owner: 'A' }];
    expect(log.collect('bills', { type: 'assigned', owners: new Map([[0, 'A']]) })).toBe(true);

    expect(written).toEqual(["ElasticJob:bills | Job 'bills': registered by instance A; A leads, items 0 → A."]);
    expect(log.collect('bills', { type: 'leads' })).toBe(false);
    expect(log.collect('bills', { type: 'assigned', owners: new Map() })).toBe(false);
  });

  test('has its entry a second later if this instance assigns nothing, as the job is then', async () => {
    const { log, written, clock } = events(2);
    const [bills, mails] = [job(), job()];
    log.collect('bills', bills.event);
    log.collect('mails', mails.event);
    mails.watch.leader = 'B';

    await clock.advance(1_000);

    expect(written).toEqual([
      "ElasticJob:bills | Job 'bills': registered by instance A; no instance leads yet, no items are assigned yet.",
      "ElasticJob:mails | Job 'mails': registered by instance A; B leads, no items are assigned yet.",
    ]);
  });

  test('has its entry before that of its end, and other jobs do not wait for it', async () => {
    const { log, written, clock } = events(2);
    log.collect('bills', job().event);
    log.collect('mails', job().event);

    expect(log.collect('bills', { type: 'stopped', why: 'why' })).toBe(false);

    expect(written).toHaveLength(1);
    expect(written[0]).toContain("Job 'bills': registered");
    await clock.advance(1_000);
    expect(written).toHaveLength(2);
  });

  test('is part of one entry for all if there are many jobs', async () => {
    const { log, written, clock } = events(6);
    for (const name of ['j0', 'j1']) {
      const { watch, event } = job();
      log.collect(name, event);
      log.collect(name, { type: 'leads' });
      log.collect(name, { type: 'assigned', owners: new Map() });
      Object.assign(watch, { leader: 'A', items: [{ item: 0, owner: 'A' }] });
    }
    expect(written).toEqual([]);

    await clock.advance(1_000);

    expect(written).toEqual(["ElasticJob | Registered 2 jobs ('j0', 'j1') by instance A; A leads 2; items: 2 to A."]);
  });
});

describe('in a process of many jobs', () => {
  test('an event of one job alone is an entry of that job', async () => {
    const { log, written, clock } = events(6);
    log.collect('orders', { type: 'leads' });
    log.collect('bills', { type: 'joined', peer: 'B' });

    await clock.advance(1_000);

    expect(written).toEqual([
      "ElasticJob:orders | Job 'orders': instance A leads.",
      "ElasticJob:bills | Job 'bills': instance B has joined.",
    ]);
  });

  test('events that go on and on are written after ten seconds at the latest', async () => {
    const { log, written, clock } = events(6);
    for (let count = 0; count < 19; count++) {
      log.collect(`j${count}`, { type: 'leads' });
      await clock.advance(500);
    }
    expect(written).toEqual([]);

    log.collect('last', { type: 'leads' });
    await clock.advance(500);

    expect(written).toHaveLength(1);
    expect(written[0]).toContain('leads 20 jobs');
  });

  test('what concerns one job only is not collected, nor is anything in a process of five jobs', () => {
    expect(events(6).log.collect('j', { type: 'items-disabled', items: [1] })).toBe(false);
    expect(events(5).log.collect('j', { type: 'leads' })).toBe(false);
    expect(events(6).log.collect('j', { type: 'leads' })).toBe(true);
  });
});
