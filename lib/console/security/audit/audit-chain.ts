/**
 * The lines of the audit. Each has its own code, an HMAC with a key, and the code of the line before. A line that is
 * changed, removed or inserted is found, as it cannot get a valid code without the key:
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

/** A parsed line of the audit. */
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

/** Parses a line. @returns `undefined` if it is invalid, for instance cut off by a crash */
export function parseLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && codeOf(value) !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The code of a line, which the next line has as `previous`. Earlier releases had a hash without a key. */
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

  /** Checks the next line. @returns its problem, or `undefined` */
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
