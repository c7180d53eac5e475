/** The heartbeats and commits that the server has confirmed to a session, as `ej_attach` reads them. */
export interface Confirmed {
  readonly beats: number;
  readonly commits: readonly (readonly [job: string, revision: number])[];
}

/**
 * The heartbeats and commits that the server has confirmed to this session. A session is over if it comes back to a
 * server that does not know them: a replica that was promoted without the latest commits may lack its nodes. The server
 * writes a heartbeat after all commits that it confirmed before the heartbeat was sent, so only later commits are
 * remembered one by one.
 */
export class Receipts {
  #beats = 0;
  #commits: (readonly [job: string, revision: number])[] = [];
  #forgotten = 0;

  /** Number of commits that were confirmed up to now; to be taken when a heartbeat is sent. */
  get count(): number {
    return this.#forgotten + this.#commits.length;
  }

  get confirmed(): Confirmed {
    return { beats: this.#beats, commits: this.#commits };
  }

  /** A commit was confirmed. One of its jobs is enough, because it was written as a whole. */
  onCommit(job: string, revision: number): void {
    this.#commits.push([job, revision]);
  }

  /**
   * A heartbeat was confirmed.
   * @param beats how many of the session the server has written
   * @param count the number of commits that were confirmed when it was sent
   */
  onBeat(beats: number, count: number): void {
    this.#beats = Math.max(this.#beats, beats);
    const known = Math.max(0, count - this.#forgotten);
    this.#commits = this.#commits.slice(known);
    this.#forgotten += known;
  }
}
