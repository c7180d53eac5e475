import { onScopeDispose, ref, type Ref, shallowRef, watch } from 'vue';
import { type Problem } from '../../contract/common.js';
import { live } from '../live/live.js';
import { asProblem } from './client.js';

/** What a page shows of something that it has to ask for. */
export interface Load<T> {
  readonly data: Ref<T | undefined>;
  readonly problem: Ref<Problem | undefined>;
  readonly isLoading: Ref<boolean>;
  readonly reload: () => Promise<void>;
}

/**
 * Asks at once, again whenever `inputs` change, and again when the live stream says that events were left out. The last
 * answer stays until the next one is there.
 */
export function useLoad<T>(ask: () => Promise<T>, inputs: () => unknown = () => undefined): Load<T> {
  const data = shallowRef<T>();
  const problem = ref<Problem>();
  const isLoading = ref(false);
  const asked = { last: 0 };

  const reload = async (): Promise<void> => {
    const mine = ++asked.last;
    isLoading.value = true;
    try {
      const answer = await ask();
      if (mine !== asked.last) return;
      data.value = answer;
      problem.value = undefined;
    } catch (error) {
      if (mine === asked.last) problem.value = asProblem(error);
    } finally {
      if (mine === asked.last) isLoading.value = false;
    }
  };
  watch(
    inputs,
    (now, before) => {
      if (before !== undefined && JSON.stringify(now) === JSON.stringify(before)) return;
      void reload();
    },
    { immediate: true, deep: true },
  );
  onScopeDispose(live.listen((event) => event.type === 'resync' && void reload()));
  onScopeDispose(() => (asked.last = -1));
  return { data, problem, isLoading, reload };
}
