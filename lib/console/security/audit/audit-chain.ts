/**
 * The lines of the audit. Each has the code of the line before and one of itself, an HMAC with a key, so that a line
 * that is changed, taken out or put in shows, and nobody without the key can make it fit:
 *
 * ```
 *   {"id":"…","at":…,"action":"job.trigger",…,"previous":"<mac of the line before>","mac":"…"}
 * ```
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isMap } from '../../../api/text/describe-value.js';
import { type AuditRecord } from '../../contract/session.js';

/** `previous` of the first line. */
export const NO_PREVIOUS = '0'.repeat(64);

/** A line of the audit, read. */
export type AuditLine = Readonly<Record<string, unknown>>;

/** The line of a record. */
export function chainedLine(
  record: AuditRecord,
  previous: string,
  key: Buffer,
): { readonly text: string; readonly mac: string } {
  const content = { ...record, previous };
  const mac = macOf(content, key);
  return { text: `${JSON.stringify({ ...content, mac })}\n`, mac };
}

/** Reads a line. @returns `undefined` if it is none, such as one that a crash has cut off */
export function parseLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && codeOf(value) !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the next line has as `previous`. Earlier releases had a hash without a key. */
export function codeOf({ mac, hash }: AuditLine): string | undefined {
  return [mac, hash].find((each) => typeof each === 'string');
}

/** The record of a line. */
export function recordOf({ previous: _previous, mac: _mac, hash: _hash, ...record }: AuditLine): AuditRecord {
  return record as unknown as AuditRecord;
}

/** Checks a chain, line by line. */
export class AuditChain {
  readonly #key: Buffer;
  #previous: string | undefined;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Takes the next line. @returns what is wrong with it; `undefined` if it fits */
  problemOf(line: AuditLine): string | undefined {
    const { mac, ...content } = line;
    const before = this.#previous;
    this.#previous = codeOf(line);
    if (typeof mac !== 'string') return 'has no code that was made with a key';
    const [given, right] = [mac, macOf(content, this.#key)].map((text) => Buffer.from(text));
    if (given?.length !== right?.length || !timingSafeEqual(given as Buffer, right as Buffer))
      return 'has been changed, or was written with another key';
    return before === undefined || content['previous'] === before ? undefined : 'does not follow the line before it';
  }
}

function macOf(content: object, key: Buffer): string {
  return createHmac('sha256', key).update(JSON.stringify(content)).digest('hex');
}
