/**
 * Tells a server that takes writes rightly from a former primary. Each promotion puts the promoted server on a higher
 * timeline; a former primary that starts again takes writes on the lower one, and knows nothing of its successor.
 */
import { type PostgresResult, type PostgresStatement } from './driver.js';
import { isServerAnswer } from './faults.js';

/** The database system that a server belongs to, and its timeline there. */
export interface ServerIdentity {
  /** The same for a primary and all its replicas. */
  readonly system: string;
  readonly timeline: number;
}

const IDENTITY = `SELECT (SELECT system_identifier FROM pg_control_system())::text AS system,
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`;

/**
 * Asks a server that takes writes for its identity.
 * @returns `undefined` if a service does not tell it
 * @throws LinkBrokenError if no answer comes
 */
export async function askForIdentity(
  ask: (statement: PostgresStatement) => Promise<PostgresResult>,
): Promise<ServerIdentity | undefined> {
  try {
    const { rows } = await ask({ text: IDENTITY });
    const { system, timeline } = rows[0] ?? {};
    if (typeof system !== 'string' || typeof timeline !== 'string') return undefined;
    return { system, timeline: Number.parseInt(timeline, 16) };
  } catch (error) {
    if (isServerAnswer(error)) return undefined;
    throw error;
  }
}

/** The newest timelines that a process has met. */
export class Timelines {
  readonly #newest = new Map<string, number>();

  note(identity: ServerIdentity | undefined): void {
    if (identity === undefined) return;
    const { system, timeline } = identity;
    this.#newest.set(system, Math.max(timeline, this.#newest.get(system) ?? 0));
  }

  /** @returns the newest timeline of that system if the server is on a former one */
  successorOf(identity: ServerIdentity | undefined): number | undefined {
    if (identity === undefined) return undefined;
    const newest = this.#newest.get(identity.system) ?? 0;
    return newest > identity.timeline ? newest : undefined;
  }
}
