import { shallowRef, triggerRef, computed, type ComputedRef, onScopeDispose, ref, type Ref, watch } from 'vue';
import { type Page, type Problem } from '../../contract/common.js';
import { type JobRow } from '../../contract/jobs.js';
import { asProblem, get, segment } from '../api/client.js';
import { useLive } from './use-live.js';

const PAGE_SIZE = 1_000;

/** All jobs of a registry centre: read once, then kept up to date by what is heard. */
export interface Jobs {
  readonly rows: ComputedRef<readonly JobRow[]>;
  readonly problem: Ref<Problem | undefined>;
  readonly isLoading: Ref<boolean>;
  readonly reload: () => Promise<void>;
}

export function useJobs(registry: Ref<string>): Jobs {
  const byName = shallowRef(new Map<string, JobRow>());
  const problem = ref<Problem>();
  const isLoading = ref(true);
  const asked = { last: 0 };
  const frame = { id: 0 };

  /** Many events within a frame are one change of the page. */
  const show = (): void => {
    cancelAnimationFrame(frame.id);
    frame.id = requestAnimationFrame(() => triggerRef(byName));
  };

  const reload = async (): Promise<void> => {
    const mine = ++asked.last;
    isLoading.value = true;
    const found = new Map<string, JobRow>();
    try {
      let cursor: string | undefined;
      do {
        const query = { limit: PAGE_SIZE, sort: 'name', cursor };
        // A page says where the next one begins.
        const page = await get<Page<JobRow>>(`registries/${segment(registry.value)}/jobs`, query);
        if (mine !== asked.last) return;
        for (const job of page.items) found.set(job.jobName, job);
        cursor = page.nextCursor;
        if (byName.value.size < found.size) byName.value = new Map(found);
      } while (cursor !== undefined);
      byName.value = found;
      problem.value = undefined;
    } catch (error) {
      if (mine === asked.last) problem.value = asProblem(error);
    } finally {
      if (mine === asked.last) isLoading.value = false;
    }
  };

  useLive((event) => {
    if (event.type === 'resync') void reload();
    if (event.type === 'job') byName.value.set(event.job.jobName, event.job);
    if (event.type === 'job-removed') byName.value.delete(event.jobName);
    if (event.type === 'job' || event.type === 'job-removed') show();
  });
  watch(
    registry,
    () => {
      byName.value = new Map();
      void reload();
    },
    { immediate: true },
  );
  onScopeDispose(() => {
    asked.last = -1;
    cancelAnimationFrame(frame.id);
  });
  return { rows: computed(() => [...byName.value.values()]), problem, isLoading, reload };
}
