import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { verifyAudit } from '../../../../lib/console/security/audit/audit-folder.js';
import {
  AuditFile,
  AuditMemory,
  type AuditRetention,
  type AuditStorage,
} from '../../../../lib/console/security/audit/audit-file.js';
import { AuditLog } from '../../../../lib/console/security/audit/audit-log.js';
import { ConsoleProblem } from '../../../../lib/console/answers/console-problem.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const caller = { username: 'anna', role: 'admin', provider: 'local', ip: '10.0.0.1', requestId: 'r1' } as const;

let folder: string;
let log: string[];
let clock: ManualClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  log = [];
  clock = new ManualClock('2030-01-01T00:00:00Z');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function auditInto(storage: AuditStorage, refusals: AuditStorage = new AuditMemory()): AuditLog {
  const write = (message: string): void => void log.push(message);
  return new AuditLog({ storage, refusals, clock, logger: { error: write, warn: write } });
}

const KEY = Buffer.from('a key');

function openFile(retention: Partial<AuditRetention> = {}): Promise<AuditFile> {
  return AuditFile.open({ folder, name: 'audit', key: KEY, retention: { files: 10, bytes: 1e6, ...retention } });
}

/** The lines of the audit, changed. */
async function rewritten(change: (lines: readonly string[]) => readonly string[]): Promise<void> {
  const path = join(folder, 'audit.jsonl');
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, `${change(lines).join('\n')}\n`);
}

/** Records some actions, a second apart. */
async function recordSome(audit: AuditLog, count: number, from = 0): Promise<void> {
  for (let number = from; number < from + count; number++) {
    await audit.record({ action: 'job.trigger', registry: 'main', target: `job${number}`, caller }, () => undefined);
    await clock.advance(1_000);
  }
}

