import { type NodeChange } from '../../../lib/registry/embedded/node-tree.js';
import { type Change, JobChanges } from './job-changes.js';
import { type Entry, type RunStage } from './run-words.js';

/** A commit that changed nodes of one job. */
export interface JobCommit {
  readonly job: string;
  /** Path of the job's root. */
  readonly root: string;
  /** Name of who committed. */
  readonly by: string;
  /** True if the end of a session removes the nodes; `by` is the owner of the session. */
  readonly isEndOfSession: boolean;
  readonly changes: readonly NodeChange[];
  /** Name of the owner by item after the commit. */
  readonly owners: readonly string[];
  /** `A` for the id of an instance. */
  readonly nameOf: (id: string) => string;
  /** True if an instance of that id was registered before. */
  readonly isKnown: (id: string) => boolean;
  /** The text with names in the place of ids. */
  readonly readable: (text: string) => string;
  /** `A's server` for an ip. */
  readonly serverOf: (ip: string) => string;
}

/**
 * Describes the effects of a commit on a job in words. Changes that belong together are one statement; the others
 * follow node by node, so that nothing is missing.
 */
export function tellCommit(commit: JobCommit): readonly Entry[] {
  const telling = new Telling(commit);
  telling.tell();
  return telling.said;
}

class Telling {
  readonly said: Entry[] = [];
  readonly #commit: JobCommit;
  readonly #changes: JobChanges;

  constructor(commit: JobCommit) {
    this.#commit = commit;
    this.#changes = new JobChanges(commit.root, commit.changes);
  }

