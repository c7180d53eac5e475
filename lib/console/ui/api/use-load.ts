import { onScopeDispose, ref, type Ref, shallowRef, watch } from 'vue';
import { type Problem } from '../../contract/common.js';
import { type LiveEvent } from '../../contract/live.js';
import { live } from '../live/live.js';
import { useLiveRefresh } from '../live/use-live.js';
import { asProblem, type Query } from './client.js';

/**
 * The states of data that a page requests:
 *
 * ```
 *   asked ──▶ known ──▶ asked again: the answer stays, and is shown as old if the next one fails
 *     └─────▶ failed    for another address: the answer is provisional, and dropped if the next one fails
 * ```
 *
 * Without an answer, the page shows neither "empty" nor "all is well". `LoadArea` shows the difference.
 */
export interface Load<T> {
  readonly data: Readonly<Ref<T | undefined>>;
  readonly problem: Ref<Problem | undefined>;
  readonly isLoading: Ref<boolean>;
  /** True if the data answers other inputs, or is the first part of a long answer. */
  readonly isProvisional: Ref<boolean>;
  /** The time when the data was received. */
  readonly knownAt: Ref<number | undefined>;
  readonly reload: () => Promise<void>;
}

/** A request that each call of `reload` repeats; the answer of the last one counts. `stop` drops a running request. */
export interface Asking<T> extends Load<T> {
  readonly data: Ref<T | undefined>;
  readonly stop: () => void;
}

/** @param ask resolves with the answer; may show the first part of a long answer by `show` */
export function asking<T>(ask: (show: (part: T) => void) => Promise<T | undefined>): Asking<T> {
  const data = shallowRef<T>();
  const problem = shallowRef<Problem>();
  const isLoading = ref(false);
  const isProvisional = ref(false);
  const knownAt = ref<number>();
  const asked = { last: 0 };

  const reload = async (): Promise<void> => {
    const mine = ++asked.last;
    isLoading.value = true;
    try {
      const answer = await ask((part) => {
        if (mine !== asked.last) return;
        data.value = part;
        isProvisional.value = true;
      });
      if (mine !== asked.last) return;
      data.value = answer;
      knownAt.value = Date.now();
      problem.value = undefined;
      isProvisional.value = false;
    } catch (error) {
      if (mine !== asked.last) return;
      if (isProvisional.value) data.value = undefined;
      isProvisional.value = false;
      problem.value = asProblem(error);
    } finally {
      if (mine === asked.last) isLoading.value = false;
    }
  };
  const stop = (): void => {
    asked.last++;
    isLoading.value = false;
  };
  return { data, problem, isLoading, isProvisional, knownAt, reload, stop };
}

/** A path below `/api/v1/`, with an optional query. */
export type Address = string | readonly [path: string, query: Query];

/**
 * Requests at once, after each change of `address`, after events of the types `on`, and when the live stream reports
 * that events were left out.
 * @param read such as `get<T>`; may show the first part of a long answer by `show`
 * @param address `undefined` while there is nothing to request
 */
export function useLoad<T>(
  read: (path: string, query: Query, show: (part: T) => void) => Promise<T>,
  address: () => Address | undefined,
  on: readonly LiveEvent['type'][] = [],
): Asking<T> {
  const load = asking<T>(async (show) => {
    const now = address();
    if (now === undefined) return undefined;
    return typeof now === 'string' ? read(now, {}, show) : read(...now, show);
  });
  watch(
    () => JSON.stringify(address()),
    () => {
      load.isProvisional.value = load.data.value !== undefined;
      void load.reload();
    },
    { immediate: true },
  );
  onScopeDispose(live.listen(({ type }) => type === 'resync' && void load.reload()));
  useLiveRefresh(on, () => void load.reload());
  onScopeDispose(load.stop);
  return load;
}

/** A figure from the data: `…` while it is loading, `–` if it could not be read. */
export function figureOf<T>(load: Load<T>, of: (data: T) => string): string {
  if (load.data.value !== undefined && !load.isProvisional.value) return of(load.data.value);
  return load.problem.value === undefined || load.isLoading.value ? '…' : '–';
}
