import { type AuditRecord } from '../../contract/session.js';
import { networkOf } from '../callers/client-network.js';

/** The number of refusals of one kind that are recorded singly in a minute. */
const SINGLE = 5;
/** The most callers and kinds that are counted separately in a minute; further ones are counted together. */
const MOST_KINDS = 500;

interface Count {
  /** The latest refusal that was not recorded singly. */
  latest: AuditRecord;
  count: number;
}

/**
 * Counts refusals, separately for each caller and kind: refused requests cannot fill the audit, and many refusals of
 * one caller do not hide those of others.
 */
export class RefusalCounts {
  #counts = new Map<string, Count>();

  /** Counts a refusal. @returns true if it must be recorded singly */
  admits(record: AuditRecord): boolean {
    const { username, ip, action, error } = record;
    const own = JSON.stringify([username ?? networkOf(ip), action, error]);
    const key = this.#counts.has(own) || this.#counts.size < MOST_KINDS ? own : 'others';
    const before = this.#counts.get(key)?.count ?? 0;
    this.#counts.set(key, { latest: record, count: before + 1 });
    return before < SINGLE;
  }

  /** The records of refusals that were not recorded singly: one for each caller and kind. The counts begin again. */
  take(): readonly AuditRecord[] {
    const all = [...this.#counts];
    this.#counts = new Map();
    return all.flatMap(([key, { latest, count }]) => (count <= SINGLE ? [] : [recordOf(key, latest, count - SINGLE)]));
  }
}

function recordOf(key: string, latest: AuditRecord, more: number): AuditRecord {
  if (key !== 'others')
    return { ...withoutTarget(latest), error: `and ${more} more: ${latest.error ?? ''}`, count: more };
  const { id, at, action, outcome, requestId } = latest;
  return { id, at, action, outcome, requestId, ip: '', error: `and ${more} more, of other callers`, count: more };
}

function withoutTarget({ target: _target, ...record }: AuditRecord): AuditRecord {
  return record;
}
