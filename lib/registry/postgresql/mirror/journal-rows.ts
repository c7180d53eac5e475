/** The rows of statements about the tree and its journal, as mirrors take them. */
import { type MirroredNode } from '../../registry-center.js';
import { type JournalEntry, nodeOf, type Snapshot } from './postgresql-mirror.js';

/** Rows of a statement's answer. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** The journal of one job: its entries after the revision `known`, up to the revision `head`. */
export interface JobJournal {
  readonly head: number;
  readonly known: number;
  readonly entries: readonly JournalEntry[];
}

/** An entry of the journal as the answer to commits has it. */
export type MissedEntry = readonly [job: string, revision: number, previous: number, changes: JournalEntry['changes']];

/** The subtree of a path, from the rows of `Statements.subtree`. */
export function snapshotOf(path: string, rows: Rows): Snapshot {
  const nodes = new Map<string, MirroredNode>();
  const revisions = new Map<string, number>();
  if (path === '/') nodes.set('/', nodeOf({ value: '', version: 0, revision: 0, session: null }));
  for (const row of rows) {
    const revision = Number(row['revision']);
    if (typeof row['job'] === 'string') revisions.set(row['job'], revision);
    else
      nodes.set(
        String(row['path']),
        nodeOf({ ...(row as { value: string; version: number; session: null }), revision }),
      );
  }
  return { nodes, revisions };
}

/** The journals of jobs, from the rows of `Statements.journal`. */
export function journalsOf(known: ReadonlyMap<string, number>, rows: Rows): ReadonlyMap<string, JobJournal> {
  const found = new Map<string, JobJournal & { readonly entries: JournalEntry[] }>();
  for (const { job, head, revision, previous, changes } of rows) {
    // A statement that only announces has one row, without a job.
    if (typeof job !== 'string') continue;
    const of = found.get(job) ?? { head: Number(head), known: known.get(job) ?? 0, entries: [] };
    found.set(job, of);
    if (revision === null) continue;
    const entry = { revision: Number(revision), previous: Number(previous) };
    of.entries.push({ ...entry, changes: changes as JournalEntry['changes'] });
  }
  return found;
}

/** The journals of jobs up to a commit of our own, from its answer. */
export function missedJournals(
  known: ReadonlyMap<string, number>,
  missed: readonly MissedEntry[],
): ReadonlyMap<string, JobJournal> {
  const found = new Map<string, JobJournal>();
  for (const [job, revision, previous, changes] of missed) {
    const { entries = [] } = found.get(job) ?? {};
    found.set(job, {
      ...{ head: revision, known: known.get(job) ?? 0 },
      entries: [...entries, { revision, previous, changes }],
    });
  }
  return found;
}
