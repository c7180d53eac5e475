/** What the server has confirmed to a session, as `ej_attach` reads it. */
export interface Confirmed {
  readonly beats: number;
  readonly commits: readonly (readonly [job: string, revision: number])[];
}

/**
 * What the server has confirmed to this session. When the session comes back to a server that does not know it, such as
 * a replica that was promoted without the latest commits, its nodes may be missing there, so it is over. A heartbeat is
 * written after all commits that were confirmed before its sending, so only those that came later are remembered one by
 * one.
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
