import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditKeyOrNew } from '../../../lib/console/security/audit/audit-folder.js';
import { AuditFile } from '../../../lib/console/security/audit/audit-file.js';
import { CommandStage, type Outcome } from './stage.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-verify-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function runCli(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  await using stage = await CommandStage.open();
  return await stage.run(words, {}, { environment, directory: folder });
}

async function writeAudit(key?: string): Promise<void> {
  const file = await AuditFile.open({
    ...{ folder, name: 'audit', key: await auditKeyOrNew(folder, key) },
    retention: { files: 10, bytes: 1e6 },
  });
  for (let at = 0; at < 3; at++)
    await file.append({ id: String(at), at, ip: '', action: 'job.trigger', outcome: 'done', requestId: '' });
}

test('audit verify says of how many records that they are as written', async () => {
  await writeAudit();

  const { out, exitCode } = await runCli(['audit', 'verify', '--state', folder]);

  expect(exitCode).toBe(0);
  expect(out).toMatch(/^FILES OF +RECORDS +FROM +TO +RESULT/);
  expect(out).toMatch(/audit +3 +1970-01-01T00:00:00.000Z +1970-01-01T00:00:00.002Z +as written/);
});

test('audit verify ends with 1 and names the first line that was changed', async () => {
  await writeAudit();
  const path = join(folder, 'audit.jsonl');
  await writeFile(path, (await readFile(path, 'utf8')).replace('"at":1', '"at":7'));

  const { out, exitCode } = await runCli(['audit', 'verify', '--json', '--state', folder]);

  expect(exitCode).toBe(1);
  expect(JSON.parse(out)).toEqual([
    {
      name: 'audit',
      files: 1,
      records: 1,
      broken: { file: path, line: 2, problem: expect.stringContaining('changed') },
    },
    { name: 'refusals', files: 0, records: 0 },
  ]);
});

test('audit verify takes folder and key from the settings and the environment', async () => {
  const key = 'a key of the audit with many characters';
  await writeAudit(key);
  const file = join(folder, 'console.yaml');
  await writeFile(file, `console: { stateFolder: '${folder}' }`);

  const right = await runCli(['audit', 'verify', '-c', file], { EJC_AUDIT_KEY: key });
  const wrong = await runCli(['audit', 'verify', '-c', file], { EJC_AUDIT_KEY: `${key}!` });
  const none = await runCli(['audit', 'verify', '-c', file]);

  expect([right.exitCode, wrong.exitCode, none.exitCode]).toEqual([0, 1, 2]);
  expect(none.err).toContain('There is no key of the audit');
});

test('audit verify ends with 2 if it is not told which folder, or there is no audit', async () => {
  const nowhere = await runCli(['audit', 'verify']);
  const empty = await runCli(['audit', 'verify', '--state', folder], { EJC_AUDIT_KEY: 'k'.repeat(32) });

  expect([nowhere.exitCode, empty.exitCode]).toEqual([2, 2]);
  expect(nowhere.err).toContain('Name the folder of the audit by --state');
  expect(empty.err).toContain('There is no audit in');
});
