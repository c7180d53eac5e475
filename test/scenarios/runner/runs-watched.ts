import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { type Member } from '../../../lib/testing/member.js';
import { type Clock } from '../../../lib/time/clock.js';
import { type Chronicle, timeOf } from './chronicle.js';
import { RunDemands } from './run-demands.js';

interface OpenRun {
  readonly member: Member;
  readonly name: string;
  readonly context: ShardingContext;
  readonly end: (how: 'ok' | 'aborted') => void;
}

/** The cluster's data that the work needs. */
export interface WorkPorts {
  readonly chronicle: Chronicle;
  readonly clock: Clock;
  /** True if the item bears the running mark of that instance; `undefined` if the job marks none. */
  readonly isMarked: (name: string, context: ShardingContext) => boolean | undefined;
  /** True if that instance has taken the item over from one that is gone. */
  readonly isPartial: (name: string, context: ShardingContext) => boolean;
  /** Takes a breach of what must hold at any time. */
  readonly complain: (complaint: string) => void;
}

/**
 * The work of all jobs of a scenario: items run at once, or until they are released, or fail, and all of it is written
 * down.
 */
export class WatchedWork {
  readonly #ports: WorkPorts;
  readonly #open = new Set<OpenRun>();
  /** `item`, or `item@A`; those that run until they are released. */
  readonly #held = new Set<string>();
  readonly #failing = new Set<string>();
  /** Listeners' calls that are held. */
  readonly #calls = new Map<string, () => void>();
  readonly #gone = new WeakSet<Member>();
  readonly #frozen = new Map<Member, (() => void)[]>();
  readonly #demands: RunDemands;
  /** True if items ignore their signal. */
  isDeaf = false;

  constructor(ports: WorkPorts) {
    this.#ports = ports;
    this.#demands = new RunDemands(ports.complain);
  }

  /** From now on the items run until they are released; `1@B` only on B. */
  hold(items: readonly string[]): void {
    for (const item of items) this.#held.add(item);
  }

  /** The items, or listeners' calls, throw as long as they are named here. */
  fail(items: readonly string[]): void {
    this.#failing.clear();
    for (const item of items) this.#failing.add(item);
  }

