import { computed, type WritableComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';

/** A filter that is part of the address, so that a link shows the same rows. An empty filter is left out. */
export function useQuery(name: string, fallback = ''): WritableComputedRef<string> {
  const route = useRoute();
  const router = useRouter();
  return computed({
    get: () => {
      const value = route.query[name];
      return typeof value === 'string' ? value : fallback;
    },
    set: (value) => {
      // If several filters are set at once, a later one must keep the earlier ones.
      const { query } = router.currentRoute.value;
      pending.query = { ...(pending.query ?? query), [name]: value === fallback ? undefined : value };
      queueMicrotask(() => {
        if (pending.query === undefined) return;
        const next = pending.query;
        delete pending.query;
        void router.replace({ query: next });
      });
    },
  });
}

const pending: { query?: Record<string, string | undefined | null | (string | null)[]> } = {};
