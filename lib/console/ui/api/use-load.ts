import { onScopeDispose, ref, type Ref, shallowRef, watch } from 'vue';
import { type Problem } from '../../contract/common.js';
import { live } from '../live/live.js';
import { asProblem } from './client.js';

/**
 * What a page has of something that it has to ask for:
 *
 * ```
 *   asked ──▶ known ──▶ asked again: the answer stays, and is said to be of then if the next one fails
 *     └─────▶ failed    for other inputs: the answer is provisional, and dropped if the next one fails
 * ```
 *
 * Without data nothing is claimed: neither that there is none, nor that all is well. `LoadArea` shows the difference.
 */
export interface Load<T> {
  readonly data: Readonly<Ref<T | undefined>>;
  readonly problem: Ref<Problem | undefined>;
  readonly isLoading: Ref<boolean>;
  /** The data answers other inputs, or is the first part of a long answer. */
  readonly isProvisional: Ref<boolean>;
  /** When the data came. */
  readonly knownAt: Ref<number | undefined>;
  readonly reload: () => Promise<void>;
}

/** A question that is asked each time that `reload` is called; the last one counts. `stop` drops what is under way. */
export interface Asking<T> extends Load<T> {
  readonly data: Ref<T | undefined>;
  readonly stop: () => void;
}

/** @param ask resolves with the answer; may show the first part of a long one by `show` */
export function asking<T>(ask: (show: (part: T) => void) => Promise<T>): Asking<T> {
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

/** Asks at once, again whenever `inputs` change, and again when the live stream says that events were left out. */
export function useLoad<T>(
  ask: (show: (part: T) => void) => Promise<T>,
  inputs: () => unknown = () => undefined,
): Asking<T> {
  const load = asking(ask);
  watch(
    inputs,
    (now, before) => {
      if (before !== undefined && JSON.stringify(now) === JSON.stringify(before)) return;
      load.isProvisional.value = load.data.value !== undefined;
      void load.reload();
    },
    { immediate: true, deep: true },
  );
  onScopeDispose(live.listen((event) => event.type === 'resync' && void load.reload()));
  onScopeDispose(load.stop);
  return load;
}

/** A figure of what is asked for: `…` while it is asked, `–` if it could not be read. */
export function figureOf<T>(load: Load<T>, of: (data: T) => string): string {
  if (load.data.value !== undefined && !load.isProvisional.value) return of(load.data.value);
  return load.problem.value === undefined || load.isLoading.value ? '…' : '–';
}
