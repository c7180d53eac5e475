import { ref, watch, type Ref } from 'vue';
import { type ConsoleJobStatus, type JobRow } from '../../../contract/jobs.js';
import { t } from '../../i18n/i18n.js';
import { type Column } from '../../parts/table/table.js';

export const STATUSES: readonly ConsoleJobStatus[] = [
  'OK',
  'FAILING',
  'DISABLED',
  'PARTIALLY_DISABLED',
  'SHARDING_FLAG',
  'CRASHED',
  'CONFIG_ERROR',
  'HIDDEN',
  'UNKNOWN',
];
const STORED = 'elasticjob.columns';
const AT_FIRST = ['name', 'status', 'items', 'instances', 'cron', 'next', 'last', 'label'];

/** A job in the list. */
export interface ListedJob extends JobRow {
  /** The jobs that run after it, by name. */
  readonly successors: readonly string[];
}

/** The jobs with those that run after each. */
export function withSuccessors(jobs: readonly JobRow[]): readonly ListedJob[] {
  const successors = new Map<string, string[]>();
  for (const { jobName, after = [] } of jobs)
    for (const upstream of after) {
      const names = successors.get(upstream);
      if (names === undefined) successors.set(upstream, [jobName]);
      else names.push(jobName);
    }
  for (const names of successors.values()) names.sort();
  return jobs.map((job) => ({ ...job, successors: successors.get(job.jobName) ?? [] }));
}

export const jobColumns = (): readonly Column<ListedJob>[] => [
  { key: 'name', label: t('col.job'), of: (job) => job.jobName, isSortable: true, width: 'fill' },
  { key: 'status', label: t('col.status'), of: (job) => STATUSES.indexOf(job.status), isSortable: true },
  { key: 'items', label: t('col.items'), of: (job) => job.shardingTotalCount, isSortable: true, align: 'end' },
  { key: 'instances', label: t('col.instances'), of: (job) => job.instanceCount, isSortable: true, align: 'end' },
  { key: 'cron', label: t('col.schedule'), of: (job) => job.cron, isSortable: true, width: 'narrow' },
  { key: 'successors', label: t('col.successors'), of: (job) => job.successors.join(', '), isSortable: true },
  { key: 'next', label: t('col.next'), of: (job) => job.nextFireAt, isSortable: true },
  { key: 'last', label: t('col.last'), of: (job) => job.lastRun?.at, isSortable: true },
  { key: 'duration', label: t('col.duration'), of: (job) => job.lastRun?.durationMs, isSortable: true, align: 'end' },
  { key: 'label', label: t('col.label'), of: (job) => job.label, isSortable: true, width: 'narrow' },
  { key: 'zone', label: t('col.zone'), of: (job) => job.timeZone, isSortable: true },
  { key: 'description', label: t('col.description'), of: (job) => job.description },
];

/** The columns that the user has chosen, stored in this browser. The name is always shown. */
export function useShownColumns(): Ref<ReadonlySet<string>> {
  const stored = localStorage.getItem(STORED);
  const shown = ref<ReadonlySet<string>>(new Set(['name', ...(stored?.split(',') ?? AT_FIRST)]));
  watch(shown, (keys) => localStorage.setItem(STORED, [...keys].join(',')));
  return shown;
}
