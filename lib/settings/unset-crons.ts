import { isMap } from '../api/text/describe-value.js';
import { relaxed } from '../api/text/nearest.js';

/** The sources of settings, as `SettingsSources` has them. */
interface Sources {
  readonly code: readonly unknown[];
  readonly file: unknown;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Warnings of jobs that were probably meant to have a schedule: a source names `cron` and says nothing, as
 * `cron: process.env.SYNC_CRON` does while the variable is not set, and no source gives a cron expression.
 * @param jobNames the jobs that have no cron expression in the end
 */
export function unsetCronWarnings(sources: Sources, jobNames: readonly string[]): readonly string[] {
  return jobNames.flatMap((jobName) => {
    const given = givenCrons(sources, jobName);
    const [empty] = given;
    if (empty === undefined || given.some(({ value }) => !isEmpty(value))) return [];
    const state = isBlank(empty.value) ? 'empty' : String(empty.value);
    return [
      `Job '${jobName}' is a one-off job, which runs only when it is triggered: ${empty.where} names its cron, which is ${state}. ` +
        'If it is to fire by a schedule, give a cron expression, perhaps by an environment variable that is not set here; otherwise leave cron out.',
    ];
  });
}

interface Given {
  readonly where: string;
  readonly value: unknown;
}

function givenCrons({ code, file, environment }: Sources, jobName: string): readonly Given[] {
  const isVariable = (name: string): boolean => relaxed(name) === relaxed(`elasticjob.jobs.${jobName}.cron`);
  return [
    ...code.flatMap((tree) => cronsIn(tree, jobName).map((value) => ({ where: 'code', value }))),
    ...cronsIn(file, jobName).map((value) => ({ where: 'the settings file', value })),
    ...Object.entries(environment).flatMap(([name, value]) =>
      isVariable(name) && value !== undefined ? [{ where: `environment variable ${name}`, value }] : [],
    ),
  ];
}

function cronsIn(tree: unknown, jobName: string): readonly unknown[] {
  const jobs = isMap(tree) ? tree['jobs'] : undefined;
  const job = isMap(jobs) && Object.hasOwn(jobs, jobName) ? jobs[jobName] : undefined;
  return isMap(job) ? Object.entries(job).flatMap(([key, value]) => (relaxed(key) === 'cron' ? [value] : [])) : [];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || isBlank(value);
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
