import { onScopeDispose, type Ref } from 'vue';
import { type Page } from '../../contract/common.js';
import { type JobRow } from '../../contract/jobs.js';
import { get, segment } from '../api/client.js';
import { type Load, useLoad } from '../api/use-load.js';
import { useLive } from './use-live.js';

const PAGE_SIZE = 1_000;

/** All jobs of a registry centre: read once, then kept up to date by events. Events alone are no list. */
export function useJobs(registry: Ref<string>): Load<readonly JobRow[]> {
  /** The events that came while the list was read, or since it was shown; `undefined` for a removed job. */
  const heard = new Map<string, JobRow | undefined>();
  const frame = { id: 0 };

  const jobs = useLoad<readonly JobRow[]>(
    async (path, query, show) => {
      heard.clear();
      const found: JobRow[] = [];
      let cursor: string | undefined;
      do {
        // One page after the other, as each contains the cursor of the next one.
        const page: Page<JobRow> = await get(path, { ...query, cursor });
        found.push(...page.items);
        cursor = page.nextCursor;
        if (cursor !== undefined && (jobs.data.value?.length ?? 0) < found.length) show([...found]);
      } while (cursor !== undefined);
      return updated(found, heard);
    },
    () => [`registries/${segment(registry.value)}/jobs`, { limit: PAGE_SIZE, sort: 'name' }],
  );

  useLive((event) => {
    if (event.type === 'job') heard.set(event.job.jobName, event.job);
    else if (event.type === 'job-removed') heard.set(event.jobName, undefined);
    else return;
    cancelAnimationFrame(frame.id);
    frame.id = requestAnimationFrame(take);
  });
  /** Shows all events of a frame at once. While the list is read, they wait for it. */
  function take(): void {
    if (jobs.isLoading.value || jobs.data.value === undefined) return;
    jobs.data.value = updated(jobs.data.value, heard);
    heard.clear();
  }
  onScopeDispose(() => cancelAnimationFrame(frame.id));
  return jobs;
}

function updated(rows: readonly JobRow[], heard: ReadonlyMap<string, JobRow | undefined>): readonly JobRow[] {
  const byName = new Map(rows.map((job) => [job.jobName, job]));
  for (const [name, job] of heard)
    if (job === undefined) byName.delete(name);
    else byName.set(name, job);
  return [...byName.values()];
}