  /** Ends the runs of held items, and holds them no more. */
  release(items: readonly string[]): void {
    for (const item of items) {
      for (const held of this.#held) if (held === item || held.startsWith(`${item}@`)) this.#held.delete(held);
      for (const [place, end] of this.#calls) if (place === item || place.startsWith(`${item}@`)) end();
      for (const run of [...this.#open])
        if (item === `${run.context.shardingItem}` || item === placeOf(run)) this.#letEnd(run, 'ok');
    }
  }

  /** A listener's call: ends at once unless it is held, as `started` or `started@A`, or to fail. */
  async listen(member: Member, name: string, what: string, signal: AbortSignal): Promise<void> {
    const place = `${what}@${name}`;
    const isHeld = this.#held.has(what) || this.#held.has(place);
    if (isHeld && !signal.aborted)
      await new Promise<void>((resolve) => {
        const end = (): void => {
          this.#calls.delete(place);
          resolve();
        };
        this.#calls.set(place, end);
        signal.addEventListener('abort', () => {
          this.#ports.chronicle.say(`${name} was told to break off the call '${what}'`);
          end();
        });
      });
    if (this.#gone.has(member)) return new Promise(() => undefined);
    if (this.#failing.has(what)) throw new Error(`${what} fails`);
  }

  /** The runs of this instance do not count any more. */
  lose(member: Member): void {
    this.#gone.add(member);
    for (const run of this.#open) if (run.member === member) this.#open.delete(run);
    for (const place of this.#calls.keys()) if (place.endsWith(`@${member.name}`)) this.#calls.delete(place);
  }

  freeze(member: Member): void {
    this.#frozen.set(member, []);
  }

  thaw(member: Member): void {
    const ends = this.#frozen.get(member) ?? [];
    this.#frozen.delete(member);
    for (const end of ends) end();
  }

  /** An instance removed its mark of an item. */
  unmarked(name: string, job: string, item: number): void {
    this.#demands.unmarked(name, job, item);
  }

  /** Runs and listeners' calls that have begun and not ended, as `0@A`. */
  get open(): readonly string[] {
    return [...[...this.#open].map(placeOf), ...this.#calls.keys()];
  }

  async execute(member: Member, name: string, context: ShardingContext): Promise<void> {
    const { shardingItem: item, jobName: job } = context;
    this.#begin(member, name, context);
    const place = `${item}@${name}`;
    const isHeld = this.#held.has(`${item}`) || this.#held.has(place);
    const how = isHeld ? await this.#wait(member, name, context) : 'ok';
    if (this.#gone.has(member)) return new Promise(() => undefined);
    const outcome = how === 'ok' && this.#failing.has(`${item}`) ? 'failed' : how;
    const isMarked = this.#ports.isMarked(name, context);
    this.#ports.chronicle.note({ stage: 'ended', job, instance: name, item, outcome, isMarked });
    if (outcome === 'ok') this.#demands.ended(name, context, isMarked);
    if (outcome === 'failed') throw new Error(`item ${item} fails`);
  }

  #begin(member: Member, name: string, context: ShardingContext): void {
    const { shardingItem: item, jobName: job } = context;
    const { chronicle } = this.#ports;
    const isMarked = this.#ports.isMarked(name, context);
    const cause = this.#causeOf(name, context);
    chronicle.note({ stage: 'started', job, instance: name, item, isMarked, ...(cause !== undefined && { cause }) });
    this.#demandNoOverlap(name, context);
    this.#demands.begun(name, context, isMarked);
    context.signal.addEventListener('abort', () => {
      if (!this.#gone.has(member) && [...this.#open].some((run) => run.context === context))
        chronicle.note({
          job,
          before: `${name} was told to break off`,
          items: [item],
          after: `: ${reasonOf(context)}`,
        });
    });
  }

  #causeOf(name: string, context: ShardingContext): string | undefined {
    const { scheduledAt } = context;
    const when = scheduledAt === undefined ? 'manual' : timeOf(scheduledAt.getTime());
    if (this.#ports.isPartial(name, context))
      return scheduledAt === undefined ? 'takeover of a manual run' : `takeover of ${when}`;
    if (scheduledAt?.getTime() === this.#ports.clock.now()) return undefined;
    return scheduledAt === undefined ? when : `for ${when}`;
  }

  #wait(member: Member, name: string, context: ShardingContext): Promise<'ok' | 'aborted'> {
    return new Promise((resolve) => {
      const end = (how: 'ok' | 'aborted'): void => {
        this.#open.delete(run);
        resolve(how);
      };
      const run: OpenRun = { member, name, context, end };
      this.#open.add(run);
      if (!this.isDeaf)
        context.signal.addEventListener('abort', () => queueMicrotask(() => this.#letEnd(run, 'aborted')));
    });
  }

  #letEnd(run: OpenRun, how: 'ok' | 'aborted'): void {
    if (!this.#open.has(run)) return;
    const waiting = this.#frozen.get(run.member);
    if (waiting === undefined) run.end(how);
    else waiting.push(() => run.end(how));
  }

  /** A run that was aborted, or whose process is frozen, does not count as an overlap. */
  #demandNoOverlap(name: string, { jobName, shardingItem }: ShardingContext): void {
    for (const { context, member, name: other } of this.#open) {
      const isSame = context.jobName === jobName && context.shardingItem === shardingItem;
      if (!isSame || context.signal.aborted || this.#frozen.has(member)) continue;
      this.#ports.complain(`${name} began item ${shardingItem} of ${jobName} while ${other} ran it`);
    }
  }
}

function placeOf({ name, context }: OpenRun): string {
  return `${context.shardingItem}@${name}`;
}

function reasonOf({ signal }: ShardingContext): string {
  const { code } = signal.reason as { readonly code?: string };
  const words: Readonly<Record<string, string>> = { SESSION_LOST: 'session lost', JOB_STOPPED: 'job stopped' };
  return words[code ?? ''] ?? String(signal.reason);
}