describe('the audit', () => {
  test('records who did what, why, and what it changed', async () => {
    const audit = auditInto(new AuditMemory());

    const result = await audit.record(
      { action: 'job.config', registry: 'main', target: 'orders', reason: 'late', caller },
      (notes) => {
        notes.note('cron', '0 0 1 * * ?', '0 0 2 * * ?');
        notes.note('cron', '0 0 2 * * ?', '0 0 3 * * ?');
        notes.note('label', undefined, 'a');
        notes.note('label', 'a', undefined);
        notes.note('email.password', 'one', 'two');
        return 'changed';
      },
    );

    expect(result).toBe('changed');
    expect((await audit.find({}, { limit: 10 })).items).toEqual([
      {
        ...{ id: expect.any(String), at: clock.now(), username: 'anna', role: 'admin', provider: 'local' },
        ...{
          ip: '10.0.0.1',
          action: 'job.config',
          registry: 'main',
          target: 'orders',
          reason: 'late',
          outcome: 'done',
        },
        before: { cron: '0 0 1 * * ?', 'email.password': '******' },
        after: { cron: '0 0 3 * * ?', 'email.password': '******' },
        requestId: 'r1',
      },
    ]);
  });

  test('tells what was refused from what has failed', async () => {
    const audit = auditInto(new AuditMemory());
    const fail = async (error: Error): Promise<void> => {
      await audit.record({ action: 'job.trigger', caller }, () => Promise.reject(error)).catch(() => undefined);
      await clock.advance(1);
    };

    await fail(new ConsoleProblem(409, 'job-state', 'The job is disabled.'));
    await fail(new ConsoleProblem(503, 'registry-unavailable', 'Nobody answers.'));
    await fail(new Error('postgres://console:s3cret@db did not work'));
    await audit.refused({ action: 'request', caller }, 'not-permitted');

    const { items } = await audit.find({}, { limit: 10 });
    expect(items.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['refused', 'not-permitted'],
      ['failed', expect.stringContaining('did not work')],
      ['failed', 'Nobody answers.'],
      ['refused', 'The job is disabled.'],
    ]);
    expect(JSON.stringify(items)).not.toContain('s3cret');
  });

  test('is found by filters, in pages from the newest on', async () => {
    const audit = auditInto(new AuditMemory());
    await recordSome(audit, 5);
    await audit.refused(
      { action: 'auth.login', target: 'bert', caller: { ip: '10.0.0.2', requestId: 'r2' } },
      'login-failed',
    );
    const targets = async (query: Parameters<AuditLog['find']>[0], limit = 10): Promise<readonly unknown[]> =>
      (await audit.find(query, { limit })).items.map(({ target }) => target);
    const start = Date.UTC(2030, 0, 1);

    const first = await audit.find({ action: 'job.' }, { limit: 2 });
    const second = await audit.find({ action: 'job.' }, { limit: 2, cursor: first.nextCursor });
    const third = await audit.find({ action: 'job.' }, { limit: 2, cursor: second.nextCursor });

    expect([first, second, third].map(({ items }) => items.map(({ target }) => target))).toEqual([
      ['job4', 'job3'],
      ['job2', 'job1'],
      ['job0'],
    ]);
    expect(third.nextCursor).toBeUndefined();
    expect((await audit.find({ action: 'job.' }, { limit: 5 })).nextCursor).toBeUndefined();
    expect(await targets({ action: 'job' })).toEqual([]);
    expect(await targets({ username: 'anna', target: 'job3' })).toEqual(['job3']);
    expect(await targets({ outcome: 'refused' })).toEqual(['bert']);
    expect(await targets({ registry: 'other' })).toEqual([]);
    expect(await targets({ from: start + 2_000, to: start + 3_000 })).toEqual(['job3', 'job2']);
  });

  test('tells listeners, one of which may fail', async () => {
    const audit = auditInto(new AuditMemory());
    const heard: unknown[] = [];
    audit.onRecord(() => {
      throw new Error('no connection');
    });
    const stop = audit.onRecord(({ target }) => void heard.push(target));

    await recordSome(audit, 1);
    stop();
    await recordSome(audit, 1, 1);

    expect(heard).toEqual(['job0']);
    expect(log).toEqual(Array(2).fill("A listener of the console's audit has failed: Error: no connection"));
  });

  test('that cannot be written is in the log, and what was done stays done', async () => {
    const broken = { append: () => Promise.reject(new Error('no space')), newestFirst: () => [] };
    const audit = auditInto(broken);

    expect(await audit.record({ action: 'job.trigger', target: 'orders', caller }, () => 'done')).toBe('done');
    expect(log.join()).toMatch(
      /A record of the console's audit could not be written and is lost \(.*orders.*\): Error: no space/,
    );
  });

  test('records five refusals of a kind, and counts the rest of the minute in one record', async () => {
    const audit = auditInto(new AuditMemory());
    const refuse = (ip: string, error: string): Promise<void> =>
      audit.refused({ action: 'request', target: `/${'a'.repeat(3_000)}`, caller: { ip, requestId: 'r' } }, error);
    for (let request = 0; request < 353; request++) await refuse('10.0.0.2', 'wrong-token');
    await refuse('10.0.0.2', 'cross-site');
    await refuse('10.0.0.3', 'wrong-token');
    const found = async (): Promise<readonly unknown[]> =>
      (await audit.find({ action: 'request' }, { limit: 1_000 })).items.map(({ ip, error, count }) => [
        ip,
        error,
        count,
      ]);

    const before = await found();
    await clock.advance(60_000);
    const after = await found();
    await refuse('10.0.0.2', 'wrong-token');

    expect(before).toEqual([
      ['10.0.0.3', 'wrong-token', undefined],
      ['10.0.0.2', 'cross-site', undefined],
      ...Array<unknown>(5).fill(['10.0.0.2', 'wrong-token', undefined]),
    ]);
    expect(after).toEqual([['10.0.0.2', 'and 348 more: wrong-token', 348], ...before]);
    expect(await found()).toEqual([['10.0.0.2', 'wrong-token', undefined], ...after]);
    const { items } = await audit.find({}, { limit: 1_000 });
    expect(Math.max(...items.map((item) => JSON.stringify(item).length))).toBeLessThan(600);
  });

  test('is pushed out by no refusals, of strangers or of users', async () => {
    const done = new AuditMemory(10);
    const refused = new AuditMemory(100);
    const audit = auditInto(done, refused);
    await recordSome(audit, 5);

    for (let request = 0; request < 2_000; request++) {
      await audit.refused({ action: 'request', caller: { ...caller, username: `u${request}` } }, 'not-permitted');
      const anonymous = { ip: `10.0.${request % 256}.${request >> 8}`, requestId: 'r' };
      await audit
        .record({ action: 'auth.login', caller: anonymous }, () => Promise.reject(new Error('no answer')))
        .catch(() => undefined);
    }
    await clock.advance(60_000);

    expect([...done.newestFirst()].map(({ target }) => target)).toEqual(['job4', 'job3', 'job2', 'job1', 'job0']);
    expect([...refused.newestFirst()]).toHaveLength(100);
  });

  test('counts callers beyond five hundred together', async () => {
    const audit = auditInto(new AuditMemory(), new AuditMemory(10_000));
    for (let client = 0; client < 600; client++)
      await audit.refused(
        { action: 'request', caller: { ip: `10.0.${client >> 8}.${client & 255}`, requestId: 'r' } },
        'wrong-token',
      );

    await audit.stop();

    const { items } = await audit.find({}, { limit: 10_000 });
    expect(items).toHaveLength(506);
    expect(items[0]).toMatchObject({ ip: '', error: 'and 95 more, of other callers', count: 95 });
    expect(clock.timers).toBe(0);
  });

  test('in memory keeps the latest ten thousand records', async () => {
    const memory = new AuditMemory();
    for (let at = 0; at < 10_001; at++)
      await memory.append({ id: String(at), at, ip: '', action: 'a', outcome: 'done', requestId: '' });

    const kept = [...memory.newestFirst()];

    expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([10_000, '10000', '1']);
  });
});