  tell(): void {
    const { by, isEndOfSession } = this.#commit;
    const changes = this.#changes;
    if (isEndOfSession) this.#tellEndOfSession();
    if (changes.has('root', 'removed')) return this.#tellRemovedJob();
    this.#passOverAccepted();
    this.#tellInstances();
    this.#tellCrashes();
    this.#tellTakeOvers();
    // Before the statement about the run that makes up for it.
    this.#items(`${by} cleared the misfire of`, changes.take('misfire', 'removed'));
    this.#tellOwnRuns();
    for (const { of } of changes.take('trigger', 'removed'))
      this.#say(
        this.#name(of) === by ? `${by} accepted the trigger` : `${by} removed the trigger of ${this.#name(of)}`,
      );
    if (changes.take('leader', 'created').length > 0) this.#say(`${by} leads`);
    if (changes.take('leader', 'removed').length > 0) this.#say(`${by} no longer leads`);
    for (const { of } of changes.take('record', 'removed'))
      this.#sayAside(`${by} took over the begin record of ${this.#name(of)}`);
    this.#tellAssignment();
    this.#tellRounds();
    for (const change of changes.rest) this.#tellAlone(change);
  }

  /** An instance that has crashed, and the nodes that went with it. */
  #tellEndOfSession(): void {
    const { by } = this.#commit;
    const changes = this.#changes;
    const wasThere = changes.take('instance', 'removed').length + changes.take('live', 'removed').length > 0;
    const hasLed = changes.take('leader', 'removed').length > 0;
    if (wasThere) this.#say(`${by} is gone, its session is over${hasLed ? '; nobody leads' : ''}`);
    else if (hasLed) this.#say(`${by} no longer leads, its former session is over`);
    this.#items(`with it went its mark of`, changes.take('running', 'removed'));
    this.#items(`with it went its claim of`, changes.take('failover', 'removed'));
  }

  #tellRemovedJob(): void {
    this.#say(`${this.#commit.by} removed the job with all its nodes`);
  }

  /** The acceptance of a trigger, and the run that begins, say what waits. */
  #passOverAccepted(): void {
    const changes = this.#changes;
    if (!changes.has('trigger', 'removed') && !changes.has('running', 'created')) return;
    for (const did of ['created', 'written', 'removed'] as const) changes.take('accepted', did);
  }

  #tellInstances(): void {
    const { by } = this.#commit;
    const changes = this.#changes;
    for (const { of } of changes.take('instance', 'created')) {
      const name = this.#name(of);
      changes.take('live', 'created', (live) => live.of === of);
      changes.take('record', 'created', (record) => record.of === of);
      const server = changes.take('server', 'created')[0]?.after ?? 'ENABLED';
      const verb = this.#commit.isKnown(of) ? 'registered again' : 'joined';
      this.#say(
        `${name} ${verb}${by === name ? '' : ` by a write of ${by}`}${server === 'ENABLED' ? '' : `, its server ${server}`}`,
      );
    }
    for (const { of } of changes.take('instance', 'written')) {
      changes.take('live', 'written', (live) => live.of === of);
      this.#say(`${this.#name(of)} registered again, in place of what its former session left`);
    }
    for (const { of } of changes.take('instance', 'removed')) {
      changes.take('live', 'removed', (live) => live.of === of);
      this.#say(by === this.#name(of) ? `${by} left` : `${by} removed ${this.#name(of)}`);
    }
  }

  /** The unfinished work of instances that are gone, which now waits for others. */
  #tellCrashes(): void {
    const changes = this.#changes;
    const crashed = changes.take('crash', 'created');
    for (const { item } of crashed)
      for (const mark of ['running', 'failovering', 'failover'] as const)
        changes.take(mark, 'removed', (each) => each.item === item);
    this.#items(`${this.#commit.by} reported`, crashed, 'crashed');
  }

  #tellTakeOvers(): void {
    const { by } = this.#commit;
    const changes = this.#changes;
    const waiting = changes.take('crash', 'removed');
    const claimed = changes.take('failover', 'created', ({ after }) => this.#name(after) === by);
    const isWaiting = ({ item }: Change): boolean => waiting.some((each) => each.item === item);
    changes.take(
      'failovering',
      'created',
      ({ item, after }) => claimed.some((each) => each.item === item) && this.#name(after) === by,
    );
    this.#items(`${by} took over`, claimed.filter(isWaiting));
    this.#items(
      `${by} claimed`,
      claimed.filter((each) => !isWaiting(each)),
      '',
    );
    this.#items(
      `${by} removed the report of`,
      waiting.filter(({ item }) => !claimed.some((each) => each.item === item)),
    );
  }

  /** Marks of the committer's own runs; those of a takeover include its claims. */
  #tellOwnRuns(): void {
    const { by } = this.#commit;
    const changes = this.#changes;
    for (const { item } of changes.take('running', 'created', ({ after }) => this.#name(after) === by))
      this.#stage(item, 'marked');
    for (const { item } of changes.take('running', 'removed', ({ before }) => this.#name(before) === by)) {
      for (const mark of ['failover', 'failovering'] as const)
        changes.take(mark, 'removed', (each) => each.item === item && this.#name(each.before) === by);
      this.#stage(item, 'unmarked');
    }
  }

  /** Of items, before they start and when they have completed, for listeners that are called once. */
  #tellRounds(): void {
    const { by } = this.#commit;
    for (const { of } of this.#changes.take('round', 'removed')) {
      this.#changes.take('arrival', 'removed', (arrival) => arrival.of === of);
      this.#say(`${by} closed the ${of} round`);
    }
    this.#changes.take('round', 'created');
    for (const stage of ['started', 'completed'])
      this.#items(
        `${by} reported`,
        this.#changes.take('arrival', 'created', ({ of }) => of === stage),
        stage,
      );
  }

  #tellAssignment(): void {
    const { owners } = this.#commit;
    const changes = this.#changes;
    const isAssignment = changes.take('request', 'removed').length > 0;
    const owned = [
      ...changes.take('owner', 'created'),
      ...changes.take('owner', 'written'),
      ...changes.take('owner', 'removed'),
    ];
    const dropped = changes.take('item', 'removed');
    // A moment before they are assigned for the first time, and nothing by themselves.
    changes.take('item', 'created');
    if (isAssignment) changes.take('assigning', 'removed');
    if (!isAssignment && owned.length === 0 && dropped.length === 0) return;
    for (const { item } of dropped)
      for (const mark of ['running', 'failover', 'failovering', 'misfire', 'disabled'] as const)
        for (const change of changes.take(mark, 'removed', (each) => each.item === item)) this.#tellAlone(change);
    const isAsBefore = owned.length === 0 && dropped.length === 0;
    const table = owners.map((owner, item) => `${item}→${owner}`).join(' ');
    this.#say(`${isAssignment ? '' : `${this.#commit.by} changed `}items ${table}${isAsBefore ? ' as before' : ''}`);
    this.#items(`dropped`, dropped);
  }

  #tellAlone(change: Change): void {
    const { by } = this.#commit;
    const { kind, did, of, after, before } = change;
    switch (kind) {
      case 'configuration':
        return this.#say(
          `${by} ${{ created: 'stored', written: 'changed', removed: 'removed' }[did]} the configuration`,
        );
      case 'server':
        return this.#say(
          did === 'removed'
            ? `${by} removed ${this.#commit.serverOf(of)}`
            : `${by} set ${this.#commit.serverOf(of)} to ${String(after)}`,
        );
      case 'request':
        return this.#say(
          did === 'removed' ? `${by} withdrew the request for an assignment` : `${by} requested an assignment`,
        );
      case 'trigger':
        return this.#say(`${by} triggered ${this.#name(of)}`);
      case 'next-runner':
        return this.#say(
          after === undefined ? `nobody is named as the next to run` : `next to run is ${this.#commit.serverOf(after)}`,
        );
      case 'arrival':
        return this.#items(`${by} ${did} the report of`, [change], `as ${of}`);
      case 'crash':
        return this.#items(`${by} ${did} the report of`, [change]);
      case 'misfire':
        return this.#items(`${by} noted`, [change], 'as misfired');
      case 'running':
        if (did === 'removed') return this.#items(`${by} removed ${this.#name(before)}'s mark of`, [change]);
        return this.#items(`${by} ${did} '${kind}' of`, [change], `(${this.#name(after)})`);
      case 'failover':
      case 'failovering':
        return this.#items(`${by} ${did} ${kind} of`, [change], `(${this.#name(after ?? before)})`);
      case 'disabled':
        return this.#items(`${by} ${did === 'removed' ? 'enabled' : 'disabled'}`, [change]);
      case 'live':
        return this.#sayAside(`${by} ${did} ${this.#name(of) === by ? 'its' : `${this.#name(of)}'s`} sign of life`);
      case 'place-in-the-failover-queue':
        return this.#say(`${by} queued for the failover latch`);
      default:
        return this.#say(this.#commit.readable(`${by} ${did} ${change.path}${after ? ` = ${after}` : ''}`));
    }
  }

  #name(id: string | undefined): string {
    return id === undefined ? 'nobody' : this.#commit.nameOf(id);
  }

  #say(before: string): void {
    this.said.push({ job: this.#commit.job, before, items: [], after: '' });
  }

  #sayAside(before: string): void {
    this.said.push({ job: this.#commit.job, before, items: [], after: '', isAside: true });
  }

  #items(before: string, changes: readonly Change[], after = ''): void {
    const items = changes.map(({ item }) => item);
    if (items.length > 0)
      this.said.push({ job: this.#commit.job, before, items, after: after === '' ? '' : ` ${after}` });
  }

  #stage(item: number, stage: RunStage): void {
    const { job, by } = this.#commit;
    this.said.push({ stage, job, instance: by, item });
  }
}
