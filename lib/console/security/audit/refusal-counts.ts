import { type AuditRecord } from '../../contract/session.js';
import { networkOf } from '../callers/client-network.js';

/** So many refusals of one kind are recorded one by one in a minute. */
const SINGLE = 5;
/** Callers and kinds that are told apart in a minute; those beyond are counted together. */
const MOST_KINDS = 500;

interface Count {
  /** The latest one that was not recorded by itself. */
  latest: AuditRecord;
  count: number;
}

/**
 * Counts what callers are refused, each caller and each kind by itself: nobody fills the audit by being refused, and
 * nobody's noise hides what others try.
 */
export class RefusalCounts {
  #counts = new Map<string, Count>();

  /** Counts a refusal. @returns whether it is to be recorded by itself */
  admits(record: AuditRecord): boolean {
    const { username, ip, action, error } = record;
    const own = JSON.stringify([username ?? networkOf(ip), action, error]);
    const key = this.#counts.has(own) || this.#counts.size < MOST_KINDS ? own : 'others';
    const before = this.#counts.get(key)?.count ?? 0;
    this.#counts.set(key, { latest: record, count: before + 1 });
    return before < SINGLE;
  }

  /** The records of those that were not recorded by themselves: one for each caller and kind. The counts begin anew. */
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
