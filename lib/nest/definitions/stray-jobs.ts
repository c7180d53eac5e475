import { describeValue, legible } from '../../api/text/describe-value.js';
import { settle, unsettledClasses } from '../decorators/decorated-classes.js';
import { jobsOf } from '../decorators/elastic-job.decorator.js';
import { type FoundProvider } from '../elastic-job.explorer.js';

/** The name is unchecked, so it may be a value of any type. */
function quoted(jobName: unknown): string {
  return typeof jobName === 'string' ? `'${legible(jobName)}'` : describeValue(jobName);
}

/** The classes of an application that may have jobs. */
export interface ApplicationClasses {
  readonly providers: readonly FoundProvider[];
  /** The classes of controllers. */
  readonly controllers: readonly object[];
}

/**
 * Finds classes that are decorated with `@ElasticJob`, and whose jobs run nowhere in this process, because no module
 * has them among its `providers`. Each class is named once a process.
 * @returns one warning for each class
 */
export function strayJobWarnings({ providers, controllers }: ApplicationClasses): readonly string[] {
  for (const { type } of providers) if (type !== undefined) settle(type);
  const names = new Set(providers.flatMap(({ jobs }) => jobs.map(({ jobName }) => jobName)));
  return unsettledClasses().flatMap((type) => {
    const strays = jobsOf(type).filter(({ jobName }) => !names.has(jobName));
    if (strays.length === 0) return [];
    settle(type);
    const decorators = strays.map(({ jobName }) => `@ElasticJob(${quoted(jobName)})`).join(' and ');
    const why = controllers.includes(type)
      ? 'is a controller, and jobs must be providers: the job does not run here. List the class in the providers of its module too.'
      : 'is not a provider: the job does not run here. List the class in the providers of a module, or do not load its file if the job belongs to another application. If its module is loaded lazily, the job starts then.';
    return [`${(type as { readonly name?: string }).name ?? 'A class'} is decorated with ${decorators}, but ${why}`];
  });
}
