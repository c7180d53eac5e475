import { type Connected } from './postgresql-session.js';
import { type Mirrors } from './mirror/mirrors.js';
import { type CommitAnswer, type CommitsAnswer, type Statements } from './statements.js';

/** A commit as it is sent. */
export interface SentCommit {
  /** Unique in its session. */
  readonly id: number;
  /** Its operations as JSON. */
  readonly operations: string;
  readonly notifies: boolean;
  /** The jobs that it changes. */
  readonly jobs: readonly string[];
}

interface Waiting {
  readonly connected: Connected;
  readonly commit: SentCommit;
  readonly resolve: (answer: CommitAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Most commits, and most characters, that become one transaction. */
const MOST_COMMITS = 200;
const MOST_CHARACTERS = 2_000_000;

/**
 * Sends commits: at once while connections are free, and those that have to wait meanwhile together, as one transaction
 * with one wait for the disk. Each of them is carried out or refused by itself all the same.
 */
export class CommitBatches {
  readonly #statements: Statements;
  readonly #mirrors: Pick<Mirrors, 'positions' | 'onMissed'>;
  readonly #most: number;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  /** @param most most transactions at the same time */
  constructor(statements: Statements, mirrors: Pick<Mirrors, 'positions' | 'onMissed'>, most: number) {
    this.#statements = statements;
    this.#mirrors = mirrors;
    this.#most = most;
  }

  /**
   * @returns the server's answer to this commit
   * @throws what a link throws; it holds for all commits of the transaction
   */
  send(connected: Connected, commit: SentCommit): Promise<CommitAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ connected, commit, resolve, reject });
      this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    while (this.#underWay < this.#most) {
      const batch = this.#nextBatch();
      const [first] = batch;
      if (first === undefined) return;
      void this.#sendBatch(first.connected, batch);
    }
  }

  /** Those that wait for the same link, from the front, as many as fit; at least one. */
  #nextBatch(): readonly Waiting[] {
    const [first] = this.#waiting;
    let characters = 0;
    let count = 0;
    for (const { connected, commit } of this.#waiting) {
      characters += commit.operations.length;
      if (count > 0 && (connected !== first?.connected || characters > MOST_CHARACTERS || count >= MOST_COMMITS)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #sendBatch(connected: Connected, batch: readonly Waiting[]): Promise<void> {
    this.#underWay++;
    try {
      const commits = batch.map(({ commit: { id, operations, notifies } }) => `[${id},${operations},${notifies}]`);
      const known = this.#mirrors.positions(new Set(batch.flatMap(({ commit: { jobs } }) => jobs)));
      const { rows } = await connected.link.query(this.#statements.commits(connected, `[${commits.join(',')}]`, known));
      const { answers, missed } = rows[0]?.['answer'] as CommitsAnswer;
      // Before the answers, so that mirrors can show these commits next.
      if (!connected.link.isBroken) this.#mirrors.onMissed(known, missed);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('The server has answered fewer commits than it was sent'));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#underWay--;
      this.#sendWaiting();
    }
  }
}
