import { computed, type ComputedRef, ref, shallowRef } from 'vue';
import { type Page } from '../../contract/common.js';
import { asProblem, get, type Query } from '../api/client.js';
import { type Load, useLoad } from '../api/use-load.js';

/** A long list, whose next page is read when the user asks for it. */
export interface Pages<Row> extends Load<readonly Row[]> {
  readonly hasMore: ComputedRef<boolean>;
  /** True if the user has asked for more than the first page. */
  readonly isLong: ComputedRef<boolean>;
  readonly more: () => Promise<void>;
}

export function usePages<Row>(path: string, query: () => Query): Pages<Row> {
  const later = shallowRef<readonly Row[]>([]);
  const cursor = ref<string>();
  const first = useLoad(
    async (_, asked) => {
      const page = await get<Page<Row>>(path, asked);
      later.value = [];
      cursor.value = page.nextCursor;
      return page.items;
    },
    () => [path, query()],
  );
  const more = async (): Promise<void> => {
    const from = cursor.value;
    try {
      const page = await get<Page<Row>>(path, { ...query(), cursor: from });
      // The list may have been read again from the start meanwhile.
      if (from !== cursor.value) return;
      cursor.value = page.nextCursor;
      later.value = [...later.value, ...page.items];
      first.problem.value = undefined;
    } catch (error) {
      first.problem.value = asProblem(error);
    }
  };
  return {
    ...first,
    data: computed(() => first.data.value && [...first.data.value, ...later.value]),
    hasMore: computed(() => cursor.value !== undefined),
    isLong: computed(() => later.value.length > 0),
    more,
  };
}
