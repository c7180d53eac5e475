import { type JobRow } from '../../../contract/jobs.js';
import { t } from '../../i18n/i18n.js';

/** When a job runs, in a few words: its cron expression, the jobs before it, or on trigger only. */
export function scheduleWords({ type, cron, after = [] }: Pick<JobRow, 'type' | 'cron' | 'after'>): string {
  if (type === 'one-off') return t('jobs.oneOff');
  return type === 'after' ? t('jobs.after', { jobs: after.join(', ') }) : (cron ?? '–');
}
