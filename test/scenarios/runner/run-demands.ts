import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';

/** The demands on all runs of a scenario. */
export class RunDemands {
  readonly #complain: (complaint: string) => void;
  readonly #tokens = new Map<string, number>();
  /** Runs that have ended well and whose marks are still there, by job, item and instance. */
  readonly #ended = new Map<string, string>();
  readonly #done = new Set<string>();

  /** @param complain takes what does not hold */
  constructor(complain: (complaint: string) => void) {
    this.#complain = complain;
  }

  /** A run begins. @param isMarked `undefined` if the job marks none */
  begun(name: string, context: ShardingContext, isMarked: boolean | undefined): void {
    const { jobName, shardingItem: item, fencingToken } = context;
    const key = `${jobName} ${item}`;
    const last = this.#tokens.get(key) ?? -1;
    // Without marks nothing is written when a run begins, and the token is that of the assignment.
    const grows = isMarked === undefined ? fencingToken >= last : fencingToken > last;
    if (!grows) this.#complain(`${name} ran item ${item} of ${jobName} with a fencing token that did not grow`);
    this.#tokens.set(key, fencingToken);
    if (this.#done.has(firingOf(context)))
      this.#complain(`${name} ran item ${item} of ${jobName} again for a firing for which it had been run`);
  }

  /** A run has succeeded. It counts as done when its mark is gone, as no other instance can know it before. */
  ended(name: string, context: ShardingContext, isMarked: boolean | undefined): void {
    if (context.scheduledAt === undefined) return;
    if (isMarked === true) this.#ended.set(`${context.jobName} ${context.shardingItem} ${name}`, firingOf(context));
    else if (isMarked === undefined) this.#done.add(firingOf(context));
  }

  /** An instance removed the mark of its run. */
  unmarked(name: string, job: string, item: number): void {
    const firing = this.#ended.get(`${job} ${item} ${name}`);
    this.#ended.delete(`${job} ${item} ${name}`);
    if (firing !== undefined) this.#done.add(firing);
  }
}

function firingOf({ jobName, shardingItem, scheduledAt }: ShardingContext): string {
  return `${jobName} ${shardingItem} ${scheduledAt?.getTime() ?? 'manual'}`;
}
