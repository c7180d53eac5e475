import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AuditFile, AuditMemory, type AuditStorage, brokenLine } from '../../../../lib/console/security/audit-file.js';
import { AuditLog } from '../../../../lib/console/security/audit-log.js';
import { ConsoleProblem } from '../../../../lib/console/http/console-problem.js';
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

function auditInto(storage: AuditStorage): AuditLog {
  const write = (message: string): void => void log.push(message);
  return new AuditLog({ storage, clock, logger: { error: write, warn: write } });
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
    const fail = (error: Error): Promise<unknown> =>
      audit.record({ action: 'job.trigger', caller }, () => Promise.reject(error)).catch(() => undefined);

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

  test('leaves out what strangers are refused beyond 120 times a minute, and nothing else', async () => {
    const audit = auditInto(new AuditMemory());
    const refuse = (): Promise<void> =>
      audit.refused({ action: 'request', caller: { ip: '10.0.0.2', requestId: 'r' } }, 'wrong-token');
    const count = async (): Promise<number> => (await audit.find({ action: 'request' }, { limit: 1_000 })).items.length;
    for (let request = 0; request < 130; request++) await refuse();
    await audit.refused({ action: 'request', caller }, 'not-permitted');

    expect(await count()).toBe(121);
    expect(log).toEqual([expect.stringContaining('for the rest of this minute, it leaves these out of the audit')]);
    await clock.advance(59_999);
    await refuse();
    expect(await count()).toBe(121);
    await clock.advance(1);
    await refuse();
    expect(await count()).toBe(122);
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
  test('are begun anew at a size, chained, nine old ones at most', async () => {
    const audit = auditInto(await AuditFile.open(folder, 1_500));
    await recordSome(audit, 60);

    const names = await readdir(folder);
    const chronological = [
      'audit.jsonl',
      ...Array.from({ length: 9 }, (_, index) => `audit.${index + 1}.jsonl`),
    ].reverse();
    const texts = await Promise.all(chronological.map((name) => readFile(join(folder, name), 'utf8')));
    const lines = texts.flatMap((text) => text.trimEnd().split('\n'));

    expect(names.sort()).toEqual([...chronological].sort());
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(1_500);
    expect(brokenLine(lines)).toBeUndefined();
    const { items } = await audit.find({}, { limit: 200 });
    expect(items).toHaveLength(lines.length);
    expect([items[0]?.target, items[1]?.target]).toEqual(['job59', 'job58']);
    expect(items[0]).not.toHaveProperty('hash');
  });

  test('go on after a crash that has cut the last line off', async () => {
    await recordSome(auditInto(await AuditFile.open(folder)), 2);
    const path = join(folder, 'audit.jsonl');
    const whole = await readFile(path, 'utf8');
    await writeFile(path, `${whole}{"id":"cut o`);

    const audit = auditInto(await AuditFile.open(folder));
    await recordSome(audit, 1, 2);

    expect((await audit.find({}, { limit: 10 })).items.map(({ target }) => target)).toEqual(['job2', 'job1', 'job0']);
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(brokenLine(lines.filter((line) => line !== '' && !line.includes('cut o')))).toBeUndefined();
  });
});
