/** The files of the audit in a folder: their names, their key, and the check of their lines. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeCause } from '../../../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { AuditChain, parseLine } from './audit-chain.js';

/** The two chains of files: of actions, and of refusals. */
export type AuditName = 'audit' | 'refusals';

/** The most files of one chain. */
export const MOST_FILES = 1_000;
const KEY_FILE = 'audit.key';

/** The result of checking a chain of files. */
export interface AuditVerdict {
  readonly name: AuditName;
  readonly files: number;
  readonly records: number;
  /** The times of the first and the last record, in milliseconds since 1970. */
  readonly from?: number;
  readonly to?: number;
  /** The first line that is not as it was written, counted from 1; absent if there is none. */
  readonly broken?: { readonly file: string; readonly line: number; readonly problem: string };
}

/** The path of a file: `audit.jsonl` has the newest records, `audit.1.jsonl` those before. */
export function auditPath(folder: string, name: AuditName, number: number): string {
  return join(folder, number === 0 ? `${name}.jsonl` : `${name}.${number}.jsonl`);
}

/** The text of a file; `undefined` if it does not exist. @throws InvalidConfigurationError if it cannot be read */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InvalidConfigurationError([`File '${path}' cannot be read: ${describeCause(cause)}`], { cause });
  }
}

/**
 * The key of the audit in a folder.
 * @param given the key of the settings; without it, the key in the folder, beside the records
 * @returns `undefined` if there is none
 */
export async function auditKey(folder: string, given?: string): Promise<Buffer | undefined> {
  const text = given ?? (await textOf(join(folder, KEY_FILE)));
  return text === undefined ? undefined : Buffer.from(text.trim(), 'utf8');
}

/** The key of the audit, created if there is none. */
export async function auditKeyOrNew(folder: string, given?: string): Promise<Buffer> {
  const known = await auditKey(folder, given);
  if (known !== undefined) return known;
  const made = randomBytes(32).toString('base64url');
  await writeFile(join(folder, KEY_FILE), `${made}\n`, { mode: 0o600, flag: 'wx' });
  return Buffer.from(made, 'utf8');
}

/**
 * Checks all lines of a chain of files, the oldest first. A line that a crash has cut off is ignored, as by the
 * console.
 * @throws InvalidConfigurationError if a file cannot be read
 */
export async function verifyAudit(folder: string, name: AuditName, key: Buffer): Promise<AuditVerdict> {
  const chain = new AuditChain(key);
  const all = { files: 0, records: 0 };
  const times: number[] = [];
  for (let number = MOST_FILES; number >= 0; number--) {
    const path = auditPath(folder, name, number);
    // One after the other, as the files are one chain, and each can be large.
    const text = await textOf(path);
    if (text === undefined) continue;
    all.files++;
    for (const [index, each] of text.split('\n').entries()) {
      const line = parseLine(each);
      if (line === undefined) continue;
      const problem = chain.problemOf(line);
      if (problem !== undefined) return { name, ...all, broken: { file: path, line: index + 1, problem } };
      all.records++;
      times[times.length === 0 ? 0 : 1] = Number(line['at']);
    }
  }
  const [from, to = from] = times;
  return { name, ...all, ...(from !== undefined && to !== undefined && { from, to }) };
}
