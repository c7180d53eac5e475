import { type TraceEvent } from '../api/events/trace-events.js';

/** The bounds of the events that wait. */
export interface PendingBounds {
  /** The largest number of events. */
  readonly events: number;
  /** The largest number of UTF-16 code units of all their texts together. */
  readonly characters: number;
}

/**
 * Events that wait to be stored, oldest first. The completion of an item takes the place of its start if that still
 * waits: it has all fields of the start, so one row is written once. The completion of an item whose start was stored
 * has a place beyond the bounds.
 */
export class PendingEvents {
  readonly #bounds: PendingBounds;
  readonly #events = new Map<string, TraceEvent>();
  /** Executions whose start has been taken away, and whose completion has not come: as many as run. */
  readonly #open = new Set<string>();
  #characters = 0;

  constructor(bounds: PendingBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#events.size;
  }

  /** Adds an event. @returns true if there was room for it */
  add(event: TraceEvent): boolean {
    const key = keyOf(event);
    const waiting = this.#events.get(key);
    if (waiting !== undefined && isOlder(event, waiting)) return true;
    const characters = this.#characters + charactersOf(event) - (waiting === undefined ? 0 : charactersOf(waiting));
    // A completion whose start waits or was stored always has a place, else the row would stay incomplete.
    const isBound = waiting === undefined && !this.#open.has(event.id);
    if (isBound && (this.#events.size >= this.#bounds.events || characters > this.#bounds.characters)) return false;
    if (isCompletion(event)) this.#open.delete(event.id);
    this.#characters = characters;
    this.#events.set(key, event);
    return true;
  }

  /** The oldest events, `count` at most. */
  oldest(count: number): readonly TraceEvent[] {
    const found: TraceEvent[] = [];
    for (const event of this.#events.values()) {
      if (found.length >= count) break;
      found.push(event);
    }
    return found;
  }

  /**
   * Removes events that were stored or refused. If the completion of a start came in the meantime, that completion
   * stays.
   */
  remove(events: readonly TraceEvent[]): void {
    for (const event of events) {
      const key = keyOf(event);
      if (this.#events.get(key) !== event) continue;
      if (event.type === 'execution' && event.completeTime === undefined) this.#open.add(event.id);
      this.#events.delete(key);
      this.#characters -= charactersOf(event);
    }
  }
}

const keyOf = (event: TraceEvent): string => `${event.type} ${event.id}`;

/** True if `event` is the start of an execution whose completion waits already. */
function isOlder(event: TraceEvent, waiting: TraceEvent): boolean {
  return (
    event.type === 'execution' &&
    waiting.type === 'execution' &&
    event.completeTime === undefined &&
    waiting.completeTime !== undefined
  );
}

const isCompletion = (event: TraceEvent): boolean => event.type === 'execution' && event.completeTime !== undefined;

function charactersOf(event: TraceEvent): number {
  const text = event.type === 'execution' ? event.failureCause : event.message;
  return event.taskId.length + (text?.length ?? 0);
}