describe('the files of the audit', () => {
  test('are begun anew at a size, chained, as many as the settings say', async () => {
    const audit = auditInto(await openFile({ files: 4, bytes: 1_500 }));
    await recordSome(audit, 60);

    const names = await readdir(folder);
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));

    expect(names.sort()).toEqual(['audit.1.jsonl', 'audit.2.jsonl', 'audit.3.jsonl', 'audit.jsonl']);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(1_500);
    const { items } = await audit.find({}, { limit: 200 });
    expect([items[0]?.target, items[1]?.target]).toEqual(['job59', 'job58']);
    expect(items[0]).not.toHaveProperty('mac');
    expect(await verifyAudit(folder, 'audit', KEY)).toEqual({
      ...{ name: 'audit', files: 4, records: items.length },
      ...{ from: items.at(-1)?.at, to: items[0]?.at },
    });
  });

  test('are fewer once the settings say so', async () => {
    await recordSome(auditInto(await openFile({ files: 4, bytes: 1_500 })), 60);

    await recordSome(auditInto(await openFile({ files: 2, bytes: 1_500 })), 1, 60);

    expect((await readdir(folder)).length).toBeLessThanOrEqual(2);
  });

  test('are removed once all of their records are older than the days of the settings', async () => {
    const audit = auditInto(await openFile({ files: 5, days: 10 }));
    for (let day = 0; day < 40; day++) {
      await recordSome(audit, 1, day);
      await clock.advance(24 * 60 * 60_000 - 1_000);
    }

    const { items } = await audit.find({}, { limit: 200 });
    const targets = items.map(({ target }) => target);

    expect(targets.slice(0, 11)).toEqual(Array.from({ length: 11 }, (_, index) => `job${39 - index}`));
    expect(targets.length).toBeLessThanOrEqual(13);
    expect((await verifyAudit(folder, 'audit', KEY)).broken).toBeUndefined();
  });

  test('go on after a crash that has cut the last line off', async () => {
    await recordSome(auditInto(await openFile()), 2);
    const path = join(folder, 'audit.jsonl');
    await writeFile(path, `${await readFile(path, 'utf8')}{"id":"cut o`);

    const audit = auditInto(await openFile());
    await recordSome(audit, 1, 2);

    expect((await audit.find({}, { limit: 10 })).items.map(({ target }) => target)).toEqual(['job2', 'job1', 'job0']);
    expect(await verifyAudit(folder, 'audit', KEY)).toMatchObject({ records: 3 });
    expect(await verifyAudit(folder, 'audit', KEY)).not.toHaveProperty('broken');
  });

  test.each<[string, (lines: readonly string[]) => readonly string[], number, string]>([
    ['is changed', (lines) => lines.with(1, lines[1]!.replace('job1', 'job7')), 2, 'has been changed'],
    ['is taken out', (lines) => lines.toSpliced(1, 1), 2, 'does not follow'],
    ['is cut off in the middle', (lines) => lines.with(1, lines[1]!.slice(0, 20)), 3, 'does not follow'],
    ['is put in again', (lines) => lines.toSpliced(2, 0, lines[0]!), 3, 'does not follow'],
    ['has no code', (lines) => lines.with(1, lines[1]!.replace('"mac"', '"hash"')), 2, 'has no code'],
  ])('show that a line %s', async (_, change, line, problem) => {
    await recordSome(auditInto(await openFile()), 4);

    await rewritten(change);

    const { broken } = await verifyAudit(folder, 'audit', KEY);
    expect(broken).toEqual({ file: join(folder, 'audit.jsonl'), line, problem: expect.stringContaining(problem) });
  });

  test('fit for nobody who has another key', async () => {
    await recordSome(auditInto(await openFile()), 2);

    expect(await verifyAudit(folder, 'audit', Buffer.from('another'))).toMatchObject({ broken: { line: 1 } });
  });
});
