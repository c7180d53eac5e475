import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { fromYaml } from '../../../lib/layout/job-configuration-yaml.js';

const MOST_REMEMBERED = 1_000;
const known = new Map<string, JobConfiguration>();

/** The configuration of the job's config node; the same few come in all histories. */
export function configurationOf(yaml: string): JobConfiguration {
  let configuration = known.get(yaml);
  if (configuration === undefined) {
    if (known.size > MOST_REMEMBERED) known.clear();
    ({ configuration } = fromYaml(yaml, '/bill/config'));
    known.set(yaml, configuration);
  }
  return configuration;
}

/** Fires every so many seconds. */
export function cronOf(periodSeconds: number): string {
  return `0/${periodSeconds} * * * * ?`;
}

/** Milliseconds between two firings. */
export function periodMsOf({ cron }: Pick<JobConfiguration, 'cron'>): number {
  return Number(/^0\/(\d+) /.exec(cron ?? '')?.[1]) * 1_000;
}
