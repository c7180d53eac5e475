import { setMaxListeners } from 'node:events';

/** The part of an `AbortSignal` that our code needs; each signal has it. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: AbortSignal['reason'];
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** @throws the reason if it was aborted */
export function throwIfAborted(source: AbortSource): void {
  if (source.aborted) throw source.reason;
}

/**
 * An abort whose `AbortSignal` is made when it is first read: making one takes longer than running an item that never
 * reads it.
 */
export class Abort implements AbortSource {
  #controller: AbortController | undefined;
  #cause: { readonly reason: Error } | undefined;
  /** Made for the first listener: most items begin and end without any. */
  #listeners: Set<() => void> | undefined;

  get aborted(): boolean {
    return this.#cause !== undefined;
  }

  /** Reason of the abort; `undefined` before. */
  get reason(): Error | undefined {
    return this.#cause?.reason;
  }

  /** The same each time. Any number of listeners may be added; Node warns of more than ten otherwise. */
  get signal(): AbortSignal {
    let controller = this.#controller;
    if (controller === undefined) {
      this.#controller = controller = new AbortController();
      setMaxListeners(Infinity, controller.signal);
      if (this.#cause !== undefined) controller.abort(this.#cause.reason);
    }
    return controller.signal;
  }

  /** Aborts the signal too, and calls the listeners, each of them once. A second call has no effect. */
  abort(reason: Error): void {
    if (this.#cause !== undefined) return;
    this.#cause = { reason };
    this.#controller?.abort(reason);
    const listeners = [...(this.#listeners ?? [])];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** As of an `AbortSignal`: after an abort, `listener` is not called any more. It must not throw. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#cause === undefined) (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
