import { createHash } from 'node:crypto';
import { type PostgresStatement } from './connection/driver.js';
import { type MissedEntry } from './mirror/journal-rows.js';
import { type Confirmed } from './receipts.js';
import { quoted } from './schema/migration.js';

/** The place of a registry centre's tree, and the way it writes there. */
export interface Place {
  readonly schema: string;
  readonly namespace: string;
  /** True if mirrors are notified; otherwise they poll. */
  readonly notify: boolean;
}

/** The answer of `ej_commits`. */
export interface CommitsAnswer {
  readonly answers: readonly CommitAnswer[];
  /** What others have committed since the known positions, in the order of the revisions of each job. */
  readonly missed: readonly MissedEntry[];
}

/** The answer of `ej_commit`. */
export type CommitAnswer =
  | {
      readonly revision: number;
      /** The revision that each job that was changed had before. */
      readonly previous: Readonly<Record<string, number>>;
      /** True if there was a node to create or to remove. */
      readonly done: boolean;
      readonly changed: boolean;
    }
  | { readonly conflict: 'exists' | 'absent' | 'changed'; readonly path: string }
  | { readonly refused: string; readonly path: string }
  | { readonly session: 'gone' };

/** The answer of `ej_beat`. */
export type BeatAnswer =
  | { readonly session: 'gone' }
  | {
      /** From where the next heartbeat asks for changes: the number of a transaction. */
      readonly since: string;
      /** The number of heartbeats of this session that the server has written. */
      readonly beats: number;
      readonly jobs: readonly (readonly [job: string, revision: number])[];
      /** When the next session of another process is over unless it is prolonged, in milliseconds; negative: it is. */
      readonly nextEndMs: number | null;
    };

/** All statements that a registry centre sends. Their names are those under which a connection prepares them. */
export class Statements {
  readonly #s: string;
  readonly #namespace: string;
  /** The channel of the namespace's notifications. A name may have 63 bytes. */
  readonly channel: string | undefined;

  constructor({ schema, namespace, notify }: Place) {
    this.#s = quoted(schema);
    this.#namespace = namespace;
    const name = createHash('sha256').update(`${schema}/${namespace}`).digest('hex').slice(0, 32);
    this.channel = notify ? `elasticjob_${name}` : undefined;
  }

  /** @param known `undefined` for a new session */
  attach(session: string, timeoutMs: number, known: Confirmed | undefined): PostgresStatement {
    const confirmed = known && JSON.stringify(known);
    return this.#call('ej_attach', [this.#namespace, session, timeoutMs, confirmed, this.channel]);
  }

  end(session: string): PostgresStatement {
    return this.#call('ej_end', [this.#namespace, session, this.channel]);
  }

  beat(session: string, epoch: number, since: string): PostgresStatement {
    return this.#call('ej_beat', [this.#namespace, session, epoch, since]);
  }

  sweep(): PostgresStatement {
    return this.#call('ej_sweep', [this.#namespace, this.channel]);
  }

  sweepOrphans(): PostgresStatement {
    return this.#call('ej_sweep_orphans', [this.#namespace, this.channel]);
  }

  prune(most: number): PostgresStatement {
    return this.#call('ej_prune', [most]);
  }

  /**
   * @param commits as JSON: a list of `[id, operations, whether it notifies]`
   * @param known revisions of jobs: the answer brings the journal between them and these commits
   */
  commits(
    of: { readonly id: string; readonly epoch: number },
    commits: string,
    known: ReadonlyMap<string, number>,
  ): PostgresStatement {
    const positions = JSON.stringify(Object.fromEntries(known));
    return this.#call('ej_commits', [this.#namespace, of.id, of.epoch, commits, positions, this.channel]);
  }

