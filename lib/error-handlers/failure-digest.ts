import { describeCause } from '../api/text/describe-cause.js';
import { type JobFailure } from '../api/extensions/error-handler.js';
import { detailsOf, type Notice, noticeOf } from './failure-text.js';

/** The most kinds of failures that a digest lists; further kinds are only counted. */
const MOST_KINDS = 10;

/** The most items of one kind of failure that a digest names. */
const MOST_ITEMS = 20;

/** The most characters of a cause that a digest quotes. */
const LONGEST_CAUSE = 300;

interface Kind {
  count: number;
  readonly items: Set<number>;
}

/** Failures of one job for one notice. Its size is bounded for any number of failures. */
export class FailureDigest {
  readonly #first: JobFailure;
  readonly #firstAt: number;
  readonly #kinds = new Map<string, Kind>();
  #last: JobFailure;
  #count = 0;
  #others = 0;

  /** @param at when the failure was reported; milliseconds since 1970 */
  constructor(failure: JobFailure, at: number) {
    this.#first = failure;
    this.#last = failure;
    this.#firstAt = at;
    this.add(failure);
  }

  add(failure: JobFailure): void {
    this.#count++;
    this.#last = failure;
    const cause = firstLineOf(failure.cause);
    const kind = this.#kinds.get(cause);
    if (kind === undefined && this.#kinds.size >= MOST_KINDS) {
      this.#others++;
      return;
    }
    const { items } = kind ?? { items: new Set<number>() };
    if (failure.item !== undefined && items.size < MOST_ITEMS) items.add(failure.item);
    this.#kinds.set(cause, { count: (kind?.count ?? 0) + 1, items });
  }

  /** The notice of a single failure; of several, their number for each kind, and the details of the last one. */
  get notice(): Notice {
    if (this.#count === 1) return noticeOf(this.#first);
    const { jobName } = this.#first.configuration;
    const since = new Date(this.#firstAt).toISOString();
    return {
      heading: `Job '${jobName}' exception occur in job processing, ${this.#count} more failures since ${since}:\n`,
      trace: this.#lines.map((line) => `${line}\n`).join(''),
      details: ['The last one:', ...detailsOf(this.#last)],
    };
  }

  get #lines(): readonly string[] {
    const lines = [...this.#kinds].map(([cause, { count, items }]) => {
      const which = items.size === 0 ? '' : `, ${items.size === 1 ? 'item' : 'items'} ${[...items].join(', ')}`;
      return `${count} ×${which}: ${cause}`;
    });
    return this.#others === 0 ? lines : [...lines, `${this.#others} × other causes`];
  }
}

function firstLineOf(cause: unknown): string {
  const [line = ''] = describeCause(cause).split('\n');
  return line.length <= LONGEST_CAUSE ? line : `${line.slice(0, LONGEST_CAUSE)}…`;
}
