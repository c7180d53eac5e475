import { computed, type ComputedRef, ref, type Ref } from 'vue';
import { type Page, type Problem } from '../../contract/common.js';
import { asProblem, get } from '../api/client.js';
import { useLoad } from '../api/use-load.js';

type Query = Readonly<Record<string, string | number | undefined>>;

/** A long list, of which more is read when the user asks for it. */
export interface Pages<Row> {
  readonly rows: ComputedRef<readonly Row[]>;
  readonly isKnown: ComputedRef<boolean>;
  readonly hasMore: ComputedRef<boolean>;
  readonly isLoading: Ref<boolean>;
  readonly problem: Ref<Problem | undefined>;
  readonly more: () => Promise<void>;
  readonly reload: () => Promise<void>;
}

export function usePages<Row>(path: string, query: () => Query, inputs: () => unknown): Pages<Row> {
  const later = ref<readonly Row[]>([]) as Ref<readonly Row[]>;
  const cursor = ref<string>();
  const first = useLoad(async () => {
    const page = await get<Page<Row>>(path, query());
    later.value = [];
    cursor.value = page.nextCursor;
    return page.items;
  }, inputs);
  const more = async (): Promise<void> => {
    try {
      const page = await get<Page<Row>>(path, { ...query(), cursor: cursor.value });
      cursor.value = page.nextCursor;
      later.value = [...later.value, ...page.items];
    } catch (error) {
      first.problem.value = asProblem(error);
    }
  };
  return {
    rows: computed(() => [...(first.data.value ?? []), ...later.value]),
    isKnown: computed(() => first.data.value !== undefined),
    hasMore: computed(() => cursor.value !== undefined),
    isLoading: first.isLoading,
    problem: first.problem,
    more,
    reload: first.reload,
  };
}