  /** The revision of a commit, if it was carried out and has changed anything. */
  outcome(session: string, id: number, jobs: readonly string[]): PostgresStatement {
    return {
      name: 'ej_outcome',
      text: `SELECT revision, previous, job FROM ${this.#s}.ej_change
        WHERE namespace = $1 AND job = ANY ($2) AND session = $3 AND commit_id = $4`,
      values: [this.#namespace, jobs, session, id],
    };
  }

  nodes(paths: readonly string[]): PostgresStatement {
    return {
      name: 'ej_nodes',
      text: `SELECT path, value, version, revision, session FROM ${this.#s}.ej_node
        WHERE namespace = $1 AND path = ANY ($2)`,
      values: [this.#namespace, paths],
    };
  }

  children(paths: readonly string[]): PostgresStatement {
    return {
      name: 'ej_children',
      text: `SELECT parent, path FROM ${this.#s}.ej_node WHERE namespace = $1 AND parent = ANY ($2)`,
      values: [this.#namespace, paths],
    };
  }

  /**
   * A subtree, and the revision of its job, as of one moment: rows with a `job` are revisions, all others are nodes.
   * `/` is the subtree of all jobs.
   */
  subtree(path: string): PostgresStatement {
    const [, job = ''] = path.split('/');
    const isAll = job === '';
    // '0' follows '/'. The node itself is asked for apart: between it and what is below it, there are siblings such as
    // `${path}-1`.
    const below = `UNION ALL SELECT NULL, path, value, version, revision, session
        FROM ${this.#s}.ej_node WHERE namespace = $1 AND path > $3 || '/' AND path < $3 || '0'`;
    return {
      name: isAll ? 'ej_tree' : 'ej_subtree',
      text: `SELECT job, NULL AS path, NULL AS value, NULL AS version, revision, NULL AS session
        FROM ${this.#s}.ej_job WHERE namespace = $1 ${isAll ? '' : 'AND job = $2'}
        UNION ALL SELECT NULL, path, value, version, revision, session
        FROM ${this.#s}.ej_node WHERE namespace = $1${isAll ? '' : ' AND path = $3'}
        ${isAll ? '' : below}`,
      values: isAll ? [this.#namespace] : [this.#namespace, job, path],
    };
  }

  /** The revision of each job. */
  revisions(): PostgresStatement {
    return {
      name: 'ej_revisions',
      text: `SELECT job, revision FROM ${this.#s}.ej_job WHERE namespace = $1`,
      values: [this.#namespace],
    };
  }

  /**
   * The changes of jobs since the given revisions, in order: one row for each commit, at least one for each job, all
   * with the job's present revision.
   * @param payloads notifications to send with it
   */
  journal(known: ReadonlyMap<string, number>, payloads: readonly string[] = []): PostgresStatement {
    // OFFSET 0 has the planner look up each job. With joins, it may read both tables as a whole.
    const changes = `SELECT k.job, j.revision AS head, c.revision, c.previous, c.session, c.changes
        FROM unnest($2::text[], $3::bigint[]) AS k (job, known)
        LEFT JOIN LATERAL (
          SELECT revision FROM ${this.#s}.ej_job WHERE namespace = $1 AND job = k.job OFFSET 0
        ) AS j ON true
        LEFT JOIN LATERAL (
          SELECT revision, previous, session, changes FROM ${this.#s}.ej_change
          WHERE namespace = $1 AND job = k.job AND revision > k.known OFFSET 0
        ) AS c ON true`;
    const values = [this.#namespace, [...known.keys()], [...known.values()]];
    if (payloads.length === 0) return { name: 'ej_journal', text: `${changes} ORDER BY k.job, c.revision`, values };
    return {
      name: 'ej_announcing_journal',
      text: `SELECT NULL AS job, count(pg_notify($4, payload)) AS head, NULL::bigint AS revision, NULL AS previous,
          NULL AS session, NULL AS changes FROM unnest($5::text[]) AS payload
        UNION ALL ${changes} ORDER BY job, revision`,
      values: [...values, this.channel, payloads],
    };
  }

  time(): PostgresStatement {
    return { name: 'ej_time', text: 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now' };
  }

  lineage(): PostgresStatement {
    return {
      name: 'ej_lineage',
      text: `SELECT lineage, changes FROM ${this.#s}.ej_namespace WHERE name = $1`,
      values: [this.#namespace],
    };
  }

  #call(name: string, values: readonly unknown[]): PostgresStatement {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    return { name, text: `SELECT ${this.#s}.${name}(${places}) AS answer`, values };
  }
}
